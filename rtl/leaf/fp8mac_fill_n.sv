// SPDX-License-Identifier: Apache-2.0
// Inverting multiplexer between a bit and a fill that many share, fill_n_i = !(select_i && !fill): what an
// OR-AND-invert cell is. Synthesis replaces it by the library's cell (see synth/).
module fp8mac_fill_n (
  input  logic a_i,       // taken where select_i is 0
  input  logic select_i,
  input  logic hold_i,    // !select_i || fill
  output logic y_n_o
);

  assign y_n_o = !((a_i || select_i) && hold_i);

endmodule
