// SPDX-License-Identifier: Apache-2.0
// rtl/leaf/fp8mac_align_shift.sv as one would write it without thinking of its cells.
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
