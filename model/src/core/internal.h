// SPDX-License-Identifier: Apache-2.0
// Declarations that the library's sources share. Each source includes this header first. Everything
// is compiled with -fvisibility=hidden, so the shared library exports the public headers'
// declarations alone.
#ifndef FP8MAC_INTERNAL_H
#define FP8MAC_INTERNAL_H

#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "fp8mac/fp8mac.h"
#pragma GCC visibility pop

// The table of formats, for constant addresses. Other code calls fp8mac_format_get.
extern const fp8mac_format fp8mac_formats[FP8MAC_FORMAT_COUNT];

enum { FP8MAC_BIAS_MIN = -128, FP8MAC_BIAS_MAX = 255, FP8MAC_BIAS_IMPOSSIBLE = INT16_MIN };

// A rounding with its random bits: r < 2^n for FP8MAC_ROUND_STOCHASTIC, else 0.
typedef struct fp8mac_round_mode {
    fp8mac_rounding rounding;
    uint32_t r;
    unsigned n;
} fp8mac_round_mode;

// Results are rounded first; overflow is judged afterwards. Rounding and overflow mode are
// independent here, unlike in fp8mac_encode. `value` may have any 64-bit significand. `flags` may
// be NULL.
uint32_t fp8mac_encode_independent(const fp8mac_format *format, fp8mac_value value,
                                   fp8mac_rounding rounding, fp8mac_overflow overflow,
                                   fp8mac_flags *flags);
uint32_t fp8mac_encode_rounded(const fp8mac_format *format, fp8mac_value value,
                               fp8mac_round_mode mode, fp8mac_overflow overflow,
                               fp8mac_flags *flags);

// Whether the generator has n_bits random bits for that step; false for an unknown generator.
bool fp8mac_generator_gives(fp8mac_generator generator, unsigned n_bits, uint64_t step);
uint32_t fp8mac_generator_bits(fp8mac_generator generator, uint64_t seed, uint32_t m, uint32_t n,
                               uint64_t step, fp8mac_random_use use, unsigned n_bits);

// fp8mac_epilogue_apply with D's random bits, where its mode is stochastic.
uint32_t fp8mac_epilogue_rounded(const fp8mac_epilogue *epilogue, fp8mac_round_mode rounding,
                                 uint32_t t0, uint32_t scale_a, uint32_t scale_b, uint32_t bias,
                                 uint32_t c, uint32_t *amax, bool *amax_nonfinite,
                                 fp8mac_flags *flags);

// The exact product of two finite values, each with a significand below 2^32; zero if either is
// zero.
fp8mac_value fp8mac_value_mul_finite(fp8mac_value a, fp8mac_value b);

// An FP32 nearest-even multiplication of two decoded values whose significands are below 2^32.
uint32_t fp8mac_fp32_mul_values(fp8mac_value a, fp8mac_value b, fp8mac_flags *flags);

// The format is FP16, BF16, FP32 or shaped like them: wider than a byte, with IEEE 754's specials.
bool fp8mac_format_is_wide(const fp8mac_format *format);

// The format is that of a block scale: powers of two and a NaN, without a zero.
static inline bool fp8mac_format_is_powers(const fp8mac_format *f)
{
    return f->exponent_zero == FP8MAC_EXPONENT_ZERO_NORMAL && f->mantissa_bits == 0;
}

static inline void fp8mac_raise(fp8mac_flags *flags, fp8mac_flags raised)
{
    if (flags != NULL) {
        *flags |= raised;
    }
}

static inline bool fp8mac_tracks_inexact(const fp8mac_flags *flags)
{
    return flags != NULL && (*flags & FP8MAC_FLAG_TRACK_INEXACT) != 0;
}
// Raises `inexact` and `underflow` if the caller asks for them: `exact` was rounded to `format`,
// and `written` is the result. An infinite or NaN `exact` raises none.
void fp8mac_raise_inexact(const fp8mac_format *format, fp8mac_value exact, fp8mac_round_mode mode,
                          fp8mac_value written, fp8mac_flags *flags);

static inline uint32_t fp8mac_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float fp8mac_float_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool fp8mac_fp32_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static inline bool fp8mac_fp32_is_finite(uint32_t bits)
{
    return (bits & 0x7fffffffu) < 0x7f800000u;
}

// A usable scale: finite and greater than zero.
static inline bool fp8mac_fp32_is_scale(uint32_t bits)
{
    return bits > 0 && bits < 0x7f800000u;
}

// Elements of an array of codes. Containers are 1, 2 or 4 bytes.
static inline uint32_t fp8mac_load_code(const void *array, size_t index, unsigned bytes)
{
    if (bytes == 1) {
        return ((const uint8_t *)array)[index];
    }
    if (bytes == 2) {
        uint16_t half;
        memcpy(&half, (const uint8_t *)array + 2 * index, sizeof half);
        return half;
    }
    uint32_t word;
    memcpy(&word, (const uint8_t *)array + 4 * index, sizeof word);
    return word;
}

static inline void fp8mac_store_code(void *array, size_t index, unsigned bytes, uint32_t code)
{
    if (bytes == 1) {
        ((uint8_t *)array)[index] = (uint8_t)code;
    } else if (bytes == 2) {
        uint16_t half = (uint16_t)code;
        memcpy((uint8_t *)array + 2 * index, &half, sizeof half);
    } else {
        memcpy((uint8_t *)array + 4 * index, &code, sizeof code);
    }
}

#endif
