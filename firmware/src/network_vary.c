// SPDX-License-Identifier: Apache-2.0
// Variables of recorded networks: the words in which two recordings differ.
#include <string.h>

#include "descriptor.h"
#include "network_image.h"

enum { PAIR = 2 }; // a word of the list, and what a step adds to it

static bool same_word(const fp8rt_network *x, const fp8rt_network *y, uint32_t word)
{
    return fp8rt_list_of(x)[word] == fp8rt_list_of(y)[word];
}

// Modes, dependencies and tags do not change, nor what is in the notes, hashes apart.
static bool same_commands(const fp8rt_network *x, const fp8rt_network *y)
{
    const uint32_t words = fp8rt_list_words(x), notes = x->image[FP8RT_IMAGE_WORD_NOTES];
    bool same = x->dev == y->dev && words == fp8rt_list_words(y) &&
                notes == y->image[FP8RT_IMAGE_WORD_NOTES] &&
                memcmp(x->bases, y->bases, sizeof x->bases) == 0 &&
                memcmp(fp8rt_notes_of(x), fp8rt_notes_of(y), notes * sizeof *x->image) == 0;
    for (uint32_t at = 0; same && at < words;
         at += fp8rt_words_stride(&x->dev->caps, fp8rt_list_of(x) + at)) {
        same = same_word(x, y, at + FP8MAC_WORD_MODE) && same_word(x, y, at + FP8MAC_WORD_SUBMIT);
    }
    return same;
}

fp8rt_status fp8rt_network_vary(const fp8rt_network *network, const fp8rt_network *next,
                                fp8rt_variable *variable, void *memory, size_t bytes)
{
    if (network == NULL || next == NULL || variable == NULL || network->dev == NULL ||
        (memory == NULL && bytes != 0)) {
        return FP8RT_ERR_NULL;
    }
    *variable = (fp8rt_variable){.words = memory};
    if (!same_commands(network, next)) {
        return FP8RT_ERR_PLAN;
    }
    const size_t room = bytes / (PAIR * sizeof(uint32_t));
    for (uint32_t word = 0; word < fp8rt_list_words(network); word++) {
        if (same_word(network, next, word)) {
            continue;
        }
        if (variable->count < room) {
            uint32_t *pair = variable->words + (size_t)PAIR * variable->count;
            pair[0] = word;
            pair[1] = fp8rt_list_of(next)[word] - fp8rt_list_of(network)[word];
        }
        variable->count++;
    }
    return variable->count <= room ? FP8RT_OK : FP8RT_ERR_SCRATCH;
}

fp8rt_status fp8rt_network_set(fp8rt_network *network, fp8rt_variable *variable, uint32_t value)
{
    if (network == NULL || network->dev == NULL || variable == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (network->started) {
        return FP8RT_ERR_LATE;
    }
    const uint32_t by = value - variable->value;
    const uint32_t *pair = variable->words, *const end = pair + (size_t)PAIR * variable->count;
    uint32_t *const list = fp8rt_list_of(network);
    for (; by != 0 && pair != end; pair += PAIR) {
        list[pair[0]] += by * pair[1];
    }
    variable->value = value;
    return FP8RT_OK;
}
