// SPDX-License-Identifier: Apache-2.0
// The way of computation: the memories that loads fill, the compute engine that reads them, the
// array, and the queue of tile commands that are computed and not yet stored.
//
//   beats, words -> memories -> operands -> array -> results -> output path
//                     ^  ^                    ^
//   tile command -> compute: addresses,       +-- steps
//                        |
//                        +-- scales and biases for the output path, at its addresses
//
// The array, and what leads to it, stand still while the output path cannot take a result.
module fp8mac_compute_path
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter accel_t ACCEL = '0,
  localparam int unsigned Bundle = ACCEL.rows / ACCEL.share,
  localparam int unsigned PhaseW = (ACCEL.share > 1) ? $clog2(ACCEL.share) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           abort_i,
  input  logic                           clear_i,          // the error state is left

  // What is read from memory: beats but those of images, and words of images
  input  logic                           beat_valid_i,
  input  read_dest_t                     beat_dest_i,
  input  logic [ACCEL.beat*8-1:0]        beat_data_i,
  input  logic                           word_valid_i,
  input  read_dest_t                     word_dest_i,
  input  logic [ACCEL.beat*8-1:0]        word_data_i,
  input  logic [ACCEL.rows-1:0]          word_rows_i,
  input  dim_t [ACCEL.rows-1:0]          word_words_i,
  output logic                           scale_bad_o,      // the beat of the cycle before has a value that is no scale

  // The oldest tile command that is loaded
  input  logic                           loaded_valid_i,
  input  loaded_job_t                    loaded_i,
  input  error_e                         load_error_i,
  output logic                           loaded_ready_o,
  output logic                           released_o,       // a tile command has read all its operands

  // The oldest tile command that compute has begun, held until ready; store_i: how it is stored
  input  store_job_t                     store_i,
  output logic                           storing_valid_o,
  output storing_job_t                   storing_o,
  input  logic                           storing_ready_i,
  output logic                           kept_o,           // a tile command with acc_keep has left the array

  // Results of a bundle
  output logic                           result_valid_o,
  input  logic                           result_ready_i,   // a register
  output logic [PhaseW-1:0]              result_phase_o,
  output logic [Bundle-1:0][ACCEL.cols-1:0][31:0] result_o,
  output tile_position_t                 result_position_o,
  output flags_t                         step_flags_o,     // of the steps

  // Scales and biases of a tile, in the cycle behind its address
  input  logic                           vector_half_i,
  input  tile_index_t                    row_tile_i,
  input  tile_index_t                    col_tile_i,
  output logic [ACCEL.rows-1:0][31:0]    scale_a_o,
  output logic [ACCEL.cols-1:0][31:0]    scale_b_o,
  output logic [ACCEL.cols-1:0][IntShiftW-1:0] int_shift_o,  // with the requantiser
  output logic [ACCEL.cols-1:0][31:0]    bias_o,

  // Counters
  output logic                           array_busy_o,
  output logic                           computing_o,      // a tile command is at hand
  output logic                           issue_o,          // a step is chosen
  output logic                           spacing_o,        // waiting for an accumulator or an accumulate unit
  output logic                           stalled_o,        // waiting for results to be taken
  output logic                           taken_o,          // the array takes a step of these rows, columns and lanes
  output logic [ACCEL.rows-1:0]          row_en_o,
  output logic [ACCEL.cols-1:0]          col_en_o,
  output logic [ACCEL.lanes-1:0]         lane_en_o,

  output logic                           fault_o           // of fp8mac_fifo
);
  localparam int unsigned Rows = ACCEL.rows, Cols = ACCEL.cols, Lanes = ACCEL.lanes, Beat = ACCEL.beat;
  localparam functions_t  Offered    = ACCEL.functions;
  localparam int unsigned Word       = larger(Lanes, Beat);  // bytes of a word of the operand memories
  localparam int unsigned WordW      = $clog2(ACCEL.buf_beats * Beat / Word);
  localparam int unsigned Slices     = Word / Lanes;
  localparam int unsigned SliceW     = (Slices > 1) ? $clog2(Slices) : 1;
  localparam int unsigned Groups     = Offered.depthwise ? 2 * Beat / Cols : 1;  // of a beat, in a depthwise command
  localparam int unsigned GroupW     = (Groups > 1) ? $clog2(Groups) : 1;
  localparam int unsigned TileW      = $clog2(ACCEL.tiles);
  localparam int unsigned ScaleWordW = $clog2(ACCEL.scale_beats);
  // Commands between the start of compute and the end of store: while one is stored, the next one
  // is computed. Results of a third one would wait for both.
  localparam int unsigned StoringDepth = 2;

  // ---- operand and vector memories --------------------------------------------------------------
  logic                             operand_read, a_half, b_half, depthwise, pairs, mx;
  logic [WordW-1:0]                 a_word, b_word;
  logic [GroupW-1:0]                group;
  logic [SliceW-1:0]                operand_slice;
  logic [Rows-1:0][Lanes-1:0][7:0]  a_code;
  logic [Cols-1:0][Lanes-1:0][7:0]  b_code;
  logic [Rows-1:0][BoundW-1:0]      a_bound;
  logic [Cols-1:0][BoundW-1:0]      b_bound;
  logic [ScaleWordW-1:0]            a_scale_word, b_scale_word;
  logic [$clog2(Beat)-1:0]          scale_byte;
  logic [Rows-1:0][ScaleW-1:0]      a_mx_scale;
  logic [Cols-1:0][ScaleW-1:0]      b_mx_scale;

  fp8mac_memories #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .BLOCK(ACCEL.block), .BEAT(Beat), .BUF_BEATS(ACCEL.buf_beats),
    .MAX_MN(ACCEL.max_mn), .BOUNDS(element_feed(ACCEL.kind) == FeedBounded), .NARROW(ACCEL.element.narrow),
    .MX(Offered.mx), .SCALE_BEATS(ACCEL.scale_beats), .IMAGES(Offered.conv_a), .DEPTHWISE(Offered.depthwise),
    .REQUANTISE(Offered.requantise)
  ) u_memories (
    .clk_i, .rst_ni,
    .beat_valid_i,
    .beat_dest_i,
    .beat_data_i,
    .image_valid_i  (word_valid_i),
    .image_dest_i   (word_dest_i),
    .image_data_i   (word_data_i),
    .image_rows_i   (word_rows_i),
    .image_words_i  (word_words_i),
    .scale_bad_o,
    .operand_read_i (operand_read),
    .a_half_i       (a_half),
    .a_word_i       (a_word),
    .depthwise_i    (depthwise),
    .pairs_i        (pairs),
    .group_i        (group),
    .b_half_i       (b_half),
    .b_word_i       (b_word),
    .operand_slice_i(operand_slice),
    .a_code_o       (a_code),
    .b_code_o       (b_code),
    .a_bound_o      (a_bound),
    .b_bound_o      (b_bound),
    .mx_i           (mx),
    .a_scale_word_i (a_scale_word),
    .b_scale_word_i (b_scale_word),
    .scale_byte_i   (scale_byte),
    .a_scale_o      (a_mx_scale),
    .b_scale_o      (b_mx_scale),
    .vector_half_i,
    .row_tile_i,
    .col_tile_i,
    .scale_a_o,
    .scale_b_o,
    .int_shift_o,
    .bias_o
  );

  // ---- compute ----------------------------------------------------------------------------------
  logic             storing_push, storing_full, storing_empty;
  begun_job_t       storing_pushed, storing_held;
  logic             step_valid, block_first, block_last, acc_first, acc_last;
  logic [TileW-1:0] step_tile;
  step_cfg_t        step_cfg;
  tile_position_t   tile_position;

  logic advance;
  assign advance = result_ready_i || !result_valid_o;
  assign taken_o = step_valid && advance;

  fp8mac_compute #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .BLOCK(ACCEL.block), .SHARE(ACCEL.share),
    .LOOP(element_loop(ACCEL.kind, Lanes, Rows)), .LATENCY(element_latency(ACCEL.kind) + ACCEL.share),
    .TILES(ACCEL.tiles), .BEAT(Beat), .WORD(Word), .WORD_W(WordW), .SCALE_W(ScaleWordW), .DEPTHWISE(Offered.depthwise)
  ) u_compute (
    .clk_i, .rst_ni,
    .abort_i,
    .clear_i,
    .advance_i      (advance),
    .valid_i        (loaded_valid_i),
    .job_i          (loaded_i),
    .load_error_i,
    .ready_o        (loaded_ready_o),
    .released_o,
    .storing_valid_o(storing_push),
    .storing_o      (storing_pushed),
    .storing_ready_i(!storing_full),
    .kept_o,
    .read_o          (operand_read),
    .a_half_o        (a_half),
    .a_word_o        (a_word),
    .depthwise_o     (depthwise),
    .pairs_o         (pairs),
    .group_o         (group),
    .b_half_o        (b_half),
    .b_word_o        (b_word),
    .slice_o         (operand_slice),
    .mx_o            (mx),
    .a_scale_word_o  (a_scale_word),
    .b_scale_word_o  (b_scale_word),
    .scale_byte_o    (scale_byte),
    .step_valid_o    (step_valid),
    .step_tile_o     (step_tile),
    .block_first_o   (block_first),
    .block_last_o    (block_last),
    .acc_first_o     (acc_first),
    .acc_last_o      (acc_last),
    .step_cfg_o      (step_cfg),
    .row_en_o,
    .col_en_o,
    .lane_en_o,
    .tile_position_o (tile_position),
    .busy_o          (computing_o),
    .issue_o,
    .spacing_o,
    .stalled_o
  );

  fp8mac_fifo #(.T(begun_job_t), .DEPTH(StoringDepth)) u_storing (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(storing_push), .data_i(storing_pushed), .full_o(storing_full),
    .pop_i(storing_ready_i), .data_o(storing_held), .empty_o(storing_empty), .level_o(), .fault_o(fault_o)
  );

  assign storing_valid_o = !storing_empty;
  always_comb begin
    storing_o           = '{job: store_i, vector_half: storing_held.vector_half, skip: storing_held.skip};
    storing_o.job.error = storing_held.error;
  end

  // ---- the array --------------------------------------------------------------------------------
  fp8mac_array #(
    .ROWS(Rows), .COLS(Cols), .LANES(Lanes), .ELEMENT(ACCEL.kind), .FRAC_BITS(ACCEL.frac_bits), .TILES(ACCEL.tiles),
    .MX(Offered.mx), .INT32_RESULTS(Offered.requantise), .META_W($bits(tile_position_t))
  ) u_array (
    .clk_i, .rst_ni,
    .advance_i     (advance),
    .step_valid_i  (step_valid),
    .step_tile_i   (step_tile),
    .block_first_i (block_first),
    .block_last_i  (block_last),
    .acc_first_i   (acc_first),
    .acc_last_i    (acc_last),
    .step_cfg_i    (step_cfg),
    .row_en_i      (row_en_o),
    .col_en_i      (col_en_o),
    .lane_en_i     (lane_en_o),
    .a_code_i      (a_code),
    .b_code_i      (b_code),
    .a_bound_i     (a_bound),
    .b_bound_i     (b_bound),
    .a_scale_i     (a_mx_scale),
    .b_scale_i     (b_mx_scale),
    .meta_i        (tile_position),
    .result_valid_o,
    .result_phase_o,
    .result_o,
    .result_meta_o (result_position_o),
    .flags_o       (step_flags_o),
    .busy_o        (array_busy_o)
  );
endmodule
