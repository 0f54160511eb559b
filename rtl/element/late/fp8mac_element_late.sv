// SPDX-License-Identifier: Apache-2.0
// Element with late accumulation and four accumulators of its own, which rotate through the
// registers of fp8mac_late_pipeline. The area study weighs this element. fp8mac_array has the
// pipeline, and the accumulators in its accumulator memory.
//
// The element takes one step a cycle. The step issued in cycle t belongs to accumulator t
// mod 4. A cycle without a step is a step whose operands are all zero. Such a step only
// changes FP16's -0 to +0.
module fp8mac_element_late
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

  // Cycle 1
  input  logic                   step_first_i, // acc starts from +0
  input  logic                   acc_fp16_i,   // with both formats: FP16

  // Cycle 5
  output logic                   sign_o,
  output logic [AccFieldW-1:0]   field_o,
  output logic [AccSigBits-1:0]  sig_o,
  output special_e               special_o,
  output flags_t                 flags_o
);

  logic                  acc_sign;
  logic [AccSigBits-1:0] acc_sig;
  logic [AccFieldW-1:0]  acc_field;
  special_e              acc_special;

  fp8mac_late_pipeline #(
    .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .INF(INF), .NAN(NAN), .ADD_RIPPLE(ADD_RIPPLE)
  ) u_pipeline (
    .clk_i, .a_i, .b_i, .field_a_i, .bound_b_i, .none_i, .nan_i,
    .acc_sign_i(acc_sign), .acc_field_i(acc_field), .acc_sig_i(acc_sig), .acc_special_i(acc_special),
    .acc_fp16_i,
    .sign_o, .field_o, .sig_o, .special_o, .fp16_o(), .flags_o
  );

  // The result returns to the loop's start; a first step starts from +0 instead, as
  // fp8mac_acc_decode has it.
  logic [AccFieldW-1:0] zero_field;
  assign zero_field  = Choice ? AccFieldW'(Fp16FieldMin) & {AccFieldW{acc_fp16_i}} : AccFieldW'(IsFp16);
  assign acc_sign    = sign_o && !step_first_i;
  assign acc_sig     = step_first_i ? '0 : sig_o;
  assign acc_field   = step_first_i ? zero_field : field_o;
  assign acc_special = step_first_i ? SpecialNone : special_o;

endmodule
