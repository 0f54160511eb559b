// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include "coding.h"
#include "fp8rt/matrix.h"
#include "fp32_bits.h"

static uint32_t row_bytes(const fp8rt_values *v)
{
    return v->cols * fp8mac_format_bytes(fp8mac_format_get(v->format));
}

uint32_t fp8rt_values_stride(const fp8rt_caps *caps, const fp8rt_values *v)
{
    return v->stride != 0 ? v->stride : fp8rt_packed_stride(caps, row_bytes(v));
}

fp8rt_region fp8rt_values_region(const fp8rt_values *v)
{
    return (fp8rt_region){(uintptr_t)v->at, v->rows, v->stride, row_bytes(v)};
}

static bool is_same(const fp8rt_values *x, const fp8rt_values *y)
{
    return x->at == y->at && x->stride == y->stride && x->format == y->format && x->cols == y->cols;
}

fp8rt_status fp8rt_values_check(const fp8rt_caps *caps, const fp8rt_values *v,
                                const fp8rt_values *d)
{
    const fp8rt_region own = fp8rt_values_region(v), out = fp8rt_values_region(d);
    if ((v->rows > 1 && v->stride < own.row_bytes) || !fp8rt_region_fits(&own)) {
        return FP8RT_ERR_STRIDE;
    }
    if ((((uintptr_t)v->at | (v->rows > 1 ? v->stride : 0)) & (caps->beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    return !is_same(v, d) && fp8rt_region_fits(&out) && fp8rt_regions_overlap(&own, &out)
               ? FP8RT_ERR_OVERLAP
               : FP8RT_OK;
}

fp8rt_status fp8rt_finish_check(const fp8rt_caps *caps, const fp8rt_finish *finish)
{
    if (!fp8rt_is_activation(finish->activation, finish->clamp_lo, finish->clamp_hi)) {
        return FP8RT_ERR_ACTIVATION;
    }
    if ((finish->flags & ~(uint32_t)FP8RT_GEMM_FLAGS) != 0) {
        return FP8RT_ERR_FLAGS;
    }
    return fp8rt_coding_check(caps, finish->coding, finish->d_format);
}
