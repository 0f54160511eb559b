// SPDX-License-Identifier: Apache-2.0
// Fixed-point accumulation, without the accumulators: acc' = acc + sum of trunc(a_i * b_i). Each
// product is truncated FRAC_BITS below an exponent that does not change while an output is
// computed. This is an integer addition behind an alignment shift; it has no maximum,
// normalisation or rounding. The read-out applies the scaling exponents and FNUZ's bias, and
// rounds once. fp8mac_element_settings (fp8mac/catalogue.h) gives the golden model's configuration
// that computes the same.
//
// Operands come with their operand distance. The kind's feed decides from where the
// distance is measured:
//   FeedFormat    from the largest exponent of the E4M3 formats; with 34 fraction bits the sum is exact (Kulisch)
//   FeedBounded   from the bound of the row or column, the largest exponent over all of K
//
//   cycle   0                                 1      2 .. 1 + STAGES
//           multiply, align, compressor tree ->  add -> accumulate -> acc_o, sticky_o, flags_o in cycle 2 + STAGES
//                                                       ^ accumulator
//
// It takes one step a cycle. A step whose operands are all zero changes nothing. The accumulator
// cannot overflow while a result has at most 2^element_terms_log2(ELEMENT) products.
module fp8mac_static_pipeline
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementKulisch,  // a kind of FamilyStatic
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit INF = element_takes_e5m2(ELEMENT),  // 0: no format has an infinity
  parameter int unsigned STAGES = 3,       // cycles of the accumulating addition
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder behind the compressor tree, see fp8mac_adder
  localparam int unsigned WordW = FRAC_BITS + 2,
  localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS)
) (
  input  logic              clk_i,

  // Cycle 0
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,
  input  logic              nan_i,         // some operand is a NaN

  // Cycle 2: the accumulator
  input  logic [AccW-1:0]   acc_i,
  input  sticky_t           sticky_i,

  // Cycle 2 + STAGES: the accumulator after the step
  output logic [AccW-1:0]   acc_o,
  output sticky_t           sticky_o,
  output flags_t            flags_o
);

  if (element_family(ELEMENT) != FamilyStatic) begin : g_check_family
    $error("ELEMENT=%0d is no kind of FamilyStatic", ELEMENT);
  end

  // Multiply, align, add
  localparam int unsigned SumW = WordW + 1 + $clog2(LANES);
  logic [SumW-1:0] sum_q;
  logic            pos_inf, neg_inf, invalid;

  fp8mac_distance_sum #(
    .LANES(LANES), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(distance_width(ELEMENT, FRAC_BITS)),
    .HIDDEN_ONE(element_feed(ELEMENT) == FeedBounded), .INF(INF),
    .ADD_RIPPLE(ADD_RIPPLE), .SUM_W(SumW)
  ) u_sum (
    .clk_i, .a_i, .b_i, .pos_inf_o(pos_inf), .neg_inf_o(neg_inf), .invalid_o(invalid), .sum_o(sum_q)
  );

  // Accumulate
  fp8mac_pipelined_adder #(.W(AccW), .CHUNK(STAGES == 1 ? AccW : (AccW + 2) / 3)) u_accumulate (
    .clk_i, .a_i(acc_i), .b_i(AccW'(signed'(sum_q))), .sum_o(acc_o)
  );

  // Specials: sticky. Inf - Inf is raised by the step that brings an Inf.
  sticky_t              step, step_1_q, step_2_q, after;
  sticky_t [STAGES-1:0] sticky_q;
  flags_t [STAGES-1:0]  flags_q;
  logic                 invalid_1_q, invalid_2_q, nan_1_q, nan_2_q, clash;

  assign step  = '{nan: nan_i || invalid, plus: pos_inf, minus: neg_inf};
  assign after = step_2_q | sticky_i;
  assign clash = (step_2_q.plus && after.minus) || (step_2_q.minus && after.plus);

  always_ff @(posedge clk_i) begin
    step_1_q    <= step;
    step_2_q    <= step_1_q;
    nan_1_q     <= nan_i;
    nan_2_q     <= nan_1_q;
    invalid_1_q <= invalid;
    invalid_2_q <= invalid_1_q;
    sticky_q[0] <= after;
    flags_q[0]  <= '{nan: nan_2_q, saturated: 1'b0, overflow: 1'b0, invalid: invalid_2_q || clash};
    for (int unsigned s = 1; s < STAGES; s++) begin
      sticky_q[s] <= sticky_q[s-1];
      flags_q[s]  <= flags_q[s-1];
    end
  end
  assign sticky_o = sticky_q[STAGES-1];
  assign flags_o  = flags_q[STAGES-1];

endmodule
