// SPDX-License-Identifier: Apache-2.0
// The parts of a network's image, which fp8rt/network.h describes.
#ifndef FP8RT_NETWORK_IMAGE_H
#define FP8RT_NETWORK_IMAGE_H

#include <stdbool.h>

#include "fp8rt/network.h"

enum {
    FP8RT_LIST_MOST_WORDS = 1 << 22,
    FP8RT_CALL_BYTES = 128, // at most, of what a call is given
};

// A part of the core in a list. `context` is the caller's, aligned for every type.
typedef void fp8rt_core_function(void *context);

static inline uint32_t *fp8rt_list_of(const fp8rt_network *network)
{
    return network->image + FP8RT_IMAGE_HEADER;
}

static inline uint32_t fp8rt_list_words(const fp8rt_network *network)
{
    return network->image[FP8RT_IMAGE_WORD_LIST];
}

static inline const uint32_t *fp8rt_notes_of(const fp8rt_network *network)
{
    return fp8rt_list_of(network) + fp8rt_list_words(network);
}

static inline const uint32_t *fp8rt_notes_end(const fp8rt_network *network)
{
    return fp8rt_notes_of(network) + network->image[FP8RT_IMAGE_WORD_NOTES];
}

// Of the whole image, whose addresses are offsets.
uint32_t fp8rt_image_hash(const uint32_t *image);
// Fills network->last.
void fp8rt_network_find_last(fp8rt_network *network);
// Writes a symbol's address into the list, in place of what it had.
void fp8rt_network_place(fp8rt_network *network, uint32_t symbol, uintptr_t base);

#endif
