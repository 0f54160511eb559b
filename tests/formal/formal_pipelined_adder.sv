// SPDX-License-Identifier: Apache-2.0
// fp8mac_pipelined_adder: each sum is that of the words that came as many cycles before as W has
// chunks.
module formal_pipelined_adder #(
  parameter int unsigned W = 8,
  parameter int unsigned CHUNK = 3,
  parameter int unsigned RIPPLE = CHUNK,
  localparam int unsigned Chunks = (W + CHUNK - 1) / CHUNK
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [W-1:0] a_i,
  input logic [W-1:0] b_i
);

  logic [W-1:0] sum;

  fp8mac_pipelined_adder #(.W(W), .CHUNK(CHUNK), .RIPPLE(RIPPLE)) dut (.clk_i, .a_i, .b_i, .sum_o(sum));

  formal_reset u_reset (.clk_i, .rst_ni);

  logic [Chunks:0][W-1:0] total_q;  // index s: of the words of s cycles ago
  logic [Chunks:0]        known_q, ones_q;

  assign total_q[0] = a_i + b_i;
  assign known_q[0] = rst_ni;
  assign ones_q[0]  = a_i == '1;

  for (genvar s = 1; s <= int'(Chunks); s++) begin : g_past
    logic [W-1:0] total;
    logic         known, ones;
    always_ff @(posedge clk_i) begin
      total <= total_q[s-1];
      ones  <= ones_q[s-1];
      if (!rst_ni) known <= 1'b0;
      else known <= known_q[s-1];
    end
    assign total_q[s] = total;
    assign known_q[s] = known;
    assign ones_q[s]  = ones;
  end

  always_comb begin
    if (rst_ni) begin
      sum_of_its_words : assert (!known_q[Chunks] || sum == total_q[Chunks]);

      carries_to_the_top : cover (known_q[Chunks] && ones_q[Chunks] && sum == '0);
    end
  end

endmodule
