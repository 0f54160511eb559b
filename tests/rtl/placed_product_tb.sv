// SPDX-License-Identifier: Apache-2.0
// fp8mac_placed_product with the words of 9, 13, 19 and 20 fraction bits, and each with the
// distances that these have.
module placed_product_tb
  import fp8mac_pkg::*;
#(
  localparam int unsigned Count = 4,
  localparam logic [Count-1:0][31:0] Width = {32'd22, 32'd21, 32'd15, 32'd11}
) (
  input  logic                   clk_i,
  input  logic [SigW-1:0]        a_sig_i,
  input  logic [4:0]             a_distance_i,
  input  logic [SigW-1:0]        b_sig_i,
  input  logic [4:0]             b_distance_i,
  output logic [Count-1:0][31:0] word_o,
  output logic [Count-1:0][31:0] word_w_o,
  output logic [Count-1:0][31:0] distance_w_o
);

  for (genvar i = 0; i < int'(Count); i++) begin : g_width
    localparam int unsigned WordW = Width[i];
    localparam int unsigned DistanceW = $clog2(WordW + 1);
    logic [WordW-1:0] word;
    fp8mac_placed_product #(.WORD_W(WordW), .DISTANCE_W(DistanceW)) u_product (
      .a_sig_i, .a_distance_i(a_distance_i[DistanceW-1:0]), .b_sig_i, .b_distance_i(b_distance_i[DistanceW-1:0]),
      .word_o(word)
    );
    assign word_o[i]       = 32'(word);
    assign word_w_o[i]     = WordW;
    assign distance_w_o[i] = DistanceW;
  end

  logic unused;
  assign unused = clk_i;

endmodule
