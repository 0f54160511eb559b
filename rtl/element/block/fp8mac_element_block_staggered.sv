// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_block whose rows take their operands one after the other: row r r cycles after row
// 0. The operands of B go from row to row in registers. A block's sum then leaves its row just when
// the accumulate unit takes it, so that none waits. With one lane this is smaller than
// fp8mac_block_cluster, whose sums wait in a chain of registers: an operand has fewer bits than a
// sum. With four lanes and more it is larger. The array does not use it.
//
// Results are those of fp8mac_element_block. The way to the unit is long, so it has a register, and
// the unit works one cycle later than there:
//
//   cycle    r                               r + 1                r + 2           r + 3            r + 6
//   row r    multiply, align, add (tree) ->  short accumulator -> sum of block -> the unit takes it, acc_o
module fp8mac_element_block_staggered
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 1,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned SHARE = BLOCK / LANES,
  parameter int unsigned BANKS = 1,
  parameter int unsigned FRAC_BITS = 19,
  parameter bit ACC_FP32 = 1'b1,
  parameter bit ACC_FP16 = 1'b1,
  parameter bit INF = 1'b1,
  parameter bit NAN = 1'b1,
  parameter bit MX = 1'b0,
  parameter int unsigned ADD_RIPPLE = 22,
  localparam int unsigned AccW = ACC_FP32 ? 32 : 16,
  localparam int unsigned ExpW = field_width(MX),
  localparam int unsigned PlaceW = place_width(MX)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // As of fp8mac_block_cluster. Cycle 0
  input  logic                         block_first_i,
  input  logic                         block_last_i,
  input  lane_t [LANES-1:0]            b_i,
  input  logic                         b_nan_i,

  // Row r in cycle r
  input  lane_t [SHARE-1:0][LANES-1:0] a_i,
  input  logic [SHARE-1:0]             a_nan_i,

  // Cycle 1 + r
  input  logic signed [ExpW-1:0]       a_field_i,
  input  logic [PlaceW-1:0]            b_place_i,

  // Cycle 2 + r
  input  logic                         none_i,
  input  logic                         acc_fp16_i,
  input  logic                         acc_first_i,

  // Cycle 6 + r
  output logic [AccW-1:0]              acc_o,
  output flags_t                       flags_o
);

  localparam int unsigned IntW = integer_bits(BLOCK);
  localparam int unsigned SumW = FRAC_BITS + IntW + 1;

  block_special_t [SHARE-1:0] special_1;
  logic [SHARE-1:0][SumW-1:0] sum_2;

  for (genvar r = 0; r < int'(SHARE); r++) begin : g_row
    // In the row's cycle 0
    lane_t [LANES-1:0] b;
    logic              b_nan, first;

    if (r == 0) begin : g_first
      assign b     = b_i;
      assign b_nan = b_nan_i;
      assign first = block_first_i;
    end else begin : g_later
      always_ff @(posedge clk_i) begin
        b     <= g_row[r-1].b;
        b_nan <= g_row[r-1].b_nan;
        first <= g_row[r-1].first;
      end
    end

    fp8mac_block_sum #(
      .LANES(LANES), .BLOCK(BLOCK), .FRAC_BITS(FRAC_BITS), .INF(INF), .NAN(NAN), .ADD_RIPPLE(ADD_RIPPLE)
    ) u_sum (
      .clk_i, .first_i(first), .a_i(a_i[r]), .b_i(b), .nan_i(a_nan_i[r] || b_nan), .special_o(special_1[r]),
      .sum_o(sum_2[r])
    );
  end

  // Row r's special products are there r + 1 cycles after row 0's last step, and its sum one cycle
  // later.
  logic [SHARE+1:1] last_q;
  block_special_t   special, special_2_q;
  logic [SumW-1:0]  sum, sum_3_q;

  always_ff @(posedge clk_i) last_q <= (SHARE + 1)'({last_q, block_last_i});

  always_comb begin
    special = '0;
    sum     = '0;
    for (int unsigned r = 0; r < SHARE; r++) begin
      special = special | (special_1[r] & {$bits(block_special_t){last_q[r+1]}});
      sum     = sum | (sum_2[r] & {SumW{last_q[r+2]}});
    end
  end
  always_ff @(posedge clk_i) begin
    special_2_q <= special;
    sum_3_q     <= sum;
  end

  // The window's exponent
  logic signed [ExpW-1:0] field_1, field_2_q;
  logic                   unused_carry;
  fp8mac_adder #(.W(ExpW)) u_field (
    .a_i(a_field_i), .b_i(ExpW'(b_place_i)), .carry_i(1'b0), .sum_o(field_1), .carry_o(unused_carry)
  );
  always_ff @(posedge clk_i) field_2_q <= field_1;

  // The accumulators rotate through the unit.
  localparam int unsigned UnitCycles = 4;
  localparam int unsigned Waiting = BANKS * SHARE - UnitCycles;
  logic [Waiting-1:0][AccW-1:0] acc_q;

  always_ff @(posedge clk_i) acc_q <= (Waiting * AccW)'({acc_q, acc_o});

  fp8mac_block_accumulate #(
    .FRAC_BITS(FRAC_BITS), .INT_W(IntW), .ACC_FP32(ACC_FP32), .ACC_FP16(ACC_FP16), .MX(MX),
    .ADD_RIPPLE(ADD_RIPPLE)
  ) u_accumulate (
    .clk_i, .field_i(field_2_q), .none_i, .special_i(special_2_q), .acc_fp16_i, .acc_first_i,
    .acc_i(acc_q[Waiting-1]), .products_i(sum_3_q), .acc_o, .flags_o
  );

  if (BANKS * SHARE <= UnitCycles) begin : g_check_banks
    $error("SHARE rows with BANKS accumulators each must be more than the unit's %0d cycles", UnitCycles);
  end
  a_rows_in_turn : assert property (@(posedge clk_i) disable iff (!rst_ni) !(block_last_i && last_q[SHARE-1:1] != '0));

endmodule
