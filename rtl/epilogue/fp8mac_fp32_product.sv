// SPDX-License-Identifier: Apache-2.0
// The product of two FP32 significands, as two words whose sum it is: radix-4 products in a
// compressor tree. Combinational.
//
// b has twelve digits of -1 to 2 and a carry out of the last one (fp8mac_digit_recode has the
// table). A digit of -1 costs half of what the digit -2 of a Booth recoding does
// (fp8mac_digit_product), and the carries are a prefix computation. Product j is a one's complement
// number of 26 bits at bit 2j. Its sign s stands for -s * 2^(2j+25). This is (1-s) * 2^(2j+25),
// less 2^(2j+25): the constants of all products are one addend. Product 0 has its own constant, in
// three bits, so that no column has more than 13 bits:
//
//   -s * 2^25 = s * 2^25 + s * 2^26 + (1-s) * 2^27 - 2^27
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
  localparam int unsigned Digits  = Sig32W / 2;
  localparam int unsigned SignBit = Sig32W + 1;  // of a product
  localparam int unsigned Addends = Digits + 2;

  typedef logic [Addends-1:0][ProdW-1:0] addends_t;

  // -2^27 of product 0 and -2^(2j+25) of products 1 to 11, modulo 2^48: 2^28 and the even bits from
  // 30 on
  function automatic logic [ProdW-1:0] constants();
    constants = -(ProdW'(1) << (SignBit + 2));
    for (int unsigned j = 1; j < Digits; j++) constants = constants - (ProdW'(1) << (2 * j + SignBit));
  endfunction

  function automatic addends_t present();
    present = '0;
    present[0] = (ProdW'(1) << (SignBit + 3)) - ProdW'(1);
    for (int unsigned j = 1; j < Digits; j++) present[j] = ((ProdW'(1) << (SignBit + 1)) - ProdW'(1)) << (2 * j);
    present[Digits] = ~((ProdW'(1) << Sig32W) - ProdW'(1));
    present[Digits+1] = constants();
    for (int unsigned j = 0; j < Digits; j++) present[Digits+1][2*j] = 1'b1;
  endfunction

  logic [Digits-1:0] low, high, odd, negative;
  logic [Digits:0]   carry;
  addends_t          addend;
  logic [ProdW-1:0]  last_addend;

  // carry[j+1] = high[j] && (low[j] || carry[j]), as a prefix computation over the digits
  always_comb begin
    logic [Digits-1:0] generates, passes;
    for (int unsigned j = 0; j < Digits; j++) {high[j], low[j]} = b_i[2*j +: 2];
    generates = high & low;
    passes    = high;
    for (int unsigned distance = 1; distance < Digits; distance *= 2) begin
      generates = generates | (passes & (generates << distance));
      passes    = passes & (passes << distance);
    end
    carry    = {generates, 1'b0};
    odd      = low ^ carry[Digits-1:0];
    negative = high & odd;
  end

  for (genvar j = 0; j < int'(Digits); j++) begin : g_digit
    logic [SignBit:0] product;

    fp8mac_digit_product #(.W(Sig32W + 1)) u_product (
      .multiplicand_i({1'b0, a_i}), .minus_n_i(!negative[j]), .one_i(odd[j] && !high[j]),
      .two_i(!odd[j] && (high[j] ^ low[j])), .product_o(product)
    );

    if (j == 0) begin : g_first
      assign addend[j] = ProdW'({!product[SignBit], {2{product[SignBit]}}, product[SignBit-1:0]});
    end else begin : g_other
      assign addend[j] = ProdW'({!product[SignBit], product[SignBit-1:0]}) << (2 * j);
    end
  end

  assign addend[Digits] = {carry[Digits] ? a_i : Sig32W'(0), Sig32W'(0)};

  always_comb begin
    last_addend = constants();
    for (int unsigned j = 0; j < Digits; j++) last_addend[2*j] = negative[j];
  end

  assign addend[Digits+1] = last_addend;

  fp8mac_compressor_tree #(.ADDENDS(Addends), .W(ProdW), .MASK(present())) u_tree (
    .addend_i(addend), .sum_o, .carry_o
  );

endmodule
