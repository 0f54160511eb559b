// SPDX-License-Identifier: Apache-2.0
// The path from the array's results to memory:
//
//   results -> store -> epilogue -> pack (the D buffer) -> write_out -> dma_write -> AXI
//
// The store engine takes results while the D buffer has room, and the epilogue never stops. The
// write-out engine and the write DMA follow at the rate of the bus. A tile command retires when all
// its writes have been acknowledged. Tile commands retire in order.
//
// Each tile command that is neither skipped nor kept (acc_keep) gives all its results, also after
// an error.
module fp8mac_output
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS       = 4,    // a power of two
  parameter int unsigned COLS       = 4,    // a power of two
  parameter int unsigned SHARE      = 2,    // a bundle has the results of every SHARE-th row
  parameter int unsigned WIDTH      = 8,    // results that are finished per cycle
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned AXI_ADDR_W = 32,
  parameter int unsigned IN_FLIGHT  = 16,   // bursts
  parameter functions_t  FUNCTIONS  = Functions,
  localparam int unsigned Bundle = ROWS / SHARE,
  localparam int unsigned PhaseW = (SHARE > 1) ? $clog2(SHARE) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    bus_rst_ni,  // of the offers on AW, W, which rst_ni alone leaves until they are taken
  input  logic                    abort_i,
  input  logic                    clear_i,     // the error state is left

  // Beats of C and X
  input  logic                    c_beat_i,
  input  logic                    x_beat_i,
  input  logic [7:0]              beat_ram_i,
  input  dim_t                    beat_word_i,
  input  logic                    beat_last_i,  // of its row
  input  logic                    beat_full_i,  // of its region
  input  logic [AXI_DATA_W-1:0]   beat_data_i,
  input  error_e                  beat_error_i,

  // C and X of tile commands, in the order of their loads
  input  logic                    c_valid_i,
  input  source_job_t             c_i,
  input  logic                    x_valid_i,
  input  source_job_t             x_i,
  output logic                    sources_ready_o,
  output logic                    sources_idle_o,
  output logic                    source_row_valid_o,
  output row_request_t            source_row_o,
  output read_dest_t              source_dest_o,
  input  logic                    source_row_ready_i,

  // The oldest tile command that compute has begun, held until ready_o. It is there
  // before its first result.
  input  logic                    valid_i,
  input  storing_job_t            job_i,
  output logic                    ready_o,
  input  logic                    kept_i,
  output logic                    stored_o,
  output logic                    epilogue_empty_o,  // also of transfers of a failed command

  // Results, tile after tile, in the order of passes. In a pass the tile that is farthest down and
  // to the right is the last. A bundle is taken with result_valid_i and result_ready_o.
  input  logic                    result_valid_i,
  output logic                    result_ready_o,  // a register
  input  logic [PhaseW-1:0]       result_phase_i,
  input  logic [Bundle-1:0][COLS-1:0][31:0] result_i,
  input  tile_position_t                  result_position_i,

  // Scales and biases of a tile, in the cycle after its index
  output logic                    vector_half_o,
  output tile_index_t             row_tile_o,
  output tile_index_t             col_tile_o,
  input  logic [ROWS-1:0][31:0]   scale_a_i,
  input  logic [COLS-1:0][31:0]   scale_b_i,
  input  logic [COLS-1:0][IntShiftW-1:0] int_shift_i,  // with FUNCTIONS.requantise
  input  logic [COLS-1:0][31:0]   bias_i,

  input  table_write_t            table_write_i,

  // A transfer leaves the epilogue.
  output logic                    epi_valid_o,
  output flags_t                  epi_flags_o,
  output logic [31:0]             epi_amax_o,
  output logic                    epi_nonfinite_o,
  output owner_t                  epi_owner_o,

  output logic                    empty_o,         // no tile command is between the store engine and its retirement
  output logic                    retire_valid_o,  // a pulse
  output finished_job_t           retire_o,

  output logic [AXI_ADDR_W-1:0]   m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [AXI_DATA_W-1:0]   m_axi_wdata_o,
  output logic [AXI_DATA_W/8-1:0] m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,

  output logic                    fault_o  // of fp8mac_fifo
);
  function automatic int unsigned larger(int unsigned a, int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // ---- the D buffer -----------------------------------------------------------------------------
  // Four slots keep the bus busy while transfers are on their way through the epilogue, also
  // where rows of D are short.
  localparam int unsigned Beat     = AXI_DATA_W / 8;
  localparam int unsigned Rows     = WIDTH / COLS;     // of a transfer
  localparam int unsigned Slots    = 4;
  localparam int unsigned Word     = larger(Beat, COLS * 4);
  localparam int unsigned RowBytes = larger(8 * Beat, PassTiles * Word);
  localparam int unsigned Words    = Slots * ROWS / Rows * RowBytes / Word;
  localparam int unsigned BufW     = $clog2(Words);
  localparam int unsigned WordW    = $clog2(Word);
  localparam int unsigned RowW     = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int unsigned BeatW    = (Word > Beat) ? $clog2(Word / Beat) : 1;

  localparam int unsigned WriteOutDepth = 2;  // tile commands waiting for the write-out engine
  localparam int unsigned FinishedDepth = 4;  // tile commands waiting for write responses

  // The position of a transfer in the D buffer
  typedef struct packed {
    logic [Rows-1:0]  row;
    logic [BufW-1:0]  addr;
    logic [WordW-1:0] offset;
    logic             last;    // of a region
    logic             bad;     // a value of C or X was not read
    owner_t           owner;
  } buffer_position_t;

  logic                            next, in_valid, epi_busy, out_valid;
  logic [Rows-1:0]                 next_row;
  logic [Rows-1:0][COLS-1:0]       in_en;
  logic [Rows-1:0][COLS-1:0][31:0] t0, code;
  logic [31:0]                     scale_a;
  logic [COLS-1:0][31:0]           scale_b, bias;
  logic [COLS-1:0][IntShiftW-1:0]  int_shift;
  epilogue_cfg_t                   cfg;
  dim_t                            first_row, first_col;
  logic                            rows_first, rows_end;
  buffer_position_t                in_position, out_position;
  logic [WordW-1:0]                in_offset;

  logic                   job_valid, job_ready, job_push, write_out_full, write_out_empty, write_out_pop, slot_free;
  write_out_job_t         write_out_pushed, write_out_job;
  logic                   finished_full, written, discard;
  finished_job_t          finished_pushed, finished;
  error_e                 write_error;

  logic                  read, row_valid, row_ready, beat_valid, beat_ready;
  logic [RowW-1:0]       read_row;
  logic [BufW-1:0]       read_addr;
  logic [BeatW-1:0]      read_beat;
  logic                  read_second;
  logic [AXI_DATA_W-1:0] beat_data;
  logic [Beat-1:0]       beat_strb;
  row_request_t          row;

  // ---- C and X ----------------------------------------------------------------------------------
  localparam int unsigned BeatAddrW = $clog2(Words * Word / Beat);

  logic             c_read, x_read, c_last, x_last, c_slot_free, x_slot_free;
  logic [BufW-1:0]  c_addr, x_addr;
  logic [WordW-1:0] c_offset, x_offset;
  logic [Rows-1:0][COLS-1:0][31:0] c_value, x_value;
  logic             c_ready, x_ready, c_idle, x_idle, c_row_valid, x_row_valid;
  row_request_t     c_row, x_row;
  read_dest_t       c_dest, x_dest;
  error_e           source_error, sourced_error;
  logic             sourced_empty;

  logic unused;
  // The bits above the buffer's; without C and X, all of a beat
  assign unused = ^{beat_ram_i, beat_word_i, beat_last_i, beat_data_i, source_row_ready_i};

  assign sources_ready_o = c_ready && x_ready;
  assign sources_idle_o  = c_idle && x_idle;

  // C before X, which has the results of the array in its place
  assign source_row_valid_o = c_row_valid || x_row_valid;
  assign source_row_o       = c_row_valid ? c_row : x_row;
  assign source_dest_o      = c_row_valid ? c_dest : x_dest;

  // The values come at the stages of the epilogue that need them.
  logic                         source_c_q, source_x_q;  // what is written to their buffers
  logic [RowW-1:0]              source_row_q;
  logic [BeatAddrW-1:0]         source_beat_q;
  logic [AXI_DATA_W-1:0]        source_data_q;

  always_ff @(posedge clk_i) begin
    {source_c_q, source_x_q} <= rst_ni ? {c_beat_i, x_beat_i} : 2'b00;
    source_row_q  <= RowW'(beat_ram_i);
    source_beat_q <= BeatAddrW'(beat_word_i);
    source_data_q <= beat_data_i;
  end

  logic unused_beats;
  assign unused_beats = ^{source_c_q, source_x_q, source_row_q, source_beat_q, source_data_q};

  logic c_fault, x_fault, write_out_job_fault, finished_fault, sourced_fault, dma_fault;

  if (FUNCTIONS.c) begin : g_c
    fp8mac_source #(
      .ROWS(ROWS), .SHARE(SHARE), .BANKS(Rows), .SLOTS(Slots), .ROW_BYTES(RowBytes), .BEAT(Beat), .DEST(DestC)
    ) u_c_source (
      .clk_i, .rst_ni, .abort_i, .clear_i,
      .idle_o     (c_idle),
      .valid_i    (c_valid_i),
      .job_i      (c_i),
      .ready_o    (c_ready),
      .row_valid_o(c_row_valid),
      .row_o      (c_row),
      .dest_o     (c_dest),
      .row_ready_i(source_row_ready_i),
      .row_came_i (c_beat_i && beat_last_i),
      .slot_free_i(c_slot_free),
      .fault_o    (c_fault)
    );

    fp8mac_source_buffer #(
      .ROWS(Rows), .COLS(COLS), .WORDS(Words), .WORD(Word), .BEAT(Beat), .FIRST(2), .LATER(4)
    ) u_c_buffer (
      .clk_i, .rst_ni,
      .write_i     (source_c_q),
      .write_row_i (source_row_q),
      .write_beat_i(source_beat_q),
      .write_data_i(source_data_q),
      .fmt_i       (cfg.c_fmt),
      .late_i      (!cfg.multiply),
      .valid_i     (c_read),
      .addr_i      (c_addr),
      .offset_i    (c_offset),
      .last_i      (c_last),
      .slot_free_o (c_slot_free),
      .x_o         (c_value)
    );
  end else begin : g_no_c
    assign c_slot_free = 1'b0;
    assign c_fault     = 1'b0;
    assign c_ready     = 1'b1;
    assign c_idle      = 1'b1;
    assign c_row_valid = 1'b0;
    assign c_row       = '0;
    assign c_dest      = '0;
    assign c_value     = '0;
    logic unused_c;
    assign unused_c = ^{c_beat_i, c_valid_i, c_i, c_read, c_addr, c_offset, c_last, c_slot_free};
  end

  if (FUNCTIONS.elementwise) begin : g_x
    fp8mac_source #(
      .ROWS(ROWS), .SHARE(SHARE), .BANKS(Rows), .SLOTS(Slots), .ROW_BYTES(RowBytes), .BEAT(Beat), .DEST(DestX)
    ) u_x_source (
      .clk_i, .rst_ni, .abort_i, .clear_i,
      .idle_o     (x_idle),
      .valid_i    (x_valid_i),
      .job_i      (x_i),
      .ready_o    (x_ready),
      .row_valid_o(x_row_valid),
      .row_o      (x_row),
      .dest_o     (x_dest),
      .row_ready_i(source_row_ready_i && !c_row_valid),
      .row_came_i (x_beat_i && beat_last_i),
      .slot_free_i(x_slot_free),
      .fault_o    (x_fault)
    );

    fp8mac_source_buffer #(
      .ROWS(Rows), .COLS(COLS), .WORDS(Words), .WORD(Word), .BEAT(Beat), .FIRST(2), .LATER(5)
    ) u_x_buffer (
      .clk_i, .rst_ni,
      .write_i     (source_x_q),
      .write_row_i (source_row_q),
      .write_beat_i(source_beat_q),
      .write_data_i(source_data_q),
      .fmt_i       (cfg.x_fmt),
      .late_i      (cfg.multiply),
      .valid_i     (x_read),
      .addr_i      (x_addr),
      .offset_i    (x_offset),
      .last_i      (x_last),
      .slot_free_o (x_slot_free),
      .x_o         (x_value)
    );
  end else begin : g_no_x
    assign x_slot_free = 1'b0;
    assign x_fault     = 1'b0;
    assign x_ready     = 1'b1;
    assign x_idle      = 1'b1;
    assign x_row_valid = 1'b0;
    assign x_row       = '0;
    assign x_dest      = '0;
    assign x_value     = '0;
    logic unused_x;
    assign unused_x = ^{x_beat_i, x_valid_i, x_i, x_read, x_addr, x_offset, x_last, x_slot_free};
  end

  fp8mac_store #(
    .ROWS(ROWS), .COLS(COLS), .SHARE(SHARE), .WIDTH(WIDTH), .SLOTS(Slots), .ROW_BYTES(RowBytes), .WORD(Word),
    .PAIRS(FUNCTIONS.depthwise)
  ) u_store (
    .clk_i, .rst_ni, .valid_i, .job_i, .ready_o, .stored_o, .kept_i, .abort_i, .clear_i,
    .error_o      (source_error),
    .c_beat_i, .x_beat_i, .beat_error_i, .beat_full_i,
    .epi_c_valid_o (c_read),
    .epi_c_addr_o  (c_addr),
    .epi_c_offset_o(c_offset),
    .epi_c_last_o  (c_last),
    .epi_x_valid_o (x_read),
    .epi_x_addr_o  (x_addr),
    .epi_x_offset_o(x_offset),
    .epi_x_last_o  (x_last),
    .result_valid_i, .result_ready_o,
    .result_phase_i, .result_i, .result_position_i, .vector_half_o, .row_tile_o, .col_tile_o, .scale_a_i, .scale_b_i,
    .int_shift_i, .bias_i,
    .epi_next_o   (next),
    .epi_next_row_o(next_row),
    .epi_valid_o  (in_valid),
    .epi_busy_i   (epi_busy),
    .epi_empty_o  (epilogue_empty_o),
    .epi_en_o     (in_en),
    .epi_t0_o     (t0),
    .epi_scale_a_o(scale_a),
    .epi_scale_b_o(scale_b),
    .epi_shift_o  (int_shift),
    .epi_bias_o   (bias),
    .epi_cfg_o    (cfg),
    .epi_first_row_o(first_row),
    .epi_first_col_o(first_col),
    .epi_rows_first_o(rows_first),
    .epi_rows_end_o(rows_end),
    .epi_row_o    (in_position.row),
    .epi_addr_o   (in_position.addr),
    .epi_offset_o (in_offset),
    .epi_last_o   (in_position.last),
    .epi_bad_o    (in_position.bad),
    .epi_owner_o  (in_position.owner),
    .slot_free_i  (slot_free),
    .job_valid_o  (job_valid),
    .job_ready_i  (job_ready)
  );

  if (FUNCTIONS.requantise) begin : g_requantise
    logic [COLS-1:0][31:0] multiplier_q;
    always_ff @(posedge clk_i) multiplier_q <= scale_b;

    fp8mac_requantise #(.WIDTH(WIDTH), .COLS(COLS), .META_W($bits(buffer_position_t))) u_requantise (
      .clk_i, .rst_ni,
      .cfg_i       (cfg),
      .busy_o      (epi_busy),
      .in_valid_i  (in_valid),
      .t0_i        (t0),
      .multiplier_i(multiplier_q),
      .shift_i     (int_shift),
      .bias_i      (bias),
      .meta_i      (in_position),
      .out_valid_o (out_valid),
      .d_o         (code),
      .meta_o      (out_position)
    );
    assign epi_amax_o      = '0;
    assign epi_nonfinite_o = 1'b0;
    assign epi_flags_o     = '0;
    logic unused_epilogue;
    assign unused_epilogue = ^{next, next_row, in_en, scale_a, first_row, first_col, rows_first, rows_end, c_value,
                               x_value};
  end else begin : g_epilogue
    fp8mac_epilogue #(
      .WIDTH(WIDTH), .COLS(COLS), .ROW_STEP(SHARE), .META_W($bits(buffer_position_t)),
      .STOCHASTIC(FUNCTIONS.stochastic), .ADD_C(FUNCTIONS.c), .ROW_COMMANDS(FUNCTIONS.rows)
    ) u_epilogue (
      .clk_i, .rst_ni,
      .cfg_i      (cfg),
      .busy_o     (epi_busy),
      .next_i     (next),
      .next_row_i (next_row),
      .scale_a_i  (scale_a),
      .scale_b_i  (scale_b),
      .in_valid_i (in_valid),
      .in_en_i    (in_en),
      .t0_i       (t0),
      .bias_i     (bias),
      .c_i        (c_value),
      .x_i        (x_value),
      .meta_i     (in_position),
      .row_i      (first_row),
      .col_i      (first_col),
      .rows_first_i(rows_first),
      .rows_end_i (rows_end),
      .out_valid_o(out_valid),
      .d_o        (code),
      .meta_o     (out_position),
      .amax_o     (epi_amax_o),
      .nonfinite_o(epi_nonfinite_o),
      .flags_o    (epi_flags_o)
    );
    logic unused_shift;
    assign unused_shift = ^int_shift;
  end

  assign epi_valid_o = out_valid;
  assign epi_owner_o = out_position.owner;

  // ---- results of a reduction that lie one behind the other -------------------------------------
  // A transfer has one result in the first column of each row. The rows of a region become a row of
  // the D buffer, which is written as one. A transfer's results are in a group of COLS codes of it.
  //
  //   word of a transfer   | slot | phase, part | row of tiles | 0 |
  //   word of the band     | slot | 0           |      0 | byte / Word |     byte = group * COLS * 4
  localparam int unsigned RowWords = RowBytes / Word;
  localparam int unsigned Places   = ROWS / Rows;  // of transfers with rows of a tile
  localparam int unsigned Parts    = Places / SHARE;

  // Four results are half a beat of 32 bytes. Those of a band's odd regions have an offset.
  localparam bit Odd = ROWS * PassTiles * 4 < Beat;
  logic odd;
  assign odd                = Odd && FUNCTIONS.rows && cfg.rows.dense && first_row[$clog2(ROWS * PassTiles)];
  assign in_position.offset = odd ? WordW'(Beat / 2) : in_offset;

  logic                            dense, mx_scale;
  logic [31:0]                     place, base, row_moved, group, tile_byte;  // base: the row of phase 0
  logic [Rows-1:0]                 packed_row;
  logic [Rows-1:0][COLS-1:0][31:0] packed_code;
  logic [COLS-1:0]                 packed_col;
  logic [BufW-1:0]                 packed_addr;
  logic [WordW-1:0]                packed_offset;

  assign dense     = FUNCTIONS.rows && cfg.rows.dense;
  assign mx_scale  = FUNCTIONS.rows && cfg.rows.mx && cfg.rows.step == StepResult;
  assign place     = 32'(out_position.addr) / RowWords % Places;
  assign base      = (Odd && out_position.offset != '0 ? Beat / 8 : 0) +
                     32'(out_position.addr) % RowWords / (RowWords / PassTiles) * ROWS + place % Parts * Rows * SHARE;
  assign group     = (base + row_moved * SHARE + place / Parts) / COLS;
  assign tile_byte = group * COLS * 4;

  // Codes of the group: rows behind the base
  logic [COLS-1:0][31:0] behind;

  for (genvar c = 0; c < int'(COLS); c++) begin : g_behind
    assign behind[c] = group * COLS + c - base;
  end

  // The transfer's first row
  always_comb begin
    row_moved = '0;
    for (int unsigned r = Rows; r > 0; r--) begin
      if (out_position.row[r-1]) row_moved = r - 1;
    end
  end

  always_comb begin
    packed_row    = out_position.row;
    packed_code   = code;
    packed_col    = '1;
    packed_addr   = out_position.addr;
    packed_offset = out_position.offset;
    // An MX scale is written to its byte of the beat, and to those beside it, which do
    // not leave the buffer.
    if (mx_scale) begin
      packed_offset = WordW'(cfg.first_n);
      for (int unsigned r = 0; r < Rows; r++) packed_code[r] = {COLS{code[r][0]}};
    end
    if (dense) begin
      packed_row    = Rows'(base < RowsBand);
      packed_addr   = BufW'(32'(out_position.addr) / (RowWords * Places) * (RowWords * Places) + tile_byte / Word);
      packed_offset = WordW'(tile_byte);
      // Row r of the transfer is row base + r * SHARE + phase.
      for (int unsigned c = 0; c < COLS; c++) begin
        packed_code[0][c] = code[behind[c] / SHARE % Rows][0];
        packed_col[c]     = behind[c] < Rows * SHARE && behind[c] % SHARE == place / Parts &&
                            out_position.row[behind[c] / SHARE % Rows];
      end
    end
  end

  fp8mac_pack #(
    .ROWS(Rows), .COLS(COLS), .WORDS(Words), .WORD(Word), .BEAT(Beat), .TABLES(FUNCTIONS.tables),
    .PAIRS(FUNCTIONS.depthwise)
  ) u_pack (
    .clk_i, .rst_ni,
    .valid_i    (out_valid),
    .row_i      (packed_row),
    .col_i      (packed_col),
    .code_i     (packed_code),
    .size_i     (result_size(cfg)),
    .pairs_i    (cfg.pairs),
    .code_table_i(cfg.code_table),
    .table_write_i,
    .addr_i     (packed_addr),
    .offset_i   (packed_offset),
    .read_i     (read),
    .read_row_i (read_row),
    .read_addr_i(read_addr),
    .read_beat_i(read_beat),
    .read_second_i(read_second),
    .read_data_o(beat_data)
  );

  assign fault_o = c_fault || x_fault || write_out_job_fault || finished_fault || sourced_fault || dma_fault;

  // ---- tile commands ----------------------------------------------------------------------------
  assign job_ready = !write_out_full && !finished_full;
  assign job_push  = job_valid && job_ready;

  always_comb begin
    write_out_pushed = '{none: job_i.skip || job_i.job.acc_keep || rows_statistic(job_i.job.epilogue.rows.step),
                         m: job_i.job.m, n: job_i.job.n, size: result_size(job_i.job.epilogue),
                         pass_shape: job_i.job.pass_shape, d_addr: job_i.job.d_addr, d_stride: job_i.job.d_stride,
                         dense: 1'b0, pairs: job_i.job.epilogue.pairs, first: job_i.job.first, out_w: job_i.job.out_w,
                         line: job_i.job.epilogue.beta, seconds: job_i.job.seconds};
    if (FUNCTIONS.depthwise && job_i.job.epilogue.pairs) write_out_pushed.n = job_i.job.n >> 1;
    write_out_pushed.dense = FUNCTIONS.rows && job_i.job.epilogue.rows.dense;
    if (write_out_pushed.dense) begin
      write_out_pushed.m          = dim_t'(1);
      write_out_pushed.n          = job_i.job.m;
      write_out_pushed.pass_shape = PassAcross;
    end
  end
  assign finished_pushed  = '{tag: job_i.job.tag, record: job_i.job.record, irq: job_i.job.irq, last: job_i.job.last,
                              error: job_i.job.error};

  fp8mac_fifo #(.T(write_out_job_t), .DEPTH(WriteOutDepth)) u_write_out_job (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(job_push), .data_i(write_out_pushed), .full_o(write_out_full),
    .pop_i(write_out_pop), .data_o(write_out_job), .empty_o(write_out_empty), .level_o(), .fault_o(write_out_job_fault)
  );

  fp8mac_fifo #(.T(finished_job_t), .DEPTH(FinishedDepth)) u_finished (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(job_push), .data_i(finished_pushed), .full_o(finished_full),
    .pop_i(retire_valid_o), .data_o(finished), .empty_o, .level_o(), .fault_o(finished_fault)
  );

  // The store engine has passed on a tile command before its writes are done.
  fp8mac_fifo #(.T(error_e), .DEPTH(FinishedDepth)) u_sourced (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(ready_o), .data_i(source_error), .full_o(),
    .pop_i(retire_valid_o), .data_o(sourced_error), .empty_o(sourced_empty), .level_o(), .fault_o(sourced_fault)
  );

  assign retire_valid_o = written && !empty_o && !sourced_empty;

  always_comb begin
    retire_o = finished;
    if (finished.error == ErrNone) retire_o.error = (sourced_error != ErrNone) ? sourced_error : write_error;
  end

  // ---- to memory --------------------------------------------------------------------------------
  // After an error nothing more is written, neither for younger tile commands nor for the
  // one whose write failed.
  assign discard = abort_i || write_error != ErrNone;

  fp8mac_write_out #(
    .ROWS(ROWS), .SHARE(SHARE), .BANKS(Rows), .SLOTS(Slots), .ROW_BYTES(RowBytes), .WORD(Word), .BEAT(Beat),
    .PAIRS(FUNCTIONS.depthwise)
  ) u_write_out (
    .clk_i, .rst_ni,
    .discard_i    (discard),
    .clear_i,
    .valid_i      (!write_out_empty),
    .job_i        (write_out_job),
    .ready_o      (write_out_pop),
    .region_full_i(out_valid && out_position.last),
    .region_bad_i (out_position.bad),
    .slot_free_o  (slot_free),
    .read_o       (read),
    .read_bank_o  (read_row),
    .read_addr_o  (read_addr),
    .read_beat_o  (read_beat),
    .read_second_o(read_second),
    .row_valid_o  (row_valid),
    .row_o        (row),
    .row_ready_i  (row_ready),
    .beat_valid_o (beat_valid),
    .beat_strb_o  (beat_strb),
    .beat_ready_i (beat_ready)
  );

  fp8mac_dma_write #(.AXI_DATA_W(AXI_DATA_W), .AXI_ADDR_W(AXI_ADDR_W), .IN_FLIGHT(IN_FLIGHT)) u_dma_write (
    .clk_i, .rst_ni, .bus_rst_ni,
    .discard_i   (discard),
    .row_valid_i (row_valid),
    .row_ready_o (row_ready),
    .row_i       (row),
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_data_i (beat_data),
    .beat_strb_i (beat_strb),
    .done_valid_o(written),
    .done_error_o(write_error),
    .done_ready_i(retire_valid_o),
    .fault_o     (dma_fault),
    .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o, .m_axi_awvalid_o,
    .m_axi_awready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wvalid_o, .m_axi_wready_i,
    .m_axi_bresp_i, .m_axi_bvalid_i, .m_axi_bready_o
  );

endmodule
