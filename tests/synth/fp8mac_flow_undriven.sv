// SPDX-License-Identifier: Apache-2.0
// What the flow must refuse: a register of a net that nothing drives.
module fp8mac_flow_undriven (
  input  logic clk_i,
  input  logic a_i,
  output logic q_o
);

  logic missing;

  always_ff @(posedge clk_i) q_o <= a_i ^ missing;

endmodule
