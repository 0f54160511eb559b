// SPDX-License-Identifier: Apache-2.0
// Element-wise operations on matrices, each as one command of the accelerator. X, C and D are m x
// n:
//
//   FP8RT_OPERATION_ADD       T = act(scale_x[m] * X + beta * C)     beta = 0: C is not read
//   FP8RT_OPERATION_MULTIPLY  T = act(X * ((scale_x[m] * beta) * C))
//   FP8RT_OPERATION_MAXIMUM   T = act(the larger of scale_x[m] * X and beta * C)
//   D[m][n] = convert(T * scale_d)
//
// Each operation is one FP32 nearest-even operation, in this order. A maximum is NaN if one of both
// is, and +0 is larger than -0. An addition without C converts X
// to D's format. A tensor gets a dynamic scale from two commands: a GEMM with D in FP16 or FP32,
// whose amax gives scale_d, and an addition without C.
//
//   fp8rt_elementwise_desc desc = {.operation = FP8RT_OPERATION_ADD, .m = 64, .n = 64,
//                                  .x = x, .x_format = FP8MAC_FP32, .d = d};
//   status = fp8rt_elementwise(&dev, desc, &result);
#ifndef FP8RT_ELEMENTWISE_H
#define FP8RT_ELEMENTWISE_H

#include "fp8rt/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

// Addresses, strides and scale vectors are multiples of caps.beat_bytes. D may be X or C, with its
// stride and format, and must not overlap them otherwise.
typedef struct fp8rt_elementwise_desc {
    uint32_t operation;        // FP8RT_OPERATION_ADD, _MULTIPLY or _MAXIMUM
    uint32_t m, n;             // each >= 1
    const void *x;             // m x n of x_format
    uint32_t x_stride;         // bytes from row to row; 0: a row, rounded up to a beat
    fp8mac_format_id x_format; // FP8MAC_E4M3FN .. FP8MAC_INT8, as c_format and d_format
    fp8mac_scale scale_x;      // none, one, or m values; finite and greater than 0
    float beta;                // of a product: finite and greater than 0; of a maximum: not 0
    const void *c;             // m x n of c_format
    uint32_t c_stride;         // as x_stride
    fp8mac_format_id c_format;
    fp8mac_activation activation;
    float clamp_lo, clamp_hi; // FP8MAC_ACT_CLAMP: finite, lo <= hi
    void *d;                  // m x n of d_format
    uint32_t d_stride;        // as x_stride
    fp8mac_format_id d_format;
    fp8mac_overflow
        overflow; // for FP8 d_format; INT8: saturate; others are always as FP8MAC_OVERFLOW_IEEE
    fp8rt_coding coding;  // how D's codes are made, beside that
    const float *scale_d; // one value, finite and greater than 0; NULL: 1.0
    uint32_t flags;       // FP8RT_GEMM_*
} fp8rt_elementwise_desc;

// Runs the command and sleeps until D is complete. FP8RT_ERR_UNSUPPORTED: caps.functions has no
// element-wise commands. Otherwise as fp8rt_gemm_run; `result` may be NULL.
fp8rt_status fp8rt_elementwise(fp8rt_device *dev, fp8rt_elementwise_desc desc,
                               fp8rt_gemm_result *result);

#ifdef __cplusplus
}
#endif
#endif
