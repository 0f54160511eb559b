// SPDX-License-Identifier: Apache-2.0
// Exponentials, reciprocal, reciprocal square root, sigmoid and tanh of FP32 bit patterns, defined
// bit for bit by a table and a few FP32 operations, so that hardware computes them with the
// multipliers and adders of its epilogue. model/NUMERICS.md has the definitions,
// model/src/core/function_tables.py the tables.
//
//   function                 error bound, ulp   multiplications, additions   table bits
//   fp8mac_fp32_exp2         2.5                2, 2 (3 where x > 0)         1,632
//   fp8mac_fp32_exp          2.6                6, 4                         the same
//   fp8mac_fp32_reciprocal   1.7                3, 3                         800
//   fp8mac_fp32_rsqrt        1.6                4, 3                         1,664
//
// Sigmoid and tanh have bounds of the absolute error, because they are made for values that are
// added to others: 2^-14.5 for sigmoid, 2^-13.5 for tanh, whose results below 2^-10 have few bits.
// They are monotonic, compute with integers alone, and raise no flag. 1 multiplication, 2
// additions, 3,456 table bits.
//
// Each of the others ends with a scaling by a power of two, which only rounds where the result is
// subnormal. In exp2 and exp it is part of the last multiplication: both round together, once.
// An ulp is the quantum of the exact result: 2^(e-23) from 2^e up to 2^(e+1), and 2^-149 below
// 2^-126. The bounds hold for every input whose result is finite.
//
// Exact results: exp2 of an integer, reciprocal of a power of two, rsqrt of a power of four.
// exp(+-0) is
// 1. Special values:
//
//   x                     exp2, exp     reciprocal     rsqrt
//   NaN                   NaN           NaN            NaN
//   +Inf, -Inf            +Inf, +0      +0, -0         +0, NaN and `invalid`
//   +0, -0                1, 1          +Inf, -Inf     +Inf, -Inf
//   negative                            finite         NaN and `invalid`
//
//   x                     sigmoid       tanh
//   NaN                   NaN           NaN
//   +Inf, -Inf            1, +0         1, -1
//   +0, -0                0.5, 0.5      +0, +0
//
// A NaN result is 0x7fc00000. Results that are too large are Inf. An infinite result of a finite
// operand, that of 0 included, raises `overflow`. Results that are too small become subnormal or 0
// by one rounding to nearest even. Flags are ORed into *flags, which may be NULL; `inexact` and
// `underflow` are never raised.
#ifndef FP8MAC_FUNCTION_H
#define FP8MAC_FUNCTION_H

#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

uint32_t fp8mac_fp32_exp2(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_fp32_exp(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_fp32_reciprocal(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_fp32_rsqrt(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_fp32_sigmoid(uint32_t x, fp8mac_flags *flags);
uint32_t fp8mac_fp32_tanh(uint32_t x, fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
