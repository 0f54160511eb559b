// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/leaf/fp8mac_align_shift.sv: the same function, described without regard to
// cells. Large simulations use it too, because the cells of the original make a simulation
// model ten times as large.
module fp8mac_align_shift #(
  parameter int unsigned VALUE_W = 8,
  parameter int unsigned W = 27,
  parameter int unsigned LEVELS = $clog2(W + 1)
) (
  input  logic [VALUE_W-1:0] value_i,
  input  logic               fill_i,
  input  logic               void_i,
  input  logic [LEVELS-1:0]  shift_i,
  output logic [W-1:0]       word_o,
  output logic               lost_o
);

  localparam int unsigned TopW = VALUE_W < W ? VALUE_W : W;
  localparam int unsigned Above = (1 << LEVELS) - 1;
  logic [Above+W-1:0] whole, dropped;

  always_comb begin
    whole = {(Above + W){fill_i}};
    whole[W-1-:TopW] = value_i[VALUE_W-1-:TopW];
    dropped = ~({(Above + W){1'b1}} << shift_i);
  end
  assign word_o = W'(whole >> shift_i);
  assign lost_o = ((whole ^ {(Above + W){void_i}}) & dropped) != '0;

  logic unused;  // a narrow word has no place for the value's lowest bits
  assign unused = ^value_i;

endmodule
