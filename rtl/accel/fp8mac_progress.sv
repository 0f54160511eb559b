// SPDX-License-Identifier: Apache-2.0
// Notices that the accelerator has stopped by itself: commands are at work, the bus owes nothing,
// and nothing inside has moved for LIMIT cycles. That happens only after a fault, as a flipped bit.
// A bus that owes an answer is the matter of fp8mac_axi_guard's watchdog, and a list that waits for
// software, or for its time, holds no command.
module fp8mac_progress #(
  parameter int unsigned LIMIT = 4096  // more than any command takes between two moves
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic busy_i,     // commands are at work
  input  logic owed_i,     // by the bus
  input  logic moves_i,
  output logic expired_o
);
  localparam int unsigned CountW = $clog2(LIMIT + 1);

  logic [CountW-1:0] count_q;

  assign expired_o = count_q == CountW'(LIMIT);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !busy_i || owed_i || moves_i || expired_o) count_q <= '0;
    else count_q <= count_q + CountW'(1);
  end

endmodule
