// SPDX-License-Identifier: Apache-2.0
// A register and a memory behind a clock gate (GATED = 1), or with the enable that the gate's
// condition stands for.
module fp8mac_board_gated #(
  parameter bit GATED = 1'b1
) (
  input  logic       clk_i,
  input  logic       run_i,
  input  logic       rst_ni,
  input  logic       write_i,
  input  logic [1:0] address_i,
  input  logic [3:0] data_i,
  output logic [3:0] count_o,
  output logic [3:0] data_o
);
  logic [3:0] word_q [4];
  logic [3:0] count;
  assign count = rst_ni ? count_o + data_i : '0;

  if (GATED) begin : g_gated
    logic clk;
    fp8mac_clock_gate u_clock (.clk_i, .en_i(run_i || !rst_ni), .clk_o(clk));
    always_ff @(posedge clk) begin
      count_o <= count;
      if (write_i) word_q[address_i] <= data_i;
    end
  end else begin : g_enabled
    always_ff @(posedge clk_i) begin
      if (run_i || !rst_ni) begin
        count_o <= count;
        if (write_i) word_q[address_i] <= data_i;
      end
    end
  end

  always_ff @(posedge clk_i) data_o <= word_q[address_i];
endmodule
