// SPDX-License-Identifier: Apache-2.0
// The epilogue: finishes WIDTH outputs of one row per transfer, one transfer per cycle.
//
//   s = scale_a * scale_b    t1 = t0 * s    t2 = t1 + bias    T = act(t2)    D = convert(T * scale_d)
//
// Each operation is one FP32 operation, rounded to nearest even. amax_o is the largest |T| over the finite present
// outputs of the transfer, or +0 if there is none. nonfinite_o tells whether a present output was not finite. flags_o
// are the flags that the present outputs raised. Absent outputs (in_en_i = 0) have no effect, and their d_o is
// meaningless.
//
// Transfers leave in the order in which they came. A stall (out_ready_i = 0) holds everything. in_ready_o depends on
// out_ready_i and cfg_i of the same cycle, and not on in_valid_i. Once in_valid_i is 1, it, its data and cfg_i must
// stay until in_ready_o.
//
// cfg_i belongs to the transfer with which it comes. The pipeline has one copy of it. A transfer with another cfg_i
// than that of the transfers inside waits until they have left. So a tile that changes cfg_i costs the latency once.
module fp8mac_epilogue #(
  parameter int unsigned WIDTH  = 4,   // outputs per transfer
  parameter int unsigned META_W = 16   // bits that travel with a transfer unchanged
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  fp8mac_pkg::epilogue_cfg_t cfg_i,

  input  logic                      in_valid_i,
  output logic                      in_ready_o,
  input  logic [WIDTH-1:0]          in_en_i,
  input  logic [WIDTH-1:0][31:0]    t0_i,       // accumulators as FP32
  input  logic [31:0]               scale_a_i,  // of the row
  input  logic [WIDTH-1:0][31:0]    scale_b_i,  // of each column
  input  logic [WIDTH-1:0][31:0]    bias_i,     // of each column; has no effect unless cfg_i.bias_en
  input  logic [META_W-1:0]         meta_i,

  output logic                      out_valid_o,
  input  logic                      out_ready_i,
  output logic [WIDTH-1:0]          out_en_o,
  output logic [WIDTH-1:0][31:0]    d_o,        // codes, right-justified
  output logic [META_W-1:0]         meta_o,
  output logic [31:0]               amax_o,
  output logic                      nonfinite_o,
  output fp8mac_pkg::flags_t        flags_o
);
  import fp8mac_pkg::*;

  localparam int unsigned ExpW  = 8;
  localparam int unsigned FracW = 23;
  localparam logic [ExpW-1:0] ExpMax = '1;
  // The bias where there is none: t1 + (-0) is t1 for every t1.
  localparam logic [31:0] Fp32NegZero = 32'h8000_0000;

  // The stage of each operation's input. The difference to the next one is the operation's latency. A term beta * C
  // would be added between BiasStage and ActStage, with its product computed beside the stages before.
  localparam int unsigned MulStages     = 3;
  localparam int unsigned AddStages     = 4;
  localparam int unsigned ConvertStages = 2;
  localparam int unsigned ScaleStage    = 0;
  localparam int unsigned ProductStage  = ScaleStage + MulStages;
  localparam int unsigned BiasStage     = ProductStage + MulStages;
  localparam int unsigned ActStage      = BiasStage + AddStages;
  localparam int unsigned ScaleDStage   = ActStage + 1;
  localparam int unsigned ConvertStage  = ScaleDStage + MulStages;
  localparam int unsigned Depth         = ConvertStage + ConvertStages;

  // The part of a transfer that is common to its outputs
  typedef struct packed {
    logic [WIDTH-1:0]  en;
    logic [META_W-1:0] meta;
    flags_t            flags;
  } travel_t;

  function automatic logic is_nan(logic [30:0] magnitude);
    return magnitude > {ExpMax, FracW'(0)};
  endfunction

  // ---------------------------------------------------------------------------------------------------------------
  // Flow control: stage i holds data if valid[i], and load[i] moves it to stage i + 1
  // ---------------------------------------------------------------------------------------------------------------
  epilogue_cfg_t    cfg_q;
  logic [Depth:1]   valid_q;
  logic [Depth-1:0] valid;
  logic [Depth-1:0] load;
  logic             advance, cfg_ready;

  assign advance    = out_ready_i | ~valid_q[Depth];
  assign cfg_ready  = cfg_i == cfg_q || valid_q == '0;
  assign in_ready_o = advance & cfg_ready;
  assign valid      = {valid_q[Depth-1:1], in_valid_i & cfg_ready};
  assign load       = advance ? valid : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (advance) valid_q <= valid;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cfg_q <= epilogue_cfg_t'('0);
    else if (load[0]) cfg_q <= cfg_i;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // The common part of each transfer, and the flags that it collects
  // ---------------------------------------------------------------------------------------------------------------
  travel_t travel_q [1:Depth];
  flags_t  raised [Depth+1];  // by the operation whose results are at this stage, for present outputs only

  always_ff @(posedge clk_i) begin
    if (load[0]) travel_q[1] <= '{en: in_en_i, meta: meta_i, flags: raised[0]};
    for (int unsigned i = 1; i < Depth; i++) begin
      if (load[i]) travel_q[i+1] <= '{en: travel_q[i].en, meta: travel_q[i].meta, flags: travel_q[i].flags | raised[i]};
    end
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Elements
  // ---------------------------------------------------------------------------------------------------------------
  logic [WIDTH-1:0][31:0] act_q;
  logic [WIDTH-1:0] scale_nan, bias_nan;
  logic [WIDTH-1:0] s_invalid, s_overflow, t1_invalid, t1_overflow, t2_invalid, t2_overflow;
  logic [WIDTH-1:0] td_invalid, td_overflow, d_overflow, d_saturated;

  // ReLU: a value with the sign bit set becomes +0. Clamp compares values, so that a zero of either sign equals a zero
  // bound and stays. NaN stays in both.
  function automatic logic less(logic [31:0] a, logic [31:0] b);
    if (a[30:0] == '0 && b[30:0] == '0) return 1'b0;
    if (a[31] != b[31]) return a[31];
    return a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
  endfunction

  function automatic logic [31:0] activate(logic [31:0] x, activation_e act, logic [31:0] lo, logic [31:0] hi);
    if (is_nan(x[30:0])) return x;
    if (act == ActRelu) return x[31] ? '0 : x;
    if (act == ActClamp) return less(x, lo) ? lo : less(hi, x) ? hi : x;
    return x;
  endfunction

  for (genvar w = 0; w < WIDTH; w++) begin : gen_element
    logic [31:0] s, t1, t2, td;
    logic [31:0] t0_q [ScaleStage+1:ProductStage];
    logic [31:0] bias_q [ScaleStage+1:BiasStage];

    // The accumulator is delayed until s is there, and the bias until t1 is.
    always_ff @(posedge clk_i) begin
      if (load[ScaleStage]) t0_q[ScaleStage+1] <= t0_i[w];
      for (int unsigned i = ScaleStage + 1; i < ProductStage; i++) if (load[i]) t0_q[i+1] <= t0_q[i];
    end

    always_ff @(posedge clk_i) begin
      if (load[ScaleStage]) bias_q[ScaleStage+1] <= cfg_i.bias_en ? bias_i[w] : Fp32NegZero;
      for (int unsigned i = ScaleStage + 1; i < BiasStage; i++) if (load[i]) bias_q[i+1] <= bias_q[i];
    end

    assign scale_nan[w] = is_nan(scale_a_i[30:0]) | is_nan(scale_b_i[w][30:0]);
    assign bias_nan[w]  = cfg_i.bias_en & is_nan(bias_i[w][30:0]);

    fp8mac_fp32_mul u_s (
      .clk_i,
      .load_i    (load[ScaleStage +: MulStages]),
      .a_i       (scale_a_i),
      .b_i       (scale_b_i[w]),
      .result_o  (s),
      .invalid_o (s_invalid[w]),
      .overflow_o(s_overflow[w])
    );

    fp8mac_fp32_mul u_t1 (
      .clk_i,
      .load_i    (load[ProductStage +: MulStages]),
      .a_i       (t0_q[ProductStage]),
      .b_i       (s),
      .result_o  (t1),
      .invalid_o (t1_invalid[w]),
      .overflow_o(t1_overflow[w])
    );

    fp8mac_fp32_add u_t2 (
      .clk_i,
      .load_i    (load[BiasStage +: AddStages]),
      .a_i       (t1),
      .b_i       (bias_q[BiasStage]),
      .result_o  (t2),
      .invalid_o (t2_invalid[w]),
      .overflow_o(t2_overflow[w])
    );

    always_ff @(posedge clk_i) begin
      if (load[ActStage]) act_q[w] <= activate(t2, cfg_q.act, cfg_q.clamp_lo, cfg_q.clamp_hi);
    end

    fp8mac_fp32_mul u_td (
      .clk_i,
      .load_i    (load[ScaleDStage +: MulStages]),
      .a_i       (act_q[w]),
      .b_i       (cfg_q.scale_d),
      .result_o  (td),
      .invalid_o (td_invalid[w]),
      .overflow_o(td_overflow[w])
    );

    fp8mac_fp32_to_fmt u_d (
      .clk_i,
      .load_i         (load[ConvertStage +: ConvertStages]),
      .fmt_i          (cfg_q.d_fmt),
      .overflow_mode_i(cfg_q.overflow),
      .x_i            (td),
      .code_o         (d_o[w]),
      .overflow_o     (d_overflow[w]),
      .saturated_o    (d_saturated[w])
    );
  end

  always_comb begin
    for (int unsigned i = 0; i <= Depth; i++) raised[i] = '0;
    raised[ScaleStage].nan        = |((scale_nan | bias_nan) & in_en_i);
    raised[ProductStage].invalid  = |(s_invalid & travel_q[ProductStage].en);
    raised[ProductStage].overflow = |(s_overflow & travel_q[ProductStage].en);
    raised[BiasStage].invalid     = |(t1_invalid & travel_q[BiasStage].en);
    raised[BiasStage].overflow    = |(t1_overflow & travel_q[BiasStage].en);
    raised[ActStage].invalid      = |(t2_invalid & travel_q[ActStage].en);
    raised[ActStage].overflow     = |(t2_overflow & travel_q[ActStage].en);
    raised[ConvertStage].invalid  = |(td_invalid & travel_q[ConvertStage].en);
    raised[ConvertStage].overflow = |(td_overflow & travel_q[ConvertStage].en);
    raised[Depth].overflow        = |(d_overflow & travel_q[Depth].en);
    raised[Depth].saturated       = |(d_saturated & travel_q[Depth].en);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // amax of T, beside the conversion
  // ---------------------------------------------------------------------------------------------------------------
  typedef struct packed {
    logic        nonfinite;
    logic [30:0] max;  // a pattern: finite magnitudes have the order of their patterns
  } amax_t;

  function automatic amax_t reduce(logic [WIDTH-1:0] en, logic [WIDTH-1:0][31:0] x);
    reduce = '0;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      if (en[w] && x[w][FracW +: ExpW] == ExpMax) reduce.nonfinite = 1'b1;
      else if (en[w] && x[w][30:0] > reduce.max) reduce.max = x[w][30:0];
    end
  endfunction

  amax_t amax_q [ScaleDStage+1:Depth];

  always_ff @(posedge clk_i) begin
    if (load[ScaleDStage]) amax_q[ScaleDStage+1] <= reduce(travel_q[ScaleDStage].en, act_q);
    for (int unsigned i = ScaleDStage + 1; i < Depth; i++) if (load[i]) amax_q[i+1] <= amax_q[i];
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Out
  // ---------------------------------------------------------------------------------------------------------------
  assign out_valid_o = valid_q[Depth];
  assign out_en_o    = travel_q[Depth].en;
  assign meta_o      = travel_q[Depth].meta;
  assign flags_o     = travel_q[Depth].flags | raised[Depth];
  assign amax_o      = {1'b0, amax_q[Depth].max};
  assign nonfinite_o = amax_q[Depth].nonfinite;

  // ---------------------------------------------------------------------------------------------------------------
  // Assertions
  // ---------------------------------------------------------------------------------------------------------------
`ifndef SYNTHESIS
  logic in_waits, out_waits;
  assign in_waits  = in_valid_i & ~in_ready_o;
  assign out_waits = out_valid_o & ~out_ready_i;

  // What the producer must keep
  AssertInHeld: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_waits |=> in_valid_i && $stable({cfg_i, in_en_i, t0_i, scale_a_i, scale_b_i, bias_i, meta_i}));
  AssertCfgLegal: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> cfg_i.d_fmt <= DstFp32 && cfg_i.overflow <= OvfIeee && cfg_i.act <= ActClamp);

  // What this module keeps: a stalled output stays, and all transfers inside have one configuration.
  AssertOutHeld: assert property (@(posedge clk_i) disable iff (!rst_ni)
    out_waits |=> out_valid_o && $stable({out_en_o, d_o, meta_o, amax_o, nonfinite_o, flags_o}));
  AssertOneCfg: assert property (@(posedge clk_i) disable iff (!rst_ni)
    valid_q != '0 |=> $stable(cfg_q));
`endif

endmodule
