// SPDX-License-Identifier: Apache-2.0
// An element of FamilyAligned or FamilyLate behind the feeds of its row and its column. A step
// enters as codes, in one cycle, and its result leaves `stages` cycles later. The ports always
// have 32 lanes, so that the bench is the same for all parameter sets. parameters_o tells the
// bench which set this is.
//
// Every port of the element is connected by its name to a plain vector. With ELEMENT_NETLIST
// defined the element gets no parameters, so that a netlist made for these parameters can take its
// place (element_build.sh).
module element_tb
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementAlignedFp32,
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned INF = 1,
  parameter int unsigned NAN = 1,
  // FamilyAligned
  parameter int unsigned HIDDEN_ONE = 1,
  parameter int unsigned EXP_W = OperandExpW,
  parameter int unsigned SCALE = 1,
  localparam int unsigned LanesMax = 32
) (
  input  logic                     clk_i,
  input  logic                     valid_i,      // a step, else a bubble
  input  logic                     first_i,
  input  logic                     fp16_i,       // with a choice of accumulators: FP16
  input  logic [1:0]               a_fmt_i,
  input  logic [1:0]               b_fmt_i,
  input  logic [7:0]               scale_sum_i,  // two's complement
  input  logic [LanesMax-1:0]      lane_en_i,
  input  logic [LanesMax-1:0][7:0] a_code_i,
  input  logic [LanesMax-1:0][7:0] b_code_i,
  output logic                     sign_o,
  output logic [7:0]               field_o,
  output logic [23:0]              sig_o,
  output logic [1:0]               special_o,
  output logic [3:0]               flags_o,
  output logic [31:0]              parameters_o
);

  // Parameters of the top are integers, because the command line has no other types.
  localparam bit IsHiddenOne = HIDDEN_ONE != 0;
  localparam bit IsInf = INF != 0;
  localparam bit IsNan = NAN != 0;
  localparam bit IsScale = SCALE != 0;
  localparam bit IsAccFp16 = acc_is_fp16(ELEMENT);
  localparam bit IsChoice = acc_is_chosen(ELEMENT);
  localparam bit IsLate = element_family(ELEMENT) == FamilyLate;
  localparam bit IsFused = IsLate && LANES == 1;  // a single product is not truncated
  localparam int unsigned FracBits = IsFused ? ProductSigW - 2 : FRAC_BITS;

  localparam int unsigned AccSigBits = IsAccFp16 ? Fp16MantW + 1 : AccSigW;
  localparam int unsigned AccFieldW = IsAccFp16 ? 5 : 8;

  // Cycles from a step's codes to the element's cycle 1, and to its result
  localparam int unsigned FirstCycles = IsLate ? 4 : 2;
  localparam int unsigned Stages = FirstCycles + 4;

  assign parameters_o = {
    8'(LANES), 8'(FracBits), 4'(Stages), 4'(EXP_W), IsChoice,
    IsLate, IsFused, IsHiddenOne, IsInf, IsNan, IsScale, IsAccFp16
  };

  scale_sum_t             scale_sum;
  logic [1:0][BaseW-1:0]  base_q;
  logic [FirstCycles-1:0] first_q, fp16_q;
  assign scale_sum = fnuz_adjust(scale_sum_t'(scale_sum_i), fp8_fmt_e'(a_fmt_i), fp8_fmt_e'(b_fmt_i));
  always_ff @(posedge clk_i) begin
    base_q  <= {base_q[0], base_of(scale_sum, IsAccFp16, EXP_W)};
    first_q <= {first_q[FirstCycles-2:0], first_i};
    fp16_q  <= {fp16_q[FirstCycles-2:0], fp16_i};
  end

  localparam int unsigned AFeedW = feed_width(ELEMENT, LANES, 1'b1);
  localparam int unsigned BFeedW = feed_width(ELEMENT, LANES, 1'b0);
  logic [AFeedW-1:0]      a_feed, b_feed;
  feed_common_t           a_common, b_common;
  logic [AccFieldW-1:0]   field;
  logic [AccSigBits-1:0]  sig;
  assign field_o = 8'(field);
  assign sig_o   = 24'(sig);

  fp8mac_feed #(
    .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FracBits), .SIDE_A(1'b1), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne)
  ) u_feed_a (
    .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]),
    .fmt_i(fp8_fmt_e'(a_fmt_i)), .bound_i('0), .nan_i(1'b0), .base_i(base_q[1]), .feed_o(a_feed)
  );
  fp8mac_feed #(
    .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FracBits), .SIDE_A(1'b0), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne)
  ) u_feed_b (
    .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]),
    .fmt_i(fp8_fmt_e'(b_fmt_i)), .bound_i('0), .nan_i(1'b0), .base_i('0), .feed_o(b_feed)
  );
  assign a_common = a_feed[AFeedW-1-:$bits(feed_common_t)];
  assign b_common = b_feed[BFeedW-1-:$bits(feed_common_t)];

  if (IsLate) begin : g_late

    localparam int unsigned LanesW = LANES * $bits(lane_t);

`ifdef ELEMENT_NETLIST
    fp8mac_element_late u_element (
`else
    fp8mac_element_late #(
      .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .INF(IsInf), .NAN(IsNan)
    ) u_element (
`endif
      .clk_i(clk_i), .a_i(a_feed[LanesW-1:0]), .b_i(b_feed[LanesW-1:0]),
      .field_a_i(a_common.field), .bound_b_i(b_common.field[OperandExpW:0]),
      .none_i(a_common.none || b_common.none), .nan_i(a_common.nan || b_common.nan),
      .step_first_i(first_q[FirstCycles-1]), .acc_fp16_i(fp16_q[FirstCycles-1]),
      .sign_o(sign_o), .field_o(field), .sig_o(sig), .special_o(special_o), .flags_o(flags_o)
    );

  end else begin : g_aligned

    localparam int unsigned LaneW = $bits(lane_t);
    aligned_lane_t [LANES-1:0] a, b;
    logic [LANES*LaneW-1:0]    a_lane, b_lane;
    logic [LANES*EXP_W-1:0]    a_exp, b_exp;
    logic [LANES-1:0]          a_zero, b_zero;
    assign a = a_feed[LANES*$bits(aligned_lane_t)-1:0];
    assign b = b_feed[LANES*$bits(aligned_lane_t)-1:0];
    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      assign a_lane[i*LaneW+:LaneW] = a[i].lane;
      assign b_lane[i*LaneW+:LaneW] = b[i].lane;
      assign a_exp[i*EXP_W+:EXP_W]  = a[i].exp_ahead[EXP_W-1:0];
      assign b_exp[i*EXP_W+:EXP_W]  = b[i].exp_ahead[EXP_W-1:0];
      assign a_zero[i]              = a[i].zero_ahead;
      assign b_zero[i]              = b[i].zero_ahead;
    end

`ifdef ELEMENT_NETLIST
    fp8mac_element_aligned u_element (
`else
    fp8mac_element_aligned #(
      .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .HIDDEN_ONE(IsHiddenOne), .EXP_W(EXP_W),
      .INF(IsInf), .NAN(IsNan), .SCALE(IsScale)
    ) u_element (
`endif
      .clk_i(clk_i), .a_exp_i(a_exp), .b_exp_i(b_exp), .a_zero_i(a_zero), .b_zero_i(b_zero),
      .base_i(base_q[1]), .step_first_i(first_q[FirstCycles-1]), .acc_fp16_i(fp16_q[FirstCycles-1]),
      .a_i(a_lane), .b_i(b_lane), .nan_i(a_common.nan || b_common.nan),
      .sign_o(sign_o), .field_o(field), .sig_o(sig), .special_o(special_o), .flags_o(flags_o)
    );

  end

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i, a_common, b_common};

endmodule
