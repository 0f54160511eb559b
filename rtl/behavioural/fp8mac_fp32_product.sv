// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/epilogue/fp8mac_fp32_product.sv: the same function, described without regard to
// cells.
module fp8mac_fp32_product
  import fp8mac_pkg::*;
#(
  localparam int unsigned Sig32W = Fp32MantW + 1,
  localparam int unsigned ProdW  = 2 * Sig32W
) (
  input  logic [Sig32W-1:0] a_i,
  input  logic [Sig32W-1:0] b_i,
  output logic [ProdW-1:0]  sum_o,
  output logic [ProdW-1:0]  carry_o
);

  assign sum_o   = ProdW'(a_i) * ProdW'(b_i);
  assign carry_o = '0;

endmodule
