// SPDX-License-Identifier: Apache-2.0
// Edge of an array of fp8mac_pe_window: one row's (or column's) operands, decoded once for all its elements.
//
//   cycle  -1                    0                            2
//          decode, mask  ->      exp_o, zero_o (maximum)      lane_o, nan_o (multiply, align)
//
// Exponents are the field in E5M2's bias, less exp_offset so that they fit EXP_W bits. NORMALISE shifts a subnormal's
// leading bit to the top and lowers the exponent of lane_o; exp_o keeps the smallest binade's, from which the window
// hangs. BY_OPERANDS: exp_o[0] is the largest normalised exponent of the lanes that are not zero, and zero_o[0] says
// that there is none; the other lanes are 0. ANCHORED: exp_n is the distance below the row's bound, at most 31.
module fp8mac_window_edge
  import fp8mac_pkg::*;
  import fp8mac_window_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned EXP_W = OperandExpW,
  parameter bit NORMALISE = 1'b0,
  parameter bit BY_OPERANDS = 1'b0,
  parameter bit SIDE_A = 1'b0,         // an absent lane is (-0) * (+0), which a fused accumulator keeps its zero's sign with
  parameter bit ANCHORED = 1'b0        // for fp8mac_pe_fixed; with NORMALISE and EXP_W = 5
) (
  input  logic                        clk_i,
  input  logic                        valid_i,    // 0: all lanes are zero, the elements keep what they have
  input  logic [LANES-1:0]            lane_en_i,
  input  logic [LANES-1:0][7:0]       code_i,
  input  fp8_fmt_e                    fmt_i,
  input  logic [OperandExpW:0]        bound_i,    // ANCHORED: the largest normalised exponent of the row, plus 1
  output logic [LANES-1:0][EXP_W-1:0] exp_o,
  output logic [LANES-1:0]            zero_o,
  output logic                        half_o,     // BY_OPERANDS: the largest is one less than exp_o[0], which is 0
  output lane_t [LANES-1:0]           lane_o,
  output logic                        nan_o
);

  function automatic lane_t decoded(operand_t operand, logic [OperandExpW:0] bound);
    lane_t                  lane;
    logic [OperandExpW-1:0] exponent;
    logic [OperandExpW:0]   distance;
    exponent  = operand.exp - OperandExpW'(exp_offset(EXP_W));
    lane.sig  = operand.sig;
    lane.half = 1'b0;
    for (int unsigned i = 1; i < SigW; i++) begin
      if (NORMALISE && !operand.zero && !lane.sig[SigW-1]) begin
        lane.sig  = lane.sig << 1;
        lane.half = exponent == '0;
        exponent  = exponent - OperandExpW'(!lane.half);
      end
    end
    lane.sign  = operand.sign;
    lane.exp_n = ~exponent;
    if (ANCHORED) begin
      distance   = bound - {1'b0, exponent} - (OperandExpW + 1)'(!lane.half);
      lane.exp_n = distance[OperandExpW-1:0] | {OperandExpW{distance[OperandExpW]}};
      lane.half  = 1'b0;
    end
    lane.zero = operand.zero;
    lane.live = !operand.zero && !operand.nan;
    lane.inf  = operand.inf;
    return lane;
  endfunction

  lane_t [LANES-1:0]           lane, lane_0_q, lane_1_q, lane_2_q;
  logic [LANES-1:0][EXP_W-1:0] binade;  // of the field: a subnormal's is the smallest
  logic [LANES-1:0]            is_nan, zero;
  logic                        nan_0_q, nan_1_q, nan_2_q;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    operand_t present, operand;
    fp8mac_decode u_decode (.code_i(code_i[i]), .fmt_i(fmt_i), .operand_o(present));
    assign operand   = valid_i && lane_en_i[i] ? present : SIDE_A ? AbsentA : AbsentB;
    assign lane[i]   = decoded(operand, bound_i);
    assign binade[i] = EXP_W'(operand.exp - OperandExpW'(exp_offset(EXP_W)));
    assign zero[i]   = operand.zero;
    assign is_nan[i] = operand.nan;
  end

  always_ff @(posedge clk_i) begin
    lane_0_q <= lane;
    lane_1_q <= lane_0_q;
    lane_2_q <= lane_1_q;
    nan_0_q  <= is_nan != '0;
    nan_1_q  <= nan_0_q;
    nan_2_q  <= nan_1_q;
  end
  assign lane_o = lane_2_q;
  assign nan_o  = nan_2_q;

  logic [LANES-1:0][EXP_W-1:0] exponent;
  logic [LANES-1:0]            absent;
  logic                        half;

  if (BY_OPERANDS) begin : g_largest
    always_comb begin
      exponent  = '0;
      absent    = '0;
      absent[0] = zero == '1;
      half      = 1'b1;
      for (int unsigned i = 0; i < LANES; i++) begin
        if (!zero[i] && ~lane[i].exp_n[EXP_W-1:0] > exponent[0]) exponent[0] = ~lane[i].exp_n[EXP_W-1:0];
        if (!zero[i] && !lane[i].half) half = 1'b0;
      end
    end
  end else begin : g_each
    assign exponent = binade;
    assign absent   = zero;
    assign half     = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    exp_o  <= exponent;
    zero_o <= absent;
    half_o <= half;
  end

endmodule
