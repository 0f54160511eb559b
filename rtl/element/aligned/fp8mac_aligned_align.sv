// SPDX-License-Identifier: Apache-2.0
// Align: shifts one product to its position in the alignment window. Bits below the window are
// truncated. Combinational.
//
//   column   F+1  F     .   F-1 ...                0       shift 0: the product's bits 7..0 in columns F+1..F-6
//           [  product, 2.6 bits   | sign ... sign ]
module fp8mac_aligned_align
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned EXP_W = OperandExpW,
  parameter bit ZERO_IS_SHIFTED_OUT = 1'b0,  // with zero_i, product_i is not zero and must be shifted out
  localparam int unsigned WordW = FRAC_BITS + 2
) (
  input  logic [ProductSigW-1:0] product_i,
  input  logic                   sign_i,
  input  logic                   zero_i,
  input  logic [EXP_W-1:0]       a_exp_n_i,
  input  logic [EXP_W-1:0]       b_exp_n_i,
  input  logic                   a_half_i,
  input  logic                   b_half_i,
  input  logic [EXP_W+1:0]       top_i,  // the window's exponent, raw plus RawOffset
  output logic [WordW-1:0]       word_o
);

  localparam int unsigned ShiftW = $clog2(WordW + 1);
  localparam int unsigned RawBits = EXP_W + 1;
  localparam logic [ShiftW-1:0] AllOut = ShiftW'(shift_all_out(WordW, ShiftW));

  // The shift is top - RawOffset - (a + b), where a = 2^EXP_W - 1 - a_exp_n - a_half and b
  // likewise. This equals top + (a_exp_n + b_exp_n + a_half) + b_half - 2^RawBits.
  logic [RawBits-1:0] raw_n;
  logic [RawBits:0]   shift;
  logic               kill, unused_a;

  fp8mac_adder #(.W(EXP_W)) u_raw (
    .a_i(a_exp_n_i), .b_i(b_exp_n_i), .carry_i(a_half_i), .sum_o(raw_n[EXP_W-1:0]), .carry_o(raw_n[EXP_W])
  );
  fp8mac_adder #(.W(RawBits + 1)) u_shift (
    .a_i({1'b1, raw_n}), .b_i(top_i), .carry_i(b_half_i), .sum_o(shift), .carry_o(unused_a)
  );

  assign kill = (shift[RawBits:ShiftW] != '0) || (ZERO_IS_SHIFTED_OUT && zero_i);

  logic [ShiftW-1:0] places;
  assign places = shift[ShiftW-1:0] | (AllOut & {ShiftW{kill}});

  fp8mac_align_shift #(.VALUE_W(ProductSigW), .W(WordW)) u_align (
    .value_i(product_i), .fill_i(sign_i), .void_i(sign_i), .shift_i(places), .word_o, .lost_o()
  );

endmodule
