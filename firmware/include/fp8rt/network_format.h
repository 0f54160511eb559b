// SPDX-License-Identifier: Apache-2.0
// The image of a recorded network (fp8rt/network.h), for whoever reads or writes one.
#ifndef FP8RT_NETWORK_FORMAT_H
#define FP8RT_NETWORK_FORMAT_H

#include <stdint.h>

// A recorded network is an image of words, least significant byte first. It is the same on host and
// chip.
//
//   word  0       "FP8L"
//         1       version: major in bits 31:16, which has to be equal; minor, which may be larger
//         2       words of the image
//         3       FNV-1a of all other words
//         4       stamp of the array and the library that it was made for
//         5       commands
//         6       words of the list
//         7       words of the notes
//         8..     the list: descriptors as the register map describes them, each at a beat,
//                 SUBMIT.more in all but the last one, tags from 1 on. Addresses are offsets in a
//                 symbol
//         ..      notes
//
//   note          words   bits 31:28 of its first word: kind | below them: the rest; other words
//   relocation    1       0 | symbol 27:22, word of the list 21:0
//   symbol        2 + t   1 | words behind the first 15:0; bytes; name
//   layer         2 + t   2 | as above; its first command; name
//   call          2 + c   3 | as above; how many commands are before it; private
//
// Relocations and layers are in the order of the list, symbols in that of their numbers. Calls are
// valid only where they were recorded.
//
// Names end with 1 to 4 bytes of 0.
enum {
    FP8RT_IMAGE_MAGIC = 0x4c385046,
    FP8RT_IMAGE_VERSION = 1 << 16 | 1, // since 1.1 descriptors may load tables
    FP8RT_IMAGE_HEADER = 8,            // words
};

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

#endif
