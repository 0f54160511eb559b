// SPDX-License-Identifier: Apache-2.0
// Row commands: reductions and normalisations of each row of a matrix X, rows x cols, and functions
// of its values. x[0], x[1], ... are the values of a row; each operation below is one FP32
// nearest-even operation with subnormals, in the order that the parentheses give, never contracted.
//
//   sum              t0 = sum(x[i])                 s = factor
//   sum of squares   t0 = sum(x[i] * x[i])          s = factor
//   maximum          t0 = maximum(x[i])             s = factor
//   argmax           D = the first column whose value is the maximum
//   RMS norm         g = rsqrt(sum(x[i] * x[i]) * (1/cols) + eps)
//                    t0[i] = x[i]                   s = g * gamma[i]
//   layer norm       d[i] = x[i] - sum(x[i]) * (1/cols)
//                    g = rsqrt(sum(d[i] * d[i]) * (1/cols) + eps)
//                    t0[i] = d[i]                   s = g * gamma[i]
//   softmax          e[i] = exp2((x[i] - maximum(x[i])) * (factor * log2(e)))
//                    t0[i] = e[i]                   s = reciprocal(sum(e[i]))
//   sigmoid          t0[i] = sigmoid(x[i] * factor)
//   tanh             t0[i] = tanh(x[i] * factor)
//   magnitude        t0 = maximum(2^-100, |x[i]|)   s = factor
//   quantise         t0[i] = x[i]                   s = reciprocal(maximum(2^-100, |x[i]|))
//   quantise MX      t0[i] = x[i]                   s = 2^(127 - scale), which is exact
//
//   T = act(t0 * s + beta)          D = convert(T * scale_d), or table[convert(T * scale_d)]
//
// The last line is the epilogue of a GEMM (fp8mac/gemm.h) with scale_a = g, reciprocal or factor,
// with scale_b = gamma and bias = beta, and has its amax, flags and NaN codes. Without gamma, s =
// g. Without beta, its addition is skipped. Sigmoid and tanh have no s. Functions are those of
// fp8mac/function.h. 1/cols and log2(e) are the nearest FP32 numbers.
//
// Order of a sum: value i is added to partial sum i mod 16, in ascending order. The partial sums
// start at -0. P[l], P[l+4], P[l+8] and P[l+12] are added one after the other, which gives L[l],
// and the sum is (L[0] + L[1]) + (L[2] + L[3]). So it depends neither on how many values a cycle
// hardware takes nor on tiles, and an absent value changes nothing.
//
// Maximum: NaN if a value is NaN, and -0 is below +0 (`maximum` of IEEE 754-2019). Argmax takes the
// first NaN or, if there is none, the first value that equals the maximum; -0 equals +0.
//
// Quantise is the dynamic scaling of each row: with scale_d = c, the largest code of D's format
// (448 for e4m3fn), D holds about x * c / amax, where amax is the largest magnitude of the row. The
// scale that goes with D, value = scale * D, is the magnitude of the same row with factor = 1 / c:
// finite and above 0 for every finite row, as a scale of a GEMM must be. Its least value, 2^-100 *
// factor, is what a row of zeros has, with codes of 0. The codes of a row whose magnitudes are all
// below 2^-100 are smaller than the largest.
//
// Quantise MX gives the OCP MX form: D has codes of an FP8 format, and `scales` an E8M0 code for
// each 32 of them along a row. The scale of a block is max(0, floor(log2(amax)) - emax + 127),
// where amax is its largest magnitude and emax the exponent of the largest number of D's format: 8
// for e4m3fn. A block of zeros has 0. A block with an Inf or a NaN has 255 and codes of +0, and
// sets amax_nonfinite. The bytes are those of fp8mac_recipe_mx_quantize
// (fp8mac/recipe_published.h).
//
// Masks: row m has min(cols, seen + (causal ? m : 0)) columns, where seen = 0 stands for cols. What
// is beyond them is neither read nor counted. In softmax, D has +0 there: T = +0, without act.
//
// Special values go through the operations as IEEE 754 says:
//   softmax     a NaN, a +Inf, or -Inf in every column makes the row NaN; other -Inf give +0
//   RMS norm    a NaN makes the row NaN. An Inf becomes NaN, and what is finite beside it +-0. If
//               squares of finite values overflow, the row becomes +-0
//   layer norm  a NaN or Inf makes the row NaN. A row of equal values has d = 0 or nearly 0, and
//               g = rsqrt(eps); with eps = 0 this may be Inf, and 0 * Inf is NaN
//   magnitude   a NaN gives NaN; +Inf or -Inf gives +Inf
//   quantise    as RMS norm, but nothing overflows: a NaN makes the row NaN. An Inf becomes NaN,
//               with `invalid`, and what is finite beside it +-0
//   quantise MX see above; `nan` for a NaN
// Flags are those of all operations, each OR'ed: `nan` for a NaN in what a row has of X, and as in
// the epilogue for gamma, beta and the row's own factor g or reciprocal; `invalid`, `overflow`, and
// those of the conversion to D.
//
// Error bounds against exact arithmetic of the same X are in model/NUMERICS.md.
#ifndef FP8MAC_ROWS_H
#define FP8MAC_ROWS_H

#include "fp8mac/function.h"
#include "fp8mac/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether D has one column.
static inline bool fp8mac_rows_is_reduction(fp8mac_rows_operation operation)
{
    return operation <= FP8MAC_ROWS_ARGMAX || operation == FP8MAC_ROWS_MAGNITUDE;
}

// Scales of a row of `cols` values, of quantise MX.
static inline size_t fp8mac_rows_blocks(size_t cols)
{
    return (cols + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
}

enum { FP8MAC_ROWS_MAX_COLS = 1 << 24 };

// Strides are in elements. Formats are the four FP8 formats, FP16, BF16, FP32 and INT8
// (FP8MAC_ERR_FORMAT). Reductions write rows x 1 elements of D, the others rows x cols. What an
// operation does not have must be NULL, 0 or false: FP8MAC_ERR_UNSUPPORTED.
//
// D may be X: the same address, and rows of the same number of bytes at the same distance.
// Otherwise no element of D may lie in an input (FP8MAC_ERR_OVERLAP).
typedef struct fp8mac_rows_desc {
    fp8mac_rows_operation operation;
    size_t rows, cols; // each >= 1; cols <= FP8MAC_ROWS_MAX_COLS
    const void *x;
    const fp8mac_format *x_format;
    size_t ldx; // >= cols
    // Masks of reductions and softmax. seen <= cols (FP8MAC_ERR_SHAPE)
    size_t seen;
    bool causal;
    // One value, finite and > 0, or NULL for 1: not argmax, norms, quantise and quantise MX. Where
    // X has a scale, this is the place for it. Norms need none, but their eps is then eps /
    // scale^2. Quantise needs none.
    const float *factor;
    float eps;                 // norms: finite, >= +0 (FP8MAC_ERR_SCALE)
    const float *gamma, *beta; // norms: cols values each, or NULL; RMS norm has no beta
    fp8mac_activation activation;
    float clamp_lo, clamp_hi;
    // Argmax: uint32_t, and what follows is absent: d_format is NULL
    void *d;
    const fp8mac_format *d_format;
    size_t ldd;                 // >= cols, or >= 1 for a reduction
    fp8mac_convert_mode d_mode; // nearest even or toward zero
    const float *scale_d;       // one value, finite and > 0, or NULL for 1
    const uint8_t *d_table;     // FP8MAC_TABLE_CODES codes, where D is FP8 or INT8; or NULL
    // Quantise MX: rows x ceil(cols / 32) scales, lds >= ceil(cols / 32) bytes from row to row
    // (FP8MAC_ERR_STRIDE). d_format is an FP8 format, d_mode nearest even and saturating, and there
    // is neither activation, nor scale_d, nor d_table. Other operations: NULL and 0.
    uint8_t *scales;
    size_t lds;
    // Softmax: `factor` stands for factor * log2(e), as a command has it
    bool base2;
} fp8mac_rows_desc;

// Computes the whole of D. `result` may be NULL; argmax has amax 0. Everything is checked before
// anything is written. If several checks fail, the status is that of any one of them.
// FP8MAC_ERR_UNSUPPORTED also for an unknown operation; others as fp8mac_gemm.
fp8mac_status fp8mac_rows(const fp8mac_rows_desc *desc, fp8mac_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
