// SPDX-License-Identifier: Apache-2.0
// Maximum: the largest exponent among the products that are not zero, bit by bit from the top. A lane is alive while
// nothing seen so far makes it smaller than another; a bit of the maximum is set if some lane that is alive has it.
module fp8mac_aligned_maximum
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned EXP_W = OperandExpW
) (
  input  logic [LANES-1:0][EXP_W-1:0] a_exp_i,
  input  logic [LANES-1:0][EXP_W-1:0] b_exp_i,
  input  logic [LANES-1:0]            a_zero_i,
  input  logic [LANES-1:0]            b_zero_i,
  output logic [EXP_W:0]              raw_o,  // 0 if all products are zero
  output logic                        any_o   // some product is not zero
);

  logic [LANES-1:0][EXP_W:0] raw;
  logic [EXP_W+1:0][LANES-1:0] alive /* verilator split_var */;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    fp8mac_adder #(.W(EXP_W)) u_add (
      .a_i(a_exp_i[i]), .b_i(b_exp_i[i]), .carry_i(1'b0), .sum_o(raw[i][EXP_W-1:0]), .carry_o(raw[i][EXP_W])
    );
  end

  assign alive[EXP_W+1] = ~(a_zero_i | b_zero_i);
  assign any_o          = alive[EXP_W+1] != '0;

  for (genvar b = int'(EXP_W); b >= 0; b--) begin : g_bit
    logic [LANES-1:0] has;
    logic             set;
    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      assign has[i] = raw[i][b];
    end
    assign set      = (alive[b+1] & has) != '0;
    assign raw_o[b] = set;
    assign alive[b] = alive[b+1] & (has | {LANES{!set}});
  end

endmodule
