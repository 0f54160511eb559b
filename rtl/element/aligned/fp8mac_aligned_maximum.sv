// SPDX-License-Identifier: Apache-2.0
// Maximum: the largest raw exponent among the products that are not zero. Combinational.
module fp8mac_aligned_maximum
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned EXP_W = OperandExpW  // bits of an operand's exponent
) (
  input  logic [LANES-1:0][EXP_W-1:0] a_exp_i,
  input  logic [LANES-1:0][EXP_W-1:0] b_exp_i,
  input  logic [LANES-1:0]            a_zero_i,
  input  logic [LANES-1:0]            b_zero_i,
  output logic [EXP_W:0]              raw_o,  // 0 if all products are zero
  output logic                        any_o   // some product is not zero
);

  logic [LANES-1:0][EXP_W:0] raw;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    fp8mac_adder #(.W(EXP_W)) u_add (
      .a_i(a_exp_i[i]), .b_i(b_exp_i[i]), .carry_i(1'b0), .sum_o(raw[i][EXP_W-1:0]), .carry_o(raw[i][EXP_W])
    );
  end

  fp8mac_maximum #(.COUNT(LANES), .W(EXP_W + 1)) u_maximum (
    .value_i(raw), .valid_i(~(a_zero_i | b_zero_i)), .maximum_o(raw_o), .any_o
  );

endmodule
