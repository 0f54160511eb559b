// SPDX-License-Identifier: Apache-2.0
// The kinds of elements that fp8mac_array can be made of, and what the array has to know of each.
package fp8mac_array_pkg;
  import fp8mac_pkg::*;

  parameter int unsigned ElementExact      = 0;  // fp8mac_element_exact: exact before its one rounding, FP32 and FP16 at run time
  parameter int unsigned ElementAlignedFp32 = 1;  // fp8mac_element_aligned, accumulator FP32
  parameter int unsigned ElementAlignedFp16 = 2;  // fp8mac_element_aligned, accumulator FP16
  parameter int unsigned ElementKulisch      = 3;  // fp8mac_element_static: E4M3 formats, accumulator an exact integer
  parameter int unsigned ElementInt8       = 4;  // fp8mac_element_int8: INT8 operands, INT32 accumulator
  parameter int unsigned ElementLateFp32   = 5;  // fp8mac_element_late, accumulator FP32; one lane: correctly rounded
  parameter int unsigned ElementLateFp16   = 6;  // fp8mac_element_late, accumulator FP16
  parameter int unsigned ElementStatic   = 7;  // fp8mac_element_static hung from bounds that come with the operands

  function automatic bit is_aligned(int unsigned element);
    return element inside {ElementAlignedFp32, ElementAlignedFp16};
  endfunction

  function automatic bit is_late(int unsigned element);
    return element inside {ElementLateFp32, ElementLateFp16};
  endfunction

  function automatic bit is_fixed(int unsigned element);
    return element inside {ElementKulisch, ElementStatic};
  endfunction

  function automatic bit acc_is_fp16(int unsigned element);  // and nothing else
    return element inside {ElementAlignedFp16, ElementLateFp16};
  endfunction

  // An accumulator that rotates has no index: a step belongs to the one whose turn it is.
  function automatic bit rotates(int unsigned element);
    return element != ElementExact;
  endfunction

  // fp8mac_array: from step_valid_i to bank_full_o and flags_o. The wide accumulator's addition is a cycle longer; a
  // bound that is found at the edge, before a sum that then waits for the accumulator, is two.
  function automatic int unsigned array_stages(int unsigned element);
    return is_fixed(element) ? ArrayStages + 1 : is_late(element) ? ArrayStages + 2 : ArrayStages;
  endfunction

  // Fraction bits that a window keeps unless told otherwise: two or three more than the accumulator has. FixedFracBits
  // lose nothing of two E4M3 operands.
  parameter int unsigned FixedFracBits = 34;
  function automatic int unsigned default_frac_bits(int unsigned element);
    if (element == ElementKulisch) return FixedFracBits;
    return acc_is_fp16(element) || element == ElementStatic ? 13 : 25;
  endfunction

  // A fixed-point accumulator sums up to 2^FixedGuard products, in units of
  //   2^(a_bound + b_bound - 2 * BoundBias - frac_bits + scaling exponents, FNUZ-adjusted)
  // where a bound is the largest exponent of a row's operands plus BoundBias, subnormals normalised and without FNUZ's
  // larger bias: 0, e5m2's smallest subnormal, to 32. FixedBound is that of the E4M3 formats.
  parameter int unsigned BoundW = OperandExpW + 1;
  parameter int unsigned BoundBias = 16;
  parameter int unsigned FixedBound = 24;
  parameter int unsigned FixedGuard = 16;
  parameter longint unsigned FixedTermsMax = 64'd1 << FixedGuard;
  function automatic int unsigned fixed_acc_width(int unsigned frac_bits);
    return frac_bits + 3 + FixedGuard;
  endfunction

  // A result as the array's registers keep it: FP32 or FP16 code, INT32, {NaN, integer}, or {special_e, integer}.
  function automatic int unsigned result_width(int unsigned element, int unsigned frac_bits);
    if (acc_is_fp16(element)) return 16;
    if (is_fixed(element)) return fixed_acc_width(frac_bits) + (element == ElementKulisch ? 1 : 2);
    return 32;
  endfunction

endpackage
