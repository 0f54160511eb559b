// SPDX-License-Identifier: Apache-2.0
// Multiply, align, add: the sum of LANES products. Each is truncated FRAC_BITS below the sum of two
// bounds. A product's shift is the sum of its operand distances.
//
//   cycle   0                                         1       2
//           multiply, align, add (compressor tree) -> add  -> sum_o
//
// With HIDDEN_ONE a zero operand must have the largest distance, so that its product is shifted
// out. With ALONE there is one lane, and the bounds are its operands' own exponents. Then nothing
// is shifted or truncated.
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

  if (ALONE && (LANES != 1 || !HIDDEN_ONE || WordW != ProductSigW)) begin : g_check_alone
    $error("ALONE needs LANES = 1, HIDDEN_ONE and FRAC_BITS = 6: the whole product");
  end

  logic [SUM_W-1:0] sum;
  logic             unused_carry;

  if (ALONE) begin : g_alone

    logic [ProductSigW-1:0] product, product_q;
    logic                   sign, zero, sign_q;
    fp8mac_lane_multiply #(.HIDDEN_ONE(HIDDEN_ONE), .INF(INF)) u_multiply (
      .a_i(a_i[0]), .b_i(b_i[0]), .product_o(product), .sign_o(sign), .zero_o(zero), .pos_inf_o, .neg_inf_o, .invalid_o
    );
    always_ff @(posedge clk_i) begin
      product_q <= product & {ProductSigW{!zero}};
      sign_q    <= sign && !zero;
    end
    fp8mac_adder #(.W(SUM_W)) u_sum (
      .a_i({{(SUM_W - ProductSigW){sign_q}}, product_q}), .b_i('0), .carry_i(sign_q), .sum_o(sum),
      .carry_o(unused_carry)
    );

    logic unused_distance;
    assign unused_distance = ^{a_i[0].exp_n, b_i[0].exp_n};

  end else begin : g_window

    logic [SUM_W-1:0] tree_sum, tree_carry, tree_sum_q, tree_carry_q;

    fp8mac_distance_tree #(
      .LANES(LANES), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(DISTANCE_W), .HIDDEN_ONE(HIDDEN_ONE), .INF(INF), .SUM_W(SUM_W)
    ) u_tree (
      .a_i, .b_i, .pos_inf_o, .neg_inf_o, .invalid_o, .sum_o(tree_sum), .carry_o(tree_carry)
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
