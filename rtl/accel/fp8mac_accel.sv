// SPDX-License-Identifier: Apache-2.0
// The accelerator: D = epilogue(A * B) on FP8 or INT8 matrices in memory. It has APB registers, a
// command queue, three engines (load, compute, store) and the array (fp8mac_array).
//
//   APB -> csr -> cmd_queue -> cmd_walk -> cmd_check -> load -> compute -> array -> output -> AXI (write)
//                                                        |         |
//                                           AXI (read) dma_read -> memories, and C and X to output; fetch, list
//
// Software submits a command by writing the registers that rtl/regs/fp8mac.rdl describes. The
// walker divides it into tile commands, and the engines work on different tile commands at
// once. Commands finish in the order of their submission. When a command fails, the accelerator
// enters the error state: STATUS then has the command's error code (error_e) and tag, and the
// commands behind it are dropped. Those before it are complete in memory. D of the failed
// command and of the dropped ones may be partly written. No other byte has changed. A command
// with MODE.record has its own error code, flags and amax (fp8mac_records). irq_o is a level
// interrupt; registers enable and clear it.
//
// The AXI guard (fp8mac_axi_guard) stands between the DMA engines and the pins. After a soft reset
// or a timeout of the bus it resets everything but the registers and the reports, and completes
// what was begun on the bus.
//
// The AXI master uses INCR bursts of whole beats with one identifier. No burst crosses a 4 KiB
// boundary. The APB slave answers accesses outside the register map with pslverr_o. It refuses
// accesses with less protection than AXI_PROT, so that the DMA reaches nothing that its user does
// not reach: a non-secure one (pprot_i[1]) if the DMA is secure, and an unprivileged one
// (!pprot_i[0]) if the DMA is privileged. They have no effect, read 0 and end with pslverr_o.
// rst_ni is synchronous.
module fp8mac_accel
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter int unsigned ROWS        = 4,    // rows of elements: a power of two, 1 to 32
  parameter int unsigned COLS        = 4,    // columns of elements: a power of two, 1 to 32
  // Products of an element per step: a power of two, 1 to 32, with ElementExact 1 to 16
  parameter int unsigned LANES       = 16,
  parameter int unsigned TILES       = 256,  // of ROWS x COLS accumulators: a power of two, 8 to 32768
  parameter int unsigned ELEMENT     = ElementBlock,  // the kind of element: see fp8mac_catalogue_pkg
  // Fraction bits of the alignment window: element_least_frac_bits() to
  // element_most_frac_bits() of the kind
  parameter int unsigned FRAC_BITS   = element_default_frac_bits(ELEMENT),
  parameter bit          MX          = element_has_mx(ELEMENT),  // blocks may have MX scales: 0, 1
  // Outputs that the epilogue finishes per cycle: a multiple of COLS, at most 32, that divides the
  // results that the array gives at a time, ROWS / element_share() * COLS
  parameter int unsigned EPI_WIDTH   = default_epi_width(ROWS, COLS, element_share(ELEMENT, LANES, ROWS)),
  // Limit of a command's m and n: from the larger of ROWS and COLS to 256 times the smaller one
  parameter int unsigned MAX_MN      = 128,
  parameter int unsigned AXI_DATA_W  = 128,  // bits of a beat: 64, 128, 256
  parameter int unsigned AXI_ADDR_W  = 32,   // 32 to 64; the bits above 31 are 0
  parameter int unsigned AXI_ID_W    = 4,    // 1 to 32
  // The integer requantiser (fp8mac_requantise) is in the place of the FP32 epilogue: with a kind
  // that sums INT32, and without ELEMENTWISE, ADD_C and STOCHASTIC
  parameter bit          REQUANTISE  = 1'b0,
  // Functions that commands may ask for (CONFIG4, and records: CONFIG3), 0 or 1 each. Without one
  // the accelerator is smaller, and such a command fails.
  parameter bit          IMAGES      = 1'b1, // A may be the image of a convolution: OPERATION.conv_a
  // Each column of D may have its own channels of an image: OPERATION.depthwise
  parameter bit          DEPTHWISE   = IMAGES && depthwise_possible(LANES, COLS, AXI_DATA_W / 8),
  parameter bit          ELEMENTWISE = !REQUANTISE, // commands without the array: OPERATION.op. Products need ADD_C
  parameter bit          ADD_C       = !REQUANTISE, // beta * C is added: OPERATION.c_en
  parameter bit          STOCHASTIC  = !REQUANTISE, // D may be rounded stochastically: OPERATION.rounding
  parameter bit          TABLES      = 1'b1, // tables of codes: OPERATION.act_table
  parameter bit          RECORDS     = 1'b1, // completion records: MODE.record
  // Row commands: norms, softmax, reductions. They need at most 16 columns, for their 16 partial
  // sums, a MAX_MN of 32 at least, and ELEMENTWISE, whose source they have.
  parameter bit          ROW_COMMANDS = ELEMENTWISE && rows_possible(COLS, MAX_MN),
  // What every burst has: identifier, protection, memory attributes, quality of service
  parameter int unsigned AXI_ID      = 0,    // of AXI_ID_W bits
  parameter logic [2:0]  AXI_PROT    = 3'b000,   // data, secure, unprivileged; pprot_i must be so, too
  parameter logic [3:0]  AXI_CACHE   = 4'b0011,  // normal memory, not cacheable, bufferable
  parameter logic [3:0]  AXI_QOS     = 4'd0,
  parameter int unsigned QUEUE_DEPTH = 8,    // commands that can wait: 1 to 127
  // Beats of a row RAM in half an operand buffer: a power of two, at most 32768, that holds two
  // granules at least: 64 bytes, or twice the kind's block
  parameter int unsigned BUF_BEATS   = 256,

  // Widths of ports, legal ones: see fp8mac_accel_checks
  localparam int unsigned AxiDataW = legal_data_w(AXI_DATA_W),
  localparam int unsigned AxiAddrW = legal_addr_w(AXI_ADDR_W),
  localparam int unsigned AxiIdW   = legal_id_w(AXI_ID_W)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // APB4 slave: registers
  input  logic                    psel_i,
  input  logic                    penable_i,
  input  logic                    pwrite_i,
  input  logic [2:0]              pprot_i,
  input  logic [11:0]             paddr_i,
  input  logic [31:0]             pwdata_i,
  input  logic [3:0]              pstrb_i,
  output logic                    pready_o,
  output logic [31:0]             prdata_o,
  output logic                    pslverr_o,

  // AXI4 master: operands, vectors and results
  output logic [AxiIdW-1:0]       m_axi_awid_o,
  output logic [AxiAddrW-1:0]     m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic [2:0]              m_axi_awprot_o,
  output logic [3:0]              m_axi_awcache_o,
  output logic [3:0]              m_axi_awqos_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [AxiDataW-1:0]     m_axi_wdata_o,
  output logic [AxiDataW/8-1:0]   m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [AxiIdW-1:0]       m_axi_bid_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,
  output logic [AxiIdW-1:0]       m_axi_arid_o,
  output logic [AxiAddrW-1:0]     m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic [2:0]              m_axi_arsize_o,
  output logic [1:0]              m_axi_arburst_o,
  output logic [2:0]              m_axi_arprot_o,
  output logic [3:0]              m_axi_arcache_o,
  output logic [3:0]              m_axi_arqos_o,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  input  logic [AxiIdW-1:0]       m_axi_rid_i,
  input  logic [AxiDataW-1:0]     m_axi_rdata_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o,

  // Level interrupt
  output logic                    irq_o
);

  // ---- parameters -------------------------------------------------------------------------------
  // An illegal value stops the build with one sentence. What is built from it would only add errors
  // of its own, so everything below is built from legal values.
  localparam asked_t Asked = '{
    rows: value_t'(ROWS), cols: value_t'(COLS), lanes: value_t'(LANES), tiles: value_t'(TILES),
    element: value_t'(ELEMENT), frac_bits: value_t'(FRAC_BITS), epi_width: value_t'(EPI_WIDTH),
    max_mn: value_t'(MAX_MN), axi_data_w: value_t'(AXI_DATA_W), axi_addr_w: value_t'(AXI_ADDR_W),
    axi_id_w: value_t'(AXI_ID_W), axi_id: value_t'(AXI_ID), queue_depth: value_t'(QUEUE_DEPTH),
    buf_beats: value_t'(BUF_BEATS), mx: MX, requantise: REQUANTISE, images: IMAGES, depthwise: DEPTHWISE,
    elementwise: ELEMENTWISE, add_c: ADD_C, stochastic: STOCHASTIC, tables: TABLES, records: RECORDS,
    row_commands: ROW_COMMANDS
  };
  localparam parameters_t Parameters = parameters_of(Asked);
  localparam accel_t      Accel      = Parameters.accel;

  fp8mac_accel_checks #(.ASKED(Asked)) u_checks ();

  localparam int unsigned Beat      = AxiDataW / 8;
  localparam int unsigned PhaseW    = (Accel.share > 1) ? $clog2(Accel.share) : 1;
  localparam int unsigned ProgressLimit = 4096;  // cycles: see fp8mac_progress
  localparam int unsigned GuardLenW = 4;  // of AWLEN: bursts have at most 16 beats

  // ---- the reset of everything that a soft reset or a timeout stops -----------------------------
  logic inside_rst_n, flush, draining, timeout, soft_reset;
  logic [23:0] watchdog;
  logic        commands_fault, load_fault, compute_fault, output_fault, no_progress;
  assign inside_rst_n = rst_ni && !flush;

  // ---- registers and reports --------------------------------------------------------------------
  request_t      request;
  queue_status_t status;
  refusal_t      refusal;
  claim_t        claim;
  logic [Records-1:0] records_held;
  logic          clear, abort, error, idle;
  command_id_t   oldest;
  table_write_t  table_write;
  logic          retire_valid;
  finished_job_t retire;
  finished_t     finished;
  activity_t     activity;
  flags_t        step_flags;
  tile_position_t           result_position;
  logic [Accel.rows-1:0]    row_en;
  logic [Accel.cols-1:0]    col_en;
  logic [Accel.lanes-1:0]   lane_en;

  fp8mac_control #(.ACCEL(Accel), .DMA_PROT(AXI_PROT[1:0])) u_control (
    .clk_i, .rst_ni, .psel_i, .penable_i, .pwrite_i, .pprot_i, .paddr_i, .pwdata_i, .pstrb_i, .pready_o, .prdata_o,
    .pslverr_o, .irq_o,
    .soft_reset_o  (soft_reset),
    .watchdog_o    (watchdog),
    .flush_i       (flush),
    .draining_i    (draining),
    .timeout_i     (timeout),
    .oldest_i      (oldest),
    .request_o     (request),
    .status_i      (status),
    .refusal_i     (refusal),
    .claim_i       (claim),
    .records_held_o(records_held),
    .clear_o       (clear),
    .abort_o       (abort),
    .error_o       (error),
    .table_write_o (table_write),
    .retire_valid_i(retire_valid),
    .retire_i      (retire),
    .finished_i    (finished),
    .step_flags_i  (step_flags),
    .step_owner_i  (result_position.owner),
    .activity_i    (activity),
    .row_en_i      (row_en),
    .col_en_i      (col_en),
    .lane_en_i     (lane_en)
  );

  // ---- commands ---------------------------------------------------------------------------------
  logic                checked_valid, checked_ready, entering, queued, drained;
  checked_jobs_t       checked;
  row_offer_t          fetch_row, table_row, source_row;
  logic                row_ready, source_row_ready, beat_taken, table_beat_ready;
  beat_t               beat;
  logic [AxiDataW-1:0] beat_data;

  fp8mac_commands #(.ACCEL(Accel)) u_commands (
    .clk_i, .rst_ni(inside_rst_n), .position_rst_ni(rst_ni),
    .flush_i           (flush),
    .abort_i           (abort),
    .clear_i           (clear),
    .error_i           (error),
    .request_i         (request),
    .status_o          (status),
    .refusal_o         (refusal),
    .claim_o           (claim),
    .records_held_i    (records_held),
    .entering_o        (entering),
    .queued_o          (queued),
    .drained_i         (drained),
    .idle_i            (idle),
    .fetch_row_o       (fetch_row),
    .table_row_o       (table_row),
    .row_ready_i       (row_ready),
    .beat_i            (beat),
    .beat_taken_i      (beat_taken),
    .beat_data_i       (beat_data),
    .table_beat_ready_o(table_beat_ready),
    .checked_valid_o   (checked_valid),
    .checked_o         (checked),
    .checked_ready_i   (checked_ready),
    .fault_o           (commands_fault)
  );

  // ---- load -------------------------------------------------------------------------------------
  logic                    load_idle, load_waits, memory_beat, word_valid, scale_bad;
  sources_t                sources;
  logic                    sources_ready, sources_idle;
  read_dest_t              word_dest;
  logic [AxiDataW-1:0]     word_data;
  logic [Accel.rows-1:0]   word_rows;
  dim_t [Accel.rows-1:0]   word_words;
  logic                    loading, loaded_valid, loaded_ready, released, store_valid, storing_ready, stored;
  loaded_job_t             loaded;
  error_e                  load_error;
  store_job_t              store_job;
  logic                    arvalid, arready, rready;  // as the DMA engine sees them

  fp8mac_load_path #(.ACCEL(Accel)) u_load_path (
    .clk_i, .rst_ni(inside_rst_n), .bus_rst_ni(rst_ni),
    .abort_i           (abort),
    .clear_i           (clear),
    .idle_o            (load_idle),
    .waits_o           (load_waits),
    .checked_valid_i   (checked_valid),
    .checked_i         (checked),
    .checked_ready_o   (checked_ready),
    .fetch_row_i       (fetch_row),
    .table_row_i       (table_row),
    .row_ready_o       (row_ready),
    .source_row_i      (source_row),
    .source_row_ready_o(source_row_ready),
    .beat_o            (beat),
    .beat_taken_o      (beat_taken),
    .beat_data_o       (beat_data),
    .table_beat_ready_i(table_beat_ready),
    .sources_o         (sources),
    .sources_ready_i   (sources_ready),
    .memory_beat_o     (memory_beat),
    .word_valid_o      (word_valid),
    .word_dest_o       (word_dest),
    .word_data_o       (word_data),
    .word_rows_o       (word_rows),
    .word_words_o      (word_words),
    .scale_bad_i       (scale_bad),
    .loaded_waits_o    (loading),
    .loaded_valid_o    (loaded_valid),
    .loaded_o          (loaded),
    .load_error_o      (load_error),
    .loaded_ready_i    (loaded_ready),
    .released_i        (released),
    .store_valid_o     (store_valid),
    .store_o           (store_job),
    .store_ready_i     (storing_ready),
    .stored_i          (stored),
    .complete_i        (retire_valid && retire.last),
    .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o, .m_axi_arburst_o,
    .m_axi_arvalid_o   (arvalid),
    .m_axi_arready_i   (arready),
    .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i, .m_axi_rvalid_i,
    .m_axi_rready_o    (rready),
    .fault_o           (load_fault)
  );

  // ---- compute ----------------------------------------------------------------------------------
  logic                            storing_valid, kept, result_valid, result_ready, vector_half;
  storing_job_t                    storing;
  logic [PhaseW-1:0]               result_phase;
  logic [Accel.rows/Accel.share-1:0][Accel.cols-1:0][31:0] result;
  tile_index_t                     vector_row_tile, vector_col_tile;
  logic [Accel.rows-1:0][31:0]     scale_a;
  logic [Accel.cols-1:0][31:0]     scale_b, bias;
  logic [Accel.cols-1:0][IntShiftW-1:0] int_shift;
  logic                            array_busy, computing, issue, spacing, stalled, taken;

  fp8mac_compute_path #(.ACCEL(Accel)) u_compute_path (
    .clk_i, .rst_ni(inside_rst_n),
    .abort_i          (abort),
    .clear_i          (clear),
    .beat_valid_i     (memory_beat),
    .beat_dest_i      (beat.dest),
    .beat_data_i      (beat_data),
    .word_valid_i     (word_valid),
    .word_dest_i      (word_dest),
    .word_data_i      (word_data),
    .word_rows_i      (word_rows),
    .word_words_i     (word_words),
    .scale_bad_o      (scale_bad),
    .loaded_valid_i   (loaded_valid),
    .loaded_i         (loaded),
    .load_error_i     (load_error),
    .loaded_ready_o   (loaded_ready),
    .released_o       (released),
    .store_i          (store_job),
    .storing_valid_o  (storing_valid),
    .storing_o        (storing),
    .storing_ready_i  (storing_ready),
    .kept_o           (kept),
    .result_valid_o   (result_valid),
    .result_ready_i   (result_ready),
    .result_phase_o   (result_phase),
    .result_o         (result),
    .result_position_o(result_position),
    .step_flags_o     (step_flags),
    .vector_half_i    (vector_half),
    .row_tile_i       (vector_row_tile),
    .col_tile_i       (vector_col_tile),
    .scale_a_o        (scale_a),
    .scale_b_o        (scale_b),
    .int_shift_o      (int_shift),
    .bias_o           (bias),
    .array_busy_o     (array_busy),
    .computing_o      (computing),
    .issue_o          (issue),
    .spacing_o        (spacing),
    .stalled_o        (stalled),
    .taken_o          (taken),
    .row_en_o         (row_en),
    .col_en_o         (col_en),
    .lane_en_o        (lane_en),
    .fault_o          (compute_fault)
  );

  // ---- results ----------------------------------------------------------------------------------
  logic          output_empty, epilogue_empty, bus_owes, moves;
  logic          awvalid, awready, wlast, wvalid, wready, bready;  // as the DMA engine sees them
  logic [Beat-1:0] wstrb;

  fp8mac_output #(
    .ROWS(Accel.rows), .COLS(Accel.cols), .SHARE(Accel.share), .WIDTH(Accel.epi_width), .AXI_DATA_W(AxiDataW),
    .AXI_ADDR_W(AxiAddrW), .IN_FLIGHT(WriteBursts), .FUNCTIONS(Accel.functions)
  ) u_output (
    .clk_i, .rst_ni(inside_rst_n), .bus_rst_ni(rst_ni),
    .abort_i        (abort),
    .clear_i        (clear),
    .c_beat_i       (beat_taken && beat.dest.kind == DestC),
    .x_beat_i       (beat_taken && beat.dest.kind == DestX),
    .beat_ram_i     (beat.dest.ram),
    .beat_word_i    (beat.dest.word),
    .beat_last_i    (beat.dest.last),
    .beat_full_i    (beat.dest.last && beat.dest.half),
    .beat_data_i    (beat_data),
    .beat_error_i   (beat.error),
    .c_valid_i      (sources.c_valid),
    .c_i            (sources.c),
    .x_valid_i      (sources.x_valid),
    .x_i            (sources.x),
    .sources_ready_o(sources_ready),
    .sources_idle_o (sources_idle),
    .source_row_valid_o(source_row.valid),
    .source_row_o   (source_row.row),
    .source_dest_o  (source_row.dest),
    .source_row_ready_i(source_row_ready),
    .valid_i           (storing_valid),
    .job_i             (storing),
    .ready_o           (storing_ready),
    .kept_i            (kept),
    .stored_o          (stored),
    .epilogue_empty_o  (epilogue_empty),
    .result_valid_i    (result_valid),
    .result_ready_o    (result_ready),
    .result_phase_i    (result_phase),
    .result_i          (result),
    .result_position_i (result_position),
    .vector_half_o     (vector_half),
    .row_tile_o        (vector_row_tile),
    .col_tile_o        (vector_col_tile),
    .scale_a_i         (scale_a),
    .scale_b_i         (scale_b),
    .int_shift_i       (int_shift),
    .bias_i            (bias),
    .table_write_i     (table_write),
    .epi_valid_o       (finished.valid),
    .epi_flags_o       (finished.flags),
    .epi_amax_o        (finished.amax),
    .epi_nonfinite_o   (finished.nonfinite),
    .epi_owner_o    (finished.owner),
    .empty_o        (output_empty),
    .retire_valid_o (retire_valid),
    .retire_o       (retire),
    .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o,
    .m_axi_awvalid_o(awvalid),
    .m_axi_awready_i(awready),
    .m_axi_wdata_o,
    .m_axi_wstrb_o  (wstrb),
    .m_axi_wlast_o  (wlast),
    .m_axi_wvalid_o (wvalid),
    .m_axi_wready_i (wready),
    .m_axi_bresp_i, .m_axi_bvalid_i,
    .m_axi_bready_o (bready),
    .fault_o        (output_fault)
  );

  fp8mac_axi_guard #(
    .STRB_W(Beat), .READS(read_bursts(Accel.functions.conv_a)), .WRITES(WriteBursts), .LEN_W(GuardLenW),
    .LIMIT_W($bits(watchdog))
  ) u_guard (
    .clk_i, .rst_ni,
    .soft_reset_i(soft_reset),
    .limit_i     (watchdog),
    .fault_i     (commands_fault || load_fault || compute_fault || output_fault || no_progress),
    .expired_o   (timeout),
    .flush_o     (flush),
    .draining_o  (draining),
    .owed_o      (bus_owes),
    .arvalid_i   (arvalid),
    .arready_o   (arready),
    .rready_i    (rready),
    .awvalid_i   (awvalid),
    .awlen_i     (m_axi_awlen_o[GuardLenW-1:0]),
    .awready_o   (awready),
    .wvalid_i    (wvalid),
    .wstrb_i     (wstrb),
    .wready_o    (wready),
    .bready_i    (bready),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_rvalid_i, .m_axi_rlast_i, .m_axi_rready_o, .m_axi_awvalid_o,
    .m_axi_awready_i, .m_axi_wvalid_o, .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wready_i, .m_axi_bvalid_i,
    .m_axi_bready_o
  );

  assign m_axi_awid_o    = AxiIdW'(AXI_ID);
  assign m_axi_awprot_o  = AXI_PROT;
  assign m_axi_awcache_o = AXI_CACHE;
  assign m_axi_awqos_o   = AXI_QOS;
  assign m_axi_arid_o    = AxiIdW'(AXI_ID);
  assign m_axi_arprot_o  = AXI_PROT;
  assign m_axi_arcache_o = AXI_CACHE;
  assign m_axi_arqos_o   = AXI_QOS;

  // ---- what is under way ------------------------------------------------------------------------
  // The accelerator is idle if it holds no command. A command is always in at least one of these
  // modules; transfers of a failed one may be in the epilogue alone, and would give their flags to
  // the next owner of its record.
  assign drained = !queued && load_idle && !storing_valid && output_empty && epilogue_empty && sources_idle &&
                   !array_busy;
  assign idle    = !entering && drained && !draining;

  // Something inside has moved. Between two of these moves a command takes far fewer cycles than
  // the limit, whatever its shape.
  assign moves = taken || beat_taken || (checked_valid && checked_ready) || (result_valid && result_ready) ||
                 retire_valid || finished.valid;

  fp8mac_progress #(.LIMIT(ProgressLimit)) u_progress (
    .clk_i, .rst_ni(inside_rst_n),
    .busy_i  (!idle),
    .owed_i  (bus_owes),
    .moves_i (moves),
    .expired_o(no_progress)
  );

  // The oldest command that the engines have; 0 if they have none and a descriptor is read
  always_comb begin
    if (!output_empty) oldest = '{record: retire.record, tag: retire.tag};
    else if (store_valid) oldest = '{record: store_job.record, tag: store_job.tag};
    else oldest = '0;
  end

  assign activity = '{
    issue: issue, stalled: stalled, spacing: spacing, loaded: computing || loaded_valid,
    loading: loading && !load_waits, waiting: (entering || queued) && !load_waits, idle: idle, taken: taken,
    read_beat: beat_taken, write_beat: m_axi_wvalid_o && m_axi_wready_i
  };

  // The write engine and the guard agree on the beats of the bursts.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !wvalid || (m_axi_wvalid_o && wlast == m_axi_wlast_o));

  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_awvalid_o || 32'(m_axi_awlen_o) < (1 << GuardLenW));

  // All bursts have one identifier, and so must their responses.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_bvalid_i || m_axi_bid_i == AxiIdW'(AXI_ID));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !m_axi_rvalid_i || m_axi_rid_i == AxiIdW'(AXI_ID));

endmodule
