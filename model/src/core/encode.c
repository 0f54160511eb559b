// SPDX-License-Identifier: Apache-2.0
// Encodes decoded values as codes of a format. A value is rounded first; overflow is judged
// afterwards.
#include "core/internal.h"
#include "core/round.h"

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
    if ((unsigned)mode.overflow >= FP8MAC_OVERFLOWS) {
        return FP8MAC_ERR_OVERFLOW_MODE;
    }
    if (mode.overflow != FP8MAC_OVERFLOW_SATURATE && !format->has_inf && !has_nan(format)) {
        return FP8MAC_ERR_OVERFLOW_MODE;
    }
    return FP8MAC_OK;
}

static uint32_t sign_bit(const fp8mac_format *f, bool sign)
{
    return sign && f->is_signed ? UINT32_C(1) << (f->exponent_bits + f->mantissa_bits) : 0;
}

static uint32_t zero_code(const fp8mac_format *f, bool sign)
{
    return sign_bit(f, sign && f->has_negative_zero);
}

// The code of a representable magnitude with its sign. A format without exponent bits stores two's
// complement.
static uint32_t signed_code(const fp8mac_format *f, bool sign, uint32_t magnitude)
{
    if (f->exponent_bits == 0 && sign) {
        return 2 * sign_bit(f, sign) - magnitude;
    }
    return magnitude | sign_bit(f, sign);
}

// In a format without Inf, NaN takes the place of Inf and keeps the sign. FNUZ has one NaN, whose
// code is the sign bit.
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

// What an unsigned format writes for a negative number.
static uint32_t negative_code(const fp8mac_format *f, fp8mac_flags *flags)
{
    fp8mac_raise(flags, FP8MAC_FLAG_INVALID);
    return fp8mac_format_nan_code(f);
}

// An infinity, or a finite value whose rounded magnitude is beyond the largest.
static uint32_t overflow_code(const fp8mac_format *f, bool sign, bool finite,
                              fp8mac_overflow overflow, fp8mac_flags *flags)
{
    if (overflow == FP8MAC_OVERFLOW_SATURATE ||
        (overflow == FP8MAC_OVERFLOW_SATURATE_FINITE && finite)) {
        fp8mac_raise(flags, FP8MAC_FLAG_SATURATED);
        return signed_code(f, sign, fp8mac_format_max_code(f));
    }
    if (finite) {
        fp8mac_raise(flags, FP8MAC_FLAG_OVERFLOW);
    }
    return inf_code(f, sign);
}

// Formats whose exponent field 0 is not gradual underflow have a gap below the binade 1 - bias. In
// units of 2^(-bias - m), the values and their codes are:
//
//   CFloat8   units   0  1 ... 2^m - 1                2^(m+1)
//             codes   0  1 ... 2^m - 1   (the gap)    2^m
//
//   HFP8      units   0             2^m + 1  2^m + 2 ...
//             codes   0  (the gap)  1        2
//
// The gap is 2^m + 1 units wide in both. Its ends are neighbours: nearest is judged by distance,
// ties go to the even code, and stochastic rounding divides the gap evenly.
static uint64_t round_gap(const fp8mac_format *f, uint64_t significand, int32_t shift, uint64_t low,
                          fp8mac_round_mode mode)
{
    uint64_t width = (UINT64_C(1) << f->mantissa_bits) + 1;
    uint64_t halves = fp8mac_floor_scaled(significand, shift, 1) - 2 * low;
    bool more = !fp8mac_is_multiple(significand, shift - 1);
    switch (mode.rounding) {
    case FP8MAC_ROUND_NEAREST_EVEN:
        return low + (halves > width || (halves == width && (more || (low & 1) != 0)) ? 1 : 0);
    case FP8MAC_ROUND_STOCHASTIC: {
        uint64_t distance =
            fp8mac_floor_scaled(significand, shift, (int32_t)mode.n) - (low << mode.n);
        return low + (distance >= width * ((UINT64_C(1) << mode.n) - mode.r) ? 1 : 0);
    }
    case FP8MAC_ROUND_ODD: return low | 1;
    case FP8MAC_ROUND_TOWARD_ZERO: break;
    }
    return low;
}

static uint64_t round_with_gap(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode)
{
    bool normal = f->exponent_zero == FP8MAC_EXPONENT_ZERO_NORMAL;
    uint64_t ones = UINT64_C(1) << f->mantissa_bits;
    uint64_t low = normal ? 0 : ones - 1; // both the gap's lower end and its code
    int32_t shift = fp8mac_format_unit_exponent(f) - value.exponent;
    uint64_t units = fp8mac_floor_scaled(value.significand, shift, 0);
    bool above_low = units > low || (units == low && !fp8mac_is_multiple(value.significand, shift));
    if (above_low && units < low + ones + 1) {
        return round_gap(f, value.significand, shift, low, mode);
    }
    units = shift > 0 ? fp8mac_round_right(value.significand, shift, mode) : units;
    return normal && above_low ? units - ones : units;
}

// The magnitude's code as if the exponent field had no upper limit. The result exceeds every code
// of the format if the magnitude overflows.
//
// In units of the quantum, significands of the binade `top` are 2^m .. 2^(m+1)-1, and those of
// subnormals are 0 .. 2^m-1. The field of binade `top` is top - e_min + 1. So for both
//
//   code = (top - e_min) * 2^m + significand
//
// A significand that is rounded up to the next power of two carries into the field.
static uint64_t round_magnitude(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode)
{
    int32_t e_min = 1 - f->bias;
    int32_t top = value.exponent + fp8mac_bit_length(value.significand) - 1; // floor(log2 |value|)
    if (top < e_min && f->exponent_zero != FP8MAC_EXPONENT_ZERO_SUBNORMAL) {
        return round_with_gap(f, value, mode);
    }
    if (top < e_min) {
        top = e_min;
    }
    // log2 of the quantum, in the significand's unit
    int32_t shift = top - f->mantissa_bits - value.exponent;
    uint64_t significand = shift > 0 ? fp8mac_round_right(value.significand, shift, mode)
                                     : value.significand << -shift;
    return ((uint64_t)(uint32_t)(top - e_min) << f->mantissa_bits) + significand;
}

static uint32_t encode_finite(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode,
                              fp8mac_overflow overflow, fp8mac_flags *flags)
{
    // Far beyond every format, and far enough from the ends of int32_t to compute with.
    const int32_t limit = INT32_C(1) << 20;
    if (value.exponent > limit) {
        value.exponent = limit;
    } else if (value.exponent < -limit) {
        value.exponent = -limit;
    }
    uint64_t magnitude = round_magnitude(f, value, mode);
    if (magnitude == 0) {
        return zero_code(f, value.sign);
    }
    if (value.sign && !f->is_signed) {
        return negative_code(f, flags);
    }
    if (magnitude > fp8mac_format_max_code(f)) {
        return overflow_code(f, value.sign, true, overflow, flags);
    }
    return signed_code(f, value.sign, (uint32_t)magnitude);
}

// A format of powers of two: floor(log2 value), clamped. Zero gives the smallest power. A value
// without a logarithm gives NaN.
static uint32_t encode_power(const fp8mac_format *f, fp8mac_value value, fp8mac_flags *flags)
{
    if (value.cls == FP8MAC_CLASS_ZERO ||
        (value.cls == FP8MAC_CLASS_FINITE && value.significand == 0)) {
        return 0;
    }
    if (value.cls == FP8MAC_CLASS_NAN) {
        return fp8mac_format_nan_code(f);
    }
    if (value.sign || value.cls == FP8MAC_CLASS_INF) {
        return negative_code(f, flags);
    }
    int64_t code = (int64_t)value.exponent + fp8mac_bit_length(value.significand) - 1 + f->bias;
    if (code > fp8mac_format_max_code(f)) {
        fp8mac_raise(flags, FP8MAC_FLAG_SATURATED);
        return fp8mac_format_max_code(f);
    }
    return code < 0 ? 0 : (uint32_t)code;
}

static uint32_t encode(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode,
                       fp8mac_overflow overflow, fp8mac_flags *flags)
{
    if (fp8mac_format_is_powers(f)) {
        return encode_power(f, value, flags);
    }
    switch (value.cls) {
    case FP8MAC_CLASS_NAN: return nan_code(f, value.sign, flags);
    case FP8MAC_CLASS_INF:
        return value.sign && !f->is_signed ? negative_code(f, flags)
                                           : overflow_code(f, value.sign, false, overflow, flags);
    case FP8MAC_CLASS_FINITE:
        if (value.significand != 0) {
            return encode_finite(f, value, mode, overflow, flags);
        }
        break;
    case FP8MAC_CLASS_ZERO: break;
    }
    return zero_code(f, value.sign);
}

// ---- inexact, underflow -------------------------------------------------------------------------

// x and y are zero or not finite, or have a significand that is not 0.
static bool same_value(fp8mac_value x, fp8mac_value y)
{
    if (x.cls != FP8MAC_CLASS_FINITE || y.cls != FP8MAC_CLASS_FINITE) {
        return x.cls == y.cls;
    }
    int64_t down = (int64_t)x.exponent - y.exponent;
    int64_t distance = down < 0 ? -down : down;
    uint64_t high = down < 0 ? y.significand : x.significand;
    uint64_t low = down < 0 ? x.significand : y.significand;
    return x.sign == y.sign && fp8mac_bit_length(high) + distance <= 64 && high << distance == low;
}

// Whether a finite value, rounded with an unbounded exponent, is below the smallest normal number.
static bool is_tiny(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode)
{
    bool normal = f->exponent_zero == FP8MAC_EXPONENT_ZERO_NORMAL;
    int32_t least = (normal ? 0 : 1) - f->bias;
    int32_t length = fp8mac_bit_length(value.significand);
    int32_t shift = length - f->mantissa_bits - 1;
    int64_t top = (int64_t)value.exponent + length - 1;
    if (f->exponent_bits == 0 || fp8mac_format_is_powers(f) || top < least - 1 || top > least) {
        return f->exponent_bits != 0 && top < least;
    }
    uint64_t rounded = shift > 0 ? fp8mac_round_right(value.significand, shift, mode)
                                 : value.significand << -shift;
    top += (int64_t)(rounded >> f->mantissa_bits >> 1); // a carry into the next binade
    bool is_power = (rounded & (rounded - 1)) == 0;
    return top < least || (normal && top == least && is_power);
}

void fp8mac_raise_inexact(const fp8mac_format *format, fp8mac_value exact, fp8mac_round_mode mode,
                          fp8mac_value written, fp8mac_flags *flags)
{
    bool number = exact.cls == FP8MAC_CLASS_ZERO || exact.cls == FP8MAC_CLASS_FINITE;
    if (exact.cls == FP8MAC_CLASS_FINITE && exact.significand == 0) {
        exact.cls = FP8MAC_CLASS_ZERO;
    }
    if (!fp8mac_tracks_inexact(flags) || !number || same_value(exact, written)) {
        return;
    }
    bool tiny = exact.cls == FP8MAC_CLASS_FINITE && is_tiny(format, exact, mode);
    fp8mac_raise(flags, FP8MAC_FLAG_INEXACT | (tiny ? FP8MAC_FLAG_UNDERFLOW : 0u));
}

uint32_t fp8mac_encode_rounded(const fp8mac_format *f, fp8mac_value value, fp8mac_round_mode mode,
                               fp8mac_overflow overflow, fp8mac_flags *flags)
{
    if (!fp8mac_tracks_inexact(flags)) {
        return encode(f, value, mode, overflow, flags);
    }
    fp8mac_flags own = 0;
    uint32_t code = encode(f, value, mode, overflow, &own);
    fp8mac_raise(flags, own);
    if ((own & FP8MAC_FLAG_INVALID) == 0) {
        fp8mac_raise_inexact(f, value, mode, fp8mac_decode(f, code), flags);
    }
    return code;
}

uint32_t fp8mac_encode_independent(const fp8mac_format *f, fp8mac_value value,
                                   fp8mac_rounding rounding, fp8mac_overflow overflow,
                                   fp8mac_flags *flags)
{
    return fp8mac_encode_rounded(f, value, (fp8mac_round_mode){.rounding = rounding}, overflow,
                                 flags);
}

// FP16, BF16, FP32 and the accumulators' formats always overflow as in IEEE 754.
static fp8mac_overflow overflow_of(const fp8mac_format *format, fp8mac_overflow overflow)
{
    return fp8mac_format_is_wide(format) ? FP8MAC_OVERFLOW_IEEE : overflow;
}

uint32_t fp8mac_encode(const fp8mac_format *format, fp8mac_value value, fp8mac_convert_mode mode,
                       fp8mac_flags *flags)
{
    fp8mac_overflow overflow = overflow_of(format, mode.overflow);
    if (mode.rounding == FP8MAC_ROUND_TOWARD_ZERO && overflow == FP8MAC_OVERFLOW_IEEE) {
        // Rounding toward zero never exceeds the largest finite value.
        overflow = FP8MAC_OVERFLOW_SATURATE_FINITE;
    }
    return fp8mac_encode_independent(format, value, mode.rounding, overflow, flags);
}

uint32_t fp8mac_encode_stochastic(const fp8mac_format *format, fp8mac_value value,
                                  fp8mac_overflow overflow, uint32_t r, unsigned n,
                                  fp8mac_flags *flags)
{
    fp8mac_round_mode mode = {FP8MAC_ROUND_STOCHASTIC, r, n};
    return fp8mac_encode_rounded(format, value, mode, overflow_of(format, overflow), flags);
}
