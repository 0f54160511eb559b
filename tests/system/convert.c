// SPDX-License-Identifier: Apache-2.0
// The library's conversions in integers give the bits and the flags of the model: all exponents and
// signs of FP32 with the fractions where roundings change, random words, all codes of FP8; scales
// of all magnitudes, among them powers of two and subnormal ones; every overflow mode.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/convert.h"
#include "fp8rt/matrix.h"

enum { CORNERS = 2 * 256 * 64, RANDOM = 1 << 15, COUNT = CORNERS + RANDOM };

static uint32_t words[COUNT];
static float values[COUNT], expected_back[256], back[256];
static uint8_t codes[COUNT], expected[COUNT];

static uint32_t next(void)
{
    static uint32_t x = 2463534242u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

// Fractions: around each multiple of 2^17 .. 2^22, which are the ties of FP8, and random ones.
static uint32_t fraction(unsigned index)
{
    if (index >= 48) {
        return next() & 0x7fffffu;
    }
    return ((index / 3u) << 19) + index % 3u - 1u;
}

static void fill(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        const uint32_t word = i / 64u << 23;
        words[i] = i < CORNERS ? word | (fraction(i % 64u) & 0x7fffffu) : next();
    }
    memcpy(values, words, sizeof values);
}

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same_codes(fp8mac_format_id id, float scale, fp8mac_overflow overflow)
{
    fp8mac_flags flags = 0, wanted = 0;
    const fp8mac_convert_mode mode = {.overflow = overflow};
    fp8mac_quantize(fp8mac_format_get(id), expected, values, COUNT, scale, mode, &wanted);
    fp8rt_quantize(id, codes, COUNT, values, COUNT, 1, COUNT, scale, overflow, &flags);
    for (unsigned i = 0; i < COUNT; i++) {
        if (codes[i] != expected[i]) {
            printf("FAIL format %d, overflow %d, scale %a: %08" PRIx32 " gives %02x, not %02x\n",
                   (int)id, (int)overflow, (double)scale, words[i], codes[i], expected[i]);
            return false;
        }
    }
    // The flags of all values hide each other, so those of a few values alone are compared, too.
    bool right = flags == wanted;
    for (unsigned i = 0; right && i < 512; i++) {
        const unsigned at = next() % COUNT;
        flags = wanted = 0;
        fp8mac_quantize(fp8mac_format_get(id), expected, &values[at], 1, scale, mode, &wanted);
        fp8rt_quantize(id, codes, 1, &values[at], 1, 1, 1, scale, overflow, &flags);
        right = flags == wanted;
    }
    if (!right) {
        printf("FAIL format %d, overflow %d, scale %a: flags\n", (int)id, (int)overflow,
               (double)scale);
    }
    return right;
}

static bool same_values(fp8mac_format_id id, float scale)
{
    uint8_t all[256];
    for (unsigned i = 0; i < 256; i++) {
        all[i] = (uint8_t)i;
    }
    fp8mac_dequantize(expected_back, fp8mac_format_get(id), all, 256, scale);
    fp8rt_dequantize(back, 256, id, all, 256, 1, 256, scale);
    if (memcmp(back, expected_back, sizeof back) != 0) {
        printf("FAIL format %d, scale %a: values\n", (int)id, (double)scale);
        return false;
    }
    return true;
}

// Every exponent with fraction 0, 1 unit and random, without those that are no scales.
static uint32_t scale_word(unsigned index)
{
    const uint32_t word = (index / 3u) % 255u << 23;
    const uint32_t low = index % 3u == 0 ? 0 : index % 3u == 1 ? 1 : next() & 0x7fffffu;
    return (word | low) == 0 ? 1 : word | low;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    fill();
    for (unsigned i = 0; i < 3 * 255; i++) {
        const float scale = of_bits(scale_word(i));
        for (unsigned id = 0; id < 4; id++) {
            same_values((fp8mac_format_id)id, scale) ? passed++ : failed++;
            const bool common = i >= 3 * 120 && i < 3 * 134;
            for (unsigned overflow = 0; overflow < 3; overflow++) {
                if (common || (i + id + overflow) % 12u == 0) {
                    same_codes((fp8mac_format_id)id, scale, (fp8mac_overflow)overflow) ? passed++
                                                                                       : failed++;
                }
            }
        }
    }
    printf("%u values in each trial\n", (unsigned)COUNT);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
