// SPDX-License-Identifier: Apache-2.0
// Records and widths of the processing elements that align their products in a window (fp8mac_pe_window,
// fp8mac_pe_fixed), and of their edge.
//
// Exponents inside an element are `raw`: the sum of two operands' exponent fields as the edge gives them (exp_offset).
// An operand comes with its exponent inverted (31 - exp), so that a shift, largest exponent less the product's, is a
// sum.
package fp8mac_window_pkg;
  import fp8mac_pkg::*;

  typedef struct packed {
    logic                   sign;
    logic [OperandExpW-1:0] exp_n;  // 31 - exp
    logic                   half;   // one less than exp says, which then is 0
    logic [SigW-1:0]        sig;    // 0 for zero, Inf, NaN, unless it is normalised
    logic                   zero;
    logic                   live;   // neither zero nor NaN
    logic                   inf;
  } lane_t;

  parameter int unsigned BaseW = 9;
  typedef logic signed [BaseW-1:0] base_t;

  // What the edge takes from an operand's exponent, so that E4M3's fit 4 bits.
  function automatic int signed exp_offset(int unsigned exp_w);
    return exp_w < OperandExpW ? 8 : 0;
  endfunction

  // A window's exponent is a product's raw one plus 2, because the smallest normalised operand, 2^-17 of E5M2FNUZ, has
  // the exponent -1: it comes as exponent 0 and `half`.
  parameter int unsigned RawOffset = 2;

  // Accumulator's exponent field of a product = raw + RawOffset + base: E5M2's bias off twice, the accumulator's on, and
  // the edge's offset of both operands. `scale_sum` is FNUZ-adjusted.
  function automatic base_t base_of(scale_sum_t scale_sum, bit acc_fp16, int unsigned exp_w);
    return base_t'(scale_sum) + base_t'((acc_fp16 ? 15 : Fp32Bias) - 2 * 15 + 2 * exp_offset(exp_w) - int'(RawOffset));
  endfunction

  // What a step gives beside its finite sum.
  typedef struct packed {
    logic     invalid;  // Inf * 0, or Inf - Inf between products and accumulator
    logic     nan;      // a NaN operand
    special_e special;
  } outcome_t;

  // Integer bits of the sum of `lanes` products, each at most (15/8)^2 = 225/64, and an accumulator below 2.
  function automatic int unsigned integer_bits(int unsigned lanes);
    return unsigned'($clog2((225 * lanes + 63) / 64 + 2));
  endfunction

endpackage
