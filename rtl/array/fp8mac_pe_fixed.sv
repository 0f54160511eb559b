// SPDX-License-Identifier: Apache-2.0
// Processing element with a fixed-point accumulator: acc' = acc + sum of trunc(a_i * b_i), every product cut toward zero
// FRAC_BITS below a bound that does not change while an output is computed. Without maximum, normalisation and rounding
// it is an integer accumulator behind an alignment shift; scaling exponents, FNUZ's bias and the one rounding belong to
// the read-out. In the C model: {.acc_format = FIXED, .frac_bits = FRAC_BITS, .anchor, .guard_bits = GUARD}.
//
// An operand comes with its distance below its row's (or column's) bound as exp_n, saturated at the largest. The bound:
//   - of the format: with FRAC_BITS = 34 and DISTANCE_W = 4 the two E4M3 formats are summed exactly (the defaults);
//   - or of the data: the largest exponent of the row over all of K.
//
//   cycle   0                                 1      2 .. SLOTS + 1
//           multiply, align, add (heap)   ->  add -> accumulate -> acc_o, special_o in cycle SLOTS + 2
//
// The step issued in cycle t belongs to accumulator t mod SLOTS; operands that are all zero leave it as it is.
// While K <= 2^GUARD it cannot overflow.
module fp8mac_pe_fixed
  import fp8mac_pkg::*;
  import fp8mac_window_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned SLOTS = 4,
  parameter int unsigned FRAC_BITS = 34,
  parameter int unsigned DISTANCE_W = 4,
  parameter bit HIDDEN_ONE = 1'b0,     // operands come normalised
  parameter bit INF = 1'b0,
  parameter int unsigned GUARD = 16,
  parameter int unsigned ADD_RIPPLE = 22,  // bits of the adder behind the heap that are a chain
  localparam int unsigned WordW = FRAC_BITS + 2,
  localparam int unsigned AccW = WordW + 1 + GUARD
) (
  input  logic              clk_i,

  input  logic              step_first_i,  // acc starts from 0
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,
  input  logic              nan_i,         // some operand is a NaN

  output logic [AccW-1:0]   acc_o,
  output special_e          special_o,
  output flags_t            flags_o        // in cycle 2
);

  if (DISTANCE_W == OperandExpW && WordW > (1 << DISTANCE_W) - 1) begin : g_check_frac_bits
    $error("FRAC_BITS is more than 29: a distance that the edge has saturated would stay in the window");
  end

  // Multiply, align
  localparam int unsigned DistanceMax = 2 * ((1 << DISTANCE_W) - 1);
  localparam int unsigned Reach = DistanceMax < WordW ? DistanceMax : WordW;
  localparam int unsigned Levels = $clog2(Reach + 1);

  logic [LANES-1:0]            sign, pos_inf, neg_inf, invalid;
  logic [LANES-1:0][WordW-1:0] word;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    logic [ProductSigW-1:0] product;
    logic [DISTANCE_W:0]    shift;
    logic                   zero, kill;
    fp8mac_window_multiply #(.HIDDEN_ONE(HIDDEN_ONE), .INF(INF)) u_multiply (
      .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product), .sign_o(sign[i]), .zero_o(zero),
      .pos_inf_o(pos_inf[i]), .neg_inf_o(neg_inf[i]), .invalid_o(invalid[i])
    );
    fp8mac_adder #(.W(DISTANCE_W)) u_shift (
      .a_i(a_i[i].exp_n[DISTANCE_W-1:0]), .b_i(b_i[i].exp_n[DISTANCE_W-1:0]), .carry_i(1'b0),
      .sum_o(shift[DISTANCE_W-1:0]), .carry_o(shift[DISTANCE_W])
    );
    if (Levels <= DISTANCE_W) begin : g_far
      assign kill = shift[DISTANCE_W:Levels] != '0 || (HIDDEN_ONE && zero);
    end else begin : g_near
      assign kill = HIDDEN_ONE && zero;
    end
    fp8mac_align_shift #(.VALUE_W(ProductSigW), .W(WordW), .LEVELS(Levels)) u_align (
      .value_i(product), .fill_i(sign[i]), .shift_i(shift[Levels-1:0] | {Levels{kill}}), .word_o(word[i]), .lost_o()
    );
  end

  // Add
  localparam int unsigned SumW = WordW + 1 + $clog2(LANES);
  logic [SumW-1:0] heap_sum, heap_carry, heap_sum_q, heap_carry_q, sum, sum_q;
  logic            unused, first_1_q, first_2_q;

  fp8mac_signed_heap #(.ROWS(LANES), .WORD_W(WordW), .SUM_W(SumW)) u_add (
    .word_i(word), .sign_i(sign), .sum_o(heap_sum), .carry_o(heap_carry)
  );
  fp8mac_adder #(.W(SumW), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_sum (
    .a_i(heap_sum_q), .b_i(heap_carry_q), .carry_i(1'b0), .sum_o(sum), .carry_o(unused)
  );
  always_ff @(posedge clk_i) begin
    heap_sum_q   <= heap_sum;
    heap_carry_q <= heap_carry;
    sum_q        <= sum;
    first_1_q    <= step_first_i;
    first_2_q    <= first_1_q;
  end

  // Accumulate
  localparam int unsigned Chunk = SLOTS == 1 ? AccW : (AccW + 2) / 3;
  fp8mac_rotating_accumulator #(.SUM_W(SumW), .ACC_W(AccW), .SLOTS(SLOTS), .CHUNK(Chunk)) u_accumulate (
    .clk_i, .first_i(first_2_q), .sum_i(sum_q), .acc_o
  );

  // Specials: sticky, and they rotate with their accumulator.
  typedef struct packed {
    logic nan;
    logic plus;
    logic minus;
  } sticky_t;

  sticky_t             step, step_1_q, step_2_q, now, after;
  sticky_t [SLOTS-1:0] sticky_q;
  logic                invalid_1_q, invalid_2_q, nan_1_q, nan_2_q;

  assign step  = '{nan: nan_i || invalid != '0, plus: pos_inf != '0, minus: neg_inf != '0};
  assign now   = sticky_q[SLOTS-1];
  assign after = first_2_q ? step_2_q : step_2_q | now;

  always_ff @(posedge clk_i) begin
    step_1_q    <= step;
    step_2_q    <= step_1_q;
    nan_1_q     <= nan_i;
    nan_2_q     <= nan_1_q;
    invalid_1_q <= invalid != '0;
    invalid_2_q <= invalid_1_q;
    sticky_q[0] <= after;
    for (int unsigned s = 1; s < SLOTS; s++) sticky_q[s] <= sticky_q[s-1];
  end

  always_comb begin
    special_o = SpecialNone;
    if (now.nan || (now.plus && now.minus)) special_o = SpecialNan;
    else if (now.plus) special_o = SpecialPosInf;
    else if (now.minus) special_o = SpecialNegInf;
  end

  // Inf - Inf is raised by the step that brings an Inf.
  logic clash;
  assign clash   = (step_2_q.plus && after.minus) || (step_2_q.minus && after.plus);
  assign flags_o = '{nan: nan_2_q, saturated: 1'b0, overflow: 1'b0, invalid: invalid_2_q || clash};

endmodule
