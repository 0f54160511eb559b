// SPDX-License-Identifier: Apache-2.0
// FP32 values as bit patterns. The runtime copies and compares floats without floating-point
// instructions.
#ifndef FP8RT_FP32_BITS_H
#define FP8RT_FP32_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FP8RT_FP32_ONE 0x3f800000u
#define FP8RT_FP32_INF 0x7f800000u
#define FP8RT_FP32_SIGN 0x80000000u

static inline uint32_t fp8rt_fp32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float fp8rt_fp32_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool fp8rt_fp32_is_finite(uint32_t bits)
{
    return (bits & FP8RT_FP32_INF) != FP8RT_FP32_INF;
}

// Quiet or signalling.
static inline bool fp8rt_fp32_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

// +0 or -0.
static inline bool fp8rt_fp32_is_zero(uint32_t bits)
{
    return (bits & ~FP8RT_FP32_SIGN) == 0;
}

// Finite and greater than 0: what a scale must be.
static inline bool fp8rt_fp32_is_scale(uint32_t bits)
{
    return bits - 1u < FP8RT_FP32_INF - 1u;
}

// Position of a non-NaN value in the order of all values; -0 and +0 share one.
static inline int32_t fp8rt_fp32_order(uint32_t bits)
{
    int32_t magnitude = (int32_t)(bits & ~FP8RT_FP32_SIGN);
    return (bits & FP8RT_FP32_SIGN) ? -magnitude : magnitude;
}

// Both finite and lo <= hi: what clamp bounds must be.
static inline bool fp8rt_fp32_is_interval(uint32_t lo, uint32_t hi)
{
    return fp8rt_fp32_is_finite(lo) && fp8rt_fp32_is_finite(hi) &&
           fp8rt_fp32_order(lo) <= fp8rt_fp32_order(hi);
}

#endif
