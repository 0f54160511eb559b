// SPDX-License-Identifier: Apache-2.0
// Checks commands from the queue, as far as this does not need the bus, and derives the parameters of each engine. A
// command that fails is passed on as an empty command with its error. No command is passed on after it until the error
// state is left.
module fp8mac_cmd_check
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 8,
  parameter int unsigned COLS      = 8,
  parameter int unsigned LANES     = 4,
  parameter int unsigned BANKS_M   = 2,
  parameter int unsigned BANKS_N   = 2,
  parameter int unsigned BEAT      = 16,
  parameter int unsigned BUF_BEATS = 256,
  parameter int unsigned MAX_MN    = 128,
  parameter element_t    ELEMENT   = '0  // of the array
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,  // drop the command at hand and take no other
  input  logic         clear_i,  // the error state is left: the next command has no predecessor
  output logic         idle_o,

  input  logic         valid_i,
  input  command_t     command_i,
  output logic         ready_o,

  output logic         valid_o,
  output checked_cmd_t checked_o,
  input  logic         ready_i
);
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned RowsLog = $clog2(ROWS);
  localparam int unsigned ColsLog = $clog2(COLS);
  localparam int unsigned BlockWords = BoundBlock / BEAT;
  localparam int unsigned PassM   = ROWS * BANKS_M;
  localparam int unsigned PassN   = COLS * BANKS_N;

  typedef enum logic [1:0] {
    Idle,
    Regions,  // one region of memory per cycle: its span is computed in one cycle and checked in the next
    Offer,    // wait for the load engine
    Blocked   // a command failed: wait until the error state is left
  } state_e;

  state_e     state_q;
  logic [2:0] region_q;
  command_t   cmd_q;

  // ---- derived sizes -----------------------------------------------------------------------------------------------
  dim_t       row_beats, row_words, a_groups, b_groups;
  logic [1:0] d_size;

  assign row_beats = dim_t'(({1'b0, cmd_q.k} + (DimW+1)'(BEAT - 1)) >> BeatLog);
  assign row_words = (row_beats + dim_t'(BlockWords - 1)) & ~dim_t'(BlockWords - 1);
  assign a_groups  = dim_t'(({1'b0, cmd_q.m} + (DimW+1)'(ROWS - 1)) >> RowsLog);
  assign b_groups  = dim_t'(({1'b0, cmd_q.n} + (DimW+1)'(COLS - 1)) >> ColsLog);
  assign d_size    = dst_size(dst_fmt_e'(cmd_q.mode.d_fmt));

  // ---- regions of memory: alignment and range ----------------------------------------------------------------------
  // A region has more_rows + 1 rows of row_bytes bytes; the rows start `stride` bytes apart. A vector is one row. An
  // element has at most 4 bytes, so row_bytes needs DimW + 2 bits.
  typedef struct packed {
    logic                used;
    addr_t               addr;
    addr_t               stride;
    dim_t                more_rows;  // rows - 1
    logic [DimW+1:0]     row_bytes;
  } region_t;

  localparam logic [2:0] LastRegion = 3'd5;

  region_t region, judged_q;
  logic    finishes;  // the command ends with the epilogue
  assign finishes = !cmd_q.mode.acc_keep;

  always_comb begin
    unique case (region_q)
      3'd0:
        region = '{!cmd_q.mode.reuse_a, cmd_q.a_addr, cmd_q.a_stride, cmd_q.m - 1, (DimW+2)'(cmd_q.k)};
      3'd1:
        region = '{!cmd_q.mode.reuse_b, cmd_q.b_addr, cmd_q.b_stride, cmd_q.n - 1, (DimW+2)'(cmd_q.k)};
      3'd2:
        region = '{finishes, cmd_q.d_addr, cmd_q.d_stride, cmd_q.m - 1, (DimW+2)'(cmd_q.n) << d_size};
      3'd3:
        region = '{finishes && cmd_q.mode.scale_a_vec, cmd_q.scale_a, '0, '0, {cmd_q.m, 2'b00}};
      3'd4:
        region = '{finishes && cmd_q.mode.scale_b_vec, cmd_q.scale_b, '0, '0, {cmd_q.n, 2'b00}};
      default:
        region = '{finishes && cmd_q.mode.bias_en, cmd_q.bias, '0, '0, {cmd_q.n, 2'b00}};
    endcase
  end

  localparam int unsigned SpanW = DimW + AddrW;

  logic [SpanW-1:0] span_q;  // bytes from the first row to the last
  logic [SpanW:0]   last;    // address of the last byte
  logic             align_bad, range_bad, align_bad_q, range_bad_q;

  always_comb begin
    last      = (SpanW+1)'(judged_q.addr) + (SpanW+1)'(span_q) + (SpanW+1)'(judged_q.row_bytes) - 1;
    align_bad = judged_q.used && (judged_q.addr[BeatLog-1:0] != '0 ||
                                  (judged_q.more_rows != '0 && judged_q.stride[BeatLog-1:0] != '0));
    range_bad = judged_q.used && ((judged_q.more_rows != '0 && judged_q.stride < addr_t'(judged_q.row_bytes)) ||
                                  last > (SpanW+1)'({AddrW{1'b1}}));
  end

  always_ff @(posedge clk_i) begin
    judged_q <= region;
    span_q   <= SpanW'(region.more_rows) * SpanW'(region.stride);
    if (state_q == Idle) begin
      judged_q.used <= 1'b0;
      align_bad_q   <= 1'b0;
      range_bad_q   <= 1'b0;
    end else if (state_q == Regions) begin
      align_bad_q <= align_bad_q || align_bad;
      range_bad_q <= range_bad_q || range_bad;
    end
  end

  // ---- shape -------------------------------------------------------------------------------------------------------
  logic [2*DimW-1:0] a_words_q, b_words_q;  // per row RAM
  logic              shape_bad;

  always_ff @(posedge clk_i) begin
    a_words_q <= a_groups * row_words;
    b_words_q <= b_groups * row_words;
  end

  assign shape_bad = cmd_q.m == '0 || cmd_q.n == '0 || cmd_q.k == '0 ||
                     cmd_q.m > dim_t'(MAX_MN) || cmd_q.n > dim_t'(MAX_MN) ||
                     a_words_q > (2*DimW)'(BUF_BEATS) || b_words_q > (2*DimW)'(BUF_BEATS);

  // ---- mode and scales ---------------------------------------------------------------------------------------------
  function automatic logic exp_bad(logic signed [7:0] s);
    return s < 8'(ScaleExpMin) || s > 8'(ScaleExpMax);
  endfunction

  function automatic logic fp32_finite(logic [7:0] exponent);
    return exponent != 8'hff;
  endfunction

  function automatic logic scale_bad(logic [31:0] x);
    return x[31] || x[30:0] == '0 || !fp32_finite(x[30:23]);
  endfunction

  // Maps finite FP32 values to integers of the same order; both zeros become 0.
  function automatic logic signed [32:0] fp32_rank(logic [31:0] x);
    return x[31] ? -$signed({2'b00, x[30:0]}) : $signed({2'b00, x[30:0]});
  endfunction

  function automatic logic is_e4m3(logic [1:0] fmt);
    return fp8_fmt_e'(fmt) inside {FmtE4m3fn, FmtE4m3fnuz};
  endfunction

  logic mode_bad, element_bad, scale_exp_bad, scales_bad, clamp_bad;

  // Formats that the array's elements do not have
  always_comb begin
    element_bad = (acc_fmt_e'(cmd_q.mode.acc_fmt) == AccFp16) ? !ELEMENT.acc_fp16
                                                              : !ELEMENT.acc_fp32 && !ELEMENT.acc_fixed;
    if (!ELEMENT.e5m2) element_bad |= !is_e4m3(cmd_q.mode.a_fmt) || !is_e4m3(cmd_q.mode.b_fmt);
  end

  always_comb begin
    mode_bad      = cmd_q.mode.d_fmt == 3'd7 || cmd_q.mode.overflow == 2'd3 || cmd_q.mode.act == 2'd3 || element_bad;
    scale_exp_bad = exp_bad(cmd_q.sa) || exp_bad(cmd_q.sb);
    scales_bad    = (!cmd_q.mode.scale_a_vec && scale_bad(cmd_q.scale_a)) ||
                    (!cmd_q.mode.scale_b_vec && scale_bad(cmd_q.scale_b)) || scale_bad(cmd_q.scale_d);
    clamp_bad     = activation_e'(cmd_q.mode.act) == ActClamp &&
                    (!fp32_finite(cmd_q.clamp_lo[30:23]) || !fp32_finite(cmd_q.clamp_hi[30:23]) ||
                     fp32_rank(cmd_q.clamp_lo) > fp32_rank(cmd_q.clamp_hi));
  end

  // ---- sequence ----------------------------------------------------------------------------------------------------
  // The preceding command leaves its operands, and its accumulators if it kept them.
  logic before_q;
  logic kept_q;
  logic before_acc_fmt_q;
  dim_t before_m_q, before_n_q, before_k_q;
  logic same_m, same_n, same_k, unit_bad, sequence_bad;

  always_comb begin
    same_m = cmd_q.m == before_m_q;
    same_n = cmd_q.n == before_n_q;
    same_k = cmd_q.k == before_k_q;
    sequence_bad = 1'b0;
    if (cmd_q.mode.acc_continue) begin
      sequence_bad |= !kept_q || !same_m || !same_n || cmd_q.mode.acc_fmt != before_acc_fmt_q || unit_bad;
    end
    if (cmd_q.mode.acc_continue || cmd_q.mode.acc_keep) begin
      sequence_bad |= cmd_q.m > dim_t'(PassM) || cmd_q.n > dim_t'(PassN);
    end
    if (cmd_q.mode.acc_keep) sequence_bad |= (cmd_q.k & dim_t'(LANES - 1)) != '0;
    if (cmd_q.mode.reuse_a) sequence_bad |= !before_q || !same_m || !same_k;
    if (cmd_q.mode.reuse_b) sequence_bad |= !before_q || !same_n || !same_k;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      before_q <= 1'b0;
      kept_q   <= 1'b0;
    end else if (valid_o && ready_i) begin
      before_q <= 1'b1;
      kept_q   <= cmd_q.mode.acc_keep;
    end
    if (valid_o && ready_i) begin
      before_acc_fmt_q <= cmd_q.mode.acc_fmt;
      before_m_q       <= cmd_q.m;
      before_n_q       <= cmd_q.n;
      before_k_q       <= cmd_q.k;
    end
  end

  // A fixed-point accumulator counts in one unit, given by the formats and scaling exponents, so a command that
  // continues it must have the same ones. It takes at most 2^terms_log2 products.
  if (ELEMENT.acc_fixed) begin : g_unit
    localparam int unsigned TermsW = DimW + 1;
    typedef struct packed {
      logic [1:0] a_fmt;
      logic [1:0] b_fmt;
      logic [7:0] sa;
      logic [7:0] sb;
    } unit_t;

    unit_t             unit, unit_q;
    logic [TermsW-1:0] terms_q;  // of the accumulators that were kept
    logic [TermsW:0]   terms;

    assign unit     = '{a_fmt: cmd_q.mode.a_fmt, b_fmt: cmd_q.mode.b_fmt, sa: cmd_q.sa, sb: cmd_q.sb};
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

  // ---- verdict -----------------------------------------------------------------------------------------------------
  error_e error;

  always_comb begin
    error = ErrNone;
    if (shape_bad) error = ErrShape;
    else if (align_bad_q) error = ErrAlign;
    else if (range_bad_q) error = ErrRange;
    else if (mode_bad) error = ErrMode;
    else if (scale_exp_bad) error = ErrScaleExp;
    else if (finishes && (scales_bad || clamp_bad)) error = ErrScale;
    else if (sequence_bad) error = ErrSequence;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i || clear_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (valid_i) state_q <= Regions;
        Regions: if (region_q == LastRegion + 3'd1) state_q <= Offer;
        Offer:   if (ready_i) state_q <= (error == ErrNone) ? Idle : Blocked;
        default: ;  // Blocked
      endcase
    end
    region_q <= (state_q == Regions) ? region_q + 3'd1 : 3'd0;
    if (state_q == Idle) cmd_q <= command_i;
  end

  assign idle_o  = state_q == Idle || state_q == Blocked;
  assign ready_o = state_q == Idle;
  assign valid_o = state_q == Offer && !abort_i;

  // ---- parameters of each engine -----------------------------------------------------------------------------------
  always_comb begin
    checked_o.load.wanted.a       = error == ErrNone && !cmd_q.mode.reuse_a;
    checked_o.load.wanted.b       = error == ErrNone && !cmd_q.mode.reuse_b;
    checked_o.load.wanted.scale_a = error == ErrNone && finishes && cmd_q.mode.scale_a_vec;
    checked_o.load.wanted.scale_b = error == ErrNone && finishes && cmd_q.mode.scale_b_vec;
    checked_o.load.wanted.bias    = error == ErrNone && finishes && cmd_q.mode.bias_en;
    checked_o.load.a_addr       = cmd_q.a_addr;
    checked_o.load.a_stride     = cmd_q.a_stride;
    checked_o.load.b_addr       = cmd_q.b_addr;
    checked_o.load.b_stride     = cmd_q.b_stride;
    checked_o.load.scale_a      = cmd_q.scale_a;
    checked_o.load.scale_b      = cmd_q.scale_b;
    checked_o.load.bias         = cmd_q.bias;
    checked_o.load.m            = cmd_q.m;
    checked_o.load.n            = cmd_q.n;
    checked_o.load.k            = cmd_q.k;
    checked_o.load.row_beats    = row_beats;
    checked_o.load.row_words    = row_words;
    checked_o.load.a_fmt        = fp8_fmt_e'(cmd_q.mode.a_fmt);
    checked_o.load.b_fmt        = fp8_fmt_e'(cmd_q.mode.b_fmt);

    checked_o.compute.m             = cmd_q.m;
    checked_o.compute.n             = cmd_q.n;
    checked_o.compute.k             = cmd_q.k;
    checked_o.compute.row_words     = row_words;
    checked_o.compute.pass_shape    = Pass2x2;
    checked_o.compute.cfg.a_fmt     = fp8_fmt_e'(cmd_q.mode.a_fmt);
    checked_o.compute.cfg.b_fmt     = fp8_fmt_e'(cmd_q.mode.b_fmt);
    checked_o.compute.cfg.acc_fmt   = acc_fmt_e'(cmd_q.mode.acc_fmt);
    checked_o.compute.cfg.scale_sum = ScaleSumW'(cmd_q.sa) + ScaleSumW'(cmd_q.sb);
    checked_o.compute.acc_continue  = cmd_q.mode.acc_continue;
    checked_o.compute.acc_keep      = cmd_q.mode.acc_keep;

    checked_o.store.tag               = cmd_q.tag;
    checked_o.store.irq               = cmd_q.mode.irq;
    checked_o.store.error             = error;
    checked_o.store.acc_keep          = cmd_q.mode.acc_keep;
    checked_o.store.m                 = cmd_q.m;
    checked_o.store.n                 = cmd_q.n;
    checked_o.store.d_addr            = cmd_q.d_addr;
    checked_o.store.d_stride          = cmd_q.d_stride;
    checked_o.store.epilogue.d_fmt    = dst_fmt_e'(cmd_q.mode.d_fmt);
    checked_o.store.epilogue.overflow = overflow_e'(cmd_q.mode.overflow);
    checked_o.store.epilogue.act      = activation_e'(cmd_q.mode.act);
    checked_o.store.epilogue.bias_en  = cmd_q.mode.bias_en;
    checked_o.store.epilogue.clamp_lo = cmd_q.clamp_lo;
    checked_o.store.epilogue.clamp_hi = cmd_q.clamp_hi;
    checked_o.store.epilogue.scale_d  = cmd_q.scale_d;
    checked_o.store.scale_a_vec       = cmd_q.mode.scale_a_vec;
    checked_o.store.scale_b_vec       = cmd_q.mode.scale_b_vec;
    checked_o.store.scale_a           = cmd_q.scale_a;
    checked_o.store.scale_b           = cmd_q.scale_b;
  end

  if ((1 << BeatLog) != BEAT || (1 << RowsLog) != ROWS || (1 << ColsLog) != COLS) begin : g_powers_of_two
    $error("ROWS, COLS and the beat's bytes must be powers of two");
  end
  if ((LANES & (LANES - 1)) != 0 || LANES > BEAT) begin : g_lanes
    $error("LANES must be a power of two and not exceed the beat's bytes");
  end

endmodule
