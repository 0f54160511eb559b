// SPDX-License-Identifier: Apache-2.0
// The integer arithmetic of fp8mac/requantise.h.
#include "core/internal.h"
#include "fp8mac/requantise.h"

enum { SIGNIFICAND = 52, MULTIPLIER = 31 }; // fraction bits of a double; bits of a multiplier

// Two's complement, without the conversions that C leaves open.
static int32_t wrapped(uint32_t bits)
{
    return bits <= INT32_MAX ? (int32_t)bits : -(int32_t)(UINT32_MAX - bits) - 1;
}

// floor(x / 2^by); C leaves open what >> does with negative numbers.
static int64_t floor_shift(int64_t x, unsigned by)
{
    return x >= 0 ? x >> by : -((-x - 1) >> by) - 1;
}

fp8mac_status fp8mac_int_scale_of(double factor, fp8mac_int_scale *scale)
{
    if (scale == NULL) {
        return FP8MAC_ERR_NULL;
    }
    uint64_t bits;
    memcpy(&bits, &factor, sizeof bits);
    int field = (int)(bits >> SIGNIFICAND & 0x7ff);
    if ((bits >> 63 != 0 && bits << 1 != 0) || field == 0x7ff) {
        return FP8MAC_ERR_SCALE;
    }
    // factor = significand * 2^(field - 1075); a subnormal is far below the least factor.
    uint64_t significand = (bits & ((UINT64_C(1) << SIGNIFICAND) - 1)) | UINT64_C(1) << SIGNIFICAND;
    unsigned dropped = SIGNIFICAND + 1 - MULTIPLIER;
    uint64_t multiplier = (significand + (UINT64_C(1) << (dropped - 1))) >> dropped;
    int shift = field - 1022; // of a fraction of 1/2 to 1
    if (multiplier >> MULTIPLIER != 0) {
        multiplier /= 2;
        shift++;
    }
    if (field == 0 || shift < FP8MAC_SHIFT_LEAST) {
        *scale = (fp8mac_int_scale){0, 0};
        return FP8MAC_OK;
    }
    if (shift > FP8MAC_SHIFT_MOST) {
        return FP8MAC_ERR_SCALE;
    }
    *scale = (fp8mac_int_scale){(int32_t)multiplier, shift};
    return FP8MAC_OK;
}

int32_t fp8mac_int_scale_apply(int32_t x, fp8mac_int_scale scale)
{
    unsigned left = scale.shift > 0 ? (unsigned)scale.shift : 0;
    unsigned right = scale.shift < 0 ? (unsigned)-scale.shift : 0;
    int32_t y = wrapped((uint32_t)x << left);
    int64_t z = floor_shift((int64_t)y * scale.multiplier + (INT64_C(1) << 30), MULTIPLIER);
    // To nearest: the magnitude's half is added, so that a tie leaves zero.
    int64_t magnitude = z < 0 ? -z : z;
    int64_t half = right == 0 ? 0 : INT64_C(1) << (right - 1);
    int64_t rounded = (magnitude + half) >> right;
    return (int32_t)(z < 0 ? -rounded : rounded);
}

int8_t fp8mac_requantise_apply(const fp8mac_requantise *to, int32_t sum, int32_t bias,
                               fp8mac_int_scale scale)
{
    int32_t x = wrapped((uint32_t)sum + (uint32_t)bias);
    int64_t q = (int64_t)fp8mac_int_scale_apply(x, scale) + to->zero_point;
    return (int8_t)(q < to->lo ? to->lo : q > to->hi ? to->hi : q);
}
