// SPDX-License-Identifier: Apache-2.0
// Checks tile commands, as far as this does not need the bus, chooses the shape of their passes,
// and derives the parameters of each engine. A tile command that fails is passed on as an empty
// tile command with its error. No tile command is passed on after it until the error state is left.
//
// The checks are a pipeline with one multiplication or one addition per stage. A tile command
// takes 9 cycles, 12 if it has vectors, 13 with C, 14 if it belongs to a row command of MX blocks
// and 15 with MX scales.
module fp8mac_cmd_check
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned BLOCK     = 32,   // products that join an accumulator together
  parameter int unsigned TILES     = 256,  // tiles of the accumulator memory
  parameter int unsigned BEAT      = 16,
  parameter int unsigned BUF_BEATS = 256,
  parameter int unsigned MAX_MN    = 128,
  parameter element_t    ELEMENT   = '0,   // of the array
  parameter bit          MX        = 1'b0, // its blocks have MX scales
  parameter int unsigned SCALE_BEATS = 32, // beats of them that a row RAM holds
  parameter bit          REQUANTISE = 1'b0, // scales are integer scales
  parameter bit          DEPTHWISE = 1'b0,  // images may be those of depthwise convolutions
  parameter functions_t  FUNCTIONS = '1     // what commands may ask for
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,  // drop the tile command at hand and take no other
  input  logic         clear_i,  // the error state is left: the next tile command has no predecessor
  output logic         idle_o,

  input  logic [1:0]   tables_loaded_i,

  input  logic         valid_i,
  input  tile_cmd_t    tile_i,
  output logic         ready_o,

  output logic          valid_o,
  output checked_jobs_t checked_o,
  input  logic          ready_i
);
  localparam int unsigned BeatLog  = $clog2(BEAT);
  localparam int unsigned RowsLog  = $clog2(ROWS);
  localparam int unsigned ColsLog  = $clog2(COLS);
  localparam int unsigned BoundLog = $clog2(bound_block(BLOCK));
  localparam int unsigned QuadsLog = $clog2(BEAT / COLS);  // of a beat, with depthwise

  typedef enum logic [1:0] {
    Idle,
    Check,    // one region of memory enters the pipeline per cycle
    Offer,    // wait for the load engine
    Blocked   // a tile command failed: wait until the error state is left
  } state_e;

  // Cycles of Check: the regions, and the stages behind the last one. Vectors are three regions
  // behind the matrices, C comes behind them, and then the MX scales.
  localparam logic [3:0] LastMatrix = 4'd2, LastVector = 4'd5, RegionC = 4'd6, RegionMxA = 4'd7, LastRegion = 4'd8,
                         Stages = 4'd4;

  state_e     state_q;
  logic [3:0] cycle_q;
  tile_cmd_t  taken_q, cmd_q;
  logic       finishes;  // the tile command ends with the epilogue
  logic       elementwise, c_en, vectors, mx, depthwise, pairs;
  logic       row_command, reduction, norm, quantise;
  logic       blocks;    // of MX, of a row command
  addr_t      scale_addr_q;  // of their scales
  logic       dense;     // the results of a reduction lie one behind the other
  rows_step_e step;  // of a row command

  logic [3:0] last_cycle;

  assign cmd_q       = offered_tile(taken_q, FUNCTIONS);
  assign finishes    = !cmd_q.mode.acc_keep;
  assign elementwise = cmd_q.mode.op != OpGemm;
  assign row_command = cmd_q.mode.op == OpRows;
  assign reduction   = row_command && rows_reduction(rows_operation_e'(cmd_q.mode.row_op));
  assign norm        = cmd_q.mode.row_op == RowsRmsNorm || cmd_q.mode.row_op == RowsLayerNorm;
  assign quantise    = cmd_q.mode.row_op == RowsQuantise;
  assign blocks      = row_command && rows_mx(rows_operation_e'(cmd_q.mode.row_op));
  assign dense       = reduction && cmd_q.d.stride == addr_t'(4) && dst_size(dst_fmt_e'(cmd_q.d.fmt)) == 2'd2;
  assign step        = !row_command ? StepNone :
                       rows_step(rows_operation_e'(cmd_q.mode.row_op), cmd_q.rows_phase, cmd_q.rows_out);
  assign c_en        = finishes && cmd_q.c.en;
  assign vectors     = finishes && (cmd_q.a.scale_vec || cmd_q.b.scale_vec || cmd_q.finish.bias_en);
  assign mx          = MX && cmd_q.mode.mx && !elementwise;
  assign depthwise   = DEPTHWISE && cmd_q.mode.depthwise && !elementwise;
  assign pairs       = depthwise && cmd_q.mode.pairs;
  assign last_cycle  = Stages + (mx ? LastRegion : blocks ? RegionMxA : c_en ? RegionC :
                                 vectors ? LastVector : LastMatrix);

  // ---- derived sizes ----------------------------------------------------------------------------
  // m, n and k are rejected before their products count if they exceed MAX_MN, or the room of
  // one row in a row RAM. The products are then meaningless, and their factors have only the
  // bits of legal values.
  localparam int unsigned MnW    = $clog2(MAX_MN + 1);
  localparam int unsigned WordsW = $clog2(BUF_BEATS + 1);

  dim_t           columns;  // of the tile command's GEMM
  dim_t           row_beats_q, row_words_q, a_row_words_q;
  logic [MnW-1:0] a_tiles_q, b_tiles_q;  // rows of A and B in a row RAM: tiles down and across
  logic           size_bad_q;

  function automatic dim_t ceil_shift(dim_t x, int unsigned shift);
    return dim_t'(({1'b0, x} + (DimW+1)'((1 << shift) - 1)) >> shift);
  endfunction

  assign columns = pairs ? dim_t'(cmd_q.n << 1) : cmd_q.n;

  // With two columns and pairs, a_row_words_q lacks a bit. Where it overflows, rows of B are too
  // long as well.
  localparam bit WordsOverflow = DEPTHWISE && ColsLog == 1;

  always_ff @(posedge clk_i) begin
    row_beats_q <= ceil_shift(cmd_q.k, BeatLog);
    row_words_q <= ceil_shift(cmd_q.k, BoundLog) << (BoundLog - BeatLog);
    a_tiles_q   <= MnW'(ceil_shift(cmd_q.m, RowsLog));
    b_tiles_q   <= MnW'(ceil_shift(columns, ColsLog));
    a_row_words_q <= ceil_shift(cmd_q.k, BoundLog) << (pairs ? BoundLog - ColsLog + 1 : depthwise ? BoundLog - ColsLog :
                                                       BoundLog - BeatLog);
    size_bad_q  <= cmd_q.m == '0 || cmd_q.n == '0 || cmd_q.k == '0 ||
                   cmd_q.m > dim_t'(MAX_MN) || cmd_q.n > dim_t'(MAX_MN) || a_row_words_q > dim_t'(BUF_BEATS) ||
                   (WordsOverflow && row_words_q > dim_t'(BUF_BEATS));
  end

  // The scales of a row begin at the byte mx_first.
  localparam int unsigned ScaleW = $clog2(BUF_BEATS + 64);
  typedef logic [ScaleW-1:0] scales_t;
  scales_t mx_bytes_q, mx_words_q;

  always_ff @(posedge clk_i) begin
    mx_bytes_q <= scales_t'(row_words_q >> (BoundLog - BeatLog)) + scales_t'(cmd_q.mx_first);
    mx_words_q <= (mx_bytes_q + scales_t'(BEAT - 1)) >> BeatLog;
  end

  // ---- passes -----------------------------------------------------------------------------------
  // The shapes are tried in turn, one per cycle, when the tiles are counted. The first one with
  // the fewest passes wins.
  localparam logic [3:0] FirstTry = 4'd1, LastTry = FirstTry + 4'd2;

  logic           try_q, count_q, found_q;
  pass_shape_e    asked, shape, try_shape_q, count_shape_q, shape_q;
  logic [MnW-1:0] down_q, across_q;
  logic [2*MnW-1:0] passes_tried_q, passes_q;

  // Results that lie one behind the other are in as few regions as possible.
  logic down;
  assign down  = (dense && step == StepResult) ||
                 (rows_down(ROWS, COLS) && row_command && pass_shape_e'(cmd_q.mode.pass_shape) == PassAutomatic);
  assign asked = down ? PassDown : pass_shape_e'(cmd_q.mode.pass_shape);
  assign shape = pass_shape_e'(2'(cycle_q - FirstTry));

  function automatic logic [MnW-1:0] passes_of(logic [MnW-1:0] tiles, logic [1:0] tiles_log2);
    return MnW'(({2'b00, tiles} + (MnW+2)'((1 << tiles_log2) - 1)) >> tiles_log2);
  endfunction

  always_ff @(posedge clk_i) begin
    try_q   <= state_q == Check && cycle_q >= FirstTry && cycle_q <= LastTry &&
               (asked == PassAutomatic || asked == shape);
    count_q <= try_q && state_q == Check;
    if (state_q == Idle) found_q <= 1'b0;
    else if (count_q) found_q <= 1'b1;

    try_shape_q    <= shape;
    down_q         <= passes_of(a_tiles_q, pass_rows_log2(shape));
    across_q       <= passes_of(b_tiles_q, pass_cols_log2(shape));
    count_shape_q  <= try_shape_q;
    passes_tried_q <= (2*MnW)'(down_q) * (2*MnW)'(across_q);
    if (count_q && (!found_q || passes_tried_q < passes_q)) begin
      passes_q <= passes_tried_q;
      shape_q  <= count_shape_q;
    end
  end

  // ---- regions of memory: alignment and range ---------------------------------------------------
  // A region has more_rows + 1 rows of row_bytes bytes; the rows start `stride` bytes apart. A
  // vector is one row. An element has at most 4 bytes, so row_bytes needs DimW + 2 bits.
  //
  // The end of a region is addr + row_bytes + more_rows * stride. The stride's halves
  // are multiplied apart:
  //
  //   stage 1   select
  //   stage 2   multiply, end of the first row
  //   stage 3   add the low product
  //   stage 4   add the high product, judge
  localparam int unsigned RegionW = $clog2(2 * MAX_MN);  // rows - 1: twice as many with pairs

  typedef struct packed {
    logic            used;
    addr_t           addr;
    addr_t           stride;
    logic [RegionW-1:0] more_rows;  // rows - 1
    logic [DimW+1:0] row_bytes;
  } region_t;

  localparam int unsigned SpanW = RegionW + AddrW;
  localparam int unsigned HalfW = AddrW / 2;

  region_t                    region, select_q;
  logic                       span_used_q, misaligned_q;
  logic [1:0]                 d_size, c_size, x_size;
  logic [AddrW:0]             row_end_q;  // address behind the first row
  logic [RegionW+HalfW-1:0]       low_q;      // products with the stride's halves
  logic [RegionW+AddrW-HalfW-1:0] high_q, end_high_q;
  logic [AddrW+1:0]           end_low_q;  // without the high product
  logic [SpanW+1:0]           region_end;
  logic                       end_used_q, align_bad_q, range_bad_q;
  logic                       image_used;

  assign image_used = cmd_q.mode.conv_a;
  assign d_size     = dst_size(dst_fmt_e'(cmd_q.d.fmt));
  assign c_size     = dst_size(dst_fmt_e'(cmd_q.c.fmt));
  assign x_size     = dst_size(dst_fmt_e'(cmd_q.x_fmt));

  function automatic region_t matrix(addr_t addr, addr_t stride, logic [RegionW-1:0] rows,
                                     logic [DimW+1:0] row_bytes);
    return '{used: 1'b1, addr: addr, stride: stride, more_rows: rows - RegionW'(1), row_bytes: row_bytes};
  endfunction

  function automatic region_t vector(addr_t addr, dim_t values);
    return '{used: 1'b1, addr: addr, stride: '0, more_rows: '0, row_bytes: {values, 2'b00}};
  endfunction

  // The MX block of a row command's tile command: rows have less than 2^20
  logic [19:0] block;
  assign block = 20'(cmd_q.first_n >> $clog2(MxBlock));

  dim_t d_columns;
  assign d_columns = reduction ? dim_t'(1) : cmd_q.n;

  always_comb begin
    unique case (cycle_q)
      4'd0:
        region = matrix(cmd_q.a.addr, cmd_q.a.stride, RegionW'(cmd_q.m), elementwise ? (DimW+2)'(cmd_q.n) << x_size
                                                                           : (DimW+2)'(cmd_q.k));
      4'd1:    region = matrix(cmd_q.b.addr, cmd_q.b.stride, RegionW'(columns), (DimW+2)'(cmd_q.k));
      4'd2:    region = matrix(cmd_q.d.addr, cmd_q.d.stride, RegionW'(cmd_q.m), (DimW+2)'(d_columns) << d_size);
      4'd3:    region = vector(cmd_q.a.scale, cmd_q.m);
      4'd4:    region = vector(cmd_q.b.scale, REQUANTISE ? dim_t'(cmd_q.n << 1) : cmd_q.n);
      RegionC: region = matrix(cmd_q.c.addr, cmd_q.c.stride, RegionW'(cmd_q.m), (DimW+2)'(cmd_q.n) << c_size);
      RegionMxA: region = matrix(cmd_q.a.mx_addr, cmd_q.a.mx_stride, RegionW'(cmd_q.m), (DimW+2)'(mx_bytes_q));
      4'd8:    region = matrix(cmd_q.b.mx_addr, cmd_q.b.mx_stride, RegionW'(cmd_q.n), (DimW+2)'(mx_bytes_q));
      default: region = vector(cmd_q.finish.bias, cmd_q.n);
    endcase
    // In a row command, the scale of the block at hand: all rows have it.
    if (blocks && cycle_q == RegionMxA) region.row_bytes = (DimW+2)'(block) + (DimW+2)'(1);
    if (dense && cycle_q == 4'd2) region = vector(cmd_q.d.addr, cmd_q.m);
    // The rows that could be those of D, with pairs
    if (pairs && cycle_q == 4'd2) begin
      region = matrix(cmd_q.c.addr, cmd_q.d.stride, RegionW'(cmd_q.m << 1), (DimW+2)'(cmd_q.n));
    end
    unique case (cycle_q)
      4'd0:    region.used = !cmd_q.a.reuse && !image_used;
      4'd1:    region.used = !cmd_q.b.reuse && !elementwise;
      4'd2:    region.used = finishes;
      4'd3:    region.used = finishes && cmd_q.a.scale_vec;
      4'd4:    region.used = finishes && cmd_q.b.scale_vec;
      RegionC: region.used = c_en;
      RegionMxA: region.used = blocks || (mx && !cmd_q.a.reuse);
      4'd8:    region.used = mx && !cmd_q.b.reuse;
      default: region.used = finishes && cmd_q.finish.bias_en;
    endcase
  end

  assign region_end[HalfW-1:0]     = end_low_q[HalfW-1:0];
  assign region_end[SpanW+1:HalfW] = (SpanW+2-HalfW)'(end_low_q[AddrW+1:HalfW]) + (SpanW+2-HalfW)'(end_high_q);

  always_ff @(posedge clk_i) begin
    select_q      <= region;
    misaligned_q  <= select_q.addr[BeatLog-1:0] != '0 ||
                     (select_q.more_rows != '0 && select_q.stride[BeatLog-1:0] != '0);
    span_used_q   <= select_q.used;
    row_end_q     <= (AddrW+1)'(select_q.addr) + (AddrW+1)'(select_q.row_bytes);
    low_q         <= (RegionW+HalfW)'(select_q.more_rows) * (RegionW+HalfW)'(select_q.stride[HalfW-1:0]);
    high_q        <= (RegionW+AddrW-HalfW)'(select_q.more_rows) *
                     (RegionW+AddrW-HalfW)'(select_q.stride[AddrW-1:HalfW]);
    end_low_q     <= (AddrW+2)'(row_end_q) + (AddrW+2)'(low_q);
    end_high_q    <= high_q;
    end_used_q    <= span_used_q;
    if (state_q == Idle) begin
      select_q.used      <= 1'b0;
      span_used_q        <= 1'b0;
      end_used_q         <= 1'b0;
      align_bad_q        <= 1'b0;
      range_bad_q        <= 1'b0;
    end else if (state_q == Check) begin
      if (span_used_q && misaligned_q) align_bad_q <= 1'b1;
      if (end_used_q) range_bad_q <= range_bad_q || region_end > (SpanW+2)'(1) << AddrW;
    end
  end

  // ---- an image: its fields, and the end that the walker knows ----------------------------------
  logic image_bad;

  assign image_bad = image_used && !cmd_q.a.reuse &&
                     (cmd_q.image.width == '0 || cmd_q.image.height == '0 || cmd_q.image.out_w == '0 ||
                      cmd_q.image.segment_bytes == '0 || cmd_q.image.segments == '0);

  // A depthwise command: whole quads, or groups of half a quad, and pixels that are beats
  logic [BeatLog-1:0] depthwise_places;  // what they have between beats
  logic               depthwise_bad, depthwise_align_bad;
  dim_t               whole;  // a mask of what is less than a quad or group

  assign whole = pairs ? dim_t'(COLS / 2 - 1) : dim_t'(COLS - 1);

  assign depthwise_places = BeatLog'(cmd_q.a.addr) | BeatLog'(cmd_q.a.stride) | BeatLog'(cmd_q.image.width) |
                            BeatLog'(cmd_q.image.step_x) | BeatLog'(cmd_q.image.segment_step) |
                            BeatLog'(cmd_q.image.pad_left);
  assign depthwise_bad = depthwise && (cmd_q.n > dim_t'(BEAT) || (cmd_q.k & whole) != '0 ||
                                       (pairs && (cmd_q.n & whole) != '0) ||
                                       (!cmd_q.a.reuse && cmd_q.image.segment_bytes != 16'(BEAT)));
  assign depthwise_align_bad = depthwise && !cmd_q.a.reuse && depthwise_places != '0;

  // ---- shape: the rows of both operands must fit their row RAMs ---------------------------------
  logic [MnW+WordsW-1:0] a_words_q, b_words_q;  // per row RAM
  logic                  shape_bad;

  always_ff @(posedge clk_i) begin
    a_words_q <= (MnW+WordsW)'(a_tiles_q) * (MnW+WordsW)'(a_row_words_q[WordsW-1:0]);
    b_words_q <= (MnW+WordsW)'(b_tiles_q) * (MnW+WordsW)'(row_words_q[WordsW-1:0]);
  end

  logic [MnW+ScaleW-1:0] a_scales_q, b_scales_q;  // beats per row RAM
  logic                  mx_bad;

  always_ff @(posedge clk_i) begin
    a_scales_q <= (MnW+ScaleW)'(a_tiles_q) * (MnW+ScaleW)'(mx_words_q);
    b_scales_q <= (MnW+ScaleW)'(b_tiles_q) * (MnW+ScaleW)'(mx_words_q);
  end
  assign mx_bad = mx && (a_scales_q > (MnW+ScaleW)'(SCALE_BEATS) || b_scales_q > (MnW+ScaleW)'(SCALE_BEATS));

  assign shape_bad = size_bad_q || image_bad || depthwise_bad || mx_bad ||
                     (!elementwise && (a_words_q > (MnW+WordsW)'(BUF_BEATS) || b_words_q > (MnW+WordsW)'(BUF_BEATS)));

  // ---- mode and scales --------------------------------------------------------------------------
  function automatic logic exp_bad(logic signed [7:0] s);
    if (ELEMENT.int8 && !elementwise) return s != '0;
    return s < 8'(ScaleExpMin) || s > 8'(ScaleExpMax);
  endfunction

  function automatic logic scale_bad(command_operand_t operand);
    return !operand.scale_vec && fp32_is_no_scale(operand.scale);
  endfunction

  function automatic logic fp32_finite(logic [7:0] exponent);
    return exponent != 8'hff;
  endfunction

  // Of an integer, the bits from 7 on: those of an INT8 are equal.
  function automatic logic no_int8(logic [31:7] x);
    return x != '0 && x != '1;
  endfunction

  // Maps finite FP32 values to integers of the same order; both zeros become 0.
  function automatic logic signed [32:0] fp32_rank(logic [31:0] x);
    return x[31] ? -$signed({2'b00, x[30:0]}) : $signed({2'b00, x[30:0]});
  endfunction

  function automatic logic fmt_bad(code_fmt_t codes);
    if (codes.narrow && narrow_fmt_e'(codes.fmt) == NarrowInt8) return !ELEMENT.int8;
    if (codes.narrow) return !ELEMENT.narrow;
    if (ELEMENT.int8) return 1'b1;
    return !ELEMENT.e5m2 && !(fp8_fmt_e'(codes.fmt) inside {FmtE4m3fn, FmtE4m3fnuz});
  endfunction

  code_fmt_t a_fmt, b_fmt;

  assign a_fmt = code_fmt(cmd_q.a);
  assign b_fmt = code_fmt(cmd_q.b);

  logic element_bad, function_bad, int8_bad, mode_bad_q, scale_exp_bad_q, scales_bad_q, clamp_bad_q;

  // Formats that the array's elements do not have
  always_comb begin
    element_bad = (acc_fmt_e'(cmd_q.mode.acc_fmt) == AccFp16) ? !ELEMENT.acc_fp16
                                                              : !ELEMENT.acc_fp32 && !ELEMENT.acc_fixed;
    element_bad |= fmt_bad(a_fmt) || fmt_bad(b_fmt);
  end

  // INT8 as the format of D only saturates.
  assign int8_bad = dst_fmt_e'(cmd_q.d.fmt) == DstInt8 && overflow_e'(cmd_q.finish.overflow) != OvfSaturate;

  // What a row command must not have. Argmax has no epilogue, MX blocks have conversions alone.
  logic rows_bad, plain, unscaled, plain_codes;

  assign unscaled = cmd_q.a.scale == Fp32One && cmd_q.d.scale == Fp32One && activation_e'(cmd_q.finish.act) == ActNone;
  assign plain    = unscaled && dst_fmt_e'(cmd_q.d.fmt) == DstFp32;
  // MX codes are FP8, whose identifiers are the first four, and saturate.
  assign plain_codes = unscaled && !cmd_q.d.fmt[2] && overflow_e'(cmd_q.finish.overflow) == OvfSaturate &&
                       code_table_e'(cmd_q.finish.act_table) == TableNone;
  assign rows_bad = cmd_q.mode.op == OpRows &&
                    (!is_rows_operation(cmd_q.mode.row_op) || cmd_q.c.en || cmd_q.finish.stochastic ||
                     cmd_q.a.scale_vec || (cmd_q.b.scale_vec ? !norm : cmd_q.b.scale != Fp32One) ||
                     (cmd_q.finish.bias_en && cmd_q.mode.row_op != RowsLayerNorm) ||
                     ((norm || quantise || blocks || rows_curve(step)) && (cmd_q.seen != '0 || cmd_q.mode.causal)) ||
                     (cmd_q.mode.row_op == RowsArgmax && !plain) || (blocks && !plain_codes));

  // Reserved codes, and functions that do not go together. Commands with absent functions do not
  // come here: offered().
  always_comb begin
    function_bad = rows_bad || !is_code_table(cmd_q.finish.act_table) ||
                   (code_table_e'(cmd_q.finish.act_table) != TableNone && d_size != 2'd0) ||
                   (cmd_q.mode.conv_a && elementwise) || (cmd_q.mode.depthwise && !cmd_q.mode.conv_a) ||
                   (cmd_q.mode.mx && (elementwise || cmd_q.mode.conv_a)) ||
                   (cmd_q.mode.pairs && (!cmd_q.mode.depthwise || cmd_q.c.en || cmd_q.finish.stochastic ||
                                         cmd_q.mode.acc_continue || cmd_q.mode.acc_keep || d_size != 2'd0)) ||
                   (cmd_q.mode.op == OpMultiply && (!cmd_q.c.en || cmd_q.finish.bias_en)) ||
                   (cmd_q.mode.maximum && (cmd_q.mode.op != OpAdd || !cmd_q.c.en)) ||
                   (elementwise && (cmd_q.a.reuse || cmd_q.b.reuse || cmd_q.mode.acc_continue ||
                                    cmd_q.mode.acc_keep));
  end

  // The tile command stays the same in Check, which lasts longer than these registers need.
  always_ff @(posedge clk_i) begin
    mode_bad_q      <= !is_overflow(cmd_q.finish.overflow) || !is_activation(cmd_q.finish.act) ||
                       int8_bad || (element_bad && !elementwise) || function_bad;
    scale_exp_bad_q <= exp_bad(cmd_q.a.scale_exp) || exp_bad(cmd_q.b.scale_exp);
    if (REQUANTISE) begin
      scales_bad_q <= (!cmd_q.b.scale_vec && (multiplier_bad(cmd_q.b.scale[31]) || shift_bad(cmd_q.a.scale))) ||
                      no_int8(cmd_q.d.scale[31:7]);
      clamp_bad_q  <= activation_e'(cmd_q.finish.act) == ActClamp &&
                      (no_int8(cmd_q.finish.clamp_lo[31:7]) || no_int8(cmd_q.finish.clamp_hi[31:7]) ||
                       $signed(cmd_q.finish.clamp_lo[7:0]) > $signed(cmd_q.finish.clamp_hi[7:0]));
    end else begin
      scales_bad_q    <= scale_bad(cmd_q.a) || scale_bad(cmd_q.b) || fp32_is_no_scale(cmd_q.d.scale) ||
                         (row_command && norm && (fp32_is_no_scale(cmd_q.b.stride) ||
                                           (cmd_q.c.beta != '0 && fp32_is_no_scale(cmd_q.c.beta))));
      clamp_bad_q     <= activation_e'(cmd_q.finish.act) == ActClamp &&
                         (!fp32_finite(cmd_q.finish.clamp_lo[30:23]) || !fp32_finite(cmd_q.finish.clamp_hi[30:23]) ||
                          fp32_rank(cmd_q.finish.clamp_lo) > fp32_rank(cmd_q.finish.clamp_hi));
    end
  end

  // ---- columns that a row command sees ----------------------------------------------------------
  // In four cycles, which Check has: the sum, its distance from the tile command's first column,
  // and its limits. Rows of a band are fewer than 16, and columns of a tile command than LimitMost.
  localparam logic signed [DimW*2+2:0] LimitMost = 'sd511, LimitLeast = -'sd16;

  logic [DimW*2:0]          sees_q;
  logic signed [DimW*2+2:0] sees_here_q;
  limit_t                   limit_q;

  always_ff @(posedge clk_i) begin
    scale_addr_q <= cmd_q.a.mx_addr + addr_t'(block);
    sees_q      <= (DimW*2+1)'(cmd_q.seen) + (cmd_q.mode.causal ? (DimW*2+1)'(cmd_q.first_m) : '0);
    sees_here_q <= $signed({2'b00, sees_q}) - $signed({3'b000, cmd_q.first_n});
    if (cmd_q.seen == '0 || sees_here_q > LimitMost) limit_q <= limit_t'(LimitMost);
    else limit_q <= (sees_here_q < LimitLeast) ? limit_t'(LimitLeast) : limit_t'(sees_here_q);
  end

  // ---- sequence ---------------------------------------------------------------------------------
  // The preceding tile command leaves its operands with the bounds of their format, and its
  // accumulators if it kept them.
  typedef struct packed {
    logic       acc_fmt;
    pass_shape_e pass_shape;
    code_fmt_t  a_fmt;
    code_fmt_t  b_fmt;
    logic       mx;
    logic       depthwise;
    logic       pairs;
    beat_byte_t mx_first;
    dim_t       m;
    dim_t       n;
    dim_t       k;
  } left_t;

  logic  before_q;
  logic  kept_q;
  left_t left, left_q;
  logic  same_m, same_n, same_k, same_mx, unit_bad, sequence_bad;

  assign left = '{acc_fmt: cmd_q.mode.acc_fmt, pass_shape: shape_q, a_fmt: a_fmt,
                  b_fmt: b_fmt, mx: mx, depthwise: depthwise, pairs: pairs, mx_first: mx ? cmd_q.mx_first : '0,
                  m: cmd_q.m, n: cmd_q.n, k: cmd_q.k};

  always_comb begin
    same_m = left.m == left_q.m;
    same_n = left.n == left_q.n;
    same_k = left.k == left_q.k;
    same_mx = left.mx == left_q.mx && left.mx_first == left_q.mx_first && left.depthwise == left_q.depthwise &&
              left.pairs == left_q.pairs;
    sequence_bad = cmd_q.sequence_bad;
    if (code_table_e'(cmd_q.finish.act_table) != TableNone) begin
      sequence_bad |= !tables_loaded_i[cmd_q.finish.act_table == Table1];
    end
    if (cmd_q.mode.acc_continue) begin
      sequence_bad |= !kept_q || !same_m || !same_n || left.acc_fmt != left_q.acc_fmt ||
                      left.pass_shape != left_q.pass_shape || unit_bad;
    end
    if (cmd_q.mode.acc_continue || cmd_q.mode.acc_keep) begin
      sequence_bad |= 32'(passes_q) > 32'(TILES / PassTiles);
    end
    if (cmd_q.mode.acc_keep) sequence_bad |= (cmd_q.k & dim_t'(BLOCK - 1)) != '0;
    if (cmd_q.a.reuse) begin
      sequence_bad |= !before_q || !same_m || !same_k || !same_mx || left.a_fmt != left_q.a_fmt;
    end
    if (cmd_q.b.reuse) begin
      sequence_bad |= !before_q || !same_n || !same_k || !same_mx || left.b_fmt != left_q.b_fmt;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      before_q <= 1'b0;
      kept_q   <= 1'b0;
    end else if (valid_o && ready_i) begin
      before_q <= !elementwise;
      kept_q   <= cmd_q.mode.acc_keep;
    end
    if (valid_o && ready_i) left_q <= left;
  end

  // An integer accumulator counts in one unit, given by the formats and scaling exponents, so a
  // tile command that continues it must have the same ones. It takes at most 2^terms_log2 products.
  if (ELEMENT.acc_fixed) begin : g_unit
    localparam int unsigned TermsW = DimW + 1;
    typedef struct packed {
      code_fmt_t  a_fmt;
      code_fmt_t  b_fmt;
      logic [7:0] sa;
      logic [7:0] sb;
    } unit_t;

    unit_t             unit, unit_q;
    logic [TermsW-1:0] terms_q;  // of the accumulators that were kept
    logic [TermsW:0]   terms;

    assign unit     = '{a_fmt: a_fmt, b_fmt: b_fmt, sa: cmd_q.a.scale_exp, sb: cmd_q.b.scale_exp};
    assign terms    = (TermsW+1)'(cmd_q.k) + (cmd_q.mode.acc_continue ? (TermsW+1)'(terms_q) : '0);
    assign unit_bad = unit != unit_q || 64'(terms) > (64'd1 << ELEMENT.terms_log2);

    always_ff @(posedge clk_i) begin
      if (valid_o && ready_i) begin
        unit_q  <= unit;
        terms_q <= terms[TermsW-1:0];
      end
    end
  end else begin : g_any_unit
    assign unit_bad = 1'b0;
  end

  // ---- verdict ----------------------------------------------------------------------------------
  // The verdict is registered in the last cycle of Check.
  error_e verdict, error_q;

  always_comb begin
    verdict = ErrNone;
    if (cmd_q.error != ErrNone) verdict = cmd_q.error;
    else if (shape_bad) verdict = ErrShape;
    else if (align_bad_q || depthwise_align_bad) verdict = ErrAlign;
    else if (cmd_q.range_bad || range_bad_q) verdict = ErrRange;
    else if (mode_bad_q) verdict = ErrMode;
    else if (scale_exp_bad_q) verdict = ErrScaleExp;
    else if (finishes && (scales_bad_q || clamp_bad_q)) verdict = ErrScale;
    else if (sequence_bad) verdict = ErrSequence;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i || clear_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (valid_i) state_q <= Check;
        Check:   if (cycle_q == last_cycle) state_q <= Offer;
        Offer:   if (ready_i) state_q <= (error_q == ErrNone) ? Idle : Blocked;
        default: ;  // Blocked
      endcase
    end
    cycle_q <= (state_q == Check) ? cycle_q + 4'd1 : 4'd0;
    if (state_q == Idle) taken_q <= tile_i;
    if (state_q == Check) error_q <= verdict;
  end

  assign idle_o  = state_q == Idle || state_q == Blocked;
  assign ready_o = state_q == Idle;
  assign valid_o = state_q == Offer && !abort_i;

  // ---- parameters of each engine ----------------------------------------------------------------
  function automatic load_operand_t load_of(command_operand_t operand, dim_t rows);
    logic wanted;
    wanted = error_q == ErrNone && !operand.reuse && !elementwise;
    return '{
      wanted: wanted, mx_wanted: wanted && mx,
      scale_wanted: error_q == ErrNone && finishes && operand.scale_vec && !rows_statistic(step),
      rows: rows, addr: operand.addr, stride: operand.stride, mx_addr: operand.mx_addr, mx_stride: operand.mx_stride,
      scale: operand.scale, fmt: code_fmt(operand)
    };
  endfunction

  // The scales of MX blocks are written, and they alone.
  logic scales_out;
  assign scales_out = blocks && step == StepResult;

  always_comb begin
    checked_o.load.gamma       = row_command;
    checked_o.load.first       = cmd_q.first;
    checked_o.load.after       = cmd_q.first ? cmd_q.mode.after : '0;
    checked_o.load.b_free      = cmd_q.mode.b_free;
    checked_o.load.a           = load_of(cmd_q.a, cmd_q.m);
    checked_o.load.b           = load_of(cmd_q.b, cmd_q.n);
    checked_o.load.bias_wanted = error_q == ErrNone && finishes && cmd_q.finish.bias_en && !rows_statistic(step);
    checked_o.load.bias        = cmd_q.finish.bias;
    checked_o.load.k           = cmd_q.k;
    checked_o.load.row_beats   = row_beats_q;
    checked_o.load.row_words   = row_words_q;
    checked_o.load.depthwise   = depthwise;
    checked_o.load.pairs       = pairs;
    checked_o.load.a_k         = pairs ? cmd_q.k << (QuadsLog + 1) : depthwise ? cmd_q.k << QuadsLog : cmd_q.k;
    checked_o.load.a_row_words = a_row_words_q;
    checked_o.load.mx_words    = dim_t'(mx_words_q);
    checked_o.load.conv_a      = image_used;
    checked_o.load.image       = cmd_q.image;
    checked_o.load.first_rows  = cmd_q.first;
    checked_o.load.next_rows   = cmd_q.next_rows;
    checked_o.load.k_start     = cmd_q.k_start;

    checked_o.load.adds_c       = cmd_q.c.en;
    checked_o.load.c_wanted     = error_q == ErrNone && c_en;
    checked_o.load.c            = '{m: cmd_q.m, n: cmd_q.n, size: c_size, pass_shape: shape_q,
                                    addr: cmd_q.c.addr, stride: cmd_q.c.stride};
    checked_o.load.x_wanted     = error_q == ErrNone && elementwise && step != StepResult;
    checked_o.load.x            = '{m: cmd_q.m, n: cmd_q.n, size: x_size, pass_shape: shape_q,
                                    addr: cmd_q.a.addr, stride: cmd_q.a.stride};

    checked_o.compute.m             = cmd_q.m;
    checked_o.compute.n             = columns;
    checked_o.compute.k             = cmd_q.k;
    checked_o.compute.depthwise     = depthwise;
    checked_o.compute.pairs         = pairs;
    checked_o.compute.row_words     = row_words_q;
    checked_o.compute.a_row_words   = a_row_words_q;
    checked_o.compute.mx            = mx;
    checked_o.compute.mx_words      = dim_t'(mx_words_q);
    checked_o.compute.mx_first      = cmd_q.mx_first;
    checked_o.compute.cfg.a_fmt     = array_fmt(a_fmt);
    checked_o.compute.cfg.b_fmt     = array_fmt(b_fmt);
    checked_o.compute.cfg.acc_fmt   = acc_fmt_e'(cmd_q.mode.acc_fmt);
    checked_o.compute.cfg.scale_sum = ScaleSumW'(cmd_q.a.scale_exp) + ScaleSumW'(cmd_q.b.scale_exp);
    if (elementwise) begin
      checked_o.compute.cfg = '{a_fmt: FmtE4m3fn, b_fmt: FmtE4m3fn, scale_sum: '0,
                                acc_fmt: (ELEMENT.acc_fp32 || ELEMENT.acc_fixed) ? AccFp32 : AccFp16};
    end
    checked_o.compute.empty         = elementwise;
    checked_o.compute.acc_continue  = cmd_q.mode.acc_continue;
    checked_o.compute.acc_keep      = cmd_q.mode.acc_keep;
    checked_o.compute.pass_shape    = shape_q;

    checked_o.store.tag               = cmd_q.tag;
    checked_o.store.record            = cmd_q.mode.record;
    checked_o.store.irq               = cmd_q.mode.irq;
    checked_o.store.first             = cmd_q.first;
    checked_o.store.last              = cmd_q.last;
    checked_o.store.error             = error_q;
    checked_o.store.acc_keep          = cmd_q.mode.acc_keep;
    checked_o.store.m                 = cmd_q.m;
    checked_o.store.n                 = columns;
    checked_o.store.epilogue.pairs    = pairs;
    checked_o.store.out_w             = cmd_q.image.out_w;
    checked_o.store.pass_shape        = checked_o.compute.pass_shape;
    checked_o.store.d_addr            = scales_out ? scale_addr_q : cmd_q.d.addr;
    checked_o.store.d_stride          = scales_out ? cmd_q.a.mx_stride : cmd_q.d.stride;
    checked_o.store.epilogue.d_fmt    = scales_out ? DstFp32 : dst_fmt_e'(cmd_q.d.fmt);
    checked_o.store.epilogue.x_en     = elementwise && step != StepResult;
    checked_o.store.epilogue.c_en     = c_en;
    checked_o.store.epilogue.multiply = cmd_q.mode.op == OpMultiply;
    checked_o.store.epilogue.maximum  = cmd_q.mode.maximum;
    checked_o.store.epilogue.x_fmt    = dst_fmt_e'(cmd_q.x_fmt);
    checked_o.store.epilogue.c_fmt    = dst_fmt_e'(cmd_q.c.fmt);
    checked_o.store.epilogue.beta     = pairs ? cmd_q.c.stride : cmd_q.c.beta;
    checked_o.store.epilogue.rows     = '{step: step, norm: row_command && (norm || quantise),
                                          index: scales_out || (row_command && cmd_q.mode.row_op == RowsArgmax),
                                          mx: blocks,
                                          dense: dense && step == StepResult,
                                          centred: row_command && (cmd_q.mode.row_op == RowsSoftmax ||
                                                            cmd_q.mode.row_op == RowsLayerNorm) &&
                                                   cmd_q.rows_phase != 2'd0};
    checked_o.store.rows_first        = cmd_q.rows_first;
    checked_o.store.rows_end          = cmd_q.rows_end;
    checked_o.store.limit             = limit_q;
    checked_o.store.seconds           = cmd_q.seconds;
    checked_o.store.causal            = cmd_q.mode.causal && cmd_q.seen != '0;
    checked_o.store.epilogue.overflow = overflow_e'(cmd_q.finish.overflow);
    checked_o.store.epilogue.act      = activation_e'(cmd_q.finish.act);
    checked_o.store.epilogue.bias_en  = cmd_q.finish.bias_en;
    checked_o.store.epilogue.clamp_lo = cmd_q.finish.clamp_lo;
    checked_o.store.epilogue.clamp_hi = cmd_q.finish.clamp_hi;
    checked_o.store.epilogue.scale_d  = cmd_q.d.scale;
    checked_o.store.epilogue.code_table = code_table_e'(cmd_q.finish.act_table);
    checked_o.store.epilogue.stochastic = cmd_q.finish.stochastic;
    checked_o.store.epilogue.seed       = cmd_q.finish.stochastic ? cmd_q.finish.seed :
                                          (row_command && norm) ? cmd_q.b.stride :
                                          rows_curve(step) ? cmd_q.a.scale : '0;
    checked_o.store.epilogue.first_m    = cmd_q.finish.stochastic ? cmd_q.first_m : '0;
    checked_o.store.epilogue.first_n    = scales_out ? 32'(scale_addr_q[BeatLog-1:0]) :
                                          (cmd_q.finish.stochastic || step == StepFirst) ? cmd_q.first_n : '0;
    checked_o.store.a                 = '{in_vector: cmd_q.a.scale_vec, value: cmd_q.a.scale};
    checked_o.store.b                 = '{in_vector: cmd_q.b.scale_vec, value: cmd_q.b.scale};
  end

  if ((1 << BeatLog) != BEAT || (1 << RowsLog) != ROWS || (1 << ColsLog) != COLS || (BLOCK & (BLOCK - 1)) != 0)
  begin : g_powers_of_two
    $error("ROWS, COLS, BLOCK and the beat's bytes must be powers of two");
  end
  if (BEAT > bound_block(BLOCK)) begin : g_beat
    $error("A beat must not exceed bound_block(BLOCK) codes");
  end

  // What checked_o is made of. Verilator 5.006 cannot sample a word as wide as checked_o itself.
`ifndef SYNTHESIS
  a_fields_stay : assert property (@(posedge clk_i) disable iff (!rst_ni)
    valid_o && !ready_i |=> $stable(cmd_q) && $stable(error_q) && $stable(shape_q) && $stable(row_beats_q) &&
                            $stable(row_words_q) && $stable(a_row_words_q) && $stable(mx_words_q));
`endif

endmodule
