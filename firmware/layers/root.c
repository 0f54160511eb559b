// SPDX-License-Identifier: Apache-2.0
#include "root.h"

#include "fp32_bits.h"
#include "fp8mac/recipe.h"

enum { FRACTION = 23, BIAS = 127, ITERATIONS = 4 };

// x = m * 4^e with m from 1 up to 4, so 1 / sqrt(x) = 1 / sqrt(m) * 2^-e. Newton's iteration
// y = y * (3 - m * y^2) / 2 starts from a line that differs by 13 % at most. m has 29 fraction
// bits, y 30.
float fp8rt_inverse_root(float x)
{
    const uint32_t bits = fp8rt_fp32_bits(x);
    const int32_t exponent = (int32_t)(bits >> FRACTION) - BIAS, odd = exponent & 1;
    const uint32_t significand = (bits & ((1u << FRACTION) - 1u)) | 1u << FRACTION;
    const uint32_t m = significand << (29 - FRACTION + odd);
    uint32_t y = 1184482000u - (uint32_t)(((uint64_t)m * 357913941u) >> 30); // 1.103 - m / 6
    for (int i = 0; i < ITERATIONS; i++) {
        const uint32_t square = (uint32_t)(((uint64_t)y * y) >> 30);
        const uint32_t product = (uint32_t)(((uint64_t)m * square) >> 29);
        y = (uint32_t)(((uint64_t)y * ((3u << 30) - product)) >> 31);
    }
    return (float)y * fp8mac_recipe_power_of_two(-(exponent - odd) / 2 - 30);
}
