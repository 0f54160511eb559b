// SPDX-License-Identifier: Apache-2.0
// rtl/element/aligned/fp8mac_aligned_maximum.sv as one would write it without thinking of its cells.
module fp8mac_aligned_maximum
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned EXP_W = OperandExpW
) (
  input  logic [LANES-1:0][EXP_W-1:0] a_exp_i,
  input  logic [LANES-1:0][EXP_W-1:0] b_exp_i,
  input  logic [LANES-1:0]            a_zero_i,
  input  logic [LANES-1:0]            b_zero_i,
  output logic [EXP_W:0]              raw_o,
  output logic                        any_o
);

  logic [LANES-1:0][EXP_W:0] raw;

  always_comb begin
    raw_o = '0;
    any_o = 1'b0;
    for (int unsigned i = 0; i < LANES; i++) begin
      raw[i] = {1'b0, a_exp_i[i]} + {1'b0, b_exp_i[i]};
      if (!a_zero_i[i] && !b_zero_i[i]) begin
        any_o = 1'b1;
        if (raw[i] > raw_o) raw_o = raw[i];
      end
    end
  end

endmodule
