// SPDX-License-Identifier: Apache-2.0
// For the flow's tests: two instances of what is to be a black box, with a register between them.
module fp8mac_flow_nest (
  input  logic       clk_i,
  input  logic [3:0] a_i,
  output logic [4:0] sum_o
);

  logic [4:0] first, first_q;

  fp8mac_flow_good #(.WIDTH(4)) u_first (.clk_i, .a_i(a_i), .b_i(4'd3), .sum_o(first));
  always_ff @(posedge clk_i) first_q <= first;
  fp8mac_flow_good #(.WIDTH(4)) u_last (.clk_i, .a_i(first_q[4:1]), .b_i({3'b0, first_q[0]}), .sum_o(sum_o));

endmodule
