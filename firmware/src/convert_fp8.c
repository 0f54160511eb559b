// SPDX-License-Identifier: Apache-2.0
// A magnitude is an FP32 word: the exponent field, and below it the fraction. A change of the bias
// and a scale that is a power of two are additions to the word. A significand that is rounded up to
// the next power of two carries into the field.
#include "convert_fp8.h"

#include "fp32_bits.h"

enum { FRACTION = 23, FP32_BIAS = 127, FP32_BITS = 32 };
#define HIDDEN (1u << FRACTION)
#define FP32_NAN 0x7fc00000u

// A positive factor that is finite: significand * 2^(exponent - FP32_BIAS - FRACTION), with the
// leading bit of the significand at FRACTION.
typedef struct factor {
    uint32_t significand;
    int32_t exponent;
} factor;

static factor factor_of(uint32_t bits)
{
    factor f = {bits & (HIDDEN - 1u), (int32_t)(bits >> FRACTION)};
    if (f.exponent != 0) {
        f.significand |= HIDDEN;
        return f;
    }
    for (f.exponent = 1; f.significand < HIDDEN; f.exponent--) {
        f.significand <<= 1;
    }
    return f;
}

// ---- FP32 to FP8 --------------------------------------------------------------------------------

typedef fp8rt_fp8_target target;

static uint32_t encode_special(const fp8mac_format *format, fp8mac_overflow overflow,
                               fp8mac_class cls, fp8mac_flags *flags)
{
    const fp8mac_value value = {
        .cls = cls, .exponent = FP32_BIAS, .significand = cls == FP8MAC_CLASS_FINITE ? 1u : 0};
    return fp8mac_encode(format, value, (fp8mac_convert_mode){.overflow = overflow}, flags);
}

fp8rt_fp8_target fp8rt_fp8_target_of(const fp8mac_format *format, fp8mac_overflow overflow)
{
    target t = {
        .shift = FRACTION - format->mantissa_bits,
        .rebias = (uint32_t)(FP32_BIAS - format->bias) << FRACTION,
        .normal = (uint32_t)(FP32_BIAS + 1 - format->bias) << FRACTION,
        .least = (uint32_t)(FP32_BIAS - format->bias - format->mantissa_bits) << FRACTION,
        .max_code = fp8mac_format_max_code(format),
        .zero_sign = format->has_negative_zero ? 0x80u : 0,
    };
    t.finite_code = encode_special(format, overflow, FP8MAC_CLASS_FINITE, &t.finite_flags);
    t.inf_code = encode_special(format, overflow, FP8MAC_CLASS_INF, &t.inf_flags);
    t.nan_code = encode_special(format, overflow, FP8MAC_CLASS_NAN, &t.flags);
    return t;
}

// x >> shift to nearest even. 0 < shift < 32.
static inline uint32_t round_right(uint32_t x, uint32_t shift)
{
    return (x + ((1u << (shift - 1u)) - 1u) + (x >> shift & 1u)) >> shift;
}

static uint32_t encode_subnormal(const target *t, uint32_t word, uint32_t sign)
{
    const uint32_t shift = t->shift + (t->normal >> FRACTION) - (word >> FRACTION);
    const uint32_t code = round_right((word & (HIDDEN - 1u)) | HIDDEN, shift);
    return code | (code == 0 ? sign & t->zero_sign : sign);
}

// The code of a normal FP32 magnitude.
static inline uint32_t encode(target *t, uint32_t word, uint32_t sign)
{
    if (word < t->normal) {
        return word < t->least ? sign & t->zero_sign : encode_subnormal(t, word, sign);
    }
    const uint32_t code = round_right(word - t->rebias, t->shift);
    if (code > t->max_code) {
        t->flags |= t->finite_flags;
        return t->finite_code | sign;
    }
    return code | sign;
}

// The product's magnitude was Inf before it was encoded.
static uint32_t encode_overflow(target *t, uint32_t sign)
{
    t->flags |= t->inf_flags | FP8MAC_FLAG_OVERFLOW;
    return t->inf_code | sign;
}

// The product of two significands with 24 bits each, rounded to 24 bits. Its 48 bits stand at the
// top of two words, the lower of which only tells whether there is more.
//
//   63        40 39      32 31          0
//   [ 24 bits   ][ rounding ][ sticky    ]
static uint32_t multiply(target *t, uint32_t magnitude, factor by, uint32_t sign)
{
    const factor x = factor_of(magnitude);
    const uint64_t product = (uint64_t)(x.significand << 8) * (by.significand << 8);
    uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
    int32_t exponent = x.exponent + by.exponent - FP32_BIAS + 1;
    if ((high >> 31) == 0) {
        high = high << 1 | low >> 31;
        low <<= 1;
        exponent--;
    }
    const uint32_t significand = round_right(high >> 1 | (high & 1u) | (low != 0), 7);
    if (exponent <= 0) {
        return sign & t->zero_sign; // far below half the smallest number of FP8
    }
    const uint32_t word = ((uint32_t)(exponent - 1) << FRACTION) + significand;
    return word >= FP8RT_FP32_INF ? encode_overflow(t, sign) : encode(t, word, sign);
}

static uint32_t quantize_special(target *t, uint32_t magnitude, uint32_t sign)
{
    if (magnitude > FP8RT_FP32_INF) {
        return t->nan_code; // the product's NaN is positive
    }
    t->flags |= t->inf_flags;
    return t->inf_code | sign;
}

// By 2^(exponent - FP32_BIAS): an addition, if operand and product are normal.
static void quantize_shifted(target *t, uint8_t *codes, const float *values, uint32_t count,
                             factor by)
{
    const uint32_t step = (uint32_t)(by.exponent - FP32_BIAS) << FRACTION;
    const uint32_t least = by.exponent < FP32_BIAS ? HIDDEN - step : HIDDEN;
    const uint32_t beyond = by.exponent < FP32_BIAS ? FP8RT_FP32_INF : FP8RT_FP32_INF - step;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = fp8rt_fp32_bits(values[i]);
        const uint32_t magnitude = bits & ~FP8RT_FP32_SIGN, sign = bits >> 24 & 0x80u;
        uint32_t code;
        if (magnitude - least < beyond - least) {
            code = encode(t, magnitude + step, sign);
        } else if (magnitude == 0) {
            code = sign & t->zero_sign;
        } else if (magnitude >= FP8RT_FP32_INF) {
            code = quantize_special(t, magnitude, sign);
        } else {
            code = multiply(t, magnitude, by, sign);
        }
        codes[i] = (uint8_t)code;
    }
}

static void quantize_multiplied(target *t, uint8_t *codes, const float *values, uint32_t count,
                                factor by)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = fp8rt_fp32_bits(values[i]);
        const uint32_t magnitude = bits & ~FP8RT_FP32_SIGN, sign = bits >> 24 & 0x80u;
        uint32_t code;
        if (magnitude >= FP8RT_FP32_INF) {
            code = quantize_special(t, magnitude, sign);
        } else {
            code = magnitude == 0 ? sign & t->zero_sign : multiply(t, magnitude, by, sign);
        }
        codes[i] = (uint8_t)code;
    }
}

void fp8rt_fp8_quantize_to(fp8rt_fp8_target *t, uint8_t *codes, const float *values, uint32_t count,
                           uint32_t scale)
{
    const factor by = factor_of(scale);
    target own = *t; // no store of a code changes it
    if (by.significand == HIDDEN && by.exponent > 0) {
        quantize_shifted(&own, codes, values, count, by);
    } else {
        quantize_multiplied(&own, codes, values, count, by);
    }
    t->flags = own.flags;
}

fp8mac_flags fp8rt_fp8_quantize(const fp8mac_format *format, uint8_t *codes, const float *values,
                                uint32_t count, uint32_t scale, fp8mac_overflow overflow)
{
    fp8rt_fp8_target t = fp8rt_fp8_target_of(format, overflow);
    fp8rt_fp8_quantize_to(&t, codes, values, count, scale);
    return t.flags;
}

// ---- FP8 to FP32 --------------------------------------------------------------------------------

// The FP32 words of 1 to 7, the significands of subnormal codes, less the bias.
static const uint32_t small[8] = {0,         0u << 20,  8u << 20,  12u << 20,
                                  16u << 20, 18u << 20, 20u << 20, 22u << 20};

typedef struct source {
    uint32_t shift;     // fraction bits that FP8 does not have
    uint32_t max_code;  // the largest finite magnitude
    uint32_t inf_code;  // 0 if there is none
    uint32_t nan_code;  // the only code of NaN with the sign; 0 if that is -0
    uint32_t normal;    // to be added to a code << shift: 2^-bias
    uint32_t subnormal; // to be added to small[]: 2^(1 - bias - mantissa_bits)
} source;

static source source_of(const fp8mac_format *format)
{
    const bool fnuz = format->nan_encoding == FP8MAC_NAN_NEGATIVE_ZERO;
    const uint32_t max_code = fp8mac_format_max_code(format);
    return (source){
        .shift = FRACTION - format->mantissa_bits,
        .max_code = max_code,
        .inf_code = format->has_inf ? max_code + 1u : 0,
        .nan_code = fnuz ? 0x80u : 0,
        .normal = (uint32_t)(FP32_BIAS - format->bias) << FRACTION,
        .subnormal = (uint32_t)(FP32_BIAS + 1 - format->bias - format->mantissa_bits) << FRACTION,
    };
}

// The word of a finite magnitude that is not 0.
static inline uint32_t decode(const source *s, uint32_t magnitude)
{
    const uint32_t bits = magnitude << s->shift;
    return bits >= HIDDEN ? bits + s->normal : small[magnitude] + s->subnormal;
}

// Zero, Inf and NaN
static uint32_t dequantize_special(const source *s, uint32_t code)
{
    const uint32_t sign = (code & 0x80u) << 24, magnitude = code & 0x7fu;
    if (magnitude == 0) {
        return code != 0 && code == s->nan_code ? FP32_NAN : sign;
    }
    return magnitude == s->inf_code ? FP8RT_FP32_INF | sign : FP32_NAN;
}

static inline bool is_special(const source *s, uint32_t magnitude)
{
    return magnitude - 1u >= s->max_code;
}

// A product below the smallest normal number. Its leading bit is bit 31, its last ones are 0.
static uint32_t round_subnormal(uint32_t product, int32_t exponent)
{
    const int32_t shift = FP32_BITS - FRACTION - exponent;
    return shift > FP32_BITS ? 0 : round_right(product >> 1, (uint32_t)shift - 1u);
}

// A significand of FP8 has 4 bits, so the product fits one word. It is moved to the word's top.
static inline uint32_t scale_word(uint32_t word, factor by)
{
    uint32_t product = ((word >> 20 & 7u) | 8u) * (by.significand << 4);
    int32_t exponent = (int32_t)(word >> FRACTION) + by.exponent - FP32_BIAS + 1;
    if ((product >> 31) == 0) {
        product <<= 1;
        exponent--;
    }
    if (exponent <= 0) {
        return round_subnormal(product, exponent);
    }
    const uint32_t scaled = ((uint32_t)(exponent - 1) << FRACTION) + round_right(product >> 1, 7);
    return scaled < FP8RT_FP32_INF ? scaled : FP8RT_FP32_INF;
}

void fp8rt_fp8_dequantize(const fp8mac_format *format, float *values, const uint8_t *codes,
                          uint32_t count, uint32_t scale)
{
    const source s = source_of(format);
    const factor by = factor_of(scale);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t code = codes[i], magnitude = code & 0x7fu;
        uint32_t bits;
        if (is_special(&s, magnitude)) {
            bits = dequantize_special(&s, code);
        } else {
            bits = scale_word(decode(&s, magnitude), by) | (code & 0x80u) << 24;
        }
        values[i] = fp8rt_fp32_from_bits(bits);
    }
}
