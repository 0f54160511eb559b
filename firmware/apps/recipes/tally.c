// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include "fp32_bits.h"
#include "fp8mac/recipe.h"
#include "fp8rt/matrix.h"

enum { FRACTION = 23, BIAS = 127, CHUNK = 32 };

// The value in units of 2^(exponent - FRACTION), truncated. |value| < 2^(exponent + 1).
static int32_t fixed(float value, int32_t exponent)
{
    const uint32_t bits = fp8rt_fp32_bits(value), field = bits >> FRACTION & 0xffu;
    const uint32_t significand = (bits & 0x7fffffu) | (field == 0 ? 0 : 1u << FRACTION);
    const int32_t shift = exponent + BIAS - (int32_t)(field == 0 ? 1 : field);
    const int32_t magnitude = shift > FRACTION ? 0 : (int32_t)(significand >> shift);
    return (bits & FP8RT_FP32_SIGN) != 0 ? -magnitude : magnitude;
}

static uint64_t square(int32_t x)
{
    return (uint64_t)((int64_t)x * x);
}

// Whether the value lies beyond the largest number. Only the codes of that number and of Inf need
// it.
static bool is_beyond(fp8mac_format_id format, float value, float scale)
{
    uint8_t code;
    fp8mac_flags flags = 0;
    fp8rt_quantize(format, &code, 1, &value, 1, 1, 1, scale, FP8MAC_OVERFLOW_SATURATE, &flags);
    return (flags & FP8MAC_FLAG_SATURATED) != 0;
}

static void add_chunk(tally *t, fp8mac_format_id format, const float *values, const uint8_t *codes,
                      uint32_t count, float scale, int32_t exponent)
{
    const fp8mac_format *row = fp8mac_format_get(format);
    const uint8_t max = (uint8_t)fp8mac_format_max_code(row);
    uint8_t finite[CHUNK];
    float numbers[CHUNK];
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t code = codes[i] & 0x7fu;
        const bool is_zero = fp8rt_fp32_is_zero(fp8rt_fp32_bits(values[i]));
        t->overflow += code >= max && is_beyond(format, values[i], scale);
        t->zero += code == 0 && !is_zero;
        t->subnormal += code != 0 && code >> row->mantissa_bits == 0;
        finite[i] = (uint8_t)((codes[i] & 0x80u) | (code < max ? code : max));
    }
    fp8rt_dequantize(numbers, count, format, finite, count, 1, count, fp8mac_recipe_inverse(scale));
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = fixed(values[i], exponent);
        t->signal += square(value);
        t->noise += square(value - fixed(numbers[i], exponent));
    }
}

void tally_add(tally *t, fp8mac_format_id format, const float *values, const uint8_t *codes,
               uint32_t count, float scale, float amax)
{
    // A number may round up to the next power of two.
    const int32_t exponent = fp8mac_recipe_floor_log2(amax) + 1;
    t->outputs += count;
    for (uint32_t i = 0; i < count; i += CHUNK) {
        const uint32_t part = count - i < CHUNK ? count - i : CHUNK;
        add_chunk(t, format, values + i, codes + i, part, scale, exponent);
    }
}

// log2(x) * 2^16 of x > 0, by squaring.
static int32_t log2_fixed(uint64_t x)
{
    int32_t whole = 63;
    while ((x >> 63) == 0) {
        x <<= 1;
        whole--;
    }
    uint32_t m = (uint32_t)(x >> 32); // 1 <= m / 2^31 < 2
    int32_t result = whole;
    for (int i = 0; i < 16; i++) {
        const uint64_t squared = (uint64_t)m * m;
        const bool above = squared >> 63 != 0;
        m = (uint32_t)(squared >> (above ? 32 : 31));
        result = result * 2 + above;
    }
    return result;
}

int32_t tally_decibels(const tally *t)
{
    if (t->noise == 0 || t->signal == 0) {
        return t->noise == 0 ? TALLY_CLEAN : -TALLY_CLEAN;
    }
    const int64_t log2 = (int64_t)log2_fixed(t->signal) - log2_fixed(t->noise);
    const int64_t decibels = log2 * 30103 / (100 << 16);
    return decibels > TALLY_CLEAN ? TALLY_CLEAN : (int32_t)decibels;
}
