// SPDX-License-Identifier: Apache-2.0
// Block accumulation: SHARE elements of one column and the accumulate unit that they share. Per
// element,
//
//   acc' = round(odd(acc) + odd(2^scale * sum over a block of trunc(a_i * b_i)))
//
//   block   BLOCK products, of which an element adds LANES per step; the last block of a dot product may be shorter
//   trunc   drops the bits more than FRAC_BITS below the sum of the block's two bounds, its largest a's and its largest
//           b's exponent
//   odd     drops the bits more than LateBits below the larger of that sum and the accumulator's exponent, and sets the
//           last bit if anything was lost (round to odd)
//   round   to nearest even, to FP32 or FP16
//
// The golden model computes the same with group = BLOCK, align_by OPERANDS, frac_bits = FRAC_BITS,
// acc_late, late_round ODD, and late_bits_sum = late_bits_acc = LateBits: 25, or 12 if FP16 is the
// only format, but at least FRAC_BITS.
//
// The elements differ in their operands of A and have the operands of B in common. Row r's
// block joins its accumulator r cycles after row 0's, so one unit serves SHARE rows.
// Accumulators are outside:
//
//   cycle    0                               1                    2              3      4            5
//   element  multiply, align, add (tree) ->  short accumulator -> sum of block
//   unit                                     acc_i, compare    -> swap, align -> add -> normalise -> round: acc_o
//
// A step is in its cycle 0 when the feeds show its operands. The unit's cycles count from the cycle
// 0 of the block's last step; what belongs to row r comes and goes r cycles later. There are at
// least SHARE cycles between two steps with block_last_i. A cycle without a step, even inside a
// block, has absent operands, and block_first_i = block_last_i = 0.
module fp8mac_block_cluster
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 16,
  parameter int unsigned BLOCK = 32,       // products of a block, a multiple of LANES
  parameter int unsigned SHARE = 2,        // elements
  parameter int unsigned FRAC_BITS = 19,
  parameter bit ACC_FP32 = 1'b1,           // accumulator formats; with both, acc_fp16_i chooses
  parameter bit ACC_FP16 = 1'b1,
  parameter bit INF = 1'b1,                // 0: no format has an infinity
  parameter bit NAN = 1'b1,
  parameter bit MX = 1'b0,                 // MX scales are part of a_field_i and b_place_i
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adders, see fp8mac_adder
  localparam int unsigned AccW = ACC_FP32 ? 32 : 16,
  localparam int unsigned ExpW = field_width(MX),
  localparam int unsigned PlaceW = place_width(MX)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,         // of an assertion alone

  // Cycle 0, from fp8mac_feed (FeedBounded)
  input  logic                         block_first_i,  // the block starts with this step
  input  logic                         block_last_i,   // the block ends with this step
  input  lane_t [SHARE-1:0][LANES-1:0] a_i,
  input  lane_t [LANES-1:0]            b_i,
  input  logic [SHARE-1:0]             a_nan_i,        // some operand is a NaN
  input  logic                         b_nan_i,

  // Cycle 0 + r
  input  logic signed [ExpW-1:0]       a_field_i,      // the row's place + block_base()
  input  logic [PlaceW-1:0]            b_place_i,      // the column's place: its bound, or with MX place_of()

  // Cycle 1 + r
  input  logic                         none_i,         // one of the two bounds is BoundNone
  input  logic                         acc_fp16_i,     // with both formats: FP16
  input  logic                         acc_first_i,    // acc starts from +0; acc_i has no meaning
  input  logic [AccW-1:0]              acc_i,          // as acc_o gave it

  // Cycle 5 + r
  output logic [AccW-1:0]              acc_o,          // see fp8mac_acc_code
  output flags_t                       flags_o
);

  localparam int unsigned IntW = integer_bits(BLOCK);
  localparam int unsigned SumW = FRAC_BITS + IntW + 1;

  block_special_t [SHARE-1:0] special_1;
  logic [SHARE-1:0][SumW-1:0] sum_2;

  for (genvar r = 0; r < int'(SHARE); r++) begin : g_row
    fp8mac_block_sum #(
      .LANES(LANES), .BLOCK(BLOCK), .FRAC_BITS(FRAC_BITS), .INF(INF), .NAN(NAN), .ADD_RIPPLE(ADD_RIPPLE)
    ) u_sum (
      .clk_i, .first_i(block_first_i), .a_i(a_i[r]), .b_i, .nan_i(a_nan_i[r] || b_nan_i), .special_o(special_1[r]),
      .sum_o(sum_2[r])
    );
  end

  // Row 0 goes to the unit at once. The other rows wait in a chain of registers that
  // moves towards the unit.
  logic           last_1_q, last_2_q;
  block_special_t unit_special;
  logic [SumW-1:0] unit_sum;

  always_ff @(posedge clk_i) begin
    last_1_q <= block_last_i;
    last_2_q <= last_1_q;
  end

  if (SHARE == 1) begin : g_alone

    assign unit_special = special_1[0];
    assign unit_sum     = sum_2[0];

    logic unused;
    assign unused = last_2_q;

  end else begin : g_wait

    block_special_t [SHARE-1:1] special_q;
    logic [SHARE-1:1][SumW-1:0] sum_q;

    assign unit_special = last_1_q ? special_1[0] : special_q[1];
    assign unit_sum     = last_2_q ? sum_2[0] : sum_q[1];
    for (genvar r = 1; r < int'(SHARE); r++) begin : g_place
      if (r + 1 < int'(SHARE)) begin : g_move
        always_ff @(posedge clk_i) begin
          special_q[r] <= last_1_q ? special_1[r] : special_q[r+1];
          sum_q[r]     <= last_2_q ? sum_2[r] : sum_q[r+1];
        end
      end else begin : g_end
        always_ff @(posedge clk_i) begin
          special_q[r] <= special_1[r];
          sum_q[r]     <= sum_2[r];
        end
      end
    end

  end

  // The window's exponent
  logic signed [ExpW-1:0] field_0, field_1_q;
  logic                   unused_carry;
  fp8mac_adder #(.W(ExpW)) u_field (
    .a_i(a_field_i), .b_i(ExpW'(b_place_i)), .carry_i(1'b0), .sum_o(field_0), .carry_o(unused_carry)
  );
  always_ff @(posedge clk_i) field_1_q <= field_0;

  fp8mac_block_accumulate #(
    .FRAC_BITS(FRAC_BITS), .INT_W(IntW), .ACC_FP32(ACC_FP32), .ACC_FP16(ACC_FP16), .MX(MX),
    .ADD_RIPPLE(ADD_RIPPLE)
  ) u_accumulate (
    .clk_i, .field_i(field_1_q), .none_i, .special_i(unit_special), .acc_fp16_i, .acc_first_i, .acc_i,
    .products_i(unit_sum), .acc_o, .flags_o
  );

  if (SHARE > 1) begin : g_check_turn
    logic [SHARE-1:1] since_q;  // bit n: the block before this ended n cycles ago
    always_ff @(posedge clk_i) since_q <= !rst_ni ? '0 : (SHARE - 1)'({since_q, block_last_i});
    a_rows_in_turn : assert property (@(posedge clk_i) disable iff (!rst_ni) !(block_last_i && since_q != '0));
  end else begin : g_no_turn
    logic unused_reset;
    assign unused_reset = rst_ni;
  end

endmodule
