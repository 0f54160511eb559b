// SPDX-License-Identifier: Apache-2.0
// The counter-based generators that random.h describes.
#include "core/internal.h"

enum { ROUNDS = 13, WORDS = 4, TURN = 4, SIMON_ROUNDS = 16, SIMON_COLUMNS = 4 };

// By how much a round rotates the words 1 and 3, or 3 and 1.
static const unsigned rotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                         {6, 20},  {17, 11}, {25, 10}, {18, 20}};

static uint32_t rotate(uint32_t x, unsigned bits)
{
    return x << bits | x >> (32 - bits);
}

void fp8mac_threefry4x32(const uint32_t counter[4], const uint32_t key[4], uint32_t output[4])
{
    uint32_t x[WORDS], k[WORDS + 1] = {0, 0, 0, 0, UINT32_C(0x1bd11bda)};
    for (unsigned i = 0; i < WORDS; i++) {
        k[i] = key[i];
        k[WORDS] ^= key[i];
        x[i] = counter[i] + key[i];
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned *by = rotations[round % 8];
        unsigned first = round % 2 == 0 ? 1 : 3, second = 4 - first;
        x[0] += x[first];
        x[first] = rotate(x[first], by[0]) ^ x[0];
        x[2] += x[second];
        x[second] = rotate(x[second], by[1]) ^ x[2];
        unsigned turn = (round + 1) / TURN;
        for (unsigned i = 0; i < WORDS && round % TURN == TURN - 1; i++) {
            x[i] += k[(turn + i) % (WORDS + 1)] + (i == WORDS - 1 ? turn : 0);
        }
    }
    memcpy(output, x, sizeof x);
}

uint32_t fp8mac_random_bits(uint64_t seed, uint32_t m, uint32_t n, uint64_t step,
                            fp8mac_random_use use, unsigned n_bits)
{
    uint32_t high = (uint32_t)(step >> 32) | (uint32_t)use << 28;
    bool halves = n_bits <= 16; // of the words, low half first
    uint32_t columns = halves ? 2 * WORDS : WORDS, position = n % columns;
    const uint32_t counter[4] = {m, n / columns, (uint32_t)step, high};
    const uint32_t key[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    uint32_t output[4];
    fp8mac_threefry4x32(counter, key, output);
    if (halves) {
        return (output[position / 2] >> position % 2 * 16 & 0xffff) >> (16 - n_bits);
    }
    return output[position] >> (32 - n_bits);
}

void fp8mac_simon64(const uint32_t counter[2], const uint32_t key[2], uint32_t output[2])
{
    uint32_t x = counter[0], y = counter[1];
    for (uint32_t i = 0; i < SIMON_ROUNDS; i++) {
        uint32_t round_key = key[i % 2] ^ UINT32_C(0x9e3779b9) * (i + 1);
        uint32_t mixed = (rotate(x, 1) & rotate(x, 8)) ^ rotate(x, 2);
        uint32_t next = y ^ mixed ^ round_key;
        y = x;
        x = next;
    }
    output[0] = x;
    output[1] = y;
}

uint32_t fp8mac_simon_bits(uint64_t seed, uint32_t m, uint32_t n, unsigned n_bits)
{
    const uint32_t counter[2] = {m, n / SIMON_COLUMNS};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t output[2];
    fp8mac_simon64(counter, key, output);
    uint32_t position = n % SIMON_COLUMNS;
    return (output[position / 2] >> position % 2 * 16 & 0xffff) >> (16 - n_bits);
}

bool fp8mac_generator_gives(fp8mac_generator generator, unsigned n_bits, uint64_t step)
{
    switch (generator) {
    case FP8MAC_GENERATOR_THREEFRY: return n_bits >= 1 && n_bits <= FP8MAC_RANDOM_BITS_MAX;
    case FP8MAC_GENERATOR_SIMON: return n_bits >= 1 && n_bits <= 16 && step == 0;
    }
    return false;
}

uint32_t fp8mac_generator_bits(fp8mac_generator generator, uint64_t seed, uint32_t m, uint32_t n,
                               uint64_t step, fp8mac_random_use use, unsigned n_bits)
{
    return generator == FP8MAC_GENERATOR_SIMON ? fp8mac_simon_bits(seed, m, n, n_bits)
                                               : fp8mac_random_bits(seed, m, n, step, use, n_bits);
}
