// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 addition, to nearest even, with subnormals. Four stages: order | align and
// add | normalise | round.
//
// A value enters in every cycle, and its result is in result_o four cycles later. Every NaN result
// is Fp32Nan. invalid_o: Inf - Inf. overflow_o: finite operands, infinite result. Flags belong to
// the value in result_o. Adding -0 only changes a NaN's code.
module fp8mac_fp32_add (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic        invalid_o,
  output logic        overflow_o
);
  import fp8mac_pkg::*;

  localparam int unsigned ExpW   = 8;
  localparam int unsigned FracW  = 23;
  localparam int unsigned Sig32W = FracW + 1;
  // Three bits below the larger operand's last place are enough. If the smaller operand moves by
  // more than one place, the difference loses at most one leading bit, so a guard and a sticky bit
  // remain after normalising. If it moves by at most one place, no bit is lost.
  localparam int unsigned ExtraW = 3;
  localparam int unsigned TermW  = Sig32W + ExtraW;
  localparam int unsigned TotalW = TermW + 1;  // a carry
  localparam int unsigned CountW = $clog2(TotalW + 1);
  localparam int unsigned StepsW = $clog2(TermW + 1);  // of a distance of TermW places, which leaves only sticky
  localparam logic [ExpW-1:0] ExpMax = '1;

  typedef struct packed {
    fp32_special_t special;    // with the sign of a result that is not an exact zero
    logic          zero_sign;  // sign of an exact zero
  } ordered_special_t;

  typedef struct packed {
    ordered_special_t  special;
    logic              subtract;
    logic [ExpW-1:0]   exp;       // the larger operand's; a subnormal has 1
    logic [StepsW-1:0] distance;  // from the smaller operand's, or the largest value if it is less than that
    logic [Sig32W-1:0] larger;    // significands
    logic [Sig32W-1:0] smaller;
  } ordered_t;

  typedef struct packed {
    ordered_special_t  special;
    logic [ExpW-1:0]   exp;
    logic [TotalW-1:0] total;  // significand of the sum, bit TermW-1 weighing 2^exp
  } added_t;

  ordered_t        ordered_q;
  added_t          added_q;
  fp32_unrounded_t normalised_q;

  // -----------------------------------------------------------------------------------------------
  // Decode and order by magnitude
  // -----------------------------------------------------------------------------------------------
  function automatic logic [ExpW-1:0] exponent(logic [ExpW-1:0] field);
    return field | ExpW'(field == '0);
  endfunction

  function automatic ordered_special_t classify(logic [31:0] larger, logic [31:0] smaller);
    logic larger_nan, smaller_nan, larger_inf, smaller_inf;
    larger_nan  = larger[FracW +: ExpW] == ExpMax && larger[FracW-1:0] != '0;
    smaller_nan = smaller[FracW +: ExpW] == ExpMax && smaller[FracW-1:0] != '0;
    larger_inf  = larger[FracW +: ExpW] == ExpMax && larger[FracW-1:0] == '0;
    smaller_inf = smaller[FracW +: ExpW] == ExpMax && smaller[FracW-1:0] == '0;
    classify.zero_sign       = larger[31] & smaller[31];
    classify.special.sign    = larger[31];
    classify.special.invalid = larger_inf && smaller_inf && larger[31] != smaller[31];
    classify.special.nan     = larger_nan || smaller_nan || classify.special.invalid;
    classify.special.is_inf  = larger_inf;
  endfunction

  function automatic ordered_t order(logic [31:0] a, logic [31:0] b);
    logic [31:0]     larger, smaller;
    logic [ExpW-1:0] distance;
    larger  = b[30:0] > a[30:0] ? b : a;
    smaller = b[30:0] > a[30:0] ? a : b;
    order.special  = classify(larger, smaller);
    order.subtract = larger[31] != smaller[31];
    order.exp      = exponent(larger[FracW +: ExpW]);
    distance       = exponent(larger[FracW +: ExpW]) - exponent(smaller[FracW +: ExpW]);
    order.distance = distance[StepsW-1:0] | {StepsW{distance[ExpW-1:StepsW] != '0}};
    order.larger   = {larger[FracW +: ExpW] != '0, larger[FracW-1:0]};
    order.smaller  = {smaller[FracW +: ExpW] != '0, smaller[FracW-1:0]};
  endfunction

  always_ff @(posedge clk_i) begin
    ordered_q <= order(a_i, b_i);
  end

  // -----------------------------------------------------------------------------------------------
  // Align and add
  // -----------------------------------------------------------------------------------------------
  //   bit       27 26                         3  2  1  0
  //   larger     0 | s23 ................... s0 | 0  0  0
  //   smaller    0 | 0 .. 0 s23 ............ sd | .  .  OR of the lost bits     right by distance
  // A subtraction adds the inverted term and 1.
  function automatic added_t align_and_add(ordered_t x);
    logic [TermW-1:0] aligned;
    logic             lost;
    aligned = {x.smaller, ExtraW'(0)};
    lost    = 1'b0;
    for (int step = int'(StepsW) - 1; step >= 0; step--) begin
      for (int i = 0; i < (1 << step); i++) lost = lost || (aligned[i] && x.distance[step]);
      if (x.distance[step]) aligned = aligned >> (1 << step);
    end
    aligned[0] = aligned[0] || lost;
    align_and_add.special = x.special;
    align_and_add.exp     = x.exp;
    align_and_add.total   = {1'b0, x.larger, ExtraW'(0)}
                            + ({1'b0, aligned} ^ {TotalW{x.subtract}}) + TotalW'(x.subtract);
  endfunction

  always_ff @(posedge clk_i) begin
    added_q <= align_and_add(ordered_q);
  end

  // -----------------------------------------------------------------------------------------------
  // Normalise
  // -----------------------------------------------------------------------------------------------
  // The leading one moves up to bit 27, whose exponent is exp + 1. Where the exponent would fall
  // below 1, the sum only moves up by exp places, to exponent 1:
  //
  //   bit      27 26                  4  3  2  1  0
  //           | 1 | fraction            | g | sticky |
  function automatic fp32_unrounded_t normalise(added_t x);
    logic [CountW-1:0] zeros;
    logic [TotalW-1:0] shifted;
    logic              below;
    zeros   = CountW'(leading_zeros({x.total, {(32 - TotalW){1'b1}}}));
    below   = ExpW'(zeros) > x.exp || x.total == '0;
    shifted = x.total << (below ? x.exp[CountW-1:0] : zeros);
    normalise.special = x.special.special;
    if (x.total == '0) normalise.special.sign = x.special.zero_sign;
    normalise.exp     = below ? '0 : RoundFieldW'(x.exp) + RoundFieldW'(1) - RoundFieldW'(zeros);
    normalise.frac    = shifted[TotalW-2 -: FracW];
    normalise.guard   = shifted[ExtraW];
    normalise.sticky  = shifted[ExtraW-1:0] != '0;
  endfunction

  always_ff @(posedge clk_i) begin
    normalised_q <= normalise(added_q);
  end

  // -----------------------------------------------------------------------------------------------
  // Round, and select the special result
  // -----------------------------------------------------------------------------------------------
  fp8mac_fp32_round u_round (
    .clk_i, .x_i(normalised_q), .result_o, .invalid_o, .overflow_o
  );

endmodule
