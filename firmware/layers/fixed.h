// SPDX-License-Identifier: Apache-2.0
// Fixed-point numbers on the core, made and read by the accelerator.
//
// The FP32 number 1.5 * 2^23 + i is the word FIXED_ORIGIN + i, for |i| <= 2^22: a unit of the last place
// is 1 there. So a command that adds 1.5 * 2^23 to values that were multiplied by 2^bits rounds them to
// fixed point, and a command that subtracts it makes them values again. The core, which has no
// floating point, adds, multiplies and compares the words as integers.
#ifndef FP8RT_LAYERS_FIXED_H
#define FP8RT_LAYERS_FIXED_H

#include "layer.h"

#define FP8RT_FIXED_ORIGIN 0x4b400000  // the word of FP8RT_FIXED_OFFSET
#define FP8RT_FIXED_OFFSET 12582912.0f // 1.5 * 2^23

// The command's clamp: the words stay within `limit` of the origin, at most 2^22. A NaN stays a NaN.
static inline fp8rt_fused fp8rt_fixed_clamp(float limit)
{
    return (fp8rt_fused){.activation = FP8MAC_ACT_CLAMP,
                         .clamp_lo = FP8RT_FIXED_OFFSET - limit,
                         .clamp_hi = FP8RT_FIXED_OFFSET + limit};
}

// words = origin + x * factor: one command.
fp8rt_status fp8rt_fixed_from(fp8rt_run *run, const fp8rt_tensor *x, float factor,
                              fp8rt_tensor *words);
// out = (words - origin) * unit: one command, with one more if the output's scale is dynamic.
fp8rt_status fp8rt_fixed_to(fp8rt_run *run, const fp8rt_tensor *words, float unit,
                            fp8rt_tensor *out);

// ---- functions of one number --------------------------------------------------------------------
//
// fp8rt_interpolate (fp8rt/nonlinear.h) has sigmoid and tanh, too. Neither way can take the place of the other:
//
//                     cycles of the core   largest error   largest relative error of tanh
//   here              24 to 26             2^-14           2^-2, near 0
//   fp8rt_interpolate 36 to 39             2^-11.6         2^-11.3
//
// A unit of an LSTM takes five of them, and its state adds their errors up. Floating-point tensors have small
// values and NaN, which words of fixed point have not.

enum { FP8RT_TANH_STEPS = 512 };
// tanh(i / 64) * 2^15, rounded to nearest; from firmware/layers/tanh_table.py
extern const uint16_t fp8rt_tanh_table[FP8RT_TANH_STEPS + 1];

// tanh(x / 2^15) * 2^15, by linear interpolation. Error below 2 units.
static inline int32_t fp8rt_fixed_tanh(int32_t x)
{
    const int32_t sign = x >> 31;
    const uint32_t magnitude = (uint32_t)((x ^ sign) - sign);
    if (magnitude >= 8u << 15) {
        return ((1 << 15) ^ sign) - sign;
    }
    const uint16_t *at = &fp8rt_tanh_table[magnitude >> 9];
    const uint32_t y = at[0] + (((uint32_t)(at[1] - at[0]) * (magnitude & 511u) + 256u) >> 9);
    return ((int32_t)y ^ sign) - sign;
}

// 1 / (1 + exp(-x / 2^14)) * 2^15. Error below 2 units.
static inline int32_t fp8rt_fixed_sigmoid(int32_t x)
{
    return ((1 << 15) + 1 + fp8rt_fixed_tanh(x)) >> 1;
}

#endif
