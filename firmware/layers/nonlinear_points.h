// SPDX-License-Identifier: Apache-2.0
// FP32 words of curves at the ends of intervals of x, 16 in each power of two of |x|.
#ifndef FP8RT_NONLINEAR_POINTS_H
#define FP8RT_NONLINEAR_POINTS_H

#include <stdint.h>

#define FP8RT_POINTS(powers_of_two) (16 * (powers_of_two) + 1)

extern const uint32_t fp8rt_points_sigmoid_right[FP8RT_POINTS(14)]; // 2^-10 to 16
extern const uint32_t fp8rt_points_sigmoid_left[FP8RT_POINTS(14)];  // -2^-10 to -16
extern const uint32_t fp8rt_points_tanh[FP8RT_POINTS(8)];           // 2^-5 to 8
extern const uint32_t fp8rt_points_silu_right[FP8RT_POINTS(10)];    // 2^-6 to 16
extern const uint32_t fp8rt_points_silu_left[FP8RT_POINTS(10)];
extern const uint32_t fp8rt_points_gelu_right[FP8RT_POINTS(9)]; // 2^-6 to 8
extern const uint32_t fp8rt_points_gelu_left[FP8RT_POINTS(9)];

#endif
