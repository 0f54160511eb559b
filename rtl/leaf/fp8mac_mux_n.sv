// SPDX-License-Identifier: Apache-2.0
// Inverting multiplexer with both senses of its select. Synthesis replaces the module by the
// library's AND-OR-invert cell.
module fp8mac_mux_n (
  input  logic a_i,      // taken where select_i is 1
  input  logic b_i,      // taken where select_n_i is 1
  input  logic select_i,
  input  logic select_n_i,
  output logic y_n_o
);

  assign y_n_o = !((a_i && select_i) || (b_i && select_n_i));

endmodule
