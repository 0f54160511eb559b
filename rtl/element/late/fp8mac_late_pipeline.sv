// SPDX-License-Identifier: Apache-2.0
// Late accumulation, without the accumulators: products are aligned to the step's largest operands
// and summed; the accumulator is added after that.
//
//   acc' = round(odd(acc) + odd(2^scale * sum of trunc(a_i * b_i)))
//
//   trunc   drops the bits more than FRAC_BITS below the sum of the largest a's and the largest b's exponent
//   odd     drops the bits more than element_late_bits() below the larger of that sum and the accumulator's exponent,
//           and sets the last bit if anything was lost (round to odd)
//   round   to nearest even, to the accumulator's format
// fp8mac_element_settings (fp8mac/catalogue.h) gives the golden model's configuration
// that computes the same.
//
// A product's shift is the sum of two operand distances from the feed (FeedDistances), so it does
// not depend on anything computed inside the element. The price is one shifter more than in
// fp8mac_element_aligned.
//
//   cycle   0                              1        2               3      4             5
//           multiply, align, add (tree) -> add   -> swap, align  -> add -> normalise  -> round -> result, flags_o
//                                        compare ->
//                                          ^ accumulator
//
// It takes one step a cycle. A step without operands, all of them zero, only changes FP16's -0 to
// +0.
//
// With LANES = 1 it is a fused multiply-accumulate unit: the product is not truncated, and the
// result is correctly rounded once (IEEE 754's fusedMultiplyAdd). -0 is preserved.
module fp8mac_late_pipeline
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementLateFp32,  // a kind of FamilyLate
  parameter int unsigned LANES = 16,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),  // has no effect with LANES = 1
  parameter bit INF = 1'b1,                // 0: no format has an infinity
  parameter bit NAN = 1'b1,
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adders, see fp8mac_adder
  localparam bit IsFp16 = acc_is_fp16(ELEMENT),
  localparam bit Choice = acc_is_chosen(ELEMENT),
  localparam int unsigned AccSigBits = IsFp16 ? Fp16MantW + 1 : AccSigW,
  localparam int unsigned AccFieldW = IsFp16 ? 5 : 8
) (
  input  logic                   clk_i,

  // Cycle 0, from fp8mac_feed (FeedDistances)
  input  lane_t [LANES-1:0]      a_i,
  input  lane_t [LANES-1:0]      b_i,
  input  base_t                  field_a_i,    // largest exponent of a, plus base_of the scaling exponents
  input  logic [OperandExpW:0]   bound_b_i,    // largest exponent of b
  input  logic                   none_i,       // all of a or all of b is zero
  input  logic                   nan_i,        // some operand is a NaN

  // Cycle 1: the accumulator. See fp8mac_acc_decode.
  input  logic                   acc_sign_i,
  input  logic [AccFieldW-1:0]   acc_field_i,
  input  logic [AccSigBits-1:0]  acc_sig_i,
  input  special_e               acc_special_i,
  input  logic                   acc_fp16_i,    // with both formats: FP16

  // Cycle 5: the accumulator after the step
  output logic                   sign_o,
  output logic [AccFieldW-1:0]   field_o,
  output logic [AccSigBits-1:0]  sig_o,
  output special_e               special_o,
  output logic                   fp16_o,        // acc_fp16_i
  output flags_t                 flags_o
);

  if (element_family(ELEMENT) != FamilyLate) begin : g_check_family
    $error("ELEMENT=%0d is no kind of FamilyLate", ELEMENT);
  end

  localparam bit Alone = LANES == 1;
  localparam int unsigned FracBits = Alone ? ProductSigW - 2 : FRAC_BITS;
  localparam int unsigned LateBits = element_late_bits(ELEMENT, FracBits, LANES);
  localparam int unsigned DistanceW = $clog2(FracBits + 3);
  localparam int unsigned IntW = integer_bits(LANES);
  localparam int unsigned ProductsW = FracBits + IntW + 1;
  localparam int unsigned SumW = LateBits + IntW + 1;
  localparam int unsigned FieldBits = window_field_bits(IsFp16);

  // Products
  logic [ProductsW-1:0] products_2;
  logic                 pos_inf, neg_inf, invalid, pos_inf_1_q, neg_inf_1_q, invalid_1_q, nan_1_q, none_1_q;
  base_t                field_0, field_1_q;
  logic                 unused_carry_0;

  fp8mac_distance_sum #(
    .LANES(LANES), .FRAC_BITS(FracBits), .DISTANCE_W(DistanceW), .ALONE(Alone), .INF(INF), .ADD_RIPPLE(ADD_RIPPLE),
    .SUM_W(ProductsW)
  ) u_sum (
    .clk_i, .a_i, .b_i, .pos_inf_o(pos_inf), .neg_inf_o(neg_inf), .invalid_o(invalid), .sum_o(products_2)
  );
  fp8mac_adder #(.W(BaseW)) u_field (
    .a_i(field_a_i), .b_i(base_t'({1'b0, bound_b_i})), .carry_i(1'b0), .sum_o(field_0), .carry_o(unused_carry_0)
  );
  always_ff @(posedge clk_i) begin
    field_1_q   <= field_0;
    none_1_q    <= none_i;
    pos_inf_1_q <= pos_inf;
    neg_inf_1_q <= neg_inf;
    invalid_1_q <= invalid;
    nan_1_q     <= NAN && nan_i;
  end

  // Compare, swap, align, add
  logic [SumW-1:0]      sum_4;
  logic [FieldBits-1:0] field_4;

  fp8mac_late_add #(
    .FRAC_BITS(FracBits), .LATE_BITS(LateBits), .INT_W(IntW), .ACC_FP16(IsFp16), .ADD_RIPPLE(ADD_RIPPLE)
  ) u_add (
    .clk_i, .field_i(field_1_q), .none_i(none_1_q), .acc_sign_i, .acc_sig_i, .acc_field_i,
    .products_i(products_2), .sum_o(sum_4), .field_o(field_4)
  );

  // Specials
  outcome_t   outcome_1, outcome_2_q, outcome_3_q, outcome_4_q;
  logic       plus, minus;
  logic [4:2] fp16_q;

  assign plus  = pos_inf_1_q || acc_special_i == SpecialPosInf;
  assign minus = neg_inf_1_q || acc_special_i == SpecialNegInf;
  always_comb begin
    outcome_1.invalid = invalid_1_q || (plus && minus);
    outcome_1.nan     = nan_1_q;
    outcome_1.special = SpecialNone;
    if (outcome_1.invalid || nan_1_q || acc_special_i == SpecialNan) outcome_1.special = SpecialNan;
    else if (plus) outcome_1.special = SpecialPosInf;
    else if (minus) outcome_1.special = SpecialNegInf;
  end

  always_ff @(posedge clk_i) begin
    outcome_2_q <= outcome_1;
    outcome_3_q <= outcome_2_q;
    outcome_4_q <= outcome_3_q;
    fp16_q      <= {fp16_q[3:2], Choice && acc_fp16_i};
  end

  // A sum is -0 only if all its terms are -0. An aligned sum of zero is +0.
  logic [3:1] minus_q;
  logic       minus_4_q;
  always_ff @(posedge clk_i) begin
    minus_q[1] <= Alone && (a_i[0].sign ^ b_i[0].sign);
    minus_q[2] <= minus_q[1] && acc_sign_i;
    minus_q[3] <= minus_q[2];
    minus_4_q  <= minus_q[3];
  end

  // Normalise, round
  fp8mac_acc_finish #(.SUM_W(SumW), .INT_W(IntW), .ACC_FP16(IsFp16), .FP16_CHOICE(Choice)) u_finish (
    .clk_i, .sum_i(sum_4), .minus_zero_i(minus_4_q), .field_i(field_4), .outcome_i(outcome_4_q), .fp16_i(fp16_q[4]),
    .sign_o, .field_o, .sig_o, .special_o, .fp16_o, .flags_o
  );

endmodule
