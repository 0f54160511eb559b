// SPDX-License-Identifier: Apache-2.0
// The memories that the load engine fills: the operand buffers of A and B, and the buffers of
// scales and biases. Each beat arrives with its destination. It can be read two cycles later: a
// register stage prepares it. Every read answers in the next cycle. A word of an image comes beside
// a beat, unless that is one of A.
module fp8mac_memories
  import fp8mac_cmd_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,
  parameter int unsigned BLOCK     = 32,    // products that join an accumulator together
  parameter int unsigned BEAT      = 16,
  parameter int unsigned BUF_BEATS = 256,
  parameter int unsigned MAX_MN    = 128,
  parameter bit          BOUNDS    = 1'b1,  // each block of bound_block(BLOCK) codes has a bound
  parameter bit          NARROW    = 1'b1,  // narrow codes may come
  parameter bit          MX        = 1'b1,  // each block of MxBlock codes has a scale
  parameter int unsigned SCALE_BEATS = 32,  // see scale_beats()
  parameter bit          IMAGES    = 1'b1,  // A may be an image
  parameter bit          DEPTHWISE = 1'b0,  // of a depthwise convolution, too
  parameter bit          REQUANTISE = 1'b0, // scales of B are integer scales, and A has none
  localparam int unsigned Word   = (LANES > BEAT) ? LANES : BEAT,  // bytes read at one address
  localparam int unsigned WordW  = $clog2(BUF_BEATS * BEAT / Word),
  localparam int unsigned Slices = Word / LANES,
  localparam int unsigned SliceW = (Slices > 1) ? $clog2(Slices) : 1,
  localparam int unsigned ScaleWordW = $clog2(SCALE_BEATS),
  localparam int unsigned ByteW  = $clog2(BEAT),
  localparam int unsigned BoundBeats = bound_block(BLOCK) / BEAT,
  localparam int unsigned Groups = DEPTHWISE ? 2 * BEAT / COLS : 1,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            beat_valid_i,
  input  read_dest_t                      beat_dest_i,
  input  logic [BEAT*8-1:0]               beat_data_i,
  input  logic                            image_valid_i, // a word of an image
  input  read_dest_t                      image_dest_i,
  input  logic [BEAT*8-1:0]               image_data_i,
  input  logic [ROWS-1:0]                 image_rows_i,  // the row RAMs that take it, and where
  input  dim_t [ROWS-1:0]                 image_words_i,
  output logic                            scale_bad_o,  // in the cycle before, a beat had a value that is no scale

  input  logic                            operand_read_i,
  input  logic                            a_half_i,
  input  logic [WordW-1:0]                a_word_i,
  input  logic                            depthwise_i,   // A's words are those of pixels: see fp8mac_quad_buffer
  input  logic                            pairs_i,
  input  logic [GroupW-1:0]               group_i,
  input  logic                            b_half_i,
  input  logic [WordW-1:0]                b_word_i,
  input  logic [SliceW-1:0]               operand_slice_i,
  output logic [ROWS-1:0][LANES-1:0][7:0] a_code_o,
  output logic [COLS-1:0][LANES-1:0][7:0] b_code_o,
  output logic [ROWS-1:0][BoundW-1:0]     a_bound_o,
  output logic [COLS-1:0][BoundW-1:0]     b_bound_o,
  // MX scales, read with the operands. Without mx_i they are 1.
  input  logic                            mx_i,
  input  logic [ScaleWordW-1:0]           a_scale_word_i,
  input  logic [ScaleWordW-1:0]           b_scale_word_i,
  input  logic [ByteW-1:0]                scale_byte_i,
  output logic [ROWS-1:0][ScaleW-1:0]     a_scale_o,
  output logic [COLS-1:0][ScaleW-1:0]     b_scale_o,

  input  logic                            vector_half_i,
  input  tile_index_t                     row_tile_i,
  input  tile_index_t                     col_tile_i,
  output logic [ROWS-1:0][31:0]           scale_a_o,
  output logic [COLS-1:0][31:0]           scale_b_o,
  output logic [COLS-1:0][IntShiftW-1:0]  int_shift_o,
  output logic [COLS-1:0][31:0]           bias_o
);
  localparam int unsigned RowW       = (ROWS > 1) ? $clog2(ROWS) : 1;
  localparam int unsigned ColW       = (COLS > 1) ? $clog2(COLS) : 1;
  localparam int unsigned BeatW      = $clog2(BUF_BEATS);
  localparam int unsigned RowTiles   = (MAX_MN + ROWS - 1) / ROWS;
  localparam int unsigned ColTiles   = (MAX_MN + COLS - 1) / COLS;
  localparam int unsigned RowTileW   = (RowTiles > 1) ? $clog2(RowTiles) : 1;
  localparam int unsigned ColTileW   = (ColTiles > 1) ? $clog2(ColTiles) : 1;
  localparam int unsigned Words      = (MAX_MN * 4 + BEAT - 1) / BEAT;
  localparam int unsigned VWordW     = (Words > 1) ? $clog2(Words) : 1;

  // ---- what arrives -----------------------------------------------------------------------------
  logic              valid, image;  // a beat; a word of an image
  read_dest_t        dest, image_dest;
  logic [BEAT*8-1:0] data, image_data;
  logic [BoundW-1:0] bound, image_bound;
  logic [ROWS-1:0]   rows;
  dim_t [ROWS-1:0]   words;
  logic [ROWS-1:0][Groups-1:0][BoundW-1:0] group_bound;

  fp8mac_operand_bound #(
    .BEAT(BEAT), .BLOCK(BLOCK), .ROWS(1), .BOUNDS(BOUNDS), .NARROW(NARROW), .DEPTH(BUF_BEATS)
  ) u_bound (
    .clk_i, .rst_ni, .valid_i(beat_valid_i), .dest_i(beat_dest_i), .data_i(beat_data_i), .rows_i('0), .words_i('0),
    .valid_o(valid), .dest_o(dest), .data_o(data), .bound_o(bound), .rows_o(), .words_o(), .group_bound_o()
  );

  if (IMAGES) begin : g_image
    fp8mac_operand_bound #(
      .BEAT(BEAT), .BLOCK(BLOCK), .ROWS(ROWS), .BOUNDS(BOUNDS), .NARROW(NARROW), .DEPTH(BUF_BEATS),
      .GROUPS(Groups)
    ) u_bound (
      .clk_i, .rst_ni, .valid_i(image_valid_i), .dest_i(image_dest_i), .data_i(image_data_i), .rows_i(image_rows_i),
      .words_i(image_words_i), .valid_o(image), .dest_o(image_dest), .data_o(image_data), .bound_o(image_bound),
      .rows_o(rows), .words_o(words), .group_bound_o(group_bound)
    );
  end else begin : g_no_image
    assign {image, image_dest, image_data, image_bound, rows, words, group_bound} = '0;
    logic unused_image;
    assign unused_image = ^{image_valid_i, image_dest_i, image_data_i, image_rows_i, image_words_i};
  end

  // What A's memory takes: a word of an image, or else a beat
  logic              a_write_half;
  logic [BEAT*8-1:0] a_data;
  logic [BoundW-1:0] a_write_bound;

  assign a_write_half  = image ? image_dest.half : dest.half;
  assign a_data        = image ? image_data : data;
  assign a_write_bound = image ? image_bound : bound;

  logic unused_image_dest;  // its kind and its format
  assign unused_image_dest = ^image_dest;

  images_are_alone_in_a : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(image && valid && dest.kind == DestA));

  fp8mac_scale_check #(.BEAT(BEAT), .REQUANTISE(REQUANTISE)) u_scale_check (
    .valid_i(valid && (dest.kind == DestScaleA || dest.kind == DestScaleB)), .last_i(dest.last),
    .last_byte_i(dest.last_byte), .data_i(data), .bad_o(scale_bad_o)
  );

  // ---- operands ---------------------------------------------------------------------------------
  if (DEPTHWISE) begin : g_quads
    logic [ROWS-1:0]            write;
    logic [ROWS-1:0][BeatW-1:0] beat;

    for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
      assign write[r] = image ? rows[r] : valid && dest.kind == DestA && dest.ram[RowW-1:0] == RowW'(r);
      assign beat[r]  = image ? words[r][BeatW-1:0] : dest.word[BeatW-1:0];
    end

    fp8mac_quad_buffer #(
      .RAMS(ROWS), .BEAT(BEAT), .PARTS(Word / BEAT), .DEPTH(BUF_BEATS), .GROUPS(Groups), .BOUNDS(BOUNDS),
      .BLOCK_BEATS(BoundBeats), .BOUND_W(BoundW)
    ) u_a (
      .clk_i, .rst_ni,
      .write_i           (write),
      .write_half_i      (a_write_half),
      .write_beat_i      (beat),
      .write_data_i      (a_data),
      .write_depthwise_i (image && image_dest.depthwise),
      .write_pairs_i     (image_dest.pairs),
      .write_bound_i     (a_write_bound),
      .write_group_bound_i(group_bound),
      .read_i            (operand_read_i),
      .read_half_i       (a_half_i),
      .read_word_i       (a_word_i),
      .read_depthwise_i  (depthwise_i),
      .read_pairs_i      (pairs_i),
      .read_group_i      (group_i),
      .read_data_o       (a_code_o),
      .read_bound_o      (a_bound_o)
    );
  end else begin : g_words
    logic [RowW-1:0]  ram;
    logic [BeatW-1:0] beat;

    assign ram  = image ? image_dest.ram[RowW-1:0] : dest.ram[RowW-1:0];
    assign beat = image ? image_dest.word[BeatW-1:0] : dest.word[BeatW-1:0];

    fp8mac_operand_buffer #(
      .RAMS(ROWS), .LANES(LANES), .BEAT(BEAT), .DEPTH(BUF_BEATS), .BOUNDS(BOUNDS), .BLOCK_BEATS(BoundBeats),
      .BOUND_W(BoundW)
    ) u_a (
      .clk_i, .rst_ni,
      .write_i      (image || (valid && dest.kind == DestA)),
      .write_half_i (a_write_half),
      .write_ram_i  (ram),
      .write_beat_i (beat),
      .write_data_i (a_data),
      .write_bound_i(a_write_bound),
      .read_i       (operand_read_i),
      .read_half_i  (a_half_i),
      .read_word_i  (a_word_i),
      .read_slice_i (operand_slice_i),
      .read_data_o  (a_code_o),
      .read_bound_o (a_bound_o)
    );
    logic unused_rows;
    assign unused_rows = ^{rows, words, group_bound, dest.rotate, depthwise_i, pairs_i, group_i};
  end

  // The weights of a depthwise command are rotated as its pixels are read.
  logic [BEAT*8-1:0] b_data;
  if (DEPTHWISE) begin : g_rotate
    localparam int unsigned GroupBits = BEAT * 8 / Groups;
    for (genvar g = 0; g < int'(Groups); g++) begin : g_group
      logic [GroupW-1:0] from;
      assign from = GroupW'(g) - dest.rotate[GroupW-1:0];
      assign b_data[GroupBits*g +: GroupBits] = data[GroupBits*from +: GroupBits];
    end
  end else begin : g_straight
    assign b_data = data;
  end

  fp8mac_operand_buffer #(
    .RAMS(COLS), .LANES(LANES), .BEAT(BEAT), .DEPTH(BUF_BEATS), .BOUNDS(BOUNDS), .BLOCK_BEATS(BoundBeats),
    .BOUND_W(BoundW)
  ) u_b (
    .clk_i, .rst_ni,
    .write_i      (valid && dest.kind == DestB),
    .write_half_i (dest.half),
    .write_ram_i  (dest.ram[ColW-1:0]),
    .write_beat_i (dest.word[BeatW-1:0]),
    .write_data_i (b_data),
    .write_bound_i(bound),
    .read_i       (operand_read_i),
    .read_half_i  (b_half_i),
    .read_word_i  (b_word_i),
    .read_slice_i (operand_slice_i),
    .read_data_o  (b_code_o),
    .read_bound_o (b_bound_o)
  );

  // ---- MX scales --------------------------------------------------------------------------------
  if (MX) begin : g_mx
    fp8mac_scale_buffer #(.RAMS(ROWS), .BEAT(BEAT), .DEPTH(SCALE_BEATS)) u_a (
      .clk_i, .rst_ni,
      .write_i     (valid && dest.kind == DestMxA),
      .write_half_i(dest.half),
      .write_ram_i (dest.ram[RowW-1:0]),
      .write_word_i(dest.word[ScaleWordW-1:0]),
      .write_data_i(data),
      .read_i      (operand_read_i),
      .read_one_i  (!mx_i),
      .read_half_i (a_half_i),
      .read_word_i (a_scale_word_i),
      .read_byte_i (scale_byte_i),
      .scale_o     (a_scale_o)
    );
    fp8mac_scale_buffer #(.RAMS(COLS), .BEAT(BEAT), .DEPTH(SCALE_BEATS)) u_b (
      .clk_i, .rst_ni,
      .write_i     (valid && dest.kind == DestMxB),
      .write_half_i(dest.half),
      .write_ram_i (dest.ram[ColW-1:0]),
      .write_word_i(dest.word[ScaleWordW-1:0]),
      .write_data_i(data),
      .read_i      (operand_read_i),
      .read_one_i  (!mx_i),
      .read_half_i (b_half_i),
      .read_word_i (b_scale_word_i),
      .read_byte_i (scale_byte_i),
      .scale_o     (b_scale_o)
    );
  end else begin : g_no_mx
    assign a_scale_o = {ROWS{ScaleW'(ScaleBias)}};
    assign b_scale_o = {COLS{ScaleW'(ScaleBias)}};

    logic unused;
    assign unused = ^{mx_i, a_scale_word_i, b_scale_word_i, scale_byte_i};
  end

  // ---- scales and biases ------------------------------------------------------------------------
  if (REQUANTISE) begin : g_int_scales
    // Multiplier and shift of each column
    localparam int unsigned PairWords = (MAX_MN * 8 + BEAT - 1) / BEAT;
    localparam int unsigned PairW     = (PairWords > 1) ? $clog2(PairWords) : 1;
    logic [COLS-1:0][1:0][31:0] pair;

    fp8mac_vector_buffer #(.DEPTH(2 * MAX_MN), .READ(2 * COLS), .BEAT(BEAT)) u_scale_b (
      .clk_i,
      .write_i     (valid && dest.kind == DestScaleB),
      .write_half_i(dest.half),
      .write_word_i(dest.word[PairW-1:0]),
      .write_data_i(data),
      .read_half_i (vector_half_i),
      .read_tile_i (ColTileW'(col_tile_i)),
      .read_data_o (pair)
    );
    for (genvar c = 0; c < int'(COLS); c++) begin : g_column
      assign scale_b_o[c]   = pair[c][0];
      assign int_shift_o[c] = pair[c][1][IntShiftW-1:0];
      logic unused_sign;
      assign unused_sign = ^pair[c][1][31:IntShiftW];  // copies of the sign: fp8mac_scale_check
    end
    assign scale_a_o = '0;
    logic unused_rows;
    assign unused_rows = ^row_tile_i;
  end else begin : g_scales
    fp8mac_vector_buffer #(.DEPTH(MAX_MN), .READ(ROWS), .BEAT(BEAT)) u_scale_a (
      .clk_i,
      .write_i     (valid && dest.kind == DestScaleA),
      .write_half_i(dest.half),
      .write_word_i(dest.word[VWordW-1:0]),
      .write_data_i(data),
      .read_half_i (vector_half_i),
      .read_tile_i (RowTileW'(row_tile_i)),
      .read_data_o (scale_a_o)
    );

    fp8mac_vector_buffer #(.DEPTH(MAX_MN), .READ(COLS), .BEAT(BEAT)) u_scale_b (
      .clk_i,
      .write_i     (valid && (dest.kind == DestScaleB || dest.kind == DestGamma)),
      .write_half_i(dest.half),
      .write_word_i(dest.word[VWordW-1:0]),
      .write_data_i(data),
      .read_half_i (vector_half_i),
      .read_tile_i (ColTileW'(col_tile_i)),
      .read_data_o (scale_b_o)
    );
    assign int_shift_o = '0;
  end

  fp8mac_vector_buffer #(.DEPTH(MAX_MN), .READ(COLS), .BEAT(BEAT)) u_bias (
    .clk_i,
    .write_i     (valid && dest.kind == DestBias),
    .write_half_i(dest.half),
    .write_word_i(dest.word[VWordW-1:0]),
    .write_data_i(data),
    .read_half_i (vector_half_i),
    .read_tile_i (ColTileW'(col_tile_i)),
    .read_data_o (bias_o)
  );

endmodule
