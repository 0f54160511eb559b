// SPDX-License-Identifier: Apache-2.0
// OCP MX blocks, Qualcomm's flexible bias, static scales.
#include "recipe/shared.h"
#include "core/round.h"

enum { BLOCK = 32, E8M0_BIAS = 127, E8M0_MAX = 254, E8M0_NAN = 255 };

static int element_emax(const fp8mac_format *element)
{
    fp8mac_value largest = fp8mac_decode(element, fp8mac_format_max_code(element));
    return largest.exponent + fp8mac_bit_length(largest.significand) - 1;
}

uint8_t fp8mac_recipe_mx_scale(const fp8mac_format *element, float amax)
{
    amax = fp8mac_magnitude(amax);
    if (fp8mac_float_bits(amax) == 0) {
        return 0;
    }
    if (!fp8mac_is_scale(amax)) {
        return E8M0_NAN;
    }
    int code = fp8mac_recipe_floor_log2(amax) - element_emax(element) + E8M0_BIAS;
    return (uint8_t)(code < 0 ? 0 : code > E8M0_MAX ? E8M0_MAX : code);
}

// One block of at most 32 elements, whose scale is `code`. The division by a power of two changes
// only the exponent, so each element is rounded once.
static void quantize_block(const fp8mac_format *element, uint8_t *dst, uint8_t code,
                           const float *src, size_t n, fp8mac_flags *flags)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(fp32, fp8mac_float_bits(src[i]));
        if (value.cls == FP8MAC_CLASS_NAN) {
            fp8mac_raise(flags, FP8MAC_FLAG_NAN);
        }
        value.exponent -= code - E8M0_BIAS;
        dst[i] = code == E8M0_NAN
                     ? 0
                     : (uint8_t)fp8mac_encode(element, value, (fp8mac_convert_mode){0}, flags);
    }
}

fp8mac_status fp8mac_recipe_mx_quantize(const fp8mac_format *element, uint8_t *dst, uint8_t *scales,
                                        const float *src, size_t n, fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || scales == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(element) != FP8MAC_OK || fp8mac_format_bits(element) > 8) {
        return FP8MAC_ERR_FORMAT;
    }
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        uint8_t code = fp8mac_recipe_mx_scale(element, fp8mac_recipe_reduce(src + first, count));
        scales[first / BLOCK] = code;
        quantize_block(element, dst + first, code, src + first, count, flags);
    }
    return FP8MAC_OK;
}

// A value of a format as a double. It is exact: the significand is below 2^24, and each power of
// two is a float.
static double value_of(fp8mac_value value)
{
    double x = (double)value.significand;
    int32_t half = value.exponent / 2; // 2^half and the rest are both floats
    x *= (double)fp8mac_recipe_power_of_two(half);
    x *= (double)fp8mac_recipe_power_of_two(value.exponent - half);
    return value.sign ? -x : x;
}

static double squared_error(const fp8mac_format *format, const float *x, size_t n)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(fp32, fp8mac_float_bits(x[i]));
        uint32_t code = fp8mac_encode(format, value, (fp8mac_convert_mode){0}, NULL);
        double error = (double)x[i] - value_of(fp8mac_decode(format, code));
        double square = error * error;
        sum = sum + square;
    }
    return sum;
}

FP8MAC_APART static fp8mac_status qualcomm_bias(fp8mac_format_id id, const float *x, size_t n,
                                                int lowest, int highest, int *bias)
{
    if (x == NULL || bias == NULL) {
        return FP8MAC_ERR_NULL;
    }
    if (id < FP8MAC_QC_E5M2 || id > FP8MAC_QC_E2M5) {
        return FP8MAC_ERR_FORMAT;
    }
    if (n == 0 || lowest > highest || lowest < FP8MAC_BIAS_MIN || highest > FP8MAC_BIAS_MAX) {
        return FP8MAC_ERR_SHAPE;
    }
    for (size_t i = 0; i < n; i++) {
        if (!fp8mac_fp32_is_finite(fp8mac_float_bits(x[i]))) {
            return FP8MAC_ERR_SCALE;
        }
    }
    double least = 0;
    for (int b = lowest; b <= highest; b++) {
        fp8mac_format format = fp8mac_format_with_bias(id, b);
        double error = squared_error(&format, x, n);
        if (b == lowest || error < least) {
            least = error;
            *bias = b;
        }
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_recipe_qualcomm_bias(fp8mac_format_id id, const float *x, size_t n, int lowest,
                                          int highest, int *bias)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status,
                                       qualcomm_bias(id, x, n, lowest, highest, bias));
}

static void static_scale(fp8mac_recipe_scheme scheme, float fp8_max, float amax, float *quantise,
                         float *dequantise)
{
    if (scheme == FP8MAC_SCHEME_AUTOFP8 || scheme == FP8MAC_SCHEME_AUTOFP8_IEEE) {
        float clamped = amax < 1e-12f ? 1e-12f : amax;
        float reciprocal = 1.0f / clamped;
        *quantise = scheme == FP8MAC_SCHEME_AUTOFP8 ? reciprocal * fp8_max : fp8_max / clamped;
        *dequantise = 1.0f / *quantise;
        return;
    }
    *dequantise = amax / fp8_max;
    if (scheme == FP8MAC_SCHEME_VLLM) {
        float least = 1.0f / (fp8_max * 512.0f);
        *dequantise = *dequantise < least ? least : *dequantise;
    } else if (amax == 0) {
        *dequantise = 1.0f;
    }
    *quantise = 1.0f / *dequantise;
}

FP8MAC_APART static fp8mac_status static_scales(fp8mac_recipe_scheme scheme, float fp8_max,
                                                const float *amaxes, size_t n, float *quantise,
                                                float *dequantise)
{
    if (n > 0 && (amaxes == NULL || quantise == NULL || dequantise == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if ((unsigned)scheme > FP8MAC_SCHEME_AUTOFP8_IEEE) {
        return FP8MAC_ERR_UNSUPPORTED;
    }
    bool ok = fp8mac_is_scale(fp8_max);
    float q, d;
    for (size_t i = 0; i < n && ok; i++) {
        float amax = fp8mac_magnitude(amaxes[i]);
        static_scale(scheme, fp8_max, amax, &q, &d);
        ok = fp8mac_fp32_is_finite(fp8mac_float_bits(amax)) && fp8mac_is_scale(q) &&
             fp8mac_is_scale(d);
    }
    for (size_t i = 0; i < n && ok; i++) {
        static_scale(scheme, fp8_max, fp8mac_magnitude(amaxes[i]), &quantise[i], &dequantise[i]);
    }
    return ok ? FP8MAC_OK : FP8MAC_ERR_SCALE;
}

fp8mac_status fp8mac_recipe_static_scales(fp8mac_recipe_scheme scheme, float fp8_max,
                                          const float *amaxes, size_t n, float *quantise,
                                          float *dequantise)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(
        fp8mac_status, static_scales(scheme, fp8_max, amaxes, n, quantise, dequantise));
}
