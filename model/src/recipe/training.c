// SPDX-License-Identifier: Apache-2.0
// Transformer Engine's layers, XLA, Flax, PyTorch, Graphcore, FP8-LM.
#include "recipe/shared.h"
#include "core/round.h"

const fp8mac_format *fp8mac_recipe_te_operand(const fp8mac_recipe_te_layer *layer,
                                              fp8mac_recipe_te_gemm gemm, bool is_gradient)
{
    if (layer == NULL || (unsigned)gemm > FP8MAC_TE_WGRAD || layer->high_precision[gemm]) {
        return NULL;
    }
    switch (layer->format) {
    case FP8MAC_TE_HYBRID: return fp8mac_format_get(is_gradient ? FP8MAC_E5M2 : FP8MAC_E4M3FN);
    case FP8MAC_TE_E4M3: return fp8mac_format_get(FP8MAC_E4M3FN);
    case FP8MAC_TE_E5M2: return fp8mac_format_get(FP8MAC_E5M2);
    }
    return NULL;
}

FP8MAC_APART static float xla_next(float fp8_max, float amax, float scale)
{
    amax = fp8mac_magnitude(amax);
    if (!fp8mac_is_scale(amax)) {
        return scale;
    }
    float ratio = amax / fp8_max;
    float next = 1.1f * ratio;
    return fp8mac_is_scale(next) ? next : scale;
}

float fp8mac_recipe_xla_next(float fp8_max, float amax, float scale)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, xla_next(fp8_max, amax, scale));
}

fp8mac_convert_mode fp8mac_recipe_xla_mode(fp8mac_format_id format, bool loss_scaled_gradient)
{
    bool ieee = format == FP8MAC_E5M2 && loss_scaled_gradient;
    return (fp8mac_convert_mode){.overflow =
                                     ieee ? FP8MAC_OVERFLOW_IEEE : FP8MAC_OVERFLOW_SATURATE};
}

FP8MAC_APART static fp8mac_status xla_quantize(const fp8mac_format *dst_format, void *dst,
                                               const float *src, size_t n, float scale,
                                               fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status == FP8MAC_OK && !fp8mac_is_scale(scale)) {
        status = FP8MAC_ERR_SCALE;
    }
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    for (size_t i = 0; status == FP8MAC_OK && i < n; i++) {
        fp8mac_value quotient = fp8mac_decode(fp32, fp8mac_float_bits(src[i] / scale));
        fp8mac_store_code(dst, i, fp8mac_format_bytes(dst_format),
                          fp8mac_encode(dst_format, quotient, mode, flags));
    }
    return status;
}

fp8mac_status fp8mac_recipe_xla_quantize(const fp8mac_format *dst_format, void *dst,
                                         const float *src, size_t n, float scale,
                                         fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_status,
                                       xla_quantize(dst_format, dst, src, n, scale, mode, flags));
}

FP8MAC_APART static float flax_scale(float fp8_max, int margin, float amax, float scale)
{
    amax = fp8mac_magnitude(amax);
    float quantising = 1.0f / scale;
    if (fp8mac_is_scale(amax)) {
        float ratio = fp8_max / amax;
        quantising = ratio * fp8mac_recipe_power_of_two(-margin);
    }
    return 1.0f / quantising;
}

float fp8mac_recipe_flax_scale(float fp8_max, int margin, float amax, float scale)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, flax_scale(fp8_max, margin, amax, scale));
}

FP8MAC_APART static float xla_example_next(float fp8_max, float amax)
{
    const float least = 0x1p-10f;
    amax = fp8mac_magnitude(amax);
    if (fp8mac_is_nan(amax)) {
        return fp8mac_float_from_bits(FP8MAC_FP32_NAN);
    }
    float product = 1.1f * (amax < least ? least : amax);
    return product / fp8_max;
}

float fp8mac_recipe_xla_example_next(float fp8_max, float amax)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, xla_example_next(fp8_max, amax));
}

// floor(log2 x) with the logarithm rounded to FP32 before the floor, as PyTorch computes it, for a
// finite x > 0. A little below 2^k, log2 x is nearer to k than to the float before k. For j units
// of 2^(k-24) below 2^k it is k - j * 2^-24 / ln 2. Half of the distance to the float before k is
// 2^(e-24), so the result is k for j up to 2^e * ln 2. e is the exponent of the floats on that side
// of k: floor(log2 |k|), less one where k is a power of two.
static int rounded_log2(float x)
{
    static const uint8_t units[] = {0, 1, 2, 5, 11, 22, 44, 88}; // floor(2^e * ln 2)
    int floor = fp8mac_recipe_floor_log2(x), k = floor + 1;
    int magnitude = k < 0 ? -k : k;
    int e = fp8mac_bit_length((uint64_t)magnitude) - 1;
    e -= k > 0 && (magnitude & (magnitude - 1)) == 0;
    int leading_zeros = floor < -126 ? -126 - floor : 0; // of a subnormal's fraction
    uint32_t fraction = (fp8mac_float_bits(x) << leading_zeros) & 0x007fffffu;
    return e >= 0 && 0x00800000u - fraction <= units[e] ? k : floor;
}

static float rounded_down(float scale)
{
    int exponent = rounded_log2(scale);
    return exponent > 127 ? fp8mac_float_from_bits(0x7f800000u)
                          : fp8mac_recipe_power_of_two(exponent);
}

FP8MAC_APART static float torchao_scale(float fp8_max, float amax, bool power_of_two)
{
    const double least = 1e-12;
    amax = fp8mac_magnitude(amax);
    float scale = fp8mac_float_from_bits(FP8MAC_FP32_NAN);
    if (!fp8mac_is_nan(amax)) {
        double clamped = (double)amax < least ? least : (double)amax;
        double reciprocal = 1.0 / clamped;
        double product = reciprocal * (double)fp8_max;
        scale = (float)product;
    }
    return power_of_two && fp8mac_is_scale(scale) ? rounded_down(scale) : scale;
}

float fp8mac_recipe_torchao_scale(float fp8_max, float amax, bool power_of_two)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, torchao_scale(fp8_max, amax, power_of_two));
}

FP8MAC_APART static float pytorch_scale(float fp8_max, float amax, bool power_of_two,
                                        float previous)
{
    float scale = torchao_scale(fp8_max, amax, power_of_two);
    return fp8mac_is_scale(scale) ? scale : previous;
}

float fp8mac_recipe_pytorch_scale(float fp8_max, float amax, bool power_of_two, float previous)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, pytorch_scale(fp8_max, amax, power_of_two, previous));
}

static int clamp_exponent(int x)
{
    enum { LOW = -32, HIGH = 32 }; // FP8MAC_SCALE_EXPONENT_MIN and MAX
    return x < LOW ? LOW : x > HIGH ? HIGH : x;
}

FP8MAC_APART static int graphcore_amax_bias(float fp8_max, float amax, int previous)
{
    amax = fp8mac_magnitude(amax);
    if (!fp8mac_is_scale(amax)) {
        return clamp_exponent(previous);
    }
    float ratio = fp8_max / amax;
    uint32_t bits = fp8mac_float_bits(ratio);
    // A quotient outside the range of floats is outside the clamp's range as well.
    return bits == 0x7f800000u ? clamp_exponent(1000)
           : bits == 0         ? clamp_exponent(-1000)
                               : clamp_exponent(fp8mac_recipe_floor_log2(ratio));
}

int fp8mac_recipe_graphcore_amax_bias(float fp8_max, float amax, int previous)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(int, graphcore_amax_bias(fp8_max, amax, previous));
}

int fp8mac_recipe_graphcore_cscale_bias(int bias)
{
    return clamp_exponent(bias);
}

int fp8mac_recipe_scale_exponent(int bias)
{
    return -clamp_exponent(bias);
}

FP8MAC_APART static float fp8lm_mu(float mu, uint64_t saturated, uint64_t total)
{
    const uint64_t per_cent_thousandths = 100000; // 0.001 % is one in so many
    if (total == 0) {
        return mu;
    }
    float next = mu * (saturated > total / per_cent_thousandths ? 0.5f : 1.00069344f);
    return fp8mac_is_scale(next) ? next : mu;
}

float fp8mac_recipe_fp8lm_mu(float mu, uint64_t saturated, uint64_t total)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, fp8lm_mu(mu, saturated, total));
}

// MS-AMP's 2^|e|, and its inverse for a negative e. 2^128 is Inf, and the inverse of that is 0.
static float msamp_power(int e)
{
    float power = (e < 0 ? -e : e) > 127 ? fp8mac_float_from_bits(0x7f800000u)
                                         : fp8mac_recipe_power_of_two(e < 0 ? -e : e);
    return e < 0 ? 1.0f / power : power;
}

FP8MAC_APART static float msamp_scale(float fp8_max, int margin, float amax, float previous)
{
    amax = fp8mac_magnitude(amax);
    uint32_t bits = fp8mac_float_bits(amax);
    if (bits == 0x7f800000u) {
        return 1.0f / previous;
    }
    if (!fp8mac_is_scale(amax)) {
        return previous;
    }
    float reciprocal = 1.0f / amax;
    float ratio = reciprocal * fp8_max;
    uint32_t ratio_bits = fp8mac_float_bits(ratio);
    if (ratio_bits == 0 || ratio_bits == 0x7f800000u) {
        return ratio; // e is -Inf or +Inf, whatever the margin
    }
    return msamp_power(rounded_log2(ratio) - margin);
}

float fp8mac_recipe_msamp_scale(float fp8_max, int margin, float amax, float previous)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, msamp_scale(fp8_max, margin, amax, previous));
}

FP8MAC_APART static float fp8lm_shared_scale(const float *scales, size_t n)
{
    float least = scales[0];
    for (size_t i = 1; i < n; i++) {
        least = scales[i] < least ? scales[i] : least;
    }
    return least;
}

float fp8mac_recipe_fp8lm_shared_scale(const float *scales, size_t n)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, fp8lm_shared_scale(scales, n));
}

FP8MAC_APART static fp8mac_recipe_factors reduction_factors(fp8mac_recipe_reduction reduction,
                                                            uint32_t ranks, float mu)
{
    float count = (float)ranks;
    switch (reduction) {
    case FP8MAC_REDUCTION_PRE_SCALING: return (fp8mac_recipe_factors){1.0f / count, 1.0f};
    case FP8MAC_REDUCTION_POST_SCALING: return (fp8mac_recipe_factors){1.0f, 1.0f / count};
    case FP8MAC_REDUCTION_AUTOMATIC: break;
    }
    float product = count * mu;
    return (fp8mac_recipe_factors){mu, 1.0f / product};
}

fp8mac_recipe_factors fp8mac_recipe_reduction_factors(fp8mac_recipe_reduction reduction,
                                                      uint32_t ranks, float mu)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(fp8mac_recipe_factors,
                                       reduction_factors(reduction, ranks, mu));
}
