// SPDX-License-Identifier: Apache-2.0
// What the flow must refuse: a latch.
module fp8mac_flow_latch (
  input  logic clk_i,
  input  logic a_i,
  output logic q_o
);

  always_latch begin
    if (clk_i) q_o = a_i;
  end

endmodule
