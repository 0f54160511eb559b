// SPDX-License-Identifier: Apache-2.0
// One partial product of a radix-4 multiplier: digit * multiplicand_i. The digit, -1 to 2, is given
// as (minus, one, two), of which at most one is 1; minus comes inverted. product_o is a one's
// complement number of W + 1 bits; the caller adds `minus` at its last bit. Combinational.
//
// A bit takes an AND-OR-invert and an OR-AND-invert cell. The digits -2 to 2 of
// fp8mac_booth_product take an exclusive OR in the place of the latter, which is more than twice as
// large.
module fp8mac_digit_product #(
  parameter int unsigned W = 8
) (
  input  logic [W-1:0] multiplicand_i,  // two's complement
  input  logic         minus_n_i,
  input  logic         one_i,
  input  logic         two_i,
  output logic [W:0]   product_o
);

  logic [W-1:0] twice, plain_n;
  assign twice = {multiplicand_i[W-2:0], 1'b0};

  for (genvar i = 0; i < int'(W); i++) begin : g_bit
    fp8mac_mux_n u_plain (
      .a_i(multiplicand_i[i]), .b_i(twice[i]), .select_i(one_i), .select_n_i(two_i), .y_n_o(plain_n[i])
    );
    fp8mac_fill_n u_minus (
      .a_i(multiplicand_i[i]), .select_i(minus_n_i), .hold_i(plain_n[i]), .y_n_o(product_o[i])
    );
  end
  assign product_o[W] = multiplicand_i[W-1] ? one_i || two_i : !minus_n_i;

endmodule
