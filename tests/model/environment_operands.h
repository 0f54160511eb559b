// SPDX-License-Identifier: Apache-2.0
// What the calls take, and what becomes of their results: a hash of every byte, which is the same
// in every environment and with every instruction set.
#ifndef ENVIRONMENT_OPERANDS_H
#define ENVIRONMENT_OPERANDS_H

#include "gemm_fixture.h"

// ---- results ------------------------------------------------------------------------------------

static uint64_t hash; // FNV-1a of every byte of the results

static void take(const void *result, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t *)result)[i]) * UINT64_C(0x100000001b3);
    }
}

static void take_u64(uint64_t x)
{
    take(&x, sizeof x);
}

static void take_float(float x)
{
    take(&x, sizeof x);
}

static void take_text(const char *text)
{
    take(text, text == NULL ? 0 : strlen(text));
}

static void take_value(fp8mac_value x)
{
    take_u64((uint64_t)x.cls << 1 | x.sign);
    take_u64((uint32_t)x.exponent);
    take_u64(x.significand);
}

// ---- operands -----------------------------------------------------------------------------------
// They are made as bits: arithmetic here would depend on the environment too.

enum { FLOATS = 8192, CODES = 128 * 128 }; // C has 128 x 128 BF16 codes
static float floats[FLOATS];
static double doubles[FLOATS];
static uint8_t codes_a[CODES], codes_b[CODES];
static uint32_t random_words[FLOATS];

static uint64_t state = 1;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void make_operands(void)
{
    for (size_t i = 0; i < FLOATS; i++) {
        const uint64_t r = next_random();
        // An eighth of the floats are subnormal, and an eighth are near the formats' range.
        const uint32_t any = (uint32_t)(r >> 8 & 0xffff);
        const uint32_t field = r % 8 == 0 ? 0 : r % 8 == 1 ? 100 + any % 50 : any % 255;
        floats[i] = float_of((uint32_t)(r >> 32 & 0x807fffff) | field << 23);
        doubles[i] = double_of(next_random());
        random_words[i] = (uint32_t)(next_random() >> 48);
    }
    for (size_t i = 0; i < CODES; i++) {
        codes_a[i] = (uint8_t)(next_random() >> 20 & 0xbf);
        codes_b[i] = (uint8_t)(next_random() >> 20 & 0xbf);
        // No NaN of any format: one would hide the rest of a sum.
        codes_a[i] = (uint8_t)((codes_a[i] & 0x7f) >= 0x7b || codes_a[i] == 0x80 ? 1 : codes_a[i]);
        codes_b[i] = (uint8_t)((codes_b[i] & 0x7f) >= 0x7b || codes_b[i] == 0x80 ? 1 : codes_b[i]);
    }
}

static uint64_t double_bits(size_t i)
{
    uint64_t bits;
    memcpy(&bits, &doubles[i], sizeof bits);
    return bits;
}

static const fp8mac_isa isas[] = {FP8MAC_ISA_DEFINED, FP8MAC_ISA_PORTABLE, FP8MAC_ISA_AVX2,
                                  FP8MAC_ISA_AVX512};
enum { ISAS = sizeof isas / sizeof isas[0] };

// Every instruction set starts from the same hash and must reach that of the definition.
static uint64_t hash_defined;

static void begin_isa(uint64_t before)
{
    hash = before;
}

static void end_isa(int i)
{
    hash_defined = isas[i] == FP8MAC_ISA_DEFINED ? hash : hash_defined;
    if (hash != hash_defined) {
        printf("%s differs from the definition\n", fp8mac_isa_name(isas[i]));
    }
    CHECK(hash == hash_defined);
    hash = hash_defined;
}

#endif
