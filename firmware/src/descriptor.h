// SPDX-License-Identifier: Apache-2.0
// Descriptors in memory, one behind the other in a list.
#ifndef FP8RT_DESCRIPTOR_H
#define FP8RT_DESCRIPTOR_H

#include "fp8rt/device.h"
#include "fp8rt/registers.h"

// The number of a descriptor's words
static inline unsigned fp8rt_words_count(const uint32_t *words)
{
    return (words[FP8MAC_WORD_MODE] & FP8RT_BIT(MODE__EXTENDED)) != 0 ? FP8MAC_COMMAND_WORDS_MOST
                                                                      : FP8MAC_COMMAND_WORDS;
}

// The words from one descriptor of a list to the next: whole beats
static inline uint32_t fp8rt_words_stride(const fp8rt_caps *caps, const uint32_t *words)
{
    const uint32_t beat = caps->beat_bytes / 4u;
    return (fp8rt_words_count(words) + beat - 1u) & ~(beat - 1u);
}

// Whether no matrix of a GEMM is divided
static inline bool fp8rt_command_is_one_tile(const fp8rt_command *c)
{
    const fp8mac_command_tile *tile = &c->tile;
    return (tile->m == 0 || c->m <= tile->m) && (tile->n == 0 || c->n <= tile->n) &&
           (tile->k == 0 || (c->k <= tile->k && (tile->first_k == 0 || c->k <= tile->first_k)));
}

#endif
