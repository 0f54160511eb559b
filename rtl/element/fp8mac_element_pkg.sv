// SPDX-License-Identifier: Apache-2.0
// Records and widths of the processing elements that align their products in a window (fp8mac_element_aligned,
// fp8mac_element_static), and of their edge.
//
// Exponents inside an element are `raw`: the sum of two operands' exponent fields as the edge gives them (exp_offset).
// An operand comes with its exponent inverted (31 - exp), so that a shift, largest exponent less the product's, is a
// sum.
package fp8mac_element_pkg;
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

  // An operand with its leading bit on top: a subnormal's goes up 1, 2 or 3 places, from exponent 1 (E5M2, 2 at most)
  // or 9 (E4M3). `top` is the exponent plus TopOffset, so that it is not negative and needs no addition:
  //   h = 1: 1 eeeee    else 1 eeee0, and for two places and more   E4M3 1 00111, 1 00110   E5M2 0 11111
  parameter int unsigned TopOffset = 32;

  typedef struct packed {
    logic [OperandExpW:0] top;
    logic [SigW-2:0]      frac;
  } leading_t;

  function automatic leading_t leading(logic [OperandExpW-1:0] exponent, logic [SigW-1:0] sig);
    leading_t result;
    logic     e4m3;  // if it is subnormal
    e4m3       = exponent[3];
    result.top = {1'b1, exponent};
    if (!sig[3] && sig[2]) result.top[0] = 1'b0;
    else if (!sig[3]) result.top = {e4m3, !e4m3, !e4m3, 2'b11, sig[1] || !e4m3};
    unique casez (sig)
      4'b1???: result.frac = sig[2:0];
      4'b01??: result.frac = {sig[1:0], 1'b0};
      4'b001?: result.frac = {sig[0], 2'b0};
      default: result.frac = '0;
    endcase
    return result;
  endfunction

  // A window's exponent is a product's raw one plus 2, so that a shift is a sum without a constant
  // (fp8mac_aligned_align). The smallest normalised operand, 2^-17 of E5M2FNUZ, has the exponent -1: it comes as exponent
  // 0 and `half`.
  parameter int unsigned RawOffset = 2;

  // Accumulator's exponent field of a product = raw + RawOffset + base: E5M2's bias off twice, the accumulator's on,
  // and the edge's offset of both operands. `scale_sum` is FNUZ-adjusted.
  function automatic base_t base_of(scale_sum_t scale_sum, bit acc_fp16, int unsigned exp_w);
    return base_t'(scale_sum) + base_t'((acc_fp16 ? 15 : Fp32Bias) - 2 * 15 + 2 * exp_offset(exp_w) - int'(RawOffset));
  endfunction

  // A window's exponent as a field of the accumulator is not negative, since the accumulator's own is not: no more than
  // 254, or with FP16 30 + 31 + 64 - 15 = 110. An exponent after normalising needs a bit more.
  function automatic int unsigned window_field_bits(bit acc_fp16);
    return acc_fp16 ? 7 : 8;
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

  // fp8mac_element_late: fraction bits of the accumulator's addition. At least those of the products, and two or, for a
  // single product to be rounded correctly, three beyond the accumulator's.
  function automatic int unsigned late_bits(int unsigned frac_bits, bit acc_fp16, int unsigned lanes);
    int unsigned enough;
    enough = (acc_fp16 ? Fp16MantW : Fp32MantW) + (lanes == 1 ? 3 : 2);
    return frac_bits > enough ? frac_bits : enough;
  endfunction

  // Bits of a shift that must be set for it to leave nothing of a word of `width` bits, whatever the others are: as few
  // of the highest as that takes.
  function automatic logic [31:0] shift_all_out(int unsigned width, int unsigned shift_w);
    logic [31:0] bits;
    bits = '0;
    for (int b = int'(shift_w) - 1; b >= 0; b--) if (bits < width) bits[b] = 1'b1;
    return bits;
  endfunction

endpackage
