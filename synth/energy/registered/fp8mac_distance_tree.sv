// SPDX-License-Identifier: Apache-2.0
// A variant of rtl/element/shared, for the energy of glitches alone: a register behind multiply or
// behind align stops them. The sum comes a cycle later, and the specials do not.
//
// Multiply, align, add: LANES products, each truncated FRAC_BITS below the sum of two bounds, as
// two words of the same sum. A product's shift is the sum of its operand distances.
//
// With HIDDEN_ONE a zero operand must have the largest distance, so that its product is shifted
// out.
module fp8mac_distance_tree
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_registered_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 25,
  parameter int unsigned DISTANCE_W = OperandExpW,
  parameter bit HIDDEN_ONE = 1'b1,         // operands are normalised
  parameter bit INF = 1'b1,
  parameter int unsigned SUM_W = FRAC_BITS + 3 + $clog2(LANES)  // or more
) (
  input  logic              clk_i,
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,
  output logic              pos_inf_o,   // some product is +Inf
  output logic              neg_inf_o,
  output logic              invalid_o,   // some product is Inf * 0
  output logic [SUM_W-1:0]  sum_o,       // two's complement, in units FRAC_BITS below the bounds
  output logic [SUM_W-1:0]  carry_o
);

  localparam int unsigned WordW = FRAC_BITS + 2;
  localparam int unsigned DistanceMax = (1 << DISTANCE_W) - 1;
  localparam int unsigned Reach = 2 * DistanceMax < WordW ? 2 * DistanceMax : WordW;
  localparam int unsigned Levels = $clog2(Reach + 1);
  localparam logic [Levels-1:0] AllOut = Levels'(shift_all_out(WordW, Levels));

  if (Levels < DISTANCE_W || Levels > DISTANCE_W + 1) begin : g_check_levels
    $error("DISTANCE_W is too large: no shift needs so many bits");
  end

  if (HIDDEN_ONE && DistanceMax < WordW) begin : g_check_distance
    $error("DISTANCE_W is too small: it must be $clog2(FRAC_BITS + 3), for the largest distance to leave nothing");
  end

  logic [LANES-1:0]            sign, sign_align, sign_add, pos_inf, neg_inf, invalid, unused_zero;
  logic [LANES-1:0][WordW-1:0] word, word_add;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    logic [ProductSigW-1:0] product, product_align;
    logic [Levels-1:0]      shift, shift_or_out, shift_align;
    logic                   far, a_top, b_top, carry;

    fp8mac_lane_multiply #(.HIDDEN_ONE(HIDDEN_ONE), .INF(INF)) u_multiply (
      .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product), .sign_o(sign[i]), .zero_o(unused_zero[i]),
      .pos_inf_o(pos_inf[i]), .neg_inf_o(neg_inf[i]), .invalid_o(invalid[i])
    );
    // The sum of the distances. If it does not fit, AllOut is set, and AllOut has the top bit.
    fp8mac_adder #(.W(DISTANCE_W - 1)) u_shift (
      .a_i(a_i[i].exp_n[DISTANCE_W-2:0]), .b_i(b_i[i].exp_n[DISTANCE_W-2:0]), .carry_i(1'b0),
      .sum_o(shift[DISTANCE_W-2:0]), .carry_o(carry)
    );
    assign a_top = a_i[i].exp_n[DISTANCE_W-1];
    assign b_top = b_i[i].exp_n[DISTANCE_W-1];
    assign far   = (a_top && b_top) || (carry && (a_top || b_top));
    if (Levels > DISTANCE_W) begin : g_near
      assign shift[Levels-1:DISTANCE_W-1] = {far, a_top ^ b_top ^ carry};
    end else begin : g_far
      assign shift[Levels-1] = a_top || b_top || carry;
    end
    assign shift_or_out = Levels > DISTANCE_W ? shift : shift | (AllOut & {Levels{far}});
    if (Register == 1) begin : g_register
      always_ff @(posedge clk_i) {product_align, shift_align, sign_align[i]} <= {product, shift_or_out, sign[i]};
    end else begin : g_direct
      assign {product_align, shift_align, sign_align[i]} = {product, shift_or_out, sign[i]};
    end
    fp8mac_align_shift #(.VALUE_W(ProductSigW), .W(WordW), .LEVELS(Levels)) u_align (
      .value_i(product_align), .fill_i(sign_align[i]), .void_i(sign_align[i]),
      .shift_i(shift_align), .word_o(word[i]), .lost_o()
    );
  end

  if (Register == 2) begin : g_register
    always_ff @(posedge clk_i) {word_add, sign_add} <= {word, sign_align};
  end else begin : g_direct
    assign {word_add, sign_add} = {word, sign_align};
  end


  assign pos_inf_o = pos_inf != '0;
  assign neg_inf_o = neg_inf != '0;
  assign invalid_o = invalid != '0;

  fp8mac_signed_compressor_tree #(.ADDENDS(LANES), .WORD_W(WordW), .SUM_W(SUM_W)) u_add (
    .word_i(word_add), .sign_i(sign_add), .sum_o, .carry_o
  );

endmodule
