// SPDX-License-Identifier: Apache-2.0
// The kinds of elements that fp8mac_array can be made of, and what the array has to know of each.
package fp8mac_array_pkg;
  import fp8mac_pkg::*;

  parameter int unsigned ElementExact      = 0;  // fp8mac_pe: exact before its one rounding, FP32 and FP16 at run time
  parameter int unsigned ElementWindowFp32 = 1;  // fp8mac_pe_window, accumulator FP32
  parameter int unsigned ElementWindowFp16 = 2;  // fp8mac_pe_window, accumulator FP16
  parameter int unsigned ElementFixed      = 3;  // fp8mac_pe_fixed: E4M3 formats, accumulator an exact integer
  parameter int unsigned ElementInt8       = 4;  // fp8mac_pe_int8: INT8 operands, INT32 accumulator

  // An accumulator that rotates has no index: a step belongs to the one whose turn it is.
  function automatic bit rotates(int unsigned element);
    return element != ElementExact;
  endfunction

  // fp8mac_array: from step_valid_i to slot_full_o and flags_o. The wide accumulator's addition is a cycle longer.
  function automatic int unsigned array_stages(int unsigned element);
    return element == ElementFixed ? ArrayStages + 1 : ArrayStages;
  endfunction

  // Fraction bits that a window keeps unless told otherwise: two or three more than the accumulator has.
  function automatic int unsigned default_frac_bits(int unsigned element);
    return element == ElementWindowFp16 ? 13 : 25;
  endfunction

  // Sums of up to 2^FixedGuard products of two E4M3 operands, in units of 2^FixedUnitExp and the steps'
  // (FNUZ-adjusted) scaling exponents: 2^FixedUnitExp is the product of the smallest subnormals of e4m3fn.
  parameter int unsigned FixedGuard = 16;
  parameter int signed FixedUnitExp = -18;
  parameter int unsigned FixedAccW = ProductSigW + 28 + 1 + FixedGuard;
  parameter longint unsigned FixedTermsMax = 64'd1 << FixedGuard;

  // A result as the array's registers keep it: FP32 or FP16 code, INT32, or {NaN, integer}.
  function automatic int unsigned result_width(int unsigned element);
    if (element == ElementWindowFp16) return 16;
    if (element == ElementFixed) return FixedAccW + 1;
    return 32;
  endfunction

endpackage
