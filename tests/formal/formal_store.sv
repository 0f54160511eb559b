// SPDX-License-Identifier: Apache-2.0
// fp8mac_store between the array's banks and the receiver of its transfers. It reads a bank only while the bank is
// full, and empties it once. The transfers of a row complete exactly the requested beats. The solver chooses an output
// (m, n). It is offered exactly once, from its own bank, row and column, for its own address.
module formal_store
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 2,
  parameter int unsigned COLS    = 2,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  parameter int unsigned WIDTH   = 2,
  parameter int unsigned BEAT    = 8,
  parameter int unsigned M       = 3,   // every command's m: each shape has its own proof
  parameter int unsigned N       = 6,
  localparam int unsigned Banks  = BANKS_M * BANKS_N,
  localparam int unsigned BankW  = $clog2(Banks),
  localparam int unsigned RowW   = $clog2(ROWS),
  localparam int unsigned PosW   = $clog2(BEAT)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  discard_i,
  input logic                  valid_i,
  input storing_cmd_t          cmd_i,
  input logic                  kept_i,
  input logic [Banks-1:0]      fill_i,
  input logic [COLS-1:0][31:0] read_data_i,
  input logic                  epi_ready_i,
  input logic                  row_ready_i,
  input logic                  finished_ready_i,
  input dim_t                  any_m_i,
  input dim_t                  any_n_i
);
  logic                   stored, ready, epi_valid, epi_final, row_valid, finished_valid;
  logic [Banks-1:0]       release_bank, full_q;
  logic [BankW-1:0]       read_bank;
  logic [RowW-1:0]        read_row;
  dim_t                   at_row, at_col;
  logic [WIDTH-1:0]       epi_en;
  logic [WIDTH-1:0][31:0] epi_t0;
  logic [PosW-1:0]        epi_pos;
  logic [1:0]             epi_size;
  row_request_t           row;
  finished_cmd_t          finished;

  fp8mac_store #(
    .ROWS(ROWS), .COLS(COLS), .BANKS_M(BANKS_M), .BANKS_N(BANKS_N), .WIDTH(WIDTH), .BEAT(BEAT)
  ) dut (
    .clk_i, .rst_ni, .discard_i, .stored_o(stored), .valid_i, .cmd_i, .ready_o(ready), .kept_i, .bank_full_i(full_q),
    .bank_release_o(release_bank), .read_bank_o(read_bank), .read_row_o(read_row), .read_data_i, .vector_half_o(),
    .row_o(at_row), .col_o(at_col), .scale_a_i('0), .scale_b_i('0), .bias_i('0), .epi_valid_o(epi_valid),
    .epi_ready_i, .epi_en_o(epi_en), .epi_t0_o(epi_t0), .epi_scale_a_o(), .epi_scale_b_o(), .epi_bias_o(),
    .epi_cfg_o(), .epi_pos_o(epi_pos), .epi_size_o(epi_size), .epi_final_o(epi_final), .row_valid_o(row_valid),
    .row_req_o(row), .row_ready_i, .finished_valid_o(finished_valid), .finished_o(finished), .finished_ready_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- around it ---------------------------------------------------------------------------------------------------
  store_cmd_t   cmd;
  logic         held_q;
  storing_cmd_t whole_q;

  assign cmd = cmd_i.cmd;

  // An empty bank may be filled at any time.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= '0;
    else full_q <= (full_q & ~release_bank) | (fill_i & ~full_q);
    held_q  <= rst_ni && valid_i && !ready;
    whole_q <= cmd_i;
  end

  always_comb begin
    if (rst_ni) begin
      command_is_held : assume (!held_q || (valid_i && cmd_i == whole_q));
      shape_is_proper : assume (!valid_i || cmd_i.skip ||
        (cmd.m == dim_t'(M) && cmd.n == dim_t'(N) && cmd.epilogue.d_fmt != dst_fmt_e'(3'd7) &&
         cmd.d_addr % BEAT == 0 && cmd.d_stride % BEAT == 0 && cmd.d_addr < 64 && cmd.d_stride < 64));
      is_not_kept : assume (!valid_i || !cmd.acc_keep);
      not_kept : assume (!kept_i);
    end
  end

  // ---- banks -------------------------------------------------------------------------------------------------------
  logic [BankW-1:0] bank_q;   // the bank of the transfer that is offered
  logic [RowW-1:0]  bank_row_q;
  dim_t             row_q, col_q;

  always_ff @(posedge clk_i) begin
    bank_q     <= read_bank;
    bank_row_q <= read_row;
    row_q      <= at_row;
    col_q      <= at_col;
  end

  always_comb begin
    if (rst_ni) begin
      empties_what_is_full : assert ((release_bank & ~full_q) == '0);
      reads_what_is_full : assert (!epi_valid || full_q[bank_q]);
      one_end_each : assert (finished_valid == ready && stored == ready && (!ready || (valid_i && row_ready_i &&
        finished_ready_i && row_valid && row.none)));
      end_is_of_its_command : assert (!finished_valid || (finished.tag == cmd.tag && finished.error == cmd.error));
    end
  end

  // ---- rows and their beats ----------------------------------------------------------------------------------------
  logic  asks, moves, completes;
  logic  row_open_q;         // a row was requested and its last transfer is still to come
  dim_t  beats_q;            // beats of the row that are not yet complete
  addr_t beat_addr_q;        // address of the current beat

  assign asks      = row_valid && row_ready_i && !row.none;
  assign moves     = epi_valid && epi_ready_i;
  assign completes = moves && (epi_final || 32'(epi_pos) + (WIDTH << epi_size) == BEAT);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) row_open_q <= 1'b0;
    else if (asks) row_open_q <= 1'b1;
    else if (moves && epi_final) row_open_q <= 1'b0;
    if (asks) begin
      beats_q     <= row.beats;
      beat_addr_q <= row.addr;
    end else if (completes) begin
      beats_q     <= beats_q - 1;
      beat_addr_q <= beat_addr_q + addr_t'(BEAT);
    end
  end

  always_comb begin
    if (rst_ni) begin
      one_row_at_a_time : assert (!asks || !row_open_q || (moves && epi_final));
      transfers_have_a_row : assert (!epi_valid || row_open_q);
      last_beat_with_the_last_transfer : assert (!completes || (beats_q == dim_t'(1)) == epi_final);
      rows_have_beats : assert (!asks || (row.beats != '0 && row.addr % BEAT == 0));
      within_a_beat : assert (!epi_valid || 32'(epi_pos) + (WIDTH << epi_size) <= BEAT);
      nothing_open_at_the_end : assert (!finished_valid || !row_open_q);
    end
  end

  // ---- one output --------------------------------------------------------------------------------------------------
  dim_t m, n, lane;
  formal_const #(.WIDTH(2 * DimW)) u_mn (.clk_i, .any_i({any_m_i, any_n_i}), .const_o({m, n}));

  logic  exists, offered, given_q, discarded_q;
  addr_t address;

  assign exists  = valid_i && !cmd_i.skip && m < cmd.m && n < cmd.n;
  assign lane    = n - col_q;
  assign offered = moves && row_q == m && n >= col_q && lane < dim_t'(WIDTH);
  assign address = cmd.d_addr + cmd.d_stride * addr_t'(m[2:0]) + (addr_t'(n[2:0]) << dst_size(cmd.epilogue.d_fmt));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ready) begin
      given_q     <= 1'b0;
      discarded_q <= 1'b0;
    end else begin
      if (offered) given_q <= 1'b1;
      if (discard_i) discarded_q <= 1'b1;
    end
  end

  always_comb begin
    if (rst_ni && exists) begin
      if (offered) begin
        once : assert (!given_q);
        is_enabled : assert (epi_en[lane]);
        from_its_own_bank : assert (32'(bank_q) == (32'(m) / ROWS) % BANKS_M * BANKS_N + (32'(n) / COLS) % BANKS_N);
        from_its_own_place : assert (32'(bank_row_q) == 32'(m) % ROWS && epi_t0[lane] == read_data_i[n % COLS]);
        to_its_own_address : assert (beat_addr_q + addr_t'(epi_pos) + (addr_t'(lane) << epi_size) == address);
      end
      all_at_the_end : assert (!finished_valid || given_q || discarded_q);
      the_last_output : cover (offered && m == dim_t'(M - 1) && n == dim_t'(N - 1));
      all_given : cover (finished_valid && given_q && !discarded_q);
    end
    if (rst_ni) begin
      ends_discarded : cover (finished_valid && discarded_q && !given_q && exists);
      nothing_beyond : assert (!(moves && valid_i && row_q >= cmd.m));
    end
  end

endmodule
