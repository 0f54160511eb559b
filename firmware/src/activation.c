// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/activation.h"

#include <math.h>

#include "convert_fp8.h"
#include "fp32_bits.h"

double fp8rt_sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

// The limit at -Inf is -0, where the quotient would be NaN.
double fp8rt_silu(double x)
{
    return x < -745.0 ? -0.0 : x / (1.0 + exp(-x));
}

// erfc keeps the small values of large negative x.
double fp8rt_gelu(double x)
{
    const double sqrt_half = 0.70710678118654752440;
    return x < -40.0 ? -0.0 : 0.5 * x * erfc(-x * sqrt_half);
}

static bool is_scale_or_zero(float scale)
{
    return scale == 0.0f || fp8rt_fp32_is_scale(fp8rt_fp32_bits(scale));
}

static bool is_code(fp8mac_format_id format)
{
    return fp8rt_is_fp8(format) || format == FP8MAC_INT8;
}

fp8rt_status fp8rt_activation_table(fp8rt_activation activation, uint8_t codes[FP8RT_TABLE_CODES])
{
    const fp8rt_activation *a = &activation;
    if (a->function == NULL || codes == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (!is_code(a->from) || !is_code(a->to)) {
        return FP8RT_ERR_FORMAT;
    }
    if (!is_scale_or_zero(a->from_scale) || !is_scale_or_zero(a->to_scale)) {
        return FP8RT_ERR_SCALE;
    }
    if ((unsigned)a->overflow > FP8MAC_OVERFLOW_IEEE ||
        (a->to == FP8MAC_INT8 && a->overflow != FP8MAC_OVERFLOW_SATURATE)) {
        return FP8RT_ERR_OVERFLOW_MODE;
    }
    const double from_scale = a->from_scale == 0.0f ? 1.0 : (double)a->from_scale;
    const double to_scale = a->to_scale == 0.0f ? 1.0 : (double)a->to_scale;
    const fp8mac_convert_mode mode = {.overflow = a->overflow};
    for (unsigned code = 0; code < FP8RT_TABLE_CODES; code++) {
        const uint8_t from = (uint8_t)code;
        float value;
        fp8mac_dequantize(&value, fp8mac_format_get(a->from), &from, 1, 1.0f);
        value = (float)(a->function((double)value * from_scale) * to_scale);
        fp8mac_convert(fp8mac_format_get(a->to), &codes[code], fp8mac_format_get(FP8MAC_FP32),
                       &value, 1, mode, NULL);
    }
    return FP8RT_OK;
}
