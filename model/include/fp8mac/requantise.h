// SPDX-License-Identifier: Apache-2.0
// Integer requantisation: INT8 networks without floating point, bit for bit as TensorFlow Lite's
// reference kernels of convolutions compute them (MultiplyByQuantizedMultiplier with
// TFLITE_SINGLE_ROUNDING = 0, which rounds twice). Others round once. NUMERICS.md, "Integer
// requantisation", has the rules.
//
//   sum = A[m] * B[n], exact       x = sum + bias[n]             y = x * 2^max(shift, 0)
//   z = floor((y * multiplier + 2^30) / 2^31)                    a tie goes up
//   q = z / 2^max(-shift, 0), to nearest                         a tie goes away from zero
//   D[m][n] = q + zero_point, clamped to lo .. hi
//
// x and y are INT32 and wrap. The last sum is exact. The real factor is multiplier * 2^(shift -
// 31).
//
// B's codes have the zero point 0. That of A belongs into the bias: with a zero point za of A,
// bias'[n] = bias[n] - za * (sum of B[n]), modulo 2^32.
#ifndef FP8MAC_REQUANTISE_H
#define FP8MAC_REQUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8mac/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8MAC_SHIFT_LEAST = -31, FP8MAC_SHIFT_MOST = 30 };

// An integer scale. The layout is that of the accelerator's vectors of them.
typedef struct fp8mac_int_scale {
    int32_t multiplier; // 0 or more; 2^30 or more, if it comes from fp8mac_int_scale_of
    int32_t shift;      // FP8MAC_SHIFT_LEAST .. FP8MAC_SHIFT_MOST; to the left if it is above 0
} fp8mac_int_scale;

// The integer scale that is nearest to `factor`, as TensorFlow Lite's QuantizeMultiplier finds it:
// the multiplier is rounded to nearest, ties away from zero. A factor below 2^-32 or so, whose
// shift would be below FP8MAC_SHIFT_LEAST, gives {0, 0}. FP8MAC_ERR_SCALE: the factor is negative,
// not finite, or needs a shift above FP8MAC_SHIFT_MOST.
fp8mac_status fp8mac_int_scale_of(double factor, fp8mac_int_scale *scale);

// q of the equations above. The scale must be valid.
int32_t fp8mac_int_scale_apply(int32_t x, fp8mac_int_scale scale);

// What a whole output tensor has in common
typedef struct fp8mac_requantise {
    int32_t zero_point; // -128 .. 127
    int32_t lo, hi;     // -128 <= lo <= hi <= 127: the activation. {0} would give zeros alone.
} fp8mac_requantise;

// D of one output. `scale` and `to` must be valid.
int8_t fp8mac_requantise_apply(const fp8mac_requantise *to, int32_t sum, int32_t bias,
                               fp8mac_int_scale scale);

// An INT8 GEMM. A is M x K, B is N x K, both K-contiguous. Strides are in elements. D may not
// overlap any input (FP8MAC_ERR_OVERLAP).
typedef struct fp8mac_int8_gemm_desc {
    size_t m, n, k; // each >= 1; k <= 131071
    const int8_t *a, *b;
    size_t lda, ldb;                // >= k
    const int32_t *bias;            // n values, or NULL
    const fp8mac_int_scale *scales; // not with `sums`
    bool scale_per_column;          // n scales; else one
    fp8mac_requantise to;           // not with `sums`
    bool sums;                      // D is INT32, and has x of the equations above
    void *d;                        // m x n of INT8, or of INT32
    size_t ldd;                     // >= n
} fp8mac_int8_gemm_desc;

// Everything is checked before anything is written. FP8MAC_ERR_SCALE: a scale or the zero point is
// out of its range. FP8MAC_ERR_ACTIVATION: lo or hi is.
fp8mac_status fp8mac_int8_gemm(const fp8mac_int8_gemm_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
