// SPDX-License-Identifier: Apache-2.0
#include "core/wide.h"

static fp8mac_value invalid(fp8mac_flags *flags)
{
    fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
}

// Two finite values with significands below 2^32. Either the sum fits 124 bits, or the smaller one
// lies wholly below the larger one's last bit, by more than any rounding looks:
//
//   [  larger, 32 bits  ]  MOVE zeros  ]          larger * 2^MOVE
//                                        [ smaller ]      worth +1 or -1 there
static fp8mac_value add_finite(fp8mac_value a, fp8mac_value b)
{
    enum { MOVE = 48, FITS = 90 };
    bool a_is_high = a.exponent >= b.exponent;
    fp8mac_value high = a_is_high ? a : b, low = a_is_high ? b : a;
    int32_t distance = high.exponent - low.exponent;
    int32_t move = distance <= FITS ? distance : MOVE;
    fp8mac_wide x = fp8mac_wide_signed(high.sign, high.significand);
    fp8mac_wide y = fp8mac_wide_signed(low.sign, distance <= FITS ? low.significand : 1);
    fp8mac_wide sum = fp8mac_wide_sum(fp8mac_wide_shifted(x, move), y);
    return fp8mac_value_from_wide(sum, high.exponent - move);
}

fp8mac_value fp8mac_value_add(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags)
{
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    if (a.cls == FP8MAC_CLASS_INF && b.cls == FP8MAC_CLASS_INF && a.sign != b.sign) {
        return invalid(flags);
    }
    if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        return a.cls == FP8MAC_CLASS_INF ? a : b;
    }
    if (a.cls == FP8MAC_CLASS_ZERO && b.cls == FP8MAC_CLASS_ZERO) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_ZERO, .sign = a.sign && b.sign};
    }
    if (a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO) {
        return a.cls == FP8MAC_CLASS_ZERO ? b : a;
    }
    return add_finite(a, b);
}

fp8mac_value fp8mac_value_mul(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags)
{
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        return (fp8mac_value){.cls = FP8MAC_CLASS_NAN};
    }
    if (a.cls == FP8MAC_CLASS_INF || b.cls == FP8MAC_CLASS_INF) {
        bool with_zero = a.cls == FP8MAC_CLASS_ZERO || b.cls == FP8MAC_CLASS_ZERO;
        return with_zero ? invalid(flags)
                         : (fp8mac_value){.cls = FP8MAC_CLASS_INF, .sign = a.sign != b.sign};
    }
    return fp8mac_value_mul_finite(a, b);
}

fp8mac_order fp8mac_compare(fp8mac_value a, fp8mac_value b)
{
    if (a.cls == FP8MAC_CLASS_NAN || b.cls == FP8MAC_CLASS_NAN) {
        return FP8MAC_UNORDERED;
    }
    if (a.cls == FP8MAC_CLASS_INF && b.cls == FP8MAC_CLASS_INF && a.sign == b.sign) {
        return FP8MAC_EQUAL;
    }
    b.sign = !b.sign;
    fp8mac_value difference = fp8mac_value_add(a, b, NULL);
    if (difference.cls == FP8MAC_CLASS_ZERO) {
        return FP8MAC_EQUAL;
    }
    return difference.sign ? FP8MAC_LESS : FP8MAC_GREATER;
}

// The same magnitude with another sign.
static uint32_t with_sign(const fp8mac_format *format, uint32_t code, bool sign,
                          fp8mac_flags *flags)
{
    fp8mac_value value = fp8mac_decode(format, code);
    uint32_t mask = (uint32_t)((UINT64_C(1) << fp8mac_format_bits(format)) - 1);
    uint32_t sign_bit = format->is_signed ? (mask >> 1) + 1 : 0;
    if (value.cls == FP8MAC_CLASS_NAN) {
        bool has_sign = format->is_signed && format->nan_encoding != FP8MAC_NAN_NEGATIVE_ZERO;
        return has_sign ? (code & mask & ~sign_bit) | (sign ? sign_bit : 0) : code & mask;
    }
    value.sign = sign;
    fp8mac_overflow overflow = format->has_inf ? FP8MAC_OVERFLOW_IEEE : FP8MAC_OVERFLOW_SATURATE;
    return fp8mac_encode_independent(format, value, FP8MAC_ROUND_NEAREST_EVEN, overflow, flags);
}

uint32_t fp8mac_neg(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags)
{
    return with_sign(format, code, !fp8mac_decode(format, code).sign, flags);
}

uint32_t fp8mac_abs(const fp8mac_format *format, uint32_t code, fp8mac_flags *flags)
{
    return with_sign(format, code, false, flags);
}

uint32_t fp8mac_add(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags)
{
    fp8mac_value sum = fp8mac_value_add(fp8mac_decode(format, a), fp8mac_decode(format, b), flags);
    return fp8mac_encode(format, sum, mode, flags);
}

uint32_t fp8mac_mul(const fp8mac_format *format, uint32_t a, uint32_t b, fp8mac_convert_mode mode,
                    fp8mac_flags *flags)
{
    fp8mac_value product =
        fp8mac_value_mul(fp8mac_decode(format, a), fp8mac_decode(format, b), flags);
    return fp8mac_encode(format, product, mode, flags);
}
