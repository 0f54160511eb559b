// SPDX-License-Identifier: Apache-2.0
// The two large leaves written as what they mean, in place of rtl/leaf's: cells bit by bit make a simulator's model ten
// times as large. window_leaf_tb compares them with those of rtl/leaf.
module fp8mac_align_shift #(
  parameter int unsigned VALUE_W = 8,
  parameter int unsigned W = 27,
  parameter int unsigned LEVELS = $clog2(W + 1)
) (
  input  logic [VALUE_W-1:0] value_i,
  input  logic               fill_i,
  input  logic [LEVELS-1:0]  shift_i,
  output logic [W-1:0]       word_o,
  output logic               lost_o
);

  localparam int unsigned Below = (1 << LEVELS) + W;
  logic [VALUE_W+Below-1:0] wide;
  assign wide   = {value_i ^ {VALUE_W{fill_i}}, Below'(0)} >> shift_i;
  assign word_o = wide[VALUE_W+Below-1-:W] ^ {W{fill_i}};

  assign lost_o = wide[VALUE_W+Below-W-1:0] != '0;

endmodule

module fp8mac_heap #(
  parameter int unsigned ROWS = 4,
  parameter int unsigned W = 8,
  parameter logic [ROWS-1:0][W-1:0] MASK = '1
) (
  input  logic [ROWS-1:0][W-1:0] addend_i,
  output logic [W-1:0]           sum_o,
  output logic [W-1:0]           carry_o
);

  // Two rows of W bits whose sum is the total in W + 1 bits: a multiplier reads the carry out of it.
  logic [W:0] total;
  always_comb begin
    total = '0;
    for (int unsigned row = 0; row < ROWS; row++) total = total + {1'b0, addend_i[row] & MASK[row]};
  end
  assign sum_o   = total[W] ? '1 : total[W-1:0];
  assign carry_o = total[W] ? total[W-1:0] + W'(1) : '0;

endmodule
