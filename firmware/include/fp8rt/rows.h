// SPDX-License-Identifier: Apache-2.0
// Norms, softmax, reductions and dynamic scaling of the rows of a matrix, and sigmoid and
// tanh of its values, each as one command of the accelerator. X is m x n. fp8mac/rows.h
// defines every bit; in short:
//
//   FP8MAC_ROWS_...                D
//   SUM, SUM_OF_SQUARES, MAXIMUM   m x 1  T = act(factor * what the name says)
//   MAGNITUDE                      m x 1  T = act(factor * the largest magnitude, at least 2^-100)
//   ARGMAX                         m x 1  the first column of the maximum, uint32_t
//   RMS_NORM                       m x n  T = act(x * (rsqrt(mean of x^2 + eps) * gamma))
//   LAYER_NORM                     m x n  T = act((x - mean) * (rsqrt(variance + eps) * gamma) +
//                                         beta)
//   SOFTMAX                        m x n  T = act(exp(factor * (x - maximum)) / sum of these)
//   SIGMOID, TANH                  m x n  T = act(the function of factor * x)
//   QUANTISE                       m x n  T = act(x / the magnitude of the row): with scale_d =
//                                         448, codes of e4m3fn whose scales are MAGNITUDE with
//                                         factor = 1 / 448
//   QUANTISE_MX                    m x n  MX codes: D has one of the FP8 formats, and `scales` an
//                                         E8M0 code for each 32 of a row
//
//   D[m][n] = convert(T * scale_d)
//
//   fp8rt_rows_desc desc = {.operation = FP8MAC_ROWS_LAYER_NORM, .m = 16, .n = 64, .eps = 1e-5f,
//                           .x = x, .x_format = FP8MAC_FP32, .d = d};
//   status = fp8rt_rows(&dev, desc, &result);
#ifndef FP8RT_ROWS_H
#define FP8RT_ROWS_H

#include "fp8mac/rows.h"
#include "fp8rt/gemm.h"
#include "fp8rt/mx.h"

#ifdef __cplusplus
extern "C" {
#endif

// Addresses, strides, gamma and beta are multiples of caps.beat_bytes. D may be X, with its stride
// and format, and must not overlap an input otherwise. What an operation does not have must be 0,
// NULL or false: FP8RT_ERR_UNSUPPORTED.
enum { FP8RT_ROWS_DENSE = 4 }; // d_stride of results of four bytes, one behind the other

typedef struct fp8rt_rows_desc {
    fp8mac_rows_operation operation;
    uint32_t m, n;             // each >= 1; n <= FP8MAC_ROWS_MAX_COLS
    const void *x;             // m x n of x_format
    uint32_t x_stride;         // bytes from row to row; 0: a row, rounded up to a beat
    fp8mac_format_id x_format; // FP8MAC_E4M3FN .. FP8MAC_INT8, as d_format
    // Reductions and softmax: row i has the first min(n, seen + (causal ? i : 0)) columns alone,
    // where a `seen` of 0 stands for n. Softmax writes +0 to the others. The accelerator reads
    // these, too, but they do not count.
    uint32_t seen; // <= n
    bool causal;
    // Not argmax, norms, quantise and quantise MX: one value, finite and greater than 0; NULL: 1.
    // For softmax, factor * log2(e) is so, too.
    const float *factor;
    float eps;                    // norms: finite, at least 0
    const float *gamma, *beta;    // norms: n values each; NULL: 1 and 0. RMS norm has no beta
    fp8mac_activation activation; // argmax has nothing of what follows but d and d_stride
    float clamp_lo, clamp_hi;     // FP8MAC_ACT_CLAMP: finite, lo <= hi
    void *d;                      // of d_format; argmax: uint32_t
    // As x_stride. FP8RT_ROWS_DENSE: a reduction to FP32, or argmax, writes m words without gaps,
    // such as the scales that a GEMM takes for the rows of A
    uint32_t d_stride;
    fp8mac_format_id d_format;
    fp8mac_overflow overflow; // as fp8rt_elementwise_desc
    fp8rt_coding coding;      // a table of codes; stochastic rounding: FP8RT_ERR_UNSUPPORTED
    const float *scale_d;     // one value, finite and greater than 0; NULL: 1.0
    uint32_t flags;           // FP8RT_GEMM_*
    // Quantise MX: m x fp8rt_mx_blocks(n) scales at a beat, and the bytes from row to row, whole
    // beats; 0: the scales of a row, rounded up to a beat. overflow, activation and coding are 0,
    // and scale_d NULL. Others: NULL and 0
    uint8_t *scales;
    uint32_t scales_stride;
} fp8rt_rows_desc;

// Runs the command and sleeps until D is complete. FP8RT_ERR_UNSUPPORTED also: caps.functions has
// no row commands. FP8RT_ERR_SHAPE: m, n or seen. FP8RT_ERR_SCALE: factor, eps or scale_d.
// Otherwise as fp8rt_gemm_run; `result` may be NULL, and argmax has amax 0.
fp8rt_status fp8rt_rows(fp8rt_device *dev, fp8rt_rows_desc desc, fp8rt_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
