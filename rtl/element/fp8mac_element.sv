// SPDX-License-Identifier: Apache-2.0
// One element of any kind without a shared accumulate unit (all families but FamilyBlock): the
// family's pipeline behind ports that are the same for all kinds. Operands come as the vectors of
// fp8mac_feed, which fp8mac_element_pkg draws. An accumulator's code has result_width() bits.
//
// A step is issued in its cycle 0. Its accumulator is taken in cycle element_acc_cycle(ELEMENT);
// the new one and the step's flags are shown in cycle element_result_cycle(ELEMENT). In a row or
// column that is not enabled they have no meaning.
module fp8mac_element
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT   = ElementExact,  // the kind
  parameter int unsigned LANES     = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  localparam int unsigned AFeedW   = feed_width(ELEMENT, LANES, 1'b1),
  localparam int unsigned BFeedW   = feed_width(ELEMENT, LANES, 1'b0),
  localparam int unsigned ResultW  = result_width(ELEMENT, FRAC_BITS)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // Cycle 1, with FamilyAligned cycle 2
  input  logic               step_valid_i,
  input  base_t              base_i,          // FamilyExact: scaling exponents; FamilyAligned: base_of()

  // From the feeds, in the cycles in which the feeds deliver them
  input  logic [AFeedW-1:0]  a_i,
  input  logic [BFeedW-1:0]  b_i,

  // Kinds with both formats: cycle 1 with FamilyExact, else cycle element_acc_cycle(ELEMENT)
  input  acc_fmt_e           acc_fmt_i,

  // Cycle element_acc_cycle(ELEMENT)
  input  logic               acc_first_i,     // the accumulator is +0; acc_i has no meaning
  input  logic [ResultW-1:0] acc_i,

  // Cycle element_result_cycle(ELEMENT)
  output logic [ResultW-1:0] result_o,
  output flags_t             flags_o
);

  localparam element_family_e Family = element_family(ELEMENT);

  feed_common_t       a_common, b_common;
  logic [ResultW-1:0] taken;
  assign a_common = a_i[AFeedW-1-:$bits(feed_common_t)];
  assign b_common = b_i[BFeedW-1-:$bits(feed_common_t)];
  assign taken    = acc_first_i ? '0 : acc_i;

  // No family uses all ports.
  logic unused_inputs;
  assign unused_inputs = ^{rst_ni, taken, step_valid_i, acc_fmt_i, base_i, a_common, b_common};

  if (Family == FamilyExact) begin : g_exact

    if (element_result_cycle(ELEMENT) != 1 + ElementStages) begin : g_check_cycle
      $error("element_result_cycle() is not that of fp8mac_exact_pipeline");
    end
    operand_t [LANES-1:0] a, b;
    assign a = a_i[LANES*$bits(operand_t)-1:0];
    assign b = b_i[LANES*$bits(operand_t)-1:0];

    fp8mac_exact_pipeline #(.LANES(LANES)) u_exact (
      .clk_i, .rst_ni, .step_valid_i, .acc_fmt_i, .scale_sum_i(scale_sum_t'(base_i)), .a_i(a), .b_i(b), .acc_i(taken),
      .valid_o(), .acc_o(result_o), .flags_o
    );

  end else if (Family == FamilyAligned || Family == FamilyLate) begin : g_float

    localparam bit AccFp16Only = acc_is_fp16(ELEMENT);
    localparam bit Choice = acc_is_chosen(ELEMENT);
    localparam int unsigned MantW  = AccFp16Only ? Fp16MantW : Fp32MantW;
    localparam int unsigned FieldW = AccFp16Only ? 5 : 8;
    logic              acc_sign, sign;
    logic [FieldW-1:0] acc_field, field;
    logic [MantW:0]    acc_sig, sig;
    special_e          acc_special, special;
    logic              acc_fp16, fp16;

    assign acc_fp16 = acc_fmt_i == AccFp16;
    fp8mac_acc_decode #(.ACC_FP16(AccFp16Only), .FP16_CHOICE(Choice)) u_decode (
      .code_i(acc_i), .first_i(acc_first_i), .fp16_i(acc_fp16), .sign_o(acc_sign), .field_o(acc_field),
      .sig_o(acc_sig), .special_o(acc_special)
    );

    if (Family == FamilyAligned) begin : g_aligned

      aligned_lane_t [LANES-1:0]         a, b;
      lane_t [LANES-1:0]                 a_lane, b_lane;
      logic [LANES-1:0][OperandExpW-1:0] a_exp, b_exp;
      logic [LANES-1:0]                  a_zero, b_zero;
      assign a = a_i[LANES*$bits(aligned_lane_t)-1:0];
      assign b = b_i[LANES*$bits(aligned_lane_t)-1:0];
      for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
        assign {a_zero[i], a_exp[i], a_lane[i]} = a[i];
        assign {b_zero[i], b_exp[i], b_lane[i]} = b[i];
      end

      fp8mac_aligned_pipeline #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS)) u_aligned (
        .clk_i, .a_exp_i(a_exp), .b_exp_i(b_exp), .a_zero_i(a_zero), .b_zero_i(b_zero), .base_i,
        .acc_sign_i(acc_sign), .acc_field_i(acc_field), .acc_sig_i(acc_sig), .acc_special_i(acc_special),
        .acc_fp16_i(acc_fp16), .a_i(a_lane), .b_i(b_lane), .nan_i(a_common.nan || b_common.nan),
        .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .fp16_o(fp16), .flags_o
      );

    end else begin : g_late

      lane_t [LANES-1:0] a, b;
      assign a = a_i[LANES*$bits(lane_t)-1:0];
      assign b = b_i[LANES*$bits(lane_t)-1:0];

      fp8mac_late_pipeline #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS)) u_late (
        .clk_i, .a_i(a), .b_i(b), .field_a_i(a_common.field), .bound_b_i(b_common.field[OperandExpW:0]),
        .none_i(a_common.none || b_common.none), .nan_i(a_common.nan || b_common.nan),
        .acc_sign_i(acc_sign), .acc_field_i(acc_field), .acc_sig_i(acc_sig), .acc_special_i(acc_special),
        .acc_fp16_i(acc_fp16), .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .fp16_o(fp16),
        .flags_o
      );

    end

    fp8mac_acc_code #(.ACC_FP16(AccFp16Only), .FP16_CHOICE(Choice)) u_code (
      .sign_i(sign), .field_i(field), .sig_i(sig), .special_i(special), .fp16_i(fp16), .code_o(result_o)
    );

  end else if (Family == FamilyStatic) begin : g_static

    localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS);
    localparam int unsigned Stages = element_result_cycle(ELEMENT) - element_acc_cycle(ELEMENT);
    lane_t [LANES-1:0] a, b;
    sticky_t           acc_sticky, sticky;
    assign a = a_i[LANES*$bits(lane_t)-1:0];
    assign b = b_i[LANES*$bits(lane_t)-1:0];

    fp8mac_static_pipeline #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .STAGES(Stages)) u_static (
      .clk_i, .a_i(a), .b_i(b), .nan_i(a_common.nan || b_common.nan), .acc_i(taken[AccW-1:0]), .sticky_i(acc_sticky),
      .acc_o(result_o[AccW-1:0]), .sticky_o(sticky), .flags_o
    );
    if (element_takes_e5m2(ELEMENT)) begin : g_special
      assign acc_sticky                   = taken[AccW+:$bits(sticky_t)];
      assign result_o[AccW+:$bits(sticky_t)] = sticky;
    end else begin : g_nan
      logic unused_sticky;
      assign acc_sticky     = '{nan: taken[AccW], plus: 1'b0, minus: 1'b0};
      assign result_o[AccW] = sticky.nan;
      assign unused_sticky  = sticky.plus || sticky.minus;  // there is no Inf
    end

  end else if (Family == FamilyInt8) begin : g_int8

    localparam int unsigned Stages = element_result_cycle(ELEMENT) - element_acc_cycle(ELEMENT);
    logic [LANES-1:0][7:0] a;
    digits_t [LANES-1:0]   b;
    logic [negatives_width(LANES)-1:0] negatives;
    assign a         = a_i[LANES*8-1:0];
    assign b         = b_i[LANES*$bits(digits_t)-1:0];
    assign negatives = b_i[LANES*$bits(digits_t)+:negatives_width(LANES)];

    fp8mac_int8_pipeline #(.LANES(LANES), .STAGES(Stages)) u_int8 (
      .clk_i, .a_i(a), .b_i(b), .negatives_i(negatives), .acc_i(taken), .acc_o(result_o)
    );
    assign flags_o = '0;

  end else begin : g_check_family
    $error("fp8mac_element has no branch for the family of ELEMENT=%0d", ELEMENT);
  end

endmodule
