// SPDX-License-Identifier: Apache-2.0
// Edge of an array of fp8mac_element_aligned: one row's (or column's) operands, decoded once for all its elements.
//
//   cycle  -1                    0                            2
//          decode, mask  ->      exp_o, zero_o (maximum)      lane_o, nan_o (multiply, align)
//
// Exponents are the field in E5M2's bias, less exp_offset so that they fit EXP_W bits. NORMALISE shifts a subnormal's
// leading bit to the top and lowers the exponent of lane_o; exp_o keeps the smallest binade's, from which the window
// hangs.
module fp8mac_feed_aligned
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned EXP_W = OperandExpW,
  parameter bit NORMALISE = 1'b0
) (
  input  logic                        clk_i,
  input  logic                        valid_i,    // 0: all lanes are zero, the elements keep what they have
  input  logic [LANES-1:0]            lane_en_i,
  input  logic [LANES-1:0][7:0]       code_i,
  input  fp8_fmt_e                    fmt_i,
  output logic [LANES-1:0][EXP_W-1:0] exp_o,
  output logic [LANES-1:0]            zero_o,
  output lane_t [LANES-1:0]           lane_o,
  output logic                        nan_o
);

  function automatic operand_t masked(operand_t operand, logic present);
    return present ? operand : AbsentB;
  endfunction

  function automatic lane_t decoded(operand_t operand);
    lane_t    lane;
    leading_t normalised;
    normalised = leading(operand.exp, operand.sig);
    lane.sign  = operand.sign;
    lane.exp_n = ~(operand.exp - OperandExpW'(exp_offset(EXP_W)));
    lane.half  = 1'b0;
    lane.sig   = operand.sig;
    if (NORMALISE) begin
      lane.half  = !normalised.top[OperandExpW];
      lane.exp_n = lane.half ? '1 : ~normalised.top[OperandExpW-1:0];
      lane.sig   = {1'b1, normalised.frac};
    end
    lane.zero = operand.zero;
    lane.live = !operand.zero && !operand.nan;
    lane.inf  = operand.inf;
    return lane;
  endfunction

  // Codes wait, not what is decoded of them: they are narrower, so they are decoded twice.
  logic [1:0][LANES-1:0][7:0] code_q;
  logic [1:0][LANES-1:0]      present_q;
  fp8_fmt_e                   fmt_0_q, fmt_1_q;
  logic [LANES-1:0]           present, is_nan;

  assign present = lane_en_i & {LANES{valid_i}};
  always_ff @(posedge clk_i) begin
    code_q    <= {code_q[0], code_i};
    present_q <= {present_q[0], present};
    fmt_0_q   <= fmt_i;
    fmt_1_q   <= fmt_0_q;
  end

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    operand_t operand, present_operand;
    fp8mac_decode u_decode (.code_i(code_q[1][i]), .fmt_i(fmt_1_q), .operand_o(operand));
    assign present_operand = masked(operand, present_q[1][i]);
    assign is_nan[i]       = present_operand.nan;
    always_ff @(posedge clk_i) lane_o[i] <= decoded(present_operand);
  end
  always_ff @(posedge clk_i) nan_o <= is_nan != '0;

  // Exponents go ahead, the field's: a subnormal has the smallest binade's.
  for (genvar i = 0; i < int'(LANES); i++) begin : g_ahead
    operand_t operand, present_operand;
    logic     unused;
    fp8mac_decode u_decode (.code_i(code_i[i]), .fmt_i, .operand_o(operand));
    assign present_operand = masked(operand, present[i]);
    assign unused          = ^present_operand;
    always_ff @(posedge clk_i) begin
      exp_o[i]  <= EXP_W'(present_operand.exp - OperandExpW'(exp_offset(EXP_W)));
      zero_o[i] <= present_operand.zero;
    end
  end

endmodule
