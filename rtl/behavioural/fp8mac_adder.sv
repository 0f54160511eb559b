// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/leaf/fp8mac_adder.sv: the same function, described without regard to cells.
module fp8mac_adder #(
  parameter int unsigned W = 8,
  parameter int unsigned RIPPLE = W,
  parameter bit SELECT = 1'b0
) (
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  input  logic         carry_i,
  output logic [W-1:0] sum_o,
  output logic         carry_o
);

  assign {carry_o, sum_o} = {1'b0, a_i} + {1'b0, b_i} + (W + 1)'(carry_i);

endmodule
