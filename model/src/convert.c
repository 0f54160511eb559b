// SPDX-License-Identifier: Apache-2.0
#include "internal.h"
#include "round.h"

static bool has_nan(const fp8mac_format *f)
{
    return f->nan_encoding != FP8MAC_NAN_NONE;
}

fp8mac_status fp8mac_convert_mode_validate(const fp8mac_format *format, fp8mac_convert_mode mode)
{
    if (fp8mac_format_validate(format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    if ((unsigned)mode.rounding > FP8MAC_ROUND_TOWARD_ZERO) {
        return FP8MAC_ERR_ROUNDING;
    }
    if ((unsigned)mode.overflow > FP8MAC_OVERFLOW_IEEE) {
        return FP8MAC_ERR_OVERFLOW_MODE;
    }
    if (mode.overflow != FP8MAC_OVERFLOW_SATURATE && !format->has_inf && !has_nan(format)) {
        return FP8MAC_ERR_OVERFLOW_MODE;
    }
    return FP8MAC_OK;
}

static uint32_t sign_bit(const fp8mac_format *f, bool sign)
{
    return sign ? UINT32_C(1) << (f->exponent_bits + f->mantissa_bits) : 0;
}

static uint32_t zero_code(const fp8mac_format *f, bool sign)
{
    return sign_bit(f, sign && f->has_negative_zero);
}

// Where there is no Inf, its place is taken by NaN with the same sign (FNUZ has one NaN, whose code is the sign bit).
static uint32_t inf_code(const fp8mac_format *f, bool sign)
{
    uint32_t code = f->has_inf ? fp8mac_format_max_code(f) + 1 : fp8mac_format_nan_code(f);
    return code | sign_bit(f, sign);
}

static uint32_t nan_code(const fp8mac_format *f, bool sign, fp8mac_flags *flags)
{
    if (!has_nan(f)) {
        fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
        return 0;
    }
    return fp8mac_format_nan_code(f) | sign_bit(f, sign);
}

// An infinity, or a finite value whose rounded magnitude is beyond the largest.
static uint32_t overflow_code(const fp8mac_format *f, bool sign, bool finite, fp8mac_overflow overflow,
                              fp8mac_flags *flags)
{
    if (overflow == FP8MAC_OVERFLOW_SATURATE || (overflow == FP8MAC_OVERFLOW_SATURATE_FINITE && finite)) {
        fp8mac_raise(flags, FP8MAC_FLAG_SATURATED);
        return fp8mac_format_max_code(f) | sign_bit(f, sign);
    }
    if (finite) {
        fp8mac_raise(flags, FP8MAC_FLAG_OVERFLOW);
    }
    return inf_code(f, sign);
}

// The magnitude's code as if the exponent field had no upper end; larger than every code if it has too many bits.
//
// In units of the quantum, significands of the binade `top` are 2^m .. 2^(m+1)-1, those of subnormals 0 .. 2^m-1. The
// field of binade `top` is top - e_min + 1, so   code = (top - e_min) * 2^m + significand   for both; a significand
// rounded up to the next power of two carries into the field by itself.
static uint64_t round_magnitude(const fp8mac_format *f, fp8mac_value value, fp8mac_rounding rounding)
{
    int32_t e_min = 1 - f->bias;
    int32_t top = value.exponent + fp8mac_bit_length(value.significand) - 1; // floor(log2 |value|)
    if (top < e_min) {
        top = e_min;
    }
    int32_t shift = top - f->mantissa_bits - value.exponent; // log2 of the quantum, in the significand's unit
    uint64_t significand = shift > 0 ? fp8mac_round_right(value.significand, shift, rounding)
                                     : value.significand << -shift;
    return ((uint64_t)(uint32_t)(top - e_min) << f->mantissa_bits) + significand;
}

static uint32_t encode_finite(const fp8mac_format *f, fp8mac_value value, fp8mac_rounding rounding,
                              fp8mac_overflow overflow, fp8mac_flags *flags)
{
    // Far beyond every format, and far enough from the ends of int32_t to compute with.
    const int32_t limit = INT32_C(1) << 20;
    if (value.exponent > limit) {
        value.exponent = limit;
    } else if (value.exponent < -limit) {
        value.exponent = -limit;
    }
    uint64_t magnitude = round_magnitude(f, value, rounding);
    if (magnitude > fp8mac_format_max_code(f)) {
        return overflow_code(f, value.sign, true, overflow, flags);
    }
    return magnitude == 0 ? zero_code(f, value.sign) : (uint32_t)magnitude | sign_bit(f, value.sign);
}

uint32_t fp8mac_encode_independent(const fp8mac_format *f, fp8mac_value value, fp8mac_rounding rounding,
                                   fp8mac_overflow overflow, fp8mac_flags *flags)
{
    switch (value.cls) {
    case FP8MAC_CLASS_NAN: return nan_code(f, value.sign, flags);
    case FP8MAC_CLASS_INF: return overflow_code(f, value.sign, false, overflow, flags);
    case FP8MAC_CLASS_FINITE:
        if (value.significand != 0) {
            return encode_finite(f, value, rounding, overflow, flags);
        }
        break;
    case FP8MAC_CLASS_ZERO: break;
    }
    return zero_code(f, value.sign);
}

uint32_t fp8mac_encode(const fp8mac_format *format, fp8mac_value value, fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    fp8mac_overflow overflow = fp8mac_format_is_wide(format) ? FP8MAC_OVERFLOW_IEEE : mode.overflow;
    if (mode.rounding == FP8MAC_ROUND_TOWARD_ZERO && overflow == FP8MAC_OVERFLOW_IEEE) {
        overflow = FP8MAC_OVERFLOW_SATURATE_FINITE; // toward zero never passes the largest finite value
    }
    return fp8mac_encode_independent(format, value, mode.rounding, overflow, flags);
}

fp8mac_status fp8mac_convert(const fp8mac_format *dst_format, void *dst, const fp8mac_format *src_format,
                             const void *src, size_t n, fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status != FP8MAC_OK) {
        return status;
    }
    unsigned dst_bytes = fp8mac_format_bytes(dst_format);
    unsigned src_bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, src_bytes));
        fp8mac_store_code(dst, i, dst_bytes, fp8mac_encode(dst_format, value, mode, flags));
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_quantize(const fp8mac_format *dst_format, void *dst, const float *src, size_t n, float scale,
                              fp8mac_convert_mode mode, fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status != FP8MAC_OK) {
        return status;
    }
    uint32_t scale_bits = fp8mac_float_bits(scale);
    if (!fp8mac_fp32_is_scale(scale_bits)) {
        return FP8MAC_ERR_SCALE;
    }
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    unsigned bytes = fp8mac_format_bytes(dst_format);
    for (size_t i = 0; i < n; i++) {
        uint32_t product = fp8mac_fp32_mul(fp8mac_load_code(src, i, 4), scale_bits, flags);
        fp8mac_store_code(dst, i, bytes, fp8mac_encode(dst_format, fp8mac_decode(fp32, product), mode, flags));
    }
    return FP8MAC_OK;
}

fp8mac_status fp8mac_dequantize(float *dst, const fp8mac_format *src_format, const void *src, size_t n, float scale)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    if (!fp8mac_fp32_is_scale(fp8mac_float_bits(scale))) {
        return FP8MAC_ERR_SCALE;
    }
    fp8mac_value factor = fp8mac_decode(fp8mac_format_get(FP8MAC_FP32), fp8mac_float_bits(scale));
    unsigned bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, bytes));
        fp8mac_store_code(dst, i, 4, fp8mac_fp32_mul_values(value, factor, NULL));
    }
    return FP8MAC_OK;
}
