// SPDX-License-Identifier: Apache-2.0
// The generator of operands, for programs and for the simulator, which fills memory for them.
#include "fp8rt/random.h"

#include "fp32_bits.h"

fp8rt_random fp8rt_random_seed(uint32_t seed)
{
    uint32_t mixed = seed * 0x9e3779b9u ^ 0x2545f491u;
    return (fp8rt_random){mixed == 0 ? 1 : mixed};
}

uint32_t fp8rt_random_next(fp8rt_random *random)
{
    uint32_t x = random->state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return random->state = x;
}

// Four codes at a time. Each code is s e... m..., exponent from bit 6 down.
static uint32_t finite_codes(uint32_t x)
{
    return (x & 0xbfbfbfbfu) | 0x20202020u; // exponent 01...
}

// Moves the codes of NaN and Inf to a neighbour.
static uint32_t wide_codes(uint32_t x, fp8mac_format_id format)
{
    switch (format) {
    case FP8MAC_INT8: return x; // every code is a number
    case FP8MAC_E4M3FN:
        return x & ~((x >> 6) & 0x01010101u); // large magnitudes lose their last bit
    case FP8MAC_E5M2:
        return x & ~((x >> 4) & 0x04040404u);     // large magnitudes have an even exponent
    default: return x | ((x >> 7) & 0x01010101u); // negative codes have their last bit set
    }
}

void fp8rt_random_codes(fp8rt_random *random, fp8rt_data data, fp8mac_format_id format, void *dst,
                        size_t bytes)
{
    uint32_t *words = dst;
    for (uint32_t *end = words + bytes / 4; words < end; words++) {
        uint32_t x = fp8rt_random_next(random);
        if (data == FP8RT_DATA_FINITE) {
            x = finite_codes(x);
        } else if (data == FP8RT_DATA_WIDE) {
            x = wide_codes(x, format);
        }
        *words = x;
    }
}

void fp8rt_random_floats(fp8rt_random *random, bool is_signed, float *dst, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t x = fp8rt_random_next(random);
        uint32_t exponent = 119u + (x >> 27 & 15u);
        dst[i] = fp8rt_fp32_from_bits((is_signed ? x & FP8RT_FP32_SIGN : 0) | exponent << 23 |
                                      (x & 0x7fffffu));
    }
}
