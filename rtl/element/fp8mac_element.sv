// SPDX-License-Identifier: Apache-2.0
// One processing element of any kind: the family's module behind ports that are the same for all kinds. Operands come
// as the vectors of fp8mac_feed, which fp8mac_element_pkg draws. The result has result_width() bits.
//
// A step is issued in its cycle 0. Its controls come in cycle control_cycle(ELEMENT). Its result is valid in cycle
// element_latency(ELEMENT) - 1, its flags in cycle flags_cycle(ELEMENT). In a row or column that is not enabled, an
// element's result and flags have no meaning.
module fp8mac_element
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT   = ElementExact,  // the kind
  parameter int unsigned LANES     = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter int unsigned BANKS     = 4,             // interleaved accumulators
  localparam int unsigned BankW    = $clog2(BANKS),
  localparam int unsigned AFeedW   = feed_width(ELEMENT, LANES, 1'b1),
  localparam int unsigned BFeedW   = feed_width(ELEMENT, LANES, 1'b0),
  localparam int unsigned ResultW  = result_width(ELEMENT, FRAC_BITS)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  // The controls of a step
  input  logic               step_valid_i,
  input  logic               step_enabled_i,  // row and column are enabled
  input  logic               step_first_i,    // the accumulator starts from zero
  input  logic               step_last_i,     // kinds with indexed accumulators: the result is wanted
  input  logic [BankW-1:0]   step_bank_i,     // kinds with indexed accumulators
  input  acc_fmt_e           acc_fmt_i,       // kinds whose accumulator is chosen at run time
  input  base_t              base_i,          // FamilyExact: scaling exponents; FamilyAligned: base_of()

  // From the feeds, in the cycles in which the feeds deliver them
  input  logic [AFeedW-1:0]  a_i,
  input  logic [BFeedW-1:0]  b_i,

  output logic [ResultW-1:0] result_o,
  output flags_t             flags_o
);

  localparam element_family_e Family = element_family(ELEMENT);

  feed_common_t a_common, b_common;
  assign a_common = a_i[AFeedW-1-:$bits(feed_common_t)];
  assign b_common = b_i[BFeedW-1-:$bits(feed_common_t)];

  // No family uses all ports.
  logic unused_inputs;
  assign unused_inputs = ^{rst_ni, step_valid_i, step_enabled_i, step_last_i, step_bank_i, acc_fmt_i, base_i, a_common,
                           b_common};

  if (Family == FamilyExact) begin : g_exact

    localparam int unsigned Cycles = 2 + ElementStages;
    if (element_latency(ELEMENT) != Cycles) begin : g_check_latency
      $error("the catalogue's latency of this kind is not that of its family's module");
    end
    operand_t [LANES-1:0] a, b;
    assign a = a_i[LANES*$bits(operand_t)-1:0];
    assign b = b_i[LANES*$bits(operand_t)-1:0];

    fp8mac_element_exact #(.LANES(LANES), .BANKS(BANKS)) u_exact (
      .clk_i, .rst_ni,
      .step_valid_i(step_valid_i && step_enabled_i), .step_bank_i, .step_first_i, .step_last_i, .acc_fmt_i,
      .scale_sum_i(scale_sum_t'(base_i)), .a_i(a), .b_i(b),
      .result_valid_o(), .result_bank_o(), .result_o, .flags_o
    );

  end else if (Family == FamilyAligned || Family == FamilyLate) begin : g_float

    // Both families end in the same two boxes; their results are codes of the accumulator's format.
    localparam bit AccFp16Only = acc_is_fp16(ELEMENT);
    localparam int unsigned MantW  = AccFp16Only ? Fp16MantW : Fp32MantW;
    localparam int unsigned FieldW = AccFp16Only ? 5 : 8;
    localparam int unsigned Cycles = Family == FamilyAligned ? 7 : 9;
    if (element_latency(ELEMENT) != Cycles) begin : g_check_latency
      $error("the catalogue's latency of this kind is not that of its family's module");
    end
    logic              sign;
    logic [FieldW-1:0] field;
    logic [MantW:0]    sig;
    special_e          special;

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

      fp8mac_element_aligned #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS)) u_aligned (
        .clk_i, .a_exp_i(a_exp), .b_exp_i(b_exp), .a_zero_i(a_zero), .b_zero_i(b_zero), .base_i,
        .step_first_i(step_valid_i && step_first_i), .a_i(a_lane), .b_i(b_lane), .nan_i(a_common.nan || b_common.nan),
        .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .flags_o
      );

    end else begin : g_late

      lane_t [LANES-1:0] a, b;
      assign a = a_i[LANES*$bits(lane_t)-1:0];
      assign b = b_i[LANES*$bits(lane_t)-1:0];

      fp8mac_element_late #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS)) u_late (
        .clk_i, .a_i(a), .b_i(b), .field_a_i(a_common.field), .bound_b_i(b_common.field[OperandExpW:0]),
        .none_i(a_common.none || b_common.none), .nan_i(a_common.nan || b_common.nan),
        .step_first_i(step_valid_i && step_first_i),
        .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .flags_o
      );

    end

    fp8mac_acc_code #(.ACC_FP16(AccFp16Only)) u_code (
      .sign_i(sign), .field_i(field), .sig_i(sig), .special_i(special), .code_o(result_o)
    );

  end else if (Family == FamilyStatic) begin : g_static

    localparam int unsigned Cycles = 4 + BANKS;
    if (element_latency(ELEMENT) != Cycles) begin : g_check_latency
      $error("the catalogue's latency of this kind is not that of its family's module");
    end
    localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS);
    lane_t [LANES-1:0] a, b;
    special_e          special;
    assign a = a_i[LANES*$bits(lane_t)-1:0];
    assign b = b_i[LANES*$bits(lane_t)-1:0];

    fp8mac_element_static #(.ELEMENT(ELEMENT), .LANES(LANES), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS)) u_static (
      .clk_i, .step_first_i(step_valid_i && step_first_i), .a_i(a), .b_i(b), .nan_i(a_common.nan || b_common.nan),
      .acc_o(result_o[AccW-1:0]), .special_o(special), .flags_o
    );
    if (ResultW == AccW + 2) begin : g_special
      assign result_o[AccW+:2] = special;
    end else begin : g_nan
      assign result_o[AccW] = special != SpecialNone;  // there is no Inf
    end

  end else begin : g_int8

    localparam int unsigned Cycles = 3 + BANKS;
    if (element_latency(ELEMENT) != Cycles) begin : g_check_latency
      $error("the catalogue's latency of this kind is not that of its family's module");
    end
    logic [LANES-1:0][7:0] a;
    booth_t [LANES-1:0]    b;
    assign a = a_i[LANES*8-1:0];
    assign b = b_i[LANES*$bits(booth_t)-1:0];

    fp8mac_element_int8 #(.LANES(LANES), .BANKS(BANKS)) u_int8 (
      .clk_i, .step_first_i(step_valid_i && step_first_i), .a_i(a), .b_i(b), .acc_o(result_o)
    );
    assign flags_o = '0;

  end

endmodule
