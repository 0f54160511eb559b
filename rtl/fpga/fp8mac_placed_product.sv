// SPDX-License-Identifier: Apache-2.0
// Multiply, align: the magnitude of a product, truncated, by one multiplier of 18 x 18 bits and
// one choice. Each operand is shifted by its own distance (fp8mac_operand_place), so the
// multiplier adds the two shifts.
//
//   bit     35 ........ 36-WORD_W  35-WORD_W ..... 0
//          [        word         |    dropped      ]   both operands near
//          [0 .. 0|     word     |    dropped      ]   one far: 8 places lower. Two: nothing is left
//
// Combinational. Equal to (a_sig * b_sig << (WORD_W - 8)) >> (a_distance + b_distance),
// without the dropped bits.
module fp8mac_placed_product
  import fp8mac_pkg::*;
#(
  parameter int unsigned WORD_W = 21,     // at most 22, and at most 15 with four bits of distance
  parameter int unsigned DISTANCE_W = 5   // 4 or 5
) (
  input  logic [SigW-1:0]       a_sig_i,
  input  logic [DISTANCE_W-1:0] a_distance_i,
  input  logic [SigW-1:0]       b_sig_i,
  input  logic [DISTANCE_W-1:0] b_distance_i,
  output logic [WORD_W-1:0]     word_o
);

  localparam int unsigned InputW = 18;
  localparam int unsigned FarPlaces = 8;

  if (WORD_W > (DISTANCE_W == 5 ? 22 : 15)) begin : g_check
    $error("WORD_W is %0d: what far operands leave would be lost", WORD_W);
  end

  logic [InputW-1:0]   a, b;
  logic [2*InputW-1:0] product;
  logic [WORD_W-1:0]   near_word;
  logic                a_far, b_far;

  fp8mac_operand_place #(.DISTANCE_W(DISTANCE_W)) u_a (
    .sig_i(a_sig_i), .distance_i(a_distance_i), .word_o(a), .far_o(a_far)
  );
  fp8mac_operand_place #(.DISTANCE_W(DISTANCE_W)) u_b (
    .sig_i(b_sig_i), .distance_i(b_distance_i), .word_o(b), .far_o(b_far)
  );
  assign product   = a * b;
  assign near_word = product[2*InputW-1-:WORD_W];
  assign word_o    = a_far || b_far ? near_word >> FarPlaces : near_word;

  logic unused_low;
  assign unused_low = ^product[2*InputW-WORD_W-1:0];

endmodule
