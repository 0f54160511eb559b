// SPDX-License-Identifier: Apache-2.0
// Multiply, align, add: the sum of LANES products. Each is truncated FRAC_BITS below the sum of two bounds. A product's
// shift is the sum of its operand distances.
//
//   cycle   0                                         1       2
//           multiply, align, add (compressor tree) -> add  -> sum_o
//
// With HIDDEN_ONE a zero operand must have the largest distance, so that its product is shifted out. With ALONE there
// is one lane, and the bounds are its operands' own exponents. Then nothing is shifted or truncated.
module fp8mac_distance_sum
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned DISTANCE_W = OperandExpW,
  parameter bit HIDDEN_ONE = 1'b1,         // operands are normalised
  parameter bit ALONE = 1'b0,              // with LANES = 1, HIDDEN_ONE, FRAC_BITS = 6
  parameter bit INF = 1'b1,
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder behind the compressor tree, see fp8mac_adder
  parameter int unsigned SUM_W = FRAC_BITS + 3 + $clog2(LANES)  // or more
) (
  input  logic              clk_i,
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,

  // In cycle 0
  output logic              pos_inf_o,   // some product is +Inf
  output logic              neg_inf_o,
  output logic              invalid_o,   // some product is Inf * 0

  // In cycle 2
  output logic [SUM_W-1:0]  sum_o        // two's complement, in units FRAC_BITS below the bounds
);

  localparam int unsigned WordW = FRAC_BITS + 2;
  localparam int unsigned DistanceMax = (1 << DISTANCE_W) - 1;
  localparam int unsigned Reach = 2 * DistanceMax < WordW ? 2 * DistanceMax : WordW;
  localparam int unsigned Levels = $clog2(Reach + 1);
  localparam logic [Levels-1:0] AllOut = Levels'(shift_all_out(WordW, Levels));

  if (HIDDEN_ONE && DistanceMax < WordW) begin : g_check_distance
    $error("DISTANCE_W is too small: it must be $clog2(FRAC_BITS + 3), for the largest distance to leave nothing");
  end

  if (ALONE && (LANES != 1 || !HIDDEN_ONE || WordW != ProductSigW)) begin : g_check_alone
    $error("ALONE needs LANES = 1, HIDDEN_ONE and FRAC_BITS = 6: the whole product");
  end

  logic [LANES-1:0]                  sign, zero, pos_inf, neg_inf, invalid;
  logic [LANES-1:0][ProductSigW-1:0] product;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    fp8mac_lane_multiply #(.HIDDEN_ONE(HIDDEN_ONE), .INF(INF)) u_multiply (
      .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product[i]), .sign_o(sign[i]), .zero_o(zero[i]),
      .pos_inf_o(pos_inf[i]), .neg_inf_o(neg_inf[i]), .invalid_o(invalid[i])
    );
  end

  assign pos_inf_o = pos_inf != '0;
  assign neg_inf_o = neg_inf != '0;
  assign invalid_o = invalid != '0;

  logic [SUM_W-1:0] sum;
  logic             unused_carry;

  if (ALONE) begin : g_alone

    logic [ProductSigW-1:0] product_q;
    logic                   sign_q;
    always_ff @(posedge clk_i) begin
      product_q <= product[0] & {ProductSigW{!zero[0]}};
      sign_q    <= sign[0] && !zero[0];
    end
    fp8mac_adder #(.W(SUM_W)) u_sum (
      .a_i({{(SUM_W - ProductSigW){sign_q}}, product_q}), .b_i('0), .carry_i(sign_q), .sum_o(sum),
      .carry_o(unused_carry)
    );

    logic unused_distance;
    assign unused_distance = ^{a_i[0].exp_n, b_i[0].exp_n};

  end else begin : g_window

    logic [LANES-1:0][WordW-1:0] word;
    logic [LANES-1:0]            unused_zero;
    logic [SUM_W-1:0]            tree_sum, tree_carry, tree_sum_q, tree_carry_q;
    assign unused_zero = zero;

    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      logic [DISTANCE_W:0] shift;
      logic                far;

      fp8mac_adder #(.W(DISTANCE_W)) u_shift (
        .a_i(a_i[i].exp_n[DISTANCE_W-1:0]), .b_i(b_i[i].exp_n[DISTANCE_W-1:0]), .carry_i(1'b0),
        .sum_o(shift[DISTANCE_W-1:0]), .carry_o(shift[DISTANCE_W])
      );
      if (Levels <= DISTANCE_W) begin : g_far
        assign far = shift[DISTANCE_W:Levels] != '0;
      end else begin : g_near
        assign far = 1'b0;
      end
      fp8mac_align_shift #(.VALUE_W(ProductSigW), .W(WordW), .LEVELS(Levels)) u_align (
        .value_i(product[i]), .fill_i(sign[i]), .void_i(sign[i]),
        .shift_i(shift[Levels-1:0] | (AllOut & {Levels{far}})), .word_o(word[i]), .lost_o()
      );
    end

    fp8mac_signed_compressor_tree #(.ADDENDS(LANES), .WORD_W(WordW), .SUM_W(SUM_W)) u_add (
      .word_i(word), .sign_i(sign), .sum_o(tree_sum), .carry_o(tree_carry)
    );
    always_ff @(posedge clk_i) begin
      tree_sum_q   <= tree_sum;
      tree_carry_q <= tree_carry;
    end
    fp8mac_adder #(.W(SUM_W), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_sum (
      .a_i(tree_sum_q), .b_i(tree_carry_q), .carry_i(1'b0), .sum_o(sum), .carry_o(unused_carry)
    );

  end

  always_ff @(posedge clk_i) sum_o <= sum;

endmodule
