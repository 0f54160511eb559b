// SPDX-License-Identifier: Apache-2.0
// One partial product of a radix-4 Booth multiplier: digit * multiplicand_i. The digit, -2 to 2, is
// given as (negative, one, two). product_o is a one's complement number of W + 1 bits; the caller
// adds negative_i at its last bit. Combinational. (A. D. Booth 1951; O. L. MacSorley, High-speed
// arithmetic in binary computers, Proc. IRE 49, 1961.)
module fp8mac_booth_product #(
  parameter int unsigned W = 8
) (
  input  logic [W-1:0] multiplicand_i,  // two's complement
  input  logic         negative_i,
  input  logic         one_i,
  input  logic         two_i,
  output logic [W:0]   product_o
);

  logic [W:0] once, twice;
  assign once  = {multiplicand_i[W-1], multiplicand_i};
  assign twice = {multiplicand_i, 1'b0};
  assign product_o = (({(W + 1){one_i}} & once) | ({(W + 1){two_i}} & twice)) ^ {(W + 1){negative_i}};

endmodule
