// SPDX-License-Identifier: Apache-2.0
// Edge of an array of fp8mac_element_static, exact: one row's (or column's) operands, in an E4M3 format, each with its
// distance below the largest exponent of the format. Subnormals stay as they are, in the smallest binade. One cycle.
module fp8mac_feed_kulisch
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4
) (
  input  logic                  clk_i,
  input  logic                  valid_i,    // 0: all lanes are zero, the elements keep what they have
  input  logic [LANES-1:0]      lane_en_i,
  input  logic [LANES-1:0][7:0] code_i,
  input  fp8_fmt_e              fmt_i,
  output lane_t [LANES-1:0]     lane_o,
  output logic                  nan_o
);

  localparam int unsigned ExpW = 4;

  logic [LANES-1:0] is_nan;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    operand_t present, operand;
    fp8mac_decode u_decode (.code_i(code_i[i]), .fmt_i, .operand_o(present));
    assign operand   = valid_i && lane_en_i[i] ? present : AbsentB;
    assign is_nan[i] = operand.nan;

    always_ff @(posedge clk_i) begin
      lane_o[i] <= '{
        sign: operand.sign, exp_n: ~(operand.exp - OperandExpW'(exp_offset(ExpW))), half: 1'b0, sig: operand.sig,
        zero: operand.zero, live: !operand.zero && !operand.nan, inf: operand.inf
      };
    end
  end

  always_ff @(posedge clk_i) nan_o <= is_nan != '0;

endmodule
