// SPDX-License-Identifier: Apache-2.0
// fp8mac_int8_gemm: an INT8 GEMM with integer requantisation.
#include "api/checks.h"
#include "fp8mac/requantise.h"

enum { K_MOST = 131071 }; // K * 128 * 128 fits INT32

static bool is_int8(int32_t x)
{
    return x >= INT8_MIN && x <= INT8_MAX;
}

static fp8mac_status check_scales(const fp8mac_int8_gemm_desc *g)
{
    for (size_t i = 0; i < (g->scale_per_column ? g->n : 1); i++) {
        fp8mac_int_scale scale = g->scales[i];
        if (scale.multiplier < 0 || scale.shift < FP8MAC_SHIFT_LEAST ||
            scale.shift > FP8MAC_SHIFT_MOST) {
            return FP8MAC_ERR_SCALE;
        }
    }
    if (!is_int8(g->to.zero_point)) {
        return FP8MAC_ERR_SCALE;
    }
    bool legal = is_int8(g->to.lo) && is_int8(g->to.hi) && g->to.lo <= g->to.hi;
    return legal ? FP8MAC_OK : FP8MAC_ERR_ACTIVATION;
}

static fp8mac_status check_places(const fp8mac_int8_gemm_desc *g)
{
    size_t scales = g->sums ? 0 : g->scale_per_column ? g->n : 1;
    fp8mac_matrix d = {g->d, g->m, g->n, g->ldd, g->sums ? sizeof(int32_t) : 1};
    fp8mac_matrix inputs[] = {
        {g->a, g->m, g->k, g->lda, 1},
        {g->b, g->n, g->k, g->ldb, 1},
        {g->bias, 1, g->n, g->n, sizeof(int32_t)},
        {scales != 0 ? g->scales : NULL, 1, scales, scales, sizeof(fp8mac_int_scale)},
    };
    fp8mac_status status = fp8mac_check_matrix(&d);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && status == FP8MAC_OK; i++) {
        status = inputs[i].at != NULL ? fp8mac_check_matrix(&inputs[i]) : FP8MAC_OK;
    }
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && status == FP8MAC_OK; i++) {
        bool overlaps = inputs[i].at != NULL && fp8mac_matrices_overlap(&d, &inputs[i]);
        status = overlaps ? FP8MAC_ERR_OVERLAP : FP8MAC_OK;
    }
    return status;
}

static fp8mac_status check(const fp8mac_int8_gemm_desc *g)
{
    if (g == NULL || g->a == NULL || g->b == NULL || g->d == NULL ||
        (!g->sums && g->scales == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (g->m == 0 || g->n == 0 || g->k == 0) {
        return FP8MAC_ERR_SHAPE;
    }
    if (g->k > K_MOST) {
        return FP8MAC_ERR_K_LIMIT;
    }
    fp8mac_status status = check_places(g);
    return status == FP8MAC_OK && !g->sums ? check_scales(g) : status;
}

static void store(const fp8mac_int8_gemm_desc *g, size_t row, size_t col, int32_t sum)
{
    size_t at = row * g->ldd + col;
    int32_t bias = g->bias != NULL ? g->bias[col] : 0;
    if (g->sums) {
        uint32_t x = (uint32_t)sum + (uint32_t)bias;
        memcpy((uint8_t *)g->d + at * sizeof x, &x, sizeof x);
        return;
    }
    fp8mac_int_scale scale = g->scales[g->scale_per_column ? col : 0];
    ((int8_t *)g->d)[at] = fp8mac_requantise_apply(&g->to, sum, bias, scale);
}

fp8mac_status fp8mac_int8_gemm(const fp8mac_int8_gemm_desc *desc)
{
    fp8mac_status status = check(desc);
    if (status != FP8MAC_OK) {
        return status;
    }
    for (size_t row = 0; row < desc->m; row++) {
        for (size_t col = 0; col < desc->n; col++) {
            const int8_t *a = desc->a + row * desc->lda, *b = desc->b + col * desc->ldb;
            int32_t sum = 0;
            for (size_t i = 0; i < desc->k; i++) {
                sum += a[i] * b[i];
            }
            store(desc, row, col, sum);
        }
    }
    return FP8MAC_OK;
}
