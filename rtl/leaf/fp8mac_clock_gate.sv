// SPDX-License-Identifier: Apache-2.0
// Clock gate: clk_o has the high phases of clk_i before which en_i was 1. en_i may change while
// clk_i is high. A chip replaces this module by the clock-gating cell of its library.
module fp8mac_clock_gate (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

  logic en;
  always_latch begin
    if (!clk_i) en = en_i;
  end
  assign clk_o = clk_i && en;

endmodule
