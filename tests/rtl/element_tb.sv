// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_aligned, or with LATE fp8mac_element_late, behind the edges of its row and its column, so that a step goes in as
// codes, in one cycle, and comes out `stages` cycles later. Always 32 lanes wide and 32 bits deep outside: the bench is
// one for all parameter sets, and parameters_o tells it which one it has before it.
//
// Every port of the element is connected by its name to a plain vector, and with WINDOW_NETLIST defined no parameter is
// given to it: a netlist made for these parameters takes the element's place (element_build.sh).
module element_tb
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned ACC_FP16 = 0,
  parameter int unsigned HIDDEN_ONE = 1,
  parameter int unsigned EXP_W = OperandExpW,
  parameter int unsigned INF = 1,
  parameter int unsigned NAN = 1,
  parameter int unsigned SCALE = 1,
  parameter int unsigned LATE = 0,  // of the others LANES, FRAC_BITS (if LANES > 1), ACC_FP16, INF and NAN alone
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
  localparam bit IsHiddenOne = HIDDEN_ONE != 0;
  localparam bit IsInf = INF != 0;
  localparam bit IsNan = NAN != 0;
  localparam bit IsScale = SCALE != 0;
  localparam bit IsLate = LATE != 0;
  localparam bit IsFused = IsLate && LANES == 1;  // a single product stays whole
  localparam int unsigned FracBits = IsFused ? ProductSigW - 2 : FRAC_BITS;

  localparam int unsigned AccSigBits = IsAccFp16 ? Fp16MantW + 1 : AccSigW;
  localparam int unsigned AccFieldW = IsAccFp16 ? 5 : 8;
  localparam int unsigned LaneW = $bits(lane_t);

  // From a step's codes to the element's cycle 1, and to its result.
  localparam int unsigned FirstCycles = IsLate ? 4 : 2;
  localparam int unsigned Stages = FirstCycles + 4;

  assign parameters_o = {
    8'(LANES), 8'(FracBits), 4'(Stages), 4'(EXP_W), 1'b0,
    IsLate, IsFused, IsHiddenOne, IsInf, IsNan, IsScale, IsAccFp16
  };

  scale_sum_t             scale_sum;
  logic [1:0][BaseW-1:0]  base_q;
  logic [FirstCycles-1:0] first_q;
  assign scale_sum = fnuz_adjust(scale_sum_t'(scale_sum_i), fp8_fmt_e'(a_fmt_i), fp8_fmt_e'(b_fmt_i));
  always_ff @(posedge clk_i) begin
    base_q  <= {base_q[0], base_of(scale_sum, IsAccFp16, EXP_W)};
    first_q <= {first_q[FirstCycles-2:0], first_i};
  end

  logic [LANES*LaneW-1:0] a_lane, b_lane;
  logic                   a_nan, b_nan;
  logic [AccFieldW-1:0]   field;
  logic [AccSigBits-1:0]  sig;
  assign field_o = 8'(field);
  assign sig_o   = 24'(sig);

  if (IsLate) begin : g_late

    localparam int unsigned DistanceW = $clog2(FracBits + 3);
    base_t a_field, b_field;
    logic  a_none, b_none, unused_bound;

    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW), .OWN_BOUND(1'b1), .SIDE_A(1'b1)) u_a (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(a_fmt_i)),
      .bound_i('0), .base_i(base_q[1]), .field_o(a_field), .none_o(a_none), .lane_o(a_lane), .nan_o(a_nan)
    );
    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW), .OWN_BOUND(1'b1)) u_b (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(b_fmt_i)),
      .bound_i('0), .base_i('0), .field_o(b_field), .none_o(b_none), .lane_o(b_lane), .nan_o(b_nan)
    );
    assign unused_bound = ^b_field[BaseW-1:OperandExpW+1];

`ifdef WINDOW_NETLIST
    fp8mac_element_late u_pe (
`else
    fp8mac_element_late #(
      .LANES(LANES), .FRAC_BITS(FRAC_BITS), .ACC_FP16(IsAccFp16), .INF(IsInf), .NAN(IsNan)
    ) u_pe (
`endif
      .clk_i(clk_i), .a_i(a_lane), .b_i(b_lane), .field_a_i(a_field), .bound_b_i(b_field[OperandExpW:0]),
      .none_i(a_none || b_none), .nan_i(a_nan || b_nan), .step_first_i(first_q[FirstCycles-1]),
      .sign_o(sign_o), .field_o(field), .sig_o(sig), .special_o(special_o), .flags_o(flags_o)
    );

  end else begin : g_window

    logic [LANES*EXP_W-1:0] a_exp, b_exp;
    logic [LANES-1:0]       a_zero, b_zero;

    fp8mac_feed_aligned #(.LANES(LANES), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne)) u_a (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(a_fmt_i)),
      .exp_o(a_exp), .zero_o(a_zero), .lane_o(a_lane), .nan_o(a_nan)
    );
    fp8mac_feed_aligned #(.LANES(LANES), .EXP_W(EXP_W), .NORMALISE(IsHiddenOne)) u_b (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(b_fmt_i)),
      .exp_o(b_exp), .zero_o(b_zero), .lane_o(b_lane), .nan_o(b_nan)
    );

`ifdef WINDOW_NETLIST
    fp8mac_element_aligned u_pe (
`else
    fp8mac_element_aligned #(
      .LANES(LANES), .FRAC_BITS(FRAC_BITS), .ACC_FP16(IsAccFp16), .HIDDEN_ONE(IsHiddenOne), .EXP_W(EXP_W),
      .INF(IsInf), .NAN(IsNan), .SCALE(IsScale)
    ) u_pe (
`endif
      .clk_i(clk_i), .a_exp_i(a_exp), .b_exp_i(b_exp), .a_zero_i(a_zero), .b_zero_i(b_zero),
      .base_i(base_q[1]), .step_first_i(first_q[FirstCycles-1]),
      .a_i(a_lane), .b_i(b_lane), .nan_i(a_nan || b_nan),
      .sign_o(sign_o), .field_o(field), .sig_o(sig), .special_o(special_o), .flags_o(flags_o)
    );

  end

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i};

endmodule
