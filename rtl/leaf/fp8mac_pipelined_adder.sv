// SPDX-License-Identifier: Apache-2.0
// Adds two words in several cycles of CHUNK bits each, the lowest bits first. The sum comes as many
// cycles after its words as W has chunks; the last chunk may be shorter.
module fp8mac_pipelined_adder #(
  parameter int unsigned W = 32,
  parameter int unsigned CHUNK = 20,
  parameter int unsigned RIPPLE = CHUNK  // of a chunk's adder, see fp8mac_adder
) (
  input  logic         clk_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] sum_o
);

  localparam int unsigned Chunks = (W + CHUNK - 1) / CHUNK;

  // Stage s has added the chunks below s.
  for (genvar s = 0; s <= int'(Chunks); s++) begin : g_stage
    logic [W-1:0] a_q, b_q;
    logic         carry_q;

    if (s == 0) begin : g_in
      assign a_q     = a_i;
      assign b_q     = b_i;
      assign carry_q = 1'b0;
    end else begin : g_add
      localparam int unsigned From = (s - 1) * CHUNK;
      localparam int unsigned ChunkW = W - From < CHUNK ? W - From : CHUNK;
      logic [W-1:0]      next;
      logic [ChunkW-1:0] part;
      logic              carry;
      always_comb begin
        next = g_stage[s-1].a_q;
        next[From+:ChunkW] = part;
      end
      fp8mac_adder #(.W(ChunkW), .RIPPLE(RIPPLE)) u_add (
        .a_i(g_stage[s-1].a_q[From+:ChunkW]), .b_i(g_stage[s-1].b_q[From+:ChunkW]), .carry_i(g_stage[s-1].carry_q),
        .sum_o(part), .carry_o(carry)
      );
      always_ff @(posedge clk_i) begin
        a_q     <= next;
        b_q     <= g_stage[s-1].b_q;
        carry_q <= carry;
      end
    end
  end
  assign sum_o = g_stage[Chunks].a_q;

endmodule
