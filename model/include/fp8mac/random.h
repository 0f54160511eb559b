// SPDX-License-Identifier: Apache-2.0
// The generator from which the library draws the random bits of stochastic rounding. It is
// Threefry4x32 with 13 rounds, which is counter-based (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3, SC 2011). It has no state. The bits of an element depend only on the
// seed and on the element's position, so neither tiling nor threads change them. A round takes two
// additions, two rotations and two exclusive ORs of 32 bits, and no multiplier, so vector units and
// hardware can have it. One block serves eight neighbouring columns, or four with more than 16 bits.
//
//   key      {seed low word, seed high word, 0, 0}
//   counter  {m, n / W, step low word, step high word | use << 28}
//   n_bits up to 16   W = 8: r is the upper n_bits bits of half word n mod 8. Half word 0 is the
//                     lower half of output word 0, half word 1 its upper half, and so on.
//   more bits         W = 4: r is the upper n_bits bits of output word n mod 4.
//
// m and n are the output's row and column. step counts the steps of that output from 0. `use` says
// what is rounded, so that two roundings at one position get different bits.
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

// The published block function, with 13 rounds.
void fp8mac_threefry4x32(const uint32_t counter[4], const uint32_t key[4], uint32_t output[4]);
// n_bits = 1..24 random bits for one rounding; step < 2^60.
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
} fp8mac_random_source;

// fp8mac_convert with stochastic rounding. FP8MAC_ERR_ROUNDING: `bits` is out of range, or a word
// of `r` is not below 2^bits.
fp8mac_status fp8mac_convert_stochastic(const fp8mac_format *dst_format, void *dst,
                                        const fp8mac_format *src_format, const void *src, size_t n,
                                        fp8mac_overflow overflow,
                                        const fp8mac_random_source *source, fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
