// SPDX-License-Identifier: Apache-2.0
// The generators from which the library draws the random bits of stochastic rounding. Both are
// counter-based: they have no state, and the bits of an element depend only on the seed and on the
// element's position. So neither tiling nor threads change them.
//
// The first generator serves every rounding of the model. It is Threefry4x32 with 13 rounds
// (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011). A round takes
// two additions, two rotations and two exclusive ORs of 32 bits, and no multiplier. One block
// serves eight neighbouring columns, or four with more than 16 bits.
//
//   key      {seed low word, seed high word, 0, 0}
//   counter  {m, n / W, step low word, step high word | use << 28}
//   n_bits up to 16   W = 8: r is the upper n_bits bits of half word n mod 8. Half word 0 is the
//                     lower half of output word 0, half word 1 its upper half, and so on.
//   more bits         W = 4: r is the upper n_bits bits of output word n mod 4.
//
// m and n are the output's row and column. step counts the steps of that output from 0. `use` says
// what is rounded, so that two roundings at one position get different bits.
//
// The second generator serves the outputs of the accelerator. It is the round function of the block
// cipher Simon64 with 16 rounds and a key schedule of its own (Beaulieu, Shors, Smith,
// Treatman-Clark, Weeks, Wingers: The SIMON and SPECK families of lightweight block ciphers, 2013).
// It is no cipher. A round takes one AND and four exclusive ORs of 32 bits. One block serves four
// neighbouring columns:
//
//   x = m, y = n / 4
//   16 rounds, i = 0 .. 15:
//     key  = {seed low word, seed high word}[i mod 2] ^ (0x9e3779b9 * (i + 1) mod 2^32)
//     x, y = y ^ (rotl(x, 1) & rotl(x, 8)) ^ rotl(x, 2) ^ key, x
//
// r is the upper n_bits bits, 1..16, of half word n mod 4 of {x, y}, lower halves first.
#ifndef FP8MAC_RANDOM_H
#define FP8MAC_RANDOM_H

#include "fp8mac/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_random_use {
    FP8MAC_RANDOM_STEP = 0,   // the accumulator after step `step`
    FP8MAC_RANDOM_OUTER = 1,  // the outer accumulator of chunks, after the chunk's last step `step`
    FP8MAC_RANDOM_OUTPUT = 2, // D; step is 0
    FP8MAC_RANDOM_CONVERT = 3, // element {m, n} of an array conversion; step is the caller's
} fp8mac_random_use;

typedef enum fp8mac_generator {
    FP8MAC_GENERATOR_THREEFRY = 0, // Threefry4x32: up to 24 random bits
    FP8MAC_GENERATOR_SIMON = 1,    // the round function of Simon64: up to 16 random bits, step 0
} fp8mac_generator;

// The second generator's block: counter {m, n / 4}, key {seed low word, seed high word}.
void fp8mac_simon64(const uint32_t counter[2], const uint32_t key[2], uint32_t output[2]);
// n_bits = 1..16 random bits for the output or the array element {m, n}, with the second generator.
uint32_t fp8mac_simon_bits(uint64_t seed, uint32_t m, uint32_t n, unsigned n_bits);

// The published block function, with 13 rounds.
void fp8mac_threefry4x32(const uint32_t counter[4], const uint32_t key[4], uint32_t output[4]);
// n_bits = 1..24 random bits for one rounding, with the first generator; step < 2^60.
uint32_t fp8mac_random_bits(uint64_t seed, uint32_t m, uint32_t n, uint64_t step,
                            fp8mac_random_use use, unsigned n_bits);

// Where an array conversion takes its random bits from. `r` holds one word for each element, each
// below 2^bits. If `r` is NULL, the generator gives element i its bits at {m, n + i, step}; a carry
// out of n + i goes into m.
typedef struct fp8mac_random_source {
    const uint32_t *r;
    unsigned bits; // 1..24
    uint64_t seed;
    uint32_t m, n;
    uint64_t step;
    fp8mac_generator generator; // Simon: bits <= 16, step = 0
} fp8mac_random_source;

// fp8mac_convert with stochastic rounding. FP8MAC_ERR_ROUNDING: `bits` is out of range, a word of
// `r` is not below 2^bits, or the generator is unknown or cannot give the bits.
fp8mac_status fp8mac_convert_stochastic(const fp8mac_format *dst_format, void *dst,
                                        const fp8mac_format *src_format, const void *src, size_t n,
                                        fp8mac_overflow overflow,
                                        const fp8mac_random_source *source, fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
