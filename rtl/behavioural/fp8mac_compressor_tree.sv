// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/leaf/fp8mac_compressor_tree.sv: the same function, described without regard to
// cells. The synthesis tool chooses the adders. Large simulations use it too, because the cells of
// the original make a simulation model ten times as large.
module fp8mac_compressor_tree #(
  parameter int unsigned ADDENDS = 4,
  parameter int unsigned W = 8,
  parameter logic [ADDENDS-1:0][W-1:0] MASK = '1
) (
  input  logic [ADDENDS-1:0][W-1:0] addend_i,
  output logic [W-1:0]           sum_o,
  output logic [W-1:0]           carry_o
);

  always_comb begin
    sum_o = '0;
    for (int unsigned i = 0; i < ADDENDS; i++) sum_o = sum_o + (addend_i[i] & MASK[i]);
  end
  assign carry_o = '0;

endmodule
