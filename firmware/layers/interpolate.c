// SPDX-License-Identifier: Apache-2.0
// The words of |x| of FP32 are divided into intervals: the exponent and the first four bits of the
// fraction are the interval's number, the other 19 bits the position within it.
#include "fp32_bits.h"
#include "fp8rt/nonlinear.h"
#include "nonlinear_points.h"

enum { FRACTION = 23, POSITION = 19 };
#define HIDDEN (1u << FRACTION)
#define NAN_WORD 0x7fc00000u
#define WORD(exponent) ((uint32_t)(127 + (exponent)) << FRACTION) // 2^exponent

// How a curve begins, left of its first point.
typedef enum start {
    START_HALF,     // 1/2
    START_IDENTITY, // x
    START_HALF_X,   // x / 2
} start;

// How it ends, behind its last point, for positive and for negative x.
typedef struct end {
    uint32_t word;
    bool is_x; // x itself
} end;

typedef struct shape {
    const uint32_t *points[2]; // of positive and of negative x
    uint32_t first, last;      // words of |x|
    uint32_t odd;              // the sign bit if the negative points lack it
    start start;
    end ends[2];
} shape;

static const shape shapes[] = {
    [FP8RT_CURVE_SIGMOID] = {{fp8rt_points_sigmoid_right, fp8rt_points_sigmoid_left},
                             WORD(-10),
                             WORD(4),
                             0,
                             START_HALF,
                             {{.word = FP8RT_FP32_ONE}, {.word = 0}}},
    [FP8RT_CURVE_TANH] = {{fp8rt_points_tanh, fp8rt_points_tanh},
                          WORD(-5),
                          WORD(3),
                          FP8RT_FP32_SIGN,
                          START_IDENTITY,
                          {{.word = FP8RT_FP32_ONE}, {.word = FP8RT_FP32_ONE}}},
    [FP8RT_CURVE_SILU] = {{fp8rt_points_silu_right, fp8rt_points_silu_left},
                          WORD(-6),
                          WORD(4),
                          0,
                          START_HALF_X,
                          {{.is_x = true}, {.word = FP8RT_FP32_SIGN}}},
    [FP8RT_CURVE_GELU] = {{fp8rt_points_gelu_right, fp8rt_points_gelu_left},
                          WORD(-6),
                          WORD(3),
                          0,
                          START_HALF_X,
                          {{.is_x = true}, {.word = FP8RT_FP32_SIGN}}},
};

// from + (to - from) * position / 2^POSITION
static inline uint32_t between(uint32_t from, uint32_t to, uint32_t position)
{
    const int64_t product = (int64_t)(int32_t)(to - from) * (int32_t)(position << (31 - POSITION));
    return from + (uint32_t)(int32_t)(product >> 31);
}

static uint32_t significand_at(uint32_t word, uint32_t exponent)
{
    return ((word & (HIDDEN - 1u)) | HIDDEN) >> (exponent - (word >> FRACTION & 0xffu));
}

// The ends have different exponents: their significands are aligned to the larger one.
static uint32_t between_exponents(uint32_t from, uint32_t to, uint32_t position)
{
    const uint32_t e = from >> FRACTION & 0xffu, f = to >> FRACTION & 0xffu;
    uint32_t exponent = e > f ? e : f;
    uint32_t significand =
        between(significand_at(from, exponent), significand_at(to, exponent), position);
    while (significand < HIDDEN) {
        significand <<= 1;
        exponent--;
    }
    return (from & FP8RT_FP32_SIGN) | (((exponent - 1u) << FRACTION) + significand);
}

static uint32_t begin(const shape *s, uint32_t bits)
{
    const uint32_t magnitude = bits & ~FP8RT_FP32_SIGN;
    if (s->start == START_HALF) {
        return WORD(-1);
    }
    if (s->start == START_IDENTITY) {
        return bits;
    }
    return magnitude < 2u * HIDDEN ? bits & FP8RT_FP32_SIGN : bits - HIDDEN;
}

static uint32_t outside(const shape *s, uint32_t bits)
{
    const uint32_t magnitude = bits & ~FP8RT_FP32_SIGN;
    if (magnitude < s->first) {
        return begin(s, bits);
    }
    const end *e = &s->ends[bits >> 31];
    const uint32_t word = e->is_x ? bits : e->word ^ (bits & s->odd);
    return fp8rt_fp32_is_nan(bits) ? NAN_WORD : word;
}

void fp8rt_interpolate(fp8rt_curve curve, const float *x, float *y, size_t count)
{
    const shape *s = &shapes[curve];
    const uint32_t first = s->first, span = s->last - first, odd = s->odd;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = fp8rt_fp32_bits(x[i]);
        const uint32_t offset = (bits & ~FP8RT_FP32_SIGN) - first;
        uint32_t word;
        if (offset < span) {
            const uint32_t *point = &s->points[bits >> 31][offset >> POSITION];
            const uint32_t from = point[0], to = point[1],
                           position = offset & ((1u << POSITION) - 1u);
            word = ((from ^ to) >> FRACTION) == 0 ? between(from, to, position)
                                                  : between_exponents(from, to, position);
            word ^= bits & odd;
        } else {
            word = outside(s, bits);
        }
        y[i] = fp8rt_fp32_from_bits(word);
    }
}
