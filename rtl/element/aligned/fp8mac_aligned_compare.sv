// SPDX-License-Identifier: Apache-2.0
// Compare: decides whether the terms are aligned to the largest product or to the accumulator, and
// how far the accumulator is shifted. Combinational.
//
//   field of the largest product  raw + RawOffset + base      the window's exponent = the larger of the two
//   field of the accumulator      field
//
// If all products are zero (any_i = 0), the accumulator is not shifted.
module fp8mac_aligned_compare
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned RAW_W = OperandExpW + 1,
  parameter int unsigned FIELD_W = 8,  // of the accumulator's exponent field
  parameter int unsigned SHIFT_W = 5,  // the largest shift, all ones, leaves nothing in the window
  localparam int unsigned WindowFieldW = window_field_bits(FIELD_W == 5)
) (
  input  logic [RAW_W:0]     raw_i,    // plus RawOffset
  input  logic               any_i,
  input  base_t              base_i,
  input  logic [FIELD_W-1:0] field_i,

  output logic [RAW_W:0]     top_o,    // the window's exponent, raw plus RawOffset; all ones if above every product
  output logic [SHIFT_W-1:0] shift_o,  // of the accumulator
  output logic [WindowFieldW-1:0] field_o  // the window's exponent as an accumulator's field
);

  localparam int unsigned DiffW = BaseW + 1;
  typedef logic signed [DiffW-1:0] diff_t;

  diff_t acc_raw, over;   // the accumulator's exponent in raw units; the largest product's minus it
  logic  by_acc;
  logic  unused_a, unused_b;

  fp8mac_adder #(.W(DiffW)) u_acc_raw (
    .a_i(DiffW'(field_i)), .b_i(~diff_t'(base_i)), .carry_i(1'b1), .sum_o(acc_raw), .carry_o(unused_a)
  );
  fp8mac_adder #(.W(DiffW)) u_over (
    .a_i(DiffW'(raw_i)), .b_i(~acc_raw), .carry_i(1'b1), .sum_o(over), .carry_o(unused_b)
  );

  assign by_acc = !any_i || over[DiffW-1];

  logic [RAW_W:0] acc_top;
  logic           beyond;   // above every window that a product can reach
  assign beyond  = acc_raw[DiffW-2:RAW_W+1] != '0;
  assign acc_top = acc_raw[RAW_W:0] | {(RAW_W + 1){beyond}};
  assign top_o   = by_acc ? acc_top : raw_i;

  logic far;
  assign far     = over[DiffW-2:SHIFT_W] != '0;
  assign shift_o = by_acc ? '0 : over[SHIFT_W-1:0] | {SHIFT_W{far}};
  assign field_o = by_acc ? WindowFieldW'(field_i) : WindowFieldW'(raw_i) + base_i[WindowFieldW-1:0];

endmodule
