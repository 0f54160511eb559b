// SPDX-License-Identifier: Apache-2.0
// The store engine follows the compute engine pass by pass. It reads finished banks row by row, WIDTH columns a cycle,
// and passes them to the epilogue with their scales and biases. For each row of a pass it requests a write. Banks that
// lie side by side are drained together, so that a row's columns are contiguous in memory.
//
//   cycle t    row, bank and column are chosen, result and vectors are read, the row's write is requested
//   cycle t+1  the values are offered to the epilogue. While it refuses, the same address is read again.
//
// With `discard_i`, results from the next row on are taken out of the banks and dropped.
module fp8mac_store
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 8,
  parameter int unsigned COLS    = 8,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  parameter int unsigned WIDTH   = 4,
  parameter int unsigned BEAT    = 16,
  localparam int unsigned Banks  = BANKS_M * BANKS_N,
  localparam int unsigned BankW  = $clog2(Banks),
  localparam int unsigned RowW   = $clog2(ROWS),
  localparam int unsigned PosW   = $clog2(BEAT)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   discard_i,
  output logic                   stored_o,        // the current command no longer needs its vectors

  input  logic                   valid_i,
  input  storing_cmd_t           cmd_i,           // held until ready_o
  output logic                   ready_o,
  input  logic                   kept_i,          // a command with acc_keep has left the array

  // Results
  input  logic [Banks-1:0]       bank_full_i,
  output logic [Banks-1:0]       bank_release_o,
  output logic [BankW-1:0]       read_bank_o,
  output logic [RowW-1:0]        read_row_o,
  input  logic [COLS-1:0][31:0]  read_data_i,

  // Scales and biases
  output logic                   vector_half_o,
  output dim_t                   row_o,
  output dim_t                   col_o,
  input  logic [31:0]            scale_a_i,
  input  logic [WIDTH-1:0][31:0] scale_b_i,
  input  logic [WIDTH-1:0][31:0] bias_i,

  // The epilogue
  output logic                   epi_valid_o,
  input  logic                   epi_ready_i,
  output logic [WIDTH-1:0]       epi_en_o,
  output logic [WIDTH-1:0][31:0] epi_t0_o,
  output logic [31:0]            epi_scale_a_o,
  output logic [WIDTH-1:0][31:0] epi_scale_b_o,
  output logic [WIDTH-1:0][31:0] epi_bias_o,
  output epilogue_cfg_t          epi_cfg_o,
  output logic [PosW-1:0]        epi_pos_o,       // byte of the beat where the transfer begins
  output logic [1:0]             epi_size_o,      // log2 of an element's bytes
  output logic                   epi_final_o,     // the last transfer of a row

  // Rows to be written, and `none` at a command's end
  output logic                   row_valid_o,
  output row_request_t           row_req_o,
  input  logic                   row_ready_i,
  output logic                   finished_valid_o,
  output finished_cmd_t          finished_o,
  input  logic                   finished_ready_i
);
  localparam int unsigned PassM  = ROWS * BANKS_M;
  localparam int unsigned PassN  = COLS * BANKS_N;
  localparam int unsigned Chunks = COLS / WIDTH;
  localparam int unsigned ImW    = (BANKS_M > 1) ? $clog2(BANKS_M) : 1;
  localparam int unsigned InW    = (BANKS_N > 1) ? $clog2(BANKS_N) : 1;
  localparam int unsigned ChunkW = (Chunks > 1) ? $clog2(Chunks) : 1;

  typedef enum logic [1:0] {
    Idle,
    Fill,   // wait until the side-by-side banks are full and the last transfer has left, so that `full` is up to date
    Drain,
    Finish
  } state_e;

  state_e     state_q;
  store_cmd_t cmd;
  logic [1:0] size;

  assign cmd  = cmd_i.cmd;
  assign size = dst_size(cmd.epilogue.d_fmt);

  // ---- position within the command ---------------------------------------------------------------------------------
  dim_t              m0_q, n0_q;      // first row and column of the pass
  logic [ImW-1:0]    im_q;
  logic [RowW-1:0]   row_q;
  logic [InW-1:0]    in_q;
  logic [ChunkW-1:0] chunk_q;
  addr_t             block_addr_q;    // address of row m0 of D
  addr_t             row_addr_q;      // address of the current row
  logic              discard_q, discard;

  dim_t row, col, col_in_pass, pass_cols;
  logic row_start, last_chunk, last_col, last_row_of_bank, last_row, last_im, last_n, last_m;

  assign row         = m0_q + dim_t'(im_q) * dim_t'(ROWS) + dim_t'(row_q);
  assign col_in_pass = dim_t'(in_q) * dim_t'(COLS) + dim_t'(chunk_q) * dim_t'(WIDTH);
  assign col         = n0_q + col_in_pass;
  assign last_n      = cmd.n - n0_q <= dim_t'(PassN);
  assign last_m      = cmd.m - m0_q <= dim_t'(PassM);
  assign pass_cols   = last_n ? cmd.n - n0_q : dim_t'(PassN);

  assign row_start        = in_q == '0 && chunk_q == '0;
  assign last_chunk       = chunk_q == ChunkW'(Chunks - 1);
  assign last_col         = col_in_pass + dim_t'(WIDTH) >= pass_cols;
  assign last_row         = row == cmd.m - 1;
  assign last_row_of_bank = last_row || row_q == RowW'(ROWS - 1);
  assign last_im          = last_row || im_q == ImW'(BANKS_M - 1);

  logic [BankW-1:0] bank;
  assign bank = BankW'(im_q) * BankW'(BANKS_N) + BankW'(in_q);

  // The banks (im, *) lie side by side. Those that have columns are drained together.
  logic [BANKS_M-1:0][BANKS_N-1:0] full;
  logic [BANKS_N-1:0]              has_cols;
  logic                            fill_ends, next_is_full;

  assign full = bank_full_i;
  always_comb begin
    for (int unsigned i = 0; i < BANKS_N; i++) has_cols[i] = dim_t'(i * COLS) < pass_cols;
  end
  assign fill_ends = (has_cols & ~full[im_q]) == '0;

  // Draining goes on without a pause to the next im, or to im 0 of the next pass, if its banks are certainly full. They
  // must be other banks than the current ones, whose last transfer is still under way. Before the next pass, which may
  // have other columns, all BANKS_N of them must be full.
  logic [ImW-1:0] next_im;
  assign next_im      = last_im ? '0 : im_q + ImW'(1);
  assign next_is_full = next_im != im_q && ((last_im ? '1 : has_cols) & ~full[next_im]) == '0;

  // ---- the end of a command ----------------------------------------------------------------------------------------
  // Commands with acc_keep that have left the array and are not yet reported
  localparam int unsigned SeenW = 3;
  logic [SeenW-1:0] kept_seen_q;
  logic             end_ready, s1_ready, s1_valid_q;

  assign end_ready        = !s1_valid_q && finished_ready_i && (cmd_i.skip || !cmd.acc_keep || kept_seen_q != '0);
  assign finished_valid_o = state_q == Finish && end_ready && row_ready_i;
  assign finished_o       = '{tag: cmd.tag, irq: cmd.irq, error: cmd.error};
  assign ready_o          = finished_valid_o;
  assign stored_o         = finished_valid_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_seen_q <= '0;
    else kept_seen_q <= kept_seen_q + SeenW'(kept_i) - SeenW'(ready_o && cmd.acc_keep && !cmd_i.skip);
  end

  // ---- cycle t: choose and read ------------------------------------------------------------------------------------
  logic step;

  assign discard = row_start ? discard_i : discard_q;
  assign step    = state_q == Drain && s1_ready && (!row_start || discard || row_ready_i);

  // Bytes of a row of the pass, counted from the start of the beat in which the row begins:
  //   | before | element | element | ... |     in beats of BEAT bytes
  logic [PosW-1:0] pos, row_pos;
  dim_t            row_bytes;
  addr_t           row_begin;

  assign pos       = PosW'(col << size);
  assign row_begin = row_addr_q + (addr_t'(n0_q) << size);
  assign row_pos   = row_begin[PosW-1:0];
  assign row_bytes = dim_t'(row_pos) + (pass_cols << size);

  always_comb begin
    row_valid_o = state_q == Drain && s1_ready && row_start && !discard;
    row_req_o   = '{none: 1'b0, addr: {row_begin[AddrW-1:PosW], PosW'(0)},
                    beats: (row_bytes + dim_t'(BEAT - 1)) >> PosW};
    if (state_q == Finish) begin
      row_valid_o    = end_ready;
      row_req_o.none = 1'b1;
    end
  end

  // ---- next --------------------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:  if (valid_i) state_q <= (cmd_i.skip || cmd.acc_keep) ? Finish : Fill;
        Fill:  if (!s1_valid_q && fill_ends) state_q <= Drain;
        Drain: begin
          if (step && last_col && last_row_of_bank) begin
            if (last_im && last_n && last_m) state_q <= Finish;
            else if (!next_is_full) state_q <= Fill;
          end
        end
        default: if (finished_valid_o) state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      m0_q         <= '0;
      n0_q         <= '0;
      im_q         <= '0;
      row_q        <= '0;
      in_q         <= '0;
      chunk_q      <= '0;
      block_addr_q <= cmd.d_addr;
      row_addr_q   <= cmd.d_addr;
    end else if (step) begin
      if (row_start) discard_q <= discard;
      if (!last_col) begin
        chunk_q <= last_chunk ? '0 : chunk_q + ChunkW'(1);
        if (last_chunk) in_q <= in_q + InW'(1);
      end else begin
        chunk_q    <= '0;
        in_q       <= '0;
        row_addr_q <= row_addr_q + cmd.d_stride;
        row_q      <= last_row_of_bank ? '0 : row_q + RowW'(1);
        if (last_row_of_bank) begin
          im_q <= last_im ? '0 : im_q + ImW'(1);
          if (last_im && !last_n) begin
            n0_q       <= n0_q + dim_t'(PassN);
            row_addr_q <= block_addr_q;
          end else if (last_im) begin
            n0_q         <= '0;
            m0_q         <= m0_q + dim_t'(PassM);
            block_addr_q <= row_addr_q + cmd.d_stride;
          end
        end
      end
    end
  end

  // ---- cycle t+1: offer --------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [BankW-1:0]  bank;
    logic [RowW-1:0]   bank_row;
    dim_t              row;
    dim_t              col;
  } place_t;

  typedef struct packed {
    place_t            place;
    logic [ChunkW-1:0] chunk;
    logic [WIDTH-1:0]  en;
    logic [PosW-1:0]   pos;
    logic              row_final;
    logic              bank_final;  // the bank's last transfer
    logic              discard;
  } transfer_t;

  transfer_t s0, s1_q;
  place_t    read;

  always_comb begin
    s0 = '{place: '{bank: bank, bank_row: row_q, row: row, col: col}, chunk: chunk_q, en: '0, pos: pos,
           row_final: last_col, bank_final: last_row_of_bank && (last_chunk || last_col), discard: discard};
    for (int unsigned w = 0; w < WIDTH; w++) s0.en[w] = col + dim_t'(w) < cmd.n;
  end

  assign s1_ready = !s1_valid_q || s1_q.discard || epi_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else if (s1_ready) s1_valid_q <= step;
    if (step) s1_q <= s0;
  end

  assign read          = s1_ready ? s0.place : s1_q.place;
  assign read_bank_o   = read.bank;
  assign read_row_o    = read.bank_row;
  assign row_o         = read.row;
  assign col_o         = read.col;
  assign vector_half_o = cmd_i.vector_half;

  logic [Chunks-1:0][WIDTH-1:0][31:0] result;
  assign result = read_data_i;

  assign epi_valid_o   = s1_valid_q && !s1_q.discard;
  assign epi_en_o      = s1_q.en;
  assign epi_t0_o      = result[s1_q.chunk];
  assign epi_scale_a_o = cmd.scale_a_vec ? scale_a_i : cmd.scale_a;
  assign epi_scale_b_o = cmd.scale_b_vec ? scale_b_i : {WIDTH{cmd.scale_b}};
  assign epi_bias_o    = bias_i;
  assign epi_cfg_o     = cmd.epilogue;
  assign epi_pos_o     = s1_q.pos;
  assign epi_size_o    = size;
  assign epi_final_o   = s1_q.row_final;

  always_comb begin
    bank_release_o = '0;
    bank_release_o[s1_q.place.bank] = s1_valid_q && s1_ready && s1_q.bank_final;
  end

  if (COLS % WIDTH != 0 || WIDTH * 4 > BEAT) begin : g_width
    $error("a transfer must be a whole part of COLS and fit a beat");
  end

endmodule
