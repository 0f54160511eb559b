// SPDX-License-Identifier: Apache-2.0
// Full adder: a + b + c = 2 * carry + sum. Synthesis replaces it by the library's cell (see synth/).
module fp8mac_full_adder (
  input  logic a_i,
  input  logic b_i,
  input  logic c_i,
  output logic sum_o,
  output logic carry_o
);

  assign sum_o   = a_i ^ b_i ^ c_i;
  assign carry_o = (a_i & b_i) | (c_i & (a_i | b_i));

endmodule
