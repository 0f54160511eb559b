// SPDX-License-Identifier: Apache-2.0
// fp8mac_pe_window behind the edges of its row and its column, so that a step goes in as codes, in one cycle, and comes
// out six cycles later. Always 32 lanes wide and 32 bits deep outside: the bench is one for all parameter sets, and
// parameters_o tells it which one it has before it.
//
// Every port of the element is connected by its name to a plain vector, and with WINDOW_NETLIST defined no parameter is
// given to it: a netlist made for these parameters takes the element's place (window_build.sh).
module window_tb
  import fp8mac_pkg::*;
  import fp8mac_window_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned ACC_FP16 = 0,
  parameter int unsigned ALIGN_BY_OPERANDS = 0,
  parameter int unsigned FUSED = 0,
  parameter int unsigned HIDDEN_ONE = 1,
  parameter int unsigned EXP_W = OperandExpW,
  parameter int unsigned INF = 1,
  parameter int unsigned NAN = 1,
  parameter int unsigned SCALE = 1,
  localparam int unsigned LanesMax = 32
) (
  input  logic                     clk_i,
  input  logic                     valid_i,      // a step, else a bubble
  input  logic                     first_i,
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

  // Whole numbers outside: the command line has no others.
  localparam bit IsAccFp16 = ACC_FP16 != 0;
  localparam bit IsAlignByOperands = ALIGN_BY_OPERANDS != 0;
  localparam bit IsFused = FUSED != 0;
  localparam bit IsHiddenOne = HIDDEN_ONE != 0;
  localparam bit IsInf = INF != 0;
  localparam bit IsNan = NAN != 0;
  localparam bit IsScale = SCALE != 0;

  localparam int unsigned AccSigBits = IsAccFp16 ? Fp16MantW + 1 : AccSigW;
  localparam int unsigned AccFieldW = IsAccFp16 ? 5 : 8;
  localparam int unsigned LaneW = $bits(lane_t);

  assign parameters_o = {
    8'(LANES), 8'(FRAC_BITS), 8'(EXP_W), 1'd0, IsFused, IsHiddenOne, IsInf, IsNan, IsScale, IsAlignByOperands, IsAccFp16
  };

  logic [LANES*EXP_W-1:0] a_exp, b_exp;
  logic [LANES-1:0]       a_zero, b_zero;
  logic [LANES*LaneW-1:0] a_lane, b_lane;
  logic                   a_nan, b_nan, a_half, b_half;

  fp8mac_window_edge #(
    .LANES(LANES), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne), .BY_OPERANDS(IsAlignByOperands), .SIDE_A(1'b1)
  ) u_a (
    .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(a_fmt_i)),
    .bound_i('0), .half_o(a_half),
    .exp_o(a_exp), .zero_o(a_zero), .lane_o(a_lane), .nan_o(a_nan)
  );
  fp8mac_window_edge #(
    .LANES(LANES), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne), .BY_OPERANDS(IsAlignByOperands)
  ) u_b (
    .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(b_fmt_i)),
    .bound_i('0), .half_o(b_half),
    .exp_o(b_exp), .zero_o(b_zero), .lane_o(b_lane), .nan_o(b_nan)
  );

  // Codes come in cycle -1, the window's base and step_first are due in cycle 1.
  scale_sum_t       scale_sum;
  logic [BaseW-1:0] base_0_q, base_1_q;
  logic             first_0_q, first_1_q;
  assign scale_sum = fnuz_adjust(scale_sum_t'(scale_sum_i), fp8_fmt_e'(a_fmt_i), fp8_fmt_e'(b_fmt_i));
  always_ff @(posedge clk_i) begin
    base_0_q  <= base_of(scale_sum, IsAccFp16, EXP_W);
    base_1_q  <= base_0_q;
    first_0_q <= first_i;
    first_1_q <= first_0_q;
  end

  logic [AccFieldW-1:0]  field;
  logic [AccSigBits-1:0] sig;
  assign field_o = 8'(field);
  assign sig_o   = 24'(sig);

`ifdef WINDOW_NETLIST
  fp8mac_pe_window u_pe (
`else
  fp8mac_pe_window #(
    .LANES(LANES), .FRAC_BITS(FRAC_BITS), .ACC_FP16(IsAccFp16), .ALIGN_BY_OPERANDS(IsAlignByOperands), .FUSED(IsFused),
    .HIDDEN_ONE(IsHiddenOne), .EXP_W(EXP_W), .INF(IsInf), .NAN(IsNan), .SCALE(IsScale)
  ) u_pe (
`endif
    .clk_i(clk_i), .a_exp_i(a_exp), .b_exp_i(b_exp), .a_zero_i(a_zero), .b_zero_i(b_zero),
    .a_half_i(a_half), .b_half_i(b_half),
    .base_i(base_1_q), .step_first_i(first_1_q), .a_i(a_lane), .b_i(b_lane), .nan_i(a_nan || b_nan),
    .sign_o(sign_o), .field_o(field), .sig_o(sig), .special_o(special_o), .flags_o(flags_o)
  );

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i};

endmodule
