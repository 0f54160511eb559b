// SPDX-License-Identifier: Apache-2.0
// fp8mac_write_out between the D buffer's regions and the write DMA. The solver chooses one beat of
// D: row m, beat b. It is read exactly once, from its own position in the slot of its own region,
// and not before the region is in the buffer. It is offered with the strobes of its bytes that are
// in D; where a row has one byte, D may begin at any byte. Each row request has as many beats as
// follow it, and the end of a tile command comes after all its rows. With PAIRS, each row of a
// region has two rows of D, an output line of OUT_W rows apart; the first SECONDS rows have both.
module formal_write_out
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 2,
  parameter int unsigned SHARE     = 2,
  parameter int unsigned BANKS     = 1,
  parameter int unsigned SLOTS     = 2,
  parameter int unsigned ROW_BYTES = 32,
  parameter int unsigned WORD      = 8,
  parameter int unsigned BEAT      = 4,
  parameter int unsigned M         = 3,   // of every tile command: each choice has its own proof
  parameter int unsigned N         = 5,
  parameter int unsigned SHAPE     = 2,   // pass_shape_e
  parameter int unsigned SIZE      = 1,   // log2 of the bytes of a D element
  parameter bit          PAIRS     = 1'b0,
  parameter int unsigned OUT_W     = 1,
  parameter int unsigned SECONDS   = 0,
  localparam int unsigned Parts    = ROWS / SHARE / BANKS,
  localparam int unsigned BufW     = $clog2(SLOTS * SHARE * Parts * ROW_BYTES / WORD),
  localparam int unsigned BankW    = (BANKS > 1) ? $clog2(BANKS) : 1,
  localparam int unsigned BeatW    = (WORD > BEAT) ? $clog2(WORD / BEAT) : 1
) (
  input logic           clk_i,
  input logic           rst_ni,
  input logic           discard_i,
  input logic           valid_i,
  input write_out_job_t job_i,
  input logic           region_full_i,
  input logic           row_ready_i,
  input logic           beat_ready_i,
  input dim_t           any_m_i,
  input dim_t           any_beat_i,
  input logic           any_second_i
);
  logic             ready, slot_free, read, row_valid, beat_valid, read_second;
  logic [BankW-1:0] read_bank;
  logic [BufW-1:0]  read_addr;
  logic [BeatW-1:0] read_beat;
  row_request_t     row;
  logic [BEAT-1:0]  strb;

  fp8mac_write_out #(
    .ROWS(ROWS), .SHARE(SHARE), .BANKS(BANKS), .SLOTS(SLOTS), .ROW_BYTES(ROW_BYTES), .WORD(WORD), .BEAT(BEAT),
    .PAIRS(PAIRS)
  ) dut (
    .clk_i, .rst_ni, .discard_i, .valid_i, .job_i, .ready_o(ready), .region_full_i,
    .clear_i(1'b0), .region_bad_i(1'b0), .slot_free_o(slot_free),
    .read_o(read), .read_bank_o(read_bank), .read_addr_o(read_addr), .read_beat_o(read_beat),
    .read_second_o(read_second),
    .row_valid_o(row_valid),
    .row_o(row), .row_ready_i, .beat_valid_o(beat_valid), .beat_strb_o(strb), .beat_ready_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- around it: one tile command after the other, all alike -----------------------------------
  localparam int unsigned RowBytes = N << SIZE;
  localparam int unsigned RowBeats = (RowBytes + BEAT - 1) / BEAT;
  typedef logic [7:0] count_t;

  write_out_job_t job_q;
  logic           held_q, valid_q, waits_q;
  count_t         full_q, freed_q;       // regions

  always_ff @(posedge clk_i) begin
    held_q  <= rst_ni;
    job_q   <= job_i;
    waits_q <= rst_ni && valid_i && !ready;
    if (!rst_ni) begin
      full_q  <= '0;
      freed_q <= '0;
    end else begin
      full_q  <= full_q + count_t'(region_full_i);
      freed_q <= freed_q + count_t'(slot_free);
    end
  end

  always_comb begin
    if (rst_ni) begin
      no_region_is_bad : assert (!dut.bad_q && dut.good_q == dut.waiting_q && (!dut.busy_q || !dut.row_bad_q));
      command_is_proper : assume (job_i.m == dim_t'(M) && job_i.n == dim_t'(N) && !job_i.none &&
        32'(job_i.pass_shape) == SHAPE && 32'(job_i.size) == SIZE &&
        !job_i.dense &&  // regions of results one behind the other, which have another length, are not followed here
        (job_i.d_addr % BEAT == 0 || RowBytes == 1) && job_i.d_addr < 64 &&
        job_i.pairs == PAIRS && (!PAIRS || (job_i.first && 32'(job_i.out_w) == OUT_W && 32'(job_i.seconds) == SECONDS &&
        job_i.line == job_i.d_stride * addr_t'(OUT_W))) && job_i.d_stride % BEAT == 0 &&
        job_i.d_stride < 64 && job_i.d_stride >= RowBeats * BEAT);
      commands_are_alike : assume (!held_q || job_i == job_q);
      command_stays : assume (!waits_q || valid_i);
      slots_suffice : assume (!region_full_i || full_q - freed_q < SLOTS);
      one_slot_each : assert (!slot_free || full_q != freed_q);
    end
  end

  // ---- rows and their beats ---------------------------------------------------------------------
  logic   asks, ends;
  dim_t   left_q;                 // beats of it still to be read
  addr_t  addr, addr_q;           // of the beat that is read

  assign asks = row_valid && row_ready_i && !row.none;
  assign ends = row_valid && row_ready_i && row.none;
  assign addr = asks ? row.addr : addr_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) left_q <= '0;
    else if (asks) left_q <= row.beats - dim_t'(read);
    else if (read) left_q <= left_q - dim_t'(1);
    if (read) addr_q <= addr + addr_t'(BEAT);
  end

  always_comb begin
    if (rst_ni) begin
      rows_have_beats : assert (!asks || (row.beats != '0 && row.addr % BEAT == 0));
      one_row_at_a_time : assert (!asks || left_q == '0);
      first_beat_with_its_row : assert (!asks || read);
      beats_have_a_row : assert (!read || asks || left_q != '0);
      region_is_full : assert (!read || full_q != freed_q);
      end_after_the_rows : assert (!ends || left_q == '0);
    end
  end

  // Rows of D that the tile command has asked for
  logic [5:0] asked_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || ends) asked_q <= '0;
    else asked_q <= asked_q + 6'(asks);
  end

  always_comb begin
    if (rst_ni) begin
      rows_of_d_alone : assert (!PAIRS || 32'(asked_q) + 32'(asks) <= M + SECONDS);
    end
  end

  // ---- one beat of D ----------------------------------------------------------------------------
  dim_t m, b;
  logic second, asked;  // its results 1
  formal_const #(.WIDTH(2 * DimW + 1)) u_mb (.clk_i, .any_i({any_m_i, any_beat_i, any_second_i}),
                                             .const_o({m, b, asked}));
  assign second = PAIRS && asked;

  logic        hit, hit_q, given_q, dropped_q;
  localparam int unsigned Height = ROWS << SHAPE;       // of a region
  localparam int unsigned Width  = ROW_BYTES >> SHAPE;
  localparam int unsigned Across = (RowBytes + Width - 1) / Width;
  logic [31:0] region, in_row, position, base;
  addr_t       address;
  count_t      freed_at_end_q;    // regions of all tile commands before this one

  logic [5:0] d_row;  // of D
  assign d_row    = PAIRS ? 6'((2 * (32'(m) / OUT_W) + 32'(second)) * OUT_W + 32'(m) % OUT_W) : 6'(m[3:0]);
  assign address  = job_i.d_addr / BEAT * BEAT + job_i.d_stride * addr_t'(d_row) + addr_t'(b) * BEAT;
  assign hit      = read && addr == address;
  assign region   = 32'(freed_at_end_q) + 32'(m) / Height * Across + 32'(b) * BEAT / Width;
  assign in_row   = 32'(m) % Height / ROWS * Width + (32'(b) + 32'(second)) * BEAT % Width;
  assign base     = (region % SLOTS * SHARE + 32'(m) % SHARE) * Parts + 32'(m) % ROWS / SHARE / BANKS;
  assign position = base * (ROW_BYTES / WORD) + in_row / WORD;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      given_q        <= 1'b0;
      dropped_q      <= 1'b0;
      hit_q          <= 1'b0;
      freed_at_end_q <= '0;
    end else begin
      if (ends) begin
        given_q        <= 1'b0;
        freed_at_end_q <= freed_at_end_q + count_t'((M + Height - 1) / Height * Across);
      end else if (hit) begin
        given_q <= 1'b1;
      end
      if (discard_i) dropped_q <= 1'b1;
      hit_q <= hit || (hit_q && !beat_ready_i);
    end
  end

  logic [BEAT-1:0] in_d;      // bytes of the beat
  always_comb begin
    for (int unsigned i = 0; i < BEAT; i++) in_d[i] = 32'(b) * BEAT + i - 32'(job_i.d_addr % BEAT) < RowBytes;
  end

  always_comb begin
    if (rst_ni) begin
      beat_exists : assume (m < dim_t'(M) && 32'(b) < RowBeats && (!second || 32'(m) < SECONDS));
      if (hit && !dropped_q) begin
        once : assert (!given_q);
        from_its_own_memory : assert (32'(read_bank) == 32'(m) % ROWS / SHARE % BANKS);
        from_its_own_word : assert (32'(read_addr) == position);
        of_its_result : assert (read_second == second);
        from_its_own_beat : assert (32'(read_beat) == in_row / BEAT % (WORD / BEAT));
      end
      offered_until_taken : assert (!hit_q || beat_valid);
      strobes_of_d : assert (!hit_q || strb == in_d);
      all_at_the_end : assert (!ends || given_q || dropped_q || discard_i);
      all_read : cover (ends && given_q && !dropped_q && m == dim_t'(M - 1) && 32'(b) == RowBeats - 1);
      ends_dropped : cover (ends && !given_q && dropped_q);
    end
  end

endmodule
