// SPDX-License-Identifier: Apache-2.0
// A small GEMM that uses every field, for tests to spoil or to compute by hand.
#ifndef FP8MAC_TESTS_GEMM_FIXTURE_H
#define FP8MAC_TESTS_GEMM_FIXTURE_H

#include "check.h"

// 2 x 3 outputs over K = 5; strides longer than rows.
enum { M = 2, N = 3, K = 5, LDA = 6, LDB = 7, LDC = 4, LDD = 5 };
static uint8_t gemm_a[M * LDA], gemm_b[N * LDB];
static float gemm_c[M * LDC], gemm_d[M * LDD], gemm_bias[N], gemm_scale_a[M], gemm_scale_b[N],
    gemm_scale_d;

static inline fp8mac_gemm_desc good_desc(void)
{
    memset(gemm_a, 0x38, sizeof gemm_a); // ones
    memset(gemm_b, 0x40, sizeof gemm_b); // twos
    memset(gemm_d, UNTOUCHED, sizeof gemm_d);
    for (size_t i = 0; i < M * LDC; i++) {
        gemm_c[i] = (float)i;
    }
    for (size_t i = 0; i < N; i++) {
        gemm_bias[i] = (float)i;
        gemm_scale_b[i] = 0.5f;
    }
    gemm_scale_a[0] = 1.0f;
    gemm_scale_a[1] = 2.0f;
    gemm_scale_d = 1.0f;
    return (fp8mac_gemm_desc){
        .m = M,
        .n = N,
        .k = K,
        .dot = e4m3_config(),
        .a.codes = gemm_a,
        .a.stride = LDA,
        .b.codes = gemm_b,
        .b.stride = LDB,
        .a.scale = {FP8MAC_SCALE_VECTOR, gemm_scale_a},
        .b.scale = {FP8MAC_SCALE_VECTOR, gemm_scale_b},
        .bias = gemm_bias,
        .beta = 2.0f,
        .c = gemm_c,
        .c_format = row(FP8MAC_FP32),
        .ldc = LDC,
        .activation = FP8MAC_ACT_CLAMP,
        .clamp_lo = -1.0f,
        .clamp_hi = 20.0f,
        .d = gemm_d,
        .d_format = row(FP8MAC_FP32),
        .ldd = LDD,
        .scale_d = &gemm_scale_d,
    };
}

#endif
