// SPDX-License-Identifier: Apache-2.0
// Ibex's primitive for a clock gate. It passes the clock through: a sleeping core changes no state
// but mcycle, and one clock domain simulates about a third faster than two.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  assign clk_o = clk_i;

  logic unused_enable;
  assign unused_enable = en_i ^ test_en_i;

endmodule
