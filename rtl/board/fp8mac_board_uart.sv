// SPDX-License-Identifier: Apache-2.0
// A UART transmitter: 8 data bits, the lowest first, no parity, one stop bit. It takes a
// character while ready_o is 1.
module fp8mac_board_uart #(
  parameter int unsigned CLOCK_HZ = 25_000_000,
  parameter int unsigned BAUD     = 115_200     // at most CLOCK_HZ / 16: then a bit is wrong by 1/32 at most
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [7:0] char_i,
  output logic       ready_o,
  output logic       tx_o
);

  localparam int unsigned BitCycles = (CLOCK_HZ + BAUD / 2) / BAUD;
  localparam int unsigned CycleW    = $clog2(BitCycles);
  localparam int unsigned FrameBits = 10;  // start bit, 8 data bits, stop bit

  logic [FrameBits-1:0] frame_q;           // the bit that is sent is the lowest
  logic [3:0]           bits_left_q;
  logic [CycleW-1:0]    cycle_q;

  assign ready_o = bits_left_q == '0;
  assign tx_o    = frame_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frame_q     <= '1;
      bits_left_q <= '0;
      cycle_q     <= '0;
    end else if (ready_o) begin
      if (valid_i) begin
        frame_q     <= {1'b1, char_i, 1'b0};
        bits_left_q <= 4'(FrameBits);
      end
    end else if (cycle_q == CycleW'(BitCycles - 1)) begin
      frame_q     <= {1'b1, frame_q[FrameBits-1:1]};
      bits_left_q <= bits_left_q - 1'b1;
      cycle_q     <= '0;
    end else begin
      cycle_q <= cycle_q + 1'b1;
    end
  end

endmodule
