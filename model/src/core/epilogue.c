// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

// The order of two finite FP32 values; -0 and +0 are equal.
static bool fp32_less(uint32_t a, uint32_t b)
{
    // Sign and magnitude as one signed number.
    int64_t x = (a >> 31) != 0 ? -(int64_t)(a & 0x7fffffffu) : (int64_t)a;
    int64_t y = (b >> 31) != 0 ? -(int64_t)(b & 0x7fffffffu) : (int64_t)b;
    return x < y;
}

static uint32_t activate(const fp8mac_epilogue *epilogue, uint32_t t)
{
    if (fp8mac_fp32_is_nan(t)) {
        return t;
    }
    uint32_t lo = fp8mac_float_bits(epilogue->clamp_lo);
    uint32_t hi = fp8mac_float_bits(epilogue->clamp_hi);
    switch (epilogue->activation) {
    case FP8MAC_ACT_NONE: return t;
    case FP8MAC_ACT_RELU: return (t >> 31) != 0 ? 0 : t;
    case FP8MAC_ACT_CLAMP: return fp32_less(t, lo) ? lo : fp32_less(hi, t) ? hi : t;
    }
    return t;
}

// IEEE 754-2019's maximum: NaN if one of them is, and +0 is larger than -0.
static uint32_t maximum(uint32_t a, uint32_t b)
{
    if (fp8mac_fp32_is_nan(a) || fp8mac_fp32_is_nan(b)) {
        return FP8MAC_FP32_NAN;
    }
    if (fp32_less(a, b)) {
        return b;
    }
    return fp32_less(b, a) || (b >> 31) != 0 ? a : b;
}

static void raise_if_nan(uint32_t operand, fp8mac_flags *flags)
{
    if (fp8mac_fp32_is_nan(operand)) {
        fp8mac_raise(flags, FP8MAC_FLAG_NAN);
    }
}

static void update_amax(uint32_t t, uint32_t *amax, bool *amax_nonfinite)
{
    uint32_t magnitude = t & 0x7fffffffu;
    if (!fp8mac_fp32_is_finite(t)) {
        *amax_nonfinite = true;
    } else if (magnitude > *amax) {
        *amax = magnitude;
    }
}

static uint32_t convert_d(const fp8mac_epilogue *epilogue, fp8mac_value value,
                          fp8mac_round_mode rounding, fp8mac_flags *flags)
{
    if (rounding.rounding == FP8MAC_ROUND_STOCHASTIC) {
        return fp8mac_encode_stochastic(epilogue->d_format, value, epilogue->d_mode.overflow,
                                        rounding.r, rounding.n, flags);
    }
    return fp8mac_encode(epilogue->d_format, value, epilogue->d_mode, flags);
}

uint32_t fp8mac_epilogue_rounded(const fp8mac_epilogue *epilogue, fp8mac_round_mode rounding,
                                 uint32_t t0, uint32_t scale_a, uint32_t scale_b, uint32_t bias,
                                 uint32_t c, uint32_t *amax, bool *amax_nonfinite,
                                 fp8mac_flags *flags)
{
    uint32_t beta = fp8mac_float_bits(epilogue->beta);
    raise_if_nan(scale_a, flags);
    raise_if_nan(scale_b, flags);

    uint32_t s = fp8mac_fp32_mul(scale_a, scale_b, flags);
    if (epilogue->multiply) {
        raise_if_nan(c, flags);
        s = fp8mac_fp32_mul(s, c, flags);
    }
    uint32_t t = fp8mac_fp32_mul(t0, s, flags);
    if (epilogue->has_bias && !epilogue->multiply) {
        raise_if_nan(bias, flags);
        t = fp8mac_fp32_add(t, bias, flags);
    }
    if ((beta & 0x7fffffffu) != 0 && !epilogue->multiply) {
        raise_if_nan(beta, flags);
        raise_if_nan(c, flags);
        uint32_t term = fp8mac_fp32_mul(beta, c, flags);
        t = epilogue->maximum ? maximum(t, term) : fp8mac_fp32_add(t, term, flags);
    }
    t = activate(epilogue, t);
    update_amax(t, amax, amax_nonfinite);

    uint32_t scaled = fp8mac_fp32_mul(t, fp8mac_float_bits(epilogue->scale_d), flags);
    fp8mac_value value = fp8mac_decode(fp8mac_format_get(FP8MAC_FP32), scaled);
    uint32_t code = convert_d(epilogue, value, rounding, flags);
    // A NaN that stands for an overflow has the value's sign. The epilogue writes the canonical NaN
    // instead.
    bool is_nan = fp8mac_decode(epilogue->d_format, code).cls == FP8MAC_CLASS_NAN;
    code = is_nan ? fp8mac_format_nan_code(epilogue->d_format) : code;
    return epilogue->d_table != NULL ? epilogue->d_table[code] : code;
}

uint32_t fp8mac_epilogue_apply(const fp8mac_epilogue *epilogue, uint32_t t0, uint32_t scale_a,
                               uint32_t scale_b, uint32_t bias, uint32_t c, uint32_t *amax,
                               bool *amax_nonfinite, fp8mac_flags *flags)
{
    fp8mac_round_mode rounding = {.rounding = epilogue->d_mode.rounding};
    return fp8mac_epilogue_rounded(epilogue, rounding, t0, scale_a, scale_b, bias, c, amax,
                                   amax_nonfinite, flags);
}

uint32_t fp8mac_epilogue_apply_random(const fp8mac_epilogue *epilogue, uint32_t r, unsigned n_bits,
                                      uint32_t t0, uint32_t scale_a, uint32_t scale_b,
                                      uint32_t bias, uint32_t c, uint32_t *amax,
                                      bool *amax_nonfinite, fp8mac_flags *flags)
{
    fp8mac_round_mode rounding = {.rounding = FP8MAC_ROUND_STOCHASTIC, .r = r, .n = n_bits};
    return fp8mac_epilogue_rounded(epilogue, rounding, t0, scale_a, scale_b, bias, c, amax,
                                   amax_nonfinite, flags);
}
