// SPDX-License-Identifier: Apache-2.0
// A command as the words of its descriptor: the registers A_ADDR .. SUBMIT, and those of its
// extension.
#ifndef FP8RT_COMMAND_WORDS_H
#define FP8RT_COMMAND_WORDS_H

#include "fp8rt/device.h"

enum {
    FP8RT_WORDS_SHORT = 20, // without the extension
    FP8RT_WORDS_MOST = 36,
    FP8RT_WORD_MODE = 11,
    FP8RT_WORD_SUBMIT = FP8RT_WORDS_SHORT - 1,
    FP8RT_ADDRESSES_MOST = 10, // of a command
};

// Writes the words, and returns how many there are. Addresses lose the bits that the chip does not
// have.
unsigned fp8rt_words_of_command(const fp8rt_command *command, uint32_t words[FP8RT_WORDS_MOST]);
// The command of these words. Its addresses have 32 bits.
fp8rt_command fp8rt_command_of_words(const uint32_t *words);
// The number of a descriptor's words.
unsigned fp8rt_words_count(const uint32_t *words);
// The words from one descriptor of a list to the next: whole beats.
static inline uint32_t fp8rt_words_stride(const fp8rt_caps *caps, const uint32_t *words)
{
    const uint32_t beat = caps->beat_bytes / 4u;
    return (fp8rt_words_count(words) + beat - 1u) & ~(beat - 1u);
}

// Whether OPERATION, of a command with the extension, is a row command that gives MX codes and their scales
bool fp8rt_operation_writes_scales(uint32_t operation);

// Whether no matrix of a GEMM is divided
static inline bool fp8rt_command_is_one_tile(const fp8rt_command *c)
{
    return (c->tile_m == 0 || c->m <= c->tile_m) && (c->tile_n == 0 || c->n <= c->tile_n) &&
           (c->tile_k == 0 || (c->k <= c->tile_k && (c->first_k == 0 || c->k <= c->first_k)));
}

// An address that a command has: the place in the command, and the word in the descriptor
typedef struct fp8rt_address {
    uintptr_t *at;
    uint32_t word;
} fp8rt_address;

// The addresses that the command's mode makes it use, in the order of their words, and B's with
// MODE.reuse_b, too: a list that starts with this command reads B. Returns how many there are.
unsigned fp8rt_command_addresses(fp8rt_command *command, fp8rt_address list[FP8RT_ADDRESSES_MOST]);

#endif
