// SPDX-License-Identifier: Apache-2.0
// The way of reads: the load engine, the read DMA with its order of rows, the alignment of images,
// and the queues of tile commands whose loads have begun.
//
//   checked tile command -> load -> rows -> dma_read (AXI) -> beats -> memories, C and X, fetch, table load
//                                                               |
//                                                               +-> image_align -> words -> memories
//
// Rows of descriptors come first, then those of C and X, then operands of the commands behind. A
// table of codes is read while there is no other row.
module fp8mac_load_path
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter accel_t ACCEL = '0
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         bus_rst_ni,  // of offers on AR that wait to be taken
  input  logic                         abort_i,
  input  logic                         clear_i,     // the error state is left
  output logic                         idle_o,      // no tile command is being loaded, and the operand buffers are free
  output logic                         waits_o,     // the tile command at hand waits for an older command's D

  // Tile commands
  input  logic                         checked_valid_i,
  input  checked_jobs_t                checked_i,
  output logic                         checked_ready_o,

  // Rows and beats of others
  input  row_offer_t                   fetch_row_i,
  input  row_offer_t                   table_row_i,
  output logic                         row_ready_o,         // the first of all rows that are offered is taken
  input  row_offer_t                   source_row_i,
  output logic                         source_row_ready_o,
  output beat_t                        beat_o,
  output logic                         beat_taken_o,
  output logic [ACCEL.beat*8-1:0]      beat_data_o,
  input  logic                         table_beat_ready_i,

  // C and X of the tile command whose load begins
  output sources_t                     sources_o,
  input  logic                         sources_ready_i,     // there is room for both

  // The memories: beats but those of images, and words of images
  output logic                         memory_beat_o,
  output logic                         word_valid_o,
  output read_dest_t                   word_dest_o,
  output logic [ACCEL.beat*8-1:0]      word_data_o,
  output logic [ACCEL.rows-1:0]        word_rows_o,
  output dim_t [ACCEL.rows-1:0]        word_words_o,
  input  logic                         scale_bad_i,         // the beat of the cycle before has a value that is no scale

  // Tile commands in the order of their loads: the oldest one
  output logic                         loaded_waits_o,      // its load has begun
  output logic                         loaded_valid_o,      // its load is done
  output loaded_job_t                  loaded_o,
  output error_e                       load_error_o,
  input  logic                         loaded_ready_i,
  input  logic                         released_i,          // the oldest of them has read all its operands

  // How the same tile commands are stored, until they are: the oldest one
  output logic                         store_valid_o,
  output store_job_t                   store_o,
  input  logic                         store_ready_i,
  input  logic                         stored_i,            // a tile command's last use of its vectors
  input  logic                         complete_i,          // a command is complete, or skipped: D is in memory

  // AXI4 master, reads
  output logic [ACCEL.addr_w-1:0]      m_axi_araddr_o,
  output logic [7:0]                   m_axi_arlen_o,
  output logic [2:0]                   m_axi_arsize_o,
  output logic [1:0]                   m_axi_arburst_o,
  output logic                         m_axi_arvalid_o,
  input  logic                         m_axi_arready_i,
  input  logic [ACCEL.beat*8-1:0]      m_axi_rdata_i,
  input  logic [1:0]                   m_axi_rresp_i,
  input  logic                         m_axi_rlast_i,
  input  logic                         m_axi_rvalid_i,
  output logic                         m_axi_rready_o,

  output logic                         fault_o              // of fp8mac_fifo
);
  localparam functions_t Offered = ACCEL.functions;
  localparam int unsigned Bursts = read_bursts(Offered.conv_a);
  // Commands between load and the end of compute: one for each half of the operand buffers.
  localparam int unsigned LoadedDepth = 2;
  // Commands between the start of load and the end of store. Room for a fourth one would let its
  // load begin earlier only where results are the limit, and loads are not.
  localparam int unsigned StoreDepth  = 3;

  // ---- load -------------------------------------------------------------------------------------
  row_offer_t   load_row;
  logic         loaded_push, read_done, store_full, store_empty, loaded_empty, load_done_empty;
  loaded_job_t  loaded_pushed, loaded_held;
  store_job_t   store_held;
  error_e       read_error, loaded_error;
  logic         loaded_fault, store_jobs_fault, load_done_fault, dma_fault, align_fault;
  logic         scale_bad_q;
  logic         strip_valid, strip_ready, few_strips, align_idle, align_quiet, align_ready;
  image_strip_t strip;
  logic [ACCEL.rows-1:0][StripW-1:0] row_start;

  fp8mac_load #(
    .ROWS(ACCEL.rows), .COLS(ACCEL.cols), .BEAT(ACCEL.beat), .IMAGES(Offered.conv_a), .DEPTHWISE(Offered.depthwise),
    .REQUANTISE(Offered.requantise)
  ) u_load (
    .clk_i, .rst_ni,
    .abort_i,
    .clear_i,
    .idle_o,
    .valid_i       (checked_valid_i),
    .checked_i,
    .room_i        (!store_full),
    .ready_o       (checked_ready_o),
    .loaded_valid_o(loaded_push),
    .loaded_o      (loaded_pushed),
    .released_i,
    .row_valid_o   (load_row.valid),
    .row_o         (load_row.row),
    .dest_o        (load_row.dest),
    .row_ready_i   (row_ready_o && !fetch_row_i.valid && !source_row_i.valid),
    .c_valid_o     (sources_o.c_valid),
    .c_o           (sources_o.c),
    .x_valid_o     (sources_o.x_valid),
    .x_o           (sources_o.x),
    .sources_ready_i,
    .strip_valid_o (strip_valid),
    .strip_o       (strip),
    .strip_ready_i (strip_ready),
    .few_strips_o  (few_strips),
    .align_idle_i  (align_idle),
    .row_start_o   (row_start),
    .complete_i,
    .waits_o,
    .read_failed_i (loaded_error != ErrNone),
    .stored_i
  );

  // ---- read DMA ---------------------------------------------------------------------------------
  row_offer_t read_row;
  logic       beat_ready;

  assign source_row_ready_o = row_ready_o && !fetch_row_i.valid;
  always_comb begin
    if (fetch_row_i.valid) read_row = fetch_row_i;
    else if (source_row_i.valid) read_row = source_row_i;
    else if (load_row.valid) read_row = load_row;
    else read_row = table_row_i;
  end

  fp8mac_dma_read #(
    .AXI_DATA_W(ACCEL.beat * 8), .AXI_ADDR_W(ACCEL.addr_w), .IN_FLIGHT(Bursts), .DESTS(ReadDests)
  ) u_dma_read (
    .clk_i, .rst_ni, .bus_rst_ni,
    .row_valid_i   (read_row.valid),
    .row_ready_o,
    .row_i         (read_row.row),
    .dest_i        (read_row.dest),
    .beat_valid_o  (beat_taken_o),
    .beat_offered_o(beat_o.offered),
    .beat_ready_i  (beat_ready),
    .beat_dest_o   (beat_o.dest),
    .beat_data_o,
    .beat_error_o  (beat_o.error),
    .done_valid_o  (read_done),
    .done_ready_i  (align_quiet),
    .done_error_o  (read_error),
    .fault_o       (dma_fault),
    .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o, .m_axi_arburst_o, .m_axi_arvalid_o, .m_axi_arready_i,
    .m_axi_rdata_i, .m_axi_rresp_i, .m_axi_rlast_i, .m_axi_rvalid_i, .m_axi_rready_o
  );

  // ---- image operands: their beats leave as words, beside all other beats but those of A --------
  logic image_beat;

  assign image_beat    = beat_o.dest.kind == DestImage;
  assign memory_beat_o = beat_taken_o && !image_beat;
  always_comb begin
    unique case (beat_o.dest.kind)
      DestA:       beat_ready = !word_valid_o;
      DestImage:   beat_ready = align_ready;
      DestTable:   beat_ready = table_beat_ready_i;
      default:     beat_ready = 1'b1;
    endcase
  end

  if (Offered.conv_a) begin : g_align
    fp8mac_image_align #(
      .ROWS(ACCEL.rows), .BEAT(ACCEL.beat), .DEPTHWISE(Offered.depthwise), .STRIPS(Bursts)
    ) u_align (
      .clk_i, .rst_ni,
      .strip_valid_i(strip_valid),
      .strip_ready_o(strip_ready),
      .few_i        (few_strips),
      .strip_i      (strip),
      .row_start_i  (row_start),
      .beat_valid_i (beat_taken_o && image_beat),
      .beat_ready_o (align_ready),
      .beat_data_i  (beat_data_o),
      .word_valid_o,
      .word_dest_o,
      .word_data_o,
      .word_rows_o,
      .word_words_o,
      .idle_o       (align_idle),
      .quiet_o      (align_quiet),
      .fault_o      (align_fault)
    );
  end else begin : g_no_align
    assign strip_ready  = 1'b0;
    assign align_ready  = 1'b0;
    assign word_valid_o = 1'b0;
    assign word_dest_o  = '0;
    assign word_data_o  = '0;
    assign word_rows_o  = '0;
    assign word_words_o = '0;
    assign align_idle   = 1'b1;
    assign align_quiet  = 1'b1;
    assign align_fault  = 1'b0;
    logic unused_strip;
    assign unused_strip = ^{strip_valid, strip, row_start, few_strips};
  end

  // ---- queues -----------------------------------------------------------------------------------
  // The first beat of a tile command that has a value that is no scale is known one cycle after it
  // came. The end of its load comes in that cycle at the earliest.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || read_done) scale_bad_q <= 1'b0;
    else if (scale_bad_i) scale_bad_q <= 1'b1;
  end

  always_comb begin
    loaded_error = read_error;
    if (read_error == ErrNone && (scale_bad_i || scale_bad_q)) loaded_error = ErrScale;
  end

  // Tile commands in the order of their loads; the oldest is loaded once its outcome is known. The
  // load engine starts none while the operands of LoadedDepth others are in use.
  fp8mac_fifo #(.T(loaded_job_t), .DEPTH(LoadedDepth)) u_loaded (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(loaded_push), .data_i(loaded_pushed), .full_o(),
    .pop_i(loaded_ready_i), .data_o(loaded_held), .empty_o(loaded_empty), .level_o(), .fault_o(loaded_fault)
  );

  assign loaded_o = '{compute: offered_compute(loaded_held.compute, Offered), halves: loaded_held.halves,
                      error: loaded_held.error, record: loaded_held.record, tag: loaded_held.tag};

  fp8mac_fifo #(.T(store_job_t), .DEPTH(StoreDepth)) u_store_jobs (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(loaded_push), .data_i(checked_i.store), .full_o(store_full),
    .pop_i(store_ready_i), .data_o(store_held), .empty_o(store_empty), .level_o(), .fault_o(store_jobs_fault)
  );

  assign store_o = offered_store(store_held, Offered);

  fp8mac_fifo #(.T(error_e), .DEPTH(LoadedDepth)) u_load_done (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(read_done), .data_i(loaded_error), .full_o(),
    .pop_i(loaded_ready_i), .data_o(load_error_o), .empty_o(load_done_empty), .level_o(), .fault_o(load_done_fault)
  );

  assign fault_o = loaded_fault || store_jobs_fault || load_done_fault || dma_fault || align_fault;

  assign loaded_waits_o = !loaded_empty;
  assign loaded_valid_o = !load_done_empty;
  assign store_valid_o  = !store_empty;
endmodule
