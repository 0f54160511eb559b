// SPDX-License-Identifier: Apache-2.0
// Multiplies 4 x 4 bits, unsigned, with a compressor tree. Combinational.
//
//   column      6      5      4      3      2      1      0
//                           a3b1   a3b0   a2b0   a1b0   a0b0
//                    a3b2   a2b2   a2b1   a1b1   a0b1
//             a3b3   a2b3   a1b3   a1b2   a0b2
//                                  a0b3
module fp8mac_multiply4 (
  input  logic [3:0] a_i,
  input  logic [3:0] b_i,
  output logic [7:0] product_o
);

  localparam int unsigned W = 8;
  localparam logic [3:0][W-1:0] Mask = {W'('h78), W'('h3c), W'('h1e), W'('hf)};
  logic [3:0][W-1:0] partial;
  logic [W-1:0]      sum, carry;
  logic              unused;

  for (genvar j = 0; j < 4; j++) begin : g_partial
    assign partial[j] = W'({a_i & {4{b_i[j]}}}) << j;
  end
  fp8mac_compressor_tree #(.ADDENDS(4), .W(W), .MASK(Mask)) u_tree (.addend_i(partial), .sum_o(sum), .carry_o(carry));
  fp8mac_adder #(.W(W)) u_add (
    .a_i(sum), .b_i(carry), .carry_i(1'b0), .sum_o(product_o), .carry_o(unused)
  );

endmodule
