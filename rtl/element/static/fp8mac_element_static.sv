// SPDX-License-Identifier: Apache-2.0
// Element with a fixed-point accumulator: acc' = acc + sum of trunc(a_i * b_i). Each product is truncated FRAC_BITS
// below an exponent that does not change while an output is computed. The element is an integer accumulator behind an
// alignment shift; it has no maximum, normalisation or rounding. The read-out applies the scaling exponents and FNUZ's
// bias, and rounds once. fp8mac_element_settings (fp8mac/catalogue.h) gives the golden model's configuration that
// computes the same.
//
// Operands come with their operand distance. The kind's feed decides from where the distance is measured:
//   FeedFormat    from the largest exponent of the E4M3 formats; with 34 fraction bits the sum is exact (Kulisch)
//   FeedBounded   from the bound of the row or column, the largest exponent over all of K
//
//   cycle   0                                 1      2 .. BANKS + 1
//           multiply, align, compressor tree ->  add -> accumulate -> acc_o, special_o in cycle BANKS + 2
//
// The step issued in cycle t belongs to accumulator t mod BANKS; operands that are all zero do not change it. It cannot
// overflow while a result has at most 2^element_terms_log2(ELEMENT) products.
module fp8mac_element_static
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementKulisch,  // a kind of FamilyStatic
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit INF = element_takes_e5m2(ELEMENT),  // 0: no format has an infinity
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder behind the compressor tree, see fp8mac_adder
  localparam int unsigned WordW = FRAC_BITS + 2,
  localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS)
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

  // Multiply, align, add
  localparam int unsigned SumW = WordW + 1 + $clog2(LANES);
  logic [SumW-1:0] sum_q;
  logic            pos_inf, neg_inf, invalid, first_1_q, first_2_q;

  fp8mac_distance_sum #(
    .LANES(LANES), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(distance_width(ELEMENT, FRAC_BITS)),
    .HIDDEN_ONE(element_feed(ELEMENT) == FeedBounded), .INF(INF),
    .ADD_RIPPLE(ADD_RIPPLE), .SUM_W(SumW)
  ) u_sum (
    .clk_i, .a_i, .b_i, .pos_inf_o(pos_inf), .neg_inf_o(neg_inf), .invalid_o(invalid), .sum_o(sum_q)
  );
  always_ff @(posedge clk_i) begin
    first_1_q <= step_first_i;
    first_2_q <= first_1_q;
  end

  // Accumulate
  localparam int unsigned Chunk = BANKS == 1 ? AccW : (AccW + 2) / 3;
  fp8mac_rotating_accumulator #(.SUM_W(SumW), .ACC_W(AccW), .BANKS(BANKS), .CHUNK(Chunk)) u_accumulate (
    .clk_i, .first_i(first_2_q), .sum_i(sum_q), .acc_o
  );

  // Specials: sticky, and they rotate with their accumulator.
  typedef struct packed {
    logic nan;
    logic plus;
    logic minus;
  } sticky_t;

  sticky_t             step, step_1_q, step_2_q, now, after;
  sticky_t [BANKS-1:0] sticky_q;
  logic                invalid_1_q, invalid_2_q, nan_1_q, nan_2_q;

  assign step  = '{nan: nan_i || invalid, plus: pos_inf, minus: neg_inf};
  assign now   = sticky_q[BANKS-1];
  assign after = first_2_q ? step_2_q : step_2_q | now;

  always_ff @(posedge clk_i) begin
    step_1_q    <= step;
    step_2_q    <= step_1_q;
    nan_1_q     <= nan_i;
    nan_2_q     <= nan_1_q;
    invalid_1_q <= invalid;
    invalid_2_q <= invalid_1_q;
    sticky_q[0] <= after;
    for (int unsigned s = 1; s < BANKS; s++) sticky_q[s] <= sticky_q[s-1];
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
