// SPDX-License-Identifier: Apache-2.0
// Full adder: a_i + b_i + c_i = 2 * carry_o + sum_o. Synthesis replaces the module by the library's
// cell.
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
