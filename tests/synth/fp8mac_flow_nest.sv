// SPDX-License-Identifier: Apache-2.0
// For the flow's tests: two instances of what is to be a black box, with a register between them.
// The first one is narrower.
module fp8mac_flow_nest (
  input  logic       clk_i,
  input  logic [3:0] a_i,
  output logic [4:0] sum_o
);

  logic [2:0] first, first_q;

  fp8mac_flow_good #(.WIDTH(2)) u_first (.clk_i, .a_i(a_i[1:0]), .b_i(2'd3), .sum_o(first));
  always_ff @(posedge clk_i) first_q <= first;
  fp8mac_flow_good #(.WIDTH(4)) u_last (.clk_i, .a_i({1'b0, first_q}), .b_i(a_i), .sum_o(sum_o));

endmodule
