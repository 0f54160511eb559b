// SPDX-License-Identifier: Apache-2.0
// One alignment window for all terms, as in NVIDIA's tensor cores, without the accumulators:
//
//   acc' = round(trunc(acc) + 2^scale * sum of trunc(a_i * b_i))
//
//   trunc   drops the bits more than FRAC_BITS below the largest exponent among the products and the accumulator
//   round   to nearest even
// fp8mac_element_settings (fp8mac/catalogue.h) gives the golden model's configuration that computes
// the same. fp8mac_late_pipeline is smaller.
//
//   cycle   0            1        2                    3       4             5
//           maximum ->  compare -> multiply, align,  -> add  -> normalise  -> round -> result, flags_o
//                        ^        compressor tree
//                        | accumulator
//
// It takes one step a cycle. If FRAC_BITS is at least the accumulator's fraction bits, a step
// without operands, all of them zero, only changes FP16's -0 to +0.
//
// Exponents come twice: for the maximum in cycle 0, and with the significands in cycle 2. The feed
// stores them in between, once for a whole row or column.
module fp8mac_aligned_pipeline
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementAlignedFp32,  // a kind of FamilyAligned
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit HIDDEN_ONE = 1'b1,  // operands are normalised (the feed's NORMALISE); needs EXP_W = 5
  parameter int unsigned EXP_W = OperandExpW,  // 4 is enough for the two E4M3 formats
  parameter bit INF = 1'b1,         // 0: no format has an infinity
  parameter bit NAN = 1'b1,
  parameter bit SUBNORMALS = 1'b1,  // 0: the feed sends zeros for subnormals, an FP16 result below 2^-14 is zero
  parameter bit SCALE = 1'b1,       // 0: base_i is a constant, formats have one bias and there is no scaling exponent
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder behind the compressor tree, see fp8mac_adder
  localparam bit IsFp16 = acc_is_fp16(ELEMENT),
  localparam bit Choice = acc_is_chosen(ELEMENT),
  localparam int unsigned AccSigBits = IsFp16 ? Fp16MantW + 1 : AccSigW,
  localparam int unsigned AccFieldW = IsFp16 ? 5 : 8
) (
  input  logic                        clk_i,

  // Cycle 0: exponents and zeros of the operands
  input  logic [LANES-1:0][EXP_W-1:0] a_exp_i,
  input  logic [LANES-1:0][EXP_W-1:0] b_exp_i,
  input  logic [LANES-1:0]            a_zero_i,
  input  logic [LANES-1:0]            b_zero_i,

  // Cycle 1
  input  base_t                       base_i,       // scaling exponents, formats' biases, accumulator's bias
  input  logic                        acc_sign_i,   // the accumulator, see fp8mac_acc_decode
  input  logic [AccFieldW-1:0]        acc_field_i,
  input  logic [AccSigBits-1:0]       acc_sig_i,
  input  special_e                    acc_special_i,
  input  logic                        acc_fp16_i,   // with both formats: FP16

  // Cycle 2
  input  lane_t [LANES-1:0]           a_i,
  input  lane_t [LANES-1:0]           b_i,
  input  logic                        nan_i,        // some operand is a NaN

  // Cycle 5: the accumulator after the step
  output logic                        sign_o,
  output logic [AccFieldW-1:0]        field_o,
  output logic [AccSigBits-1:0]       sig_o,
  output special_e                    special_o,
  output logic                        fp16_o,       // acc_fp16_i
  output flags_t                      flags_o
);

  if (element_family(ELEMENT) != FamilyAligned) begin : g_check_family
    $error("ELEMENT=%0d is no kind of FamilyAligned", ELEMENT);
  end

  localparam int unsigned RawBits = EXP_W + 1;
  localparam int unsigned WordW = FRAC_BITS + 2;
  localparam int unsigned WordShiftW = $clog2(WordW + 1);
  localparam int unsigned IntW = integer_bits(LANES);
  localparam int unsigned SumW = FRAC_BITS + IntW + 1;
  localparam bit Half = HIDDEN_ONE && SUBNORMALS;
  localparam int unsigned FieldBits = window_field_bits(IsFp16);

  if (WordW > 31) begin : g_check_frac_bits
    $error("FRAC_BITS is more than 29: the window is wider than the alignment shift reaches");
  end
  if (Choice && !SUBNORMALS) begin : g_check_subnormals
    $error("SUBNORMALS = 0 needs one accumulator format");
  end
  if (Half && EXP_W < OperandExpW) begin : g_check_exp_w
    $error("HIDDEN_ONE needs EXP_W = 5: E4M3's normalised subnormals do not fit 4 bits");
  end

  // Maximum
  logic [RawBits-1:0] raw, raw_q;
  logic [RawBits:0]   raw_1;
  logic               any, any_q;

  fp8mac_aligned_maximum #(.LANES(LANES), .EXP_W(EXP_W)) u_maximum (
    .a_exp_i, .b_exp_i, .a_zero_i, .b_zero_i, .raw_o(raw), .any_o(any)
  );
  always_ff @(posedge clk_i) begin
    raw_q <= raw;
    any_q <= any;
  end
  assign raw_1 = {1'b0, raw_q} + (RawBits + 1)'(RawOffset);

  // Compare
  logic                  acc_sign_q;
  logic [AccSigBits-1:0] acc_sig_q;
  special_e              acc_special_q;
  logic [FieldBits-1:0]  field_1, field_2_q, field_3_q, field_4_q;
  logic [RawBits:0]      top, top_q;
  logic [WordShiftW-1:0] acc_shift, acc_shift_q;
  base_t                 base;

  assign base = SCALE ? base_i : base_of('0, IsFp16, EXP_W);

  fp8mac_aligned_compare #(.RAW_W(RawBits), .FIELD_W(AccFieldW), .SHIFT_W(WordShiftW)) u_compare (
    .raw_i(raw_1), .any_i(any_q), .base_i(base), .field_i(acc_field_i),
    .top_o(top), .shift_o(acc_shift), .field_o(field_1)
  );

  always_ff @(posedge clk_i) begin
    top_q         <= top;
    acc_shift_q   <= acc_shift;
    field_2_q     <= field_1;
    acc_sign_q    <= acc_sign_i;
    acc_sig_q     <= acc_sig_i;
    acc_special_q <= acc_special_i;
  end

  // Multiply, align
  logic [LANES-1:0][ProductSigW-1:0] product;
  logic [LANES-1:0]                  zero, pos_inf, neg_inf, invalid;
  logic [LANES:0]                    sign;
  logic [LANES:0][WordW-1:0]         word;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    fp8mac_lane_multiply #(.HIDDEN_ONE(HIDDEN_ONE), .INF(INF)) u_multiply (
      .a_i(a_i[i]), .b_i(b_i[i]), .product_o(product[i]), .sign_o(sign[i]), .zero_o(zero[i]),
      .pos_inf_o(pos_inf[i]), .neg_inf_o(neg_inf[i]), .invalid_o(invalid[i])
    );
    fp8mac_aligned_align #(.FRAC_BITS(FRAC_BITS), .EXP_W(EXP_W), .ZERO_IS_SHIFTED_OUT(HIDDEN_ONE)) u_align (
      .product_i(product[i]), .sign_i(sign[i]), .zero_i(zero[i]),
      .a_exp_n_i(a_i[i].exp_n[EXP_W-1:0]), .b_exp_n_i(b_i[i].exp_n[EXP_W-1:0]),
      .a_half_i(Half && a_i[i].half), .b_half_i(Half && b_i[i].half), .top_i(top_q), .word_o(word[i])
    );
  end

  // The accumulator's leading bit stands in column FRAC_BITS, one below a product's.
  assign sign[LANES] = acc_sign_q;
  fp8mac_align_shift #(.VALUE_W(AccSigBits + 1), .W(WordW)) u_align_acc (
    .value_i({acc_sign_q, acc_sig_q ^ {AccSigBits{acc_sign_q}}}), .fill_i(acc_sign_q), .void_i(acc_sign_q),
    .shift_i(acc_shift_q), .word_o(word[LANES]), .lost_o()
  );

  // Specials
  outcome_t   outcome_2, outcome_3_q, outcome_4_q;
  logic       plus, minus, nan;
  logic [4:2] fp16_q;

  assign plus  = pos_inf != '0 || acc_special_q == SpecialPosInf;
  assign minus = neg_inf != '0 || acc_special_q == SpecialNegInf;
  assign nan   = NAN && nan_i;
  always_comb begin
    outcome_2.invalid = invalid != '0 || (plus && minus);
    outcome_2.nan     = nan;
    outcome_2.special = SpecialNone;
    if (outcome_2.invalid || nan || acc_special_q == SpecialNan) outcome_2.special = SpecialNan;
    else if (plus) outcome_2.special = SpecialPosInf;
    else if (minus) outcome_2.special = SpecialNegInf;
  end

  // Add
  logic [SumW-1:0] tree_sum, tree_carry, tree_sum_q, tree_carry_q, sum, sum_q;
  logic            unused;

  fp8mac_signed_compressor_tree #(.ADDENDS(LANES + 1), .WORD_W(WordW), .SUM_W(SumW)) u_add (
    .word_i(word), .sign_i(sign), .sum_o(tree_sum), .carry_o(tree_carry)
  );
  always_ff @(posedge clk_i) begin
    tree_sum_q   <= tree_sum;
    tree_carry_q <= tree_carry;
    field_3_q    <= field_2_q;
    outcome_3_q  <= outcome_2;
  end

  fp8mac_adder #(.W(SumW), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_sum (
    .a_i(tree_sum_q), .b_i(tree_carry_q), .carry_i(1'b0), .sum_o(sum), .carry_o(unused)
  );
  always_ff @(posedge clk_i) begin
    sum_q       <= sum;
    field_4_q   <= field_3_q;
    outcome_4_q <= outcome_3_q;
    fp16_q      <= {fp16_q[3:2], Choice && acc_fp16_i};
  end

  // Normalise, round
  fp8mac_acc_finish #(
    .SUM_W(SumW), .INT_W(IntW), .ACC_FP16(IsFp16), .SUBNORMALS(SUBNORMALS), .FP16_CHOICE(Choice)
  ) u_finish (
    .clk_i, .sum_i(sum_q), .minus_zero_i(1'b0), .field_i(field_4_q), .outcome_i(outcome_4_q), .fp16_i(fp16_q[4]),
    .sign_o, .field_o, .sig_o, .special_o, .fp16_o, .flags_o
  );

endmodule
