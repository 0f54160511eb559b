// SPDX-License-Identifier: Apache-2.0
// The product of an INT32 and a multiplier, with the constant that rounds it, as two words whose
// sum it is modulo 2^64: radix-4 products in a compressor tree. Combinational.
//
// The multiplier comes as 16 digits of -1 to 2 (fp8mac_digit_product). Product j is a one's
// complement number of 33 bits at bit 2j. Its sign s stands for -s * 2^(2j+32). This is (1-s) *
// 2^(2j+32), less 2^(2j+32): the constants of all products are one addend, which has the last bits
// of negative products too.
module fp8mac_requantise_product #(
  localparam int unsigned W      = 32,
  localparam int unsigned Digits = W / 2,
  localparam int unsigned ProdW  = 2 * W
) (
  input  logic [W-1:0]      y_i,         // two's complement
  input  logic [Digits-1:0] minus_n_i,
  input  logic [Digits-1:0] one_i,
  input  logic [Digits-1:0] two_i,
  input  logic [W-1:0]      round_i,     // at bit RoundBit
  output logic [ProdW-1:0]  sum_o,
  output logic [ProdW-1:0]  carry_o
);
  localparam int unsigned RoundBit = W - 2;
  localparam int unsigned Addends  = Digits + 2;

  typedef logic [Addends-1:0][ProdW-1:0] addends_t;

  function automatic logic [ProdW-1:0] constants();
    constants = '0;
    for (int unsigned j = 0; j < Digits; j++) constants = constants - (ProdW'(1) << (2 * j + W));
  endfunction

  function automatic addends_t present();
    present = '0;
    for (int unsigned j = 0; j < Digits; j++) present[j] = ((ProdW'(1) << (W + 1)) - ProdW'(1)) << (2 * j);
    present[Digits] = constants();
    for (int unsigned j = 0; j < Digits; j++) present[Digits][2*j] = 1'b1;
    present[Digits+1] = ((ProdW'(1) << W) - ProdW'(1)) << RoundBit;
  endfunction

  addends_t         addend;
  logic [ProdW-1:0] constant_addend;

  for (genvar j = 0; j < int'(Digits); j++) begin : g_digit
    logic [W:0] product;

    fp8mac_digit_product #(.W(W)) u_product (
      .multiplicand_i(y_i), .minus_n_i(minus_n_i[j]), .one_i(one_i[j]), .two_i(two_i[j]), .product_o(product)
    );

    assign addend[j] = ProdW'({!product[W], product[W-1:0]}) << (2 * j);
  end

  always_comb begin
    constant_addend = constants();
    for (int unsigned j = 0; j < Digits; j++) constant_addend[2*j] = !minus_n_i[j];
  end

  assign addend[Digits]   = constant_addend;
  assign addend[Digits+1] = ProdW'(round_i) << RoundBit;

  fp8mac_compressor_tree #(.ADDENDS(Addends), .W(ProdW), .MASK(present())) u_tree (
    .addend_i(addend), .sum_o, .carry_o
  );

endmodule
