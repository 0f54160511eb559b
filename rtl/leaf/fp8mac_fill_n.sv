// SPDX-License-Identifier: Apache-2.0
// Inverting multiplexer between a bit and a fill: y_n_o = !(select_i ? fill : a_i). Many
// multiplexers share the fill, which is combined with the select in hold_i. Synthesis replaces the
// module by the library's OR-AND-invert cell.
module fp8mac_fill_n (
  input  logic a_i,       // taken where select_i is 0
  input  logic select_i,
  input  logic hold_i,    // !select_i || fill
  output logic y_n_o
);

  assign y_n_o = !((a_i || select_i) && hold_i);

endmodule
