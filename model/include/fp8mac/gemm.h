// SPDX-License-Identifier: Apache-2.0
// The scaled GEMM. A is M x K, B is N x K, both K-contiguous (C = A * B^T); with acc from
// fp8mac_dot:
//
//   t0 = acc to FP32          s  = scale_a[m] * scale_b[n]        t1 = t0 * s
//   t2 = t1 + bias[n]         t3 = t2 + (beta * C[m][n])          T = act(t3)
//   amax = max |T| over the M x N outputs that are finite (+0 if none)
//   amax_nonfinite is set if an output is not finite
//   D[m][n] = convert(T * scale_d), or table[convert(T * scale_d)]
//
// Each operation is one FP32 nearest-even operation with subnormals, in this order, never
// contracted. Without a bias, its addition is skipped. With beta = 0, C is not read and its
// addition is skipped. A NaN result of any operation is 0x7fc00000. D in FP8 gets the format's
// positive NaN code, also where a negative value overflows to NaN. The output scale multiplies, so
// the next layer passes 1/scale_d as its input scale.
//
// INT8: both operands have the format FP8MAC_INT8, with FP8MAC_ACC_INT32. The sum is exact, K <=
// 131071, and t0 is its nearest-even float. A FIXED accumulator with a static exponent is refused
// (FP8MAC_ERR_ACCUMULATOR): each output of a GEMM would have a static exponent of its own.
// fp8mac_dot takes it. If dot.nan_code is set and d_format is the accumulator's format, D gets
// nan_code for a NaN. The epilogue's operations raise the flags of a step: `invalid` (Inf * 0, Inf
// - Inf), `overflow` (finite operands, infinite result), `nan` (a NaN in C, bias, beta or a scale).
// D's conversion raises those of fp8mac_encode.
//
// D in INT8 is clamped to +-127, which raises `saturated`; a NaN becomes 0 and raises `invalid`.
//
// The table maps each code of FP8 or INT8 to a code of the caller's choice, for example those of
// sigmoid or GELU. It changes neither amax nor flags, and a NaN is mapped like any other code.
#ifndef FP8MAC_GEMM_H
#define FP8MAC_GEMM_H

#include "fp8mac/dot.h"
#include "fp8mac/random.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_scale_mode {
    FP8MAC_SCALE_NONE = 0,   // 1.0
    FP8MAC_SCALE_TENSOR = 1, // values[0] for the whole tensor
    FP8MAC_SCALE_VECTOR = 2, // one per row: M values for A, N values for B
} fp8mac_scale_mode;

// Every used value must be finite and greater than zero.
typedef struct fp8mac_scale {
    fp8mac_scale_mode mode;
    const float *values;
} fp8mac_scale;

enum { FP8MAC_TABLE_CODES = 256 };

// The epilogue of one output. If all but d_format is zero and scale_d is 1, D = convert(t0 * s),
// rounded to nearest even and saturated.
typedef struct fp8mac_epilogue {
    bool has_bias;
    fp8mac_activation activation;
    float clamp_lo, clamp_hi;
    float beta; // 0: C is not read
    // T = act(t0 * (s * c)), without a bias and beta: the product of two matrices, element by
    // element. The matrix of t0 is then an operand like C.
    bool multiply;
    // T = act(the larger of t0 * s + bias and beta * c): IEEE 754-2019's maximum, which is NaN if
    // one of them is, and for which +0 is larger than -0. beta is not 0, and multiply is not set.
    bool maximum;
    const fp8mac_format *d_format; // the four FP8 formats, FP16, BF16, FP32, INT8
    fp8mac_convert_mode d_mode;
    float scale_d;          // finite, > 0
    const uint8_t *d_table; // FP8MAC_TABLE_CODES codes, where D is FP8 or INT8; or NULL
} fp8mac_epilogue;

// One output: returns D's code. t0, scale_a, scale_b, bias, c are FP32 bit patterns; *amax (an FP32
// bit pattern of a finite non-negative value) and *amax_nonfinite are updated. `epilogue` must be
// valid.
uint32_t fp8mac_epilogue_apply(const fp8mac_epilogue *epilogue, uint32_t t0, uint32_t scale_a,
                               uint32_t scale_b, uint32_t bias, uint32_t c, uint32_t *amax,
                               bool *amax_nonfinite, fp8mac_flags *flags);

// The same with D rounded stochastically: r holds n_bits random bits (1..24), those of the output's
// place (fp8mac_simon_bits, fp8mac_random_bits).
uint32_t fp8mac_epilogue_apply_random(const fp8mac_epilogue *epilogue, uint32_t r, unsigned n_bits,
                                      uint32_t t0, uint32_t scale_a, uint32_t scale_b,
                                      uint32_t bias, uint32_t c, uint32_t *amax,
                                      bool *amax_nonfinite, fp8mac_flags *flags);

// One operand: A with m rows, or B with n. Its format and scaling exponent are in
// fp8mac_dot_config.
typedef struct fp8mac_gemm_operand {
    const uint8_t *codes; // rows of k
    size_t stride;        // >= k
    fp8mac_scale scale;
    // MX block scales, in addition to `scale`: one E8M0 code per 32 terms along K, see
    // fp8mac_dot_mx; NULL for none. mx_stride >= ceil(k / 32).
    const uint8_t *mx;
    size_t mx_stride;
} fp8mac_gemm_operand;

// Strides are in elements. An element of D may not lie in any input (FP8MAC_ERR_OVERLAP); rows of D
// may lie between an input's rows. A matrix and a stride have at most PTRDIFF_MAX bytes
// (FP8MAC_ERR_SHAPE, FP8MAC_ERR_STRIDE). c, d and acc need no alignment.
typedef struct fp8mac_gemm_desc {
    size_t m, n, k;        // each >= 1
    fp8mac_dot_config dot; // formats of A and B, accumulator, group, scaling exponents
    fp8mac_gemm_operand a, b;
    const float *bias;             // n values, or NULL
    float beta;                    // 0: c is not read
    const void *c;                 // m x n of c_format, ldc >= n
    const fp8mac_format *c_format; // as d_format
    size_t ldc;
    fp8mac_activation activation;
    float clamp_lo, clamp_hi;
    void *d; // m x n of d_format, ldd >= n; elements between n and ldd are not written
    // The four FP8 formats, FP16, BF16, FP32 or INT8, which only saturates; others are
    // FP8MAC_ERR_FORMAT
    const fp8mac_format *d_format;
    size_t ldd;
    fp8mac_convert_mode d_mode;
    const float *scale_d; // one value, finite and > 0, or NULL for 1.0
    // Position of D[0][0] in the whole output, for the generator's counter: 0 unless tiled.
    // origin_m + m and origin_n + n are at most 2^32 (FP8MAC_ERR_SHAPE).
    uint32_t origin_m, origin_n;
    // d_mode stochastic: n, 1..24, or 1..16 with the generator Simon; drawn with dot.seed.
    // Otherwise both are 0.
    unsigned d_random_bits;
    fp8mac_generator d_generator;
    // FP8MAC_TABLE_CODES codes, where D is FP8 or INT8 (else FP8MAC_ERR_FORMAT); or NULL
    const uint8_t *d_table;
    // Accumulators to begin with, as fp8mac_acc_load takes them: m x n codes of the format
    // fp8mac_acc_loaded_format, ldacc >= n. NULL: +0. This is the C operand of a matrix
    // instruction. The C above is added by the epilogue, after the scales. FIXED and INT32: NULL.
    const void *acc;
    size_t ldacc;
    // Also raise `inexact` and `underflow`, see status.h. The definition then computes the GEMM.
    bool inexact_flags;
} fp8mac_gemm_desc;

typedef struct fp8mac_gemm_result {
    float amax;          // max |T| over finite outputs
    bool amax_nonfinite; // some output was Inf or NaN
    fp8mac_flags flags;
} fp8mac_gemm_result;

// Computes the whole of D. `result` may be NULL. Everything is checked before anything is written.
// If several checks fail, the status is that of any one of them. An unknown scale mode is
// FP8MAC_ERR_SCALE.
fp8mac_status fp8mac_gemm(const fp8mac_gemm_desc *desc, fp8mac_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
