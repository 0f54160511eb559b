// SPDX-License-Identifier: Apache-2.0
// The parts of a network's image, which fp8rt/network.h describes.
#ifndef FP8RT_NETWORK_IMAGE_H
#define FP8RT_NETWORK_IMAGE_H

#include <stdbool.h>

#include "fp8rt/network.h"

enum { // words of the header
    FP8RT_IMAGE_WORD_MAGIC,
    FP8RT_IMAGE_WORD_VERSION,
    FP8RT_IMAGE_WORD_WORDS,
    FP8RT_IMAGE_WORD_HASH,
    FP8RT_IMAGE_WORD_STAMP,
    FP8RT_IMAGE_WORD_COMMANDS,
    FP8RT_IMAGE_WORD_LIST,
    FP8RT_IMAGE_WORD_NOTES,
};

typedef enum fp8rt_note_kind {
    FP8RT_NOTE_RELOCATION,
    FP8RT_NOTE_SYMBOL,
    FP8RT_NOTE_LAYER,
    FP8RT_NOTE_CALL,
} fp8rt_note_kind;

enum {
    FP8RT_NOTE_MOST_WORDS = 0xffff, // behind the first one
    FP8RT_LIST_MOST_WORDS = 1 << 22,
    FP8RT_CALL_BYTES = 128, // at most, of what a call is given
};

static inline uint32_t fp8rt_note_head(fp8rt_note_kind kind, uint32_t rest)
{
    return (uint32_t)kind << 28 | rest;
}

static inline uint32_t fp8rt_relocation(uint32_t symbol, uint32_t word)
{
    return fp8rt_note_head(FP8RT_NOTE_RELOCATION, symbol << 22 | word);
}

static inline fp8rt_note_kind fp8rt_note_kind_of(uint32_t head)
{
    return (fp8rt_note_kind)(head >> 28);
}

static inline uint32_t fp8rt_note_symbol(uint32_t relocation)
{
    return relocation >> 22 & 0x3fu;
}

static inline uint32_t fp8rt_note_word(uint32_t relocation)
{
    return relocation & 0x3fffffu;
}

static inline uint32_t fp8rt_note_words(uint32_t head)
{
    return fp8rt_note_kind_of(head) == FP8RT_NOTE_RELOCATION ? 1u : 1u + (head & 0xffffu);
}

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
// Writes a symbol's address into the list, in place of what it had.
void fp8rt_network_place(fp8rt_network *network, uint32_t symbol, uintptr_t base);

#endif
