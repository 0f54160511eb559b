// SPDX-License-Identifier: Apache-2.0
// Half of a product's alignment, done on one operand for a multiplier of 18 x 18 bits: the
// significand is shifted down from the top of the multiplier's input by the operand's distance. The
// product of two such words is aligned. Combinational.
//
//   distance    shift   far_o
//    0 .. 14    d       0
//   15 .. 22    d - 8   1      the product lies 8 places lower than its word says
//   23          15      1      nothing is left of the product
//   24 .. 31    all     1
//
// With four bits of distance there is no far_o: 15 leaves nothing of the product.
module fp8mac_operand_place
  import fp8mac_pkg::*;
#(
  parameter int unsigned DISTANCE_W = 5,     // 4 or 5
  localparam int unsigned InputW = 18
) (
  input  logic [SigW-1:0]       sig_i,
  input  logic [DISTANCE_W-1:0] distance_i,
  output logic [InputW-1:0]     word_o,
  output logic                  far_o
);

  // A shift of 0 to 3 places, then one of 0, 4, 8 or 12, as a choice of one in four: a LUT of
  // four inputs for each bit
  localparam int unsigned FineW = SigW + 3;
  logic [FineW-1:0] fine;
  logic [3:0]       chosen;
  assign fine = {sig_i, 3'b0} >> distance_i[1:0];

  if (DISTANCE_W == 5) begin : g_far
    logic       fifteen;
    logic [1:0] fours;
    assign fifteen = distance_i[3:0] == '1;
    assign far_o   = distance_i[4] || fifteen;
    assign fours   = {distance_i[4] || (distance_i[3] && !fifteen), distance_i[2]};
    assign chosen  = distance_i[4:3] == '1 ? '0 : 4'd1 << fours;
  end else if (DISTANCE_W == 4) begin : g_near
    assign far_o  = 1'b0;
    assign chosen = 4'd1 << distance_i[3:2];
  end else begin : g_check
    $error("DISTANCE_W is %0d, and 4 or 5 is expected", DISTANCE_W);
  end

  always_comb begin
    word_o = '0;
    for (int unsigned k = 0; k < 4; k++) begin
      if (chosen[k]) word_o = word_o | ({fine, {(InputW - FineW){1'b0}}} >> (4 * k));
    end
  end

endmodule
