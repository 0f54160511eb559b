// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/weights.h"

#include <math.h>

#include "fp32_bits.h"
#include "fp8mac/recipe.h"
#include "fp8rt/matrix.h"

static fp8rt_status check(const fp8rt_caps *caps, const fp8rt_quantize_desc *desc,
                          const fp8rt_weights *weights)
{
    if (caps == NULL || desc == NULL || weights == NULL || desc->values == NULL ||
        desc->codes.data == NULL || desc->row_scale == NULL ||
        (desc->folded_bias == NULL && (desc->bias != NULL || desc->norm != NULL)) ||
        (desc->norm != NULL && (desc->norm->mean == NULL || desc->norm->variance == NULL))) {
        return FP8RT_ERR_NULL;
    }
    if (desc->codes.rows == 0 || desc->codes.cols == 0) {
        return FP8RT_ERR_SHAPE;
    }
    if ((unsigned)desc->codes.format > FP8MAC_E5M2FNUZ) {
        return FP8RT_ERR_FORMAT;
    }
    return (desc->stride != 0 && desc->stride < desc->codes.cols) ||
                   fp8rt_tensor_stride(caps, &desc->codes) < desc->codes.cols
               ? FP8RT_ERR_STRIDE
               : FP8RT_OK;
}

static float factor_of(const fp8rt_batch_norm *norm, uint32_t row)
{
    if (norm == NULL) {
        return 1.0f;
    }
    const float deviation = sqrtf(norm->variance[row] + norm->epsilon);
    return (norm->gamma == NULL ? 1.0f : norm->gamma[row]) / deviation;
}

static float bias_of(const fp8rt_quantize_desc *desc, uint32_t row, float factor)
{
    const fp8rt_batch_norm *norm = desc->norm;
    const float bias = desc->bias == NULL ? 0.0f : desc->bias[row];
    if (norm == NULL) {
        return bias;
    }
    return (bias - norm->mean[row]) * factor + (norm->beta == NULL ? 0.0f : norm->beta[row]);
}

static void negate(uint8_t *codes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = (uint8_t)(codes[i] ^ ((codes[i] & 0x7fu) != 0 ? 0x80u : 0));
    }
}

static bool is_scale(float x)
{
    return fp8rt_fp32_is_scale(fp8rt_fp32_bits(x));
}

// The codes of a row are those of its values over their largest one. The factor is in the scale.
static fp8rt_status quantize_row(const fp8rt_quantize_desc *desc, const float *values, float factor,
                                 uint8_t *codes, float *row_scale)
{
    const fp8mac_format_id format = desc->codes.format;
    const uint32_t count = desc->codes.cols;
    const float largest = fp8mac_recipe_format_max(fp8mac_format_get(format));
    const float amax = fp8mac_recipe_reduce(values, count);
    if (!fp8rt_fp32_is_finite(fp8rt_fp32_bits(amax)) ||
        !fp8rt_fp32_is_finite(fp8rt_fp32_bits(factor))) {
        return FP8RT_ERR_SCALE;
    }
    const float scale = largest / amax;
    *row_scale = amax / largest * fabsf(factor);
    if (!fp8rt_fp32_is_finite(fp8rt_fp32_bits(*row_scale))) {
        return FP8RT_ERR_SCALE;
    }
    if (!is_scale(scale) || !is_scale(*row_scale)) { // all are 0, or are so once they are scaled
        *row_scale = 1.0f;
        return fp8rt_quantize(format, codes, count, values, count, 1, count, 0x1p-126f,
                              FP8MAC_OVERFLOW_SATURATE, NULL);
    }
    const fp8rt_status status = fp8rt_quantize(format, codes, count, values, count, 1, count, scale,
                                               FP8MAC_OVERFLOW_SATURATE, NULL);
    if (fp8rt_fp32_bits(factor) & FP8RT_FP32_SIGN) {
        negate(codes, count);
    }
    return status;
}

fp8rt_status fp8rt_quantize_weights(const fp8rt_caps *caps, const fp8rt_quantize_desc *desc,
                                    fp8rt_weights *weights)
{
    fp8rt_status status = check(caps, desc, weights);
    if (status != FP8RT_OK) {
        return status;
    }
    const uint32_t stride = fp8rt_tensor_stride(caps, &desc->codes);
    const uint32_t from = desc->stride == 0 ? desc->codes.cols : desc->stride;
    for (uint32_t row = 0; row < desc->codes.rows && status == FP8RT_OK; row++) {
        const float factor = factor_of(desc->norm, row);
        status =
            quantize_row(desc, desc->values + (size_t)row * from, factor,
                         (uint8_t *)desc->codes.data + (size_t)row * stride, &desc->row_scale[row]);
        if (desc->folded_bias != NULL) {
            desc->folded_bias[row] = bias_of(desc, row, factor);
        }
    }
    *weights = (fp8rt_weights){
        .codes = desc->codes, .row_scale = desc->row_scale, .bias = desc->folded_bias};
    weights->codes.scale = 1.0f;
    return status;
}
