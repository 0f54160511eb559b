// SPDX-License-Identifier: Apache-2.0
// The compressor tree's two addends summed: what they are by themselves is the
// compressor tree's own affair.
module fp8mac_equivalence_tree #(
  parameter int unsigned ADDENDS = 4,
  parameter int unsigned W = 6
) (
  input  logic [ADDENDS-1:0][W-1:0] addend_i,
  output logic [W-1:0]           sum_o
);

  // The last addend has no bits in the two lowest columns.
  localparam logic [ADDENDS-1:0][W-1:0] Mask = {{(W - 2){1'b1}}, 2'b0, {((ADDENDS - 1) * W){1'b1}}};
  logic [W-1:0] sum, carry;
  fp8mac_compressor_tree #(.ADDENDS(ADDENDS), .W(W), .MASK(Mask)) u_tree (
    .addend_i(addend_i), .sum_o(sum), .carry_o(carry)
  );
  assign sum_o = sum + carry;

endmodule
