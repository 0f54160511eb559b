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

// ---- notes --------------------------------------------------------------------------------------

static inline const uint32_t *fp8rt_note_behind(const uint32_t *note)
{
    return note + fp8rt_note_words(*note);
}

static inline const char *fp8rt_note_name(const uint32_t *note)
{
    return (const char *)&note[2];
}

// The next note of a kind from `note` on; NULL: there is none.
const uint32_t *fp8rt_note_next(const fp8rt_network *network, const uint32_t *note,
                                fp8rt_note_kind kind);

// ---- the list -----------------------------------------------------------------------------------

// The first word of a command.
uint32_t fp8rt_network_word(const fp8rt_network *network, uint32_t command);
// The command whose first word it is: the tags count the commands from 1 on.
uint32_t fp8rt_network_command_at(const fp8rt_network *network, uint32_t word);
// Of the whole image, whose addresses are offsets.
uint32_t fp8rt_image_hash(const uint32_t *image);
// Fills network->last.
void fp8rt_network_find_last(fp8rt_network *network);
// Writes a symbol's address into the list, in place of what it had.
void fp8rt_network_place(fp8rt_network *network, uint32_t symbol, uintptr_t base);
// FP8RT_OK: it can be started. Otherwise as fp8rt_network_start.
fp8rt_status fp8rt_network_check(const fp8rt_network *network);

// ---- the cache ----------------------------------------------------------------------------------

// Cleans what the commands of this start read and write, and the list.
void fp8rt_network_clean(fp8rt_network *network);
// Invalidates D of the commands of this start before `end`, a word of the list: some once more.
void fp8rt_network_invalidate(fp8rt_network *network, uint32_t end);

#endif
