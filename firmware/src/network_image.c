// SPDX-License-Identifier: Apache-2.0
// Images of recorded networks: checked when they are opened, saved, and bound to addresses.
#include "network_image.h"

#include <string.h>

#include "descriptor.h"
#include "fp8rt/registers.h"

const uint32_t *fp8rt_note_next(const fp8rt_network *network, const uint32_t *note,
                                fp8rt_note_kind kind)
{
    const uint32_t *const end = fp8rt_notes_end(network);
    while (note != end && fp8rt_note_kind_of(*note) != kind) {
        note += fp8rt_note_words(*note);
    }
    return note == end ? NULL : note;
}

uint32_t fp8rt_network_word(const fp8rt_network *network, uint32_t command)
{
    const uint32_t *const list = fp8rt_list_of(network);
    uint32_t word = 0;
    for (; command != 0; command--) {
        word += fp8rt_words_stride(&network->dev->caps, &list[word]);
    }
    return word;
}

uint32_t fp8rt_network_command_at(const fp8rt_network *network, uint32_t word)
{
    const uint32_t submit = fp8rt_list_of(network)[word + FP8MAC_WORD_SUBMIT];
    return FP8RT_GET(SUBMIT__TAG, submit) - 1u;
}

uint32_t fp8rt_image_hash(const uint32_t *image)
{
    uint32_t hash = UINT32_C(2166136261);
    for (uint32_t i = 0; i < image[FP8RT_IMAGE_WORD_WORDS]; i++) {
        hash = i == FP8RT_IMAGE_WORD_HASH ? hash : (hash ^ image[i]) * UINT32_C(16777619);
    }
    return hash;
}

void fp8rt_network_place(fp8rt_network *network, uint32_t symbol, uintptr_t base)
{
    const uint32_t by = (uint32_t)base - (uint32_t)network->bases[symbol];
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = fp8rt_note_next(network, note, FP8RT_NOTE_RELOCATION)) != NULL) {
        if (fp8rt_note_symbol(*note) == symbol) {
            fp8rt_list_of(network)[fp8rt_note_word(*note)] += by;
        }
        note = fp8rt_note_behind(note);
    }
    network->bases[symbol] = base;
    network->unbound &= ~(1u << symbol);
}

// A name is within its note, and ends there.
static bool is_named(const uint32_t *note)
{
    const size_t bytes = (size_t)(fp8rt_note_words(*note) - 2u) * sizeof(uint32_t);
    return bytes != 0 && fp8rt_note_name(note)[bytes - 1] == '\0';
}

static bool is_note(const fp8rt_network *network, const uint32_t *note, uint32_t *symbols)
{
    const uint32_t words = (uint32_t)(fp8rt_notes_end(network) - note);
    if (fp8rt_note_words(*note) > words) {
        return false;
    }
    switch (fp8rt_note_kind_of(*note)) {
    case FP8RT_NOTE_RELOCATION: return fp8rt_note_word(*note) < fp8rt_list_words(network);
    case FP8RT_NOTE_SYMBOL:
        return (*symbols)++ < FP8RT_NETWORK_SYMBOLS && fp8rt_note_words(*note) > 2 &&
               is_named(note) && *fp8rt_note_name(note) != '\0';
    case FP8RT_NOTE_LAYER: return fp8rt_note_words(*note) > 2 && is_named(note);
    default: return false;
    }
}

static bool are_notes(const fp8rt_network *network, uint32_t *symbols)
{
    const uint32_t *note = fp8rt_notes_of(network), *const end = fp8rt_notes_end(network);
    uint32_t highest = 0;
    for (; note != end; note += fp8rt_note_words(*note)) {
        if (!is_note(network, note, symbols)) {
            return false;
        }
        if (fp8rt_note_kind_of(*note) == FP8RT_NOTE_RELOCATION) {
            highest = fp8rt_note_symbol(*note) > highest ? fp8rt_note_symbol(*note) : highest;
        }
    }
    return highest < *symbols;
}

// Whether it is the command with this tag, has no record and no pause, and the next relocations are
// those of its addresses. `note` moves behind them.
static bool is_command(const fp8rt_network *network, const uint32_t *words, uint32_t tag,
                       const uint32_t **note)
{
    fp8rt_command command = fp8mac_command_of_words(words);
    fp8mac_command_address addresses[FP8MAC_COMMAND_ADDRESSES_MOST];
    const unsigned count = fp8mac_command_addresses(&command, addresses);
    const uint32_t at = (uint32_t)(words - fp8rt_list_of(network));
    if (command.tag != tag || command.mode.record || command.pause) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *own = fp8rt_note_next(network, *note, FP8RT_NOTE_RELOCATION);
        if (own == NULL || fp8rt_note_word(*own) != at + addresses[i].word) {
            return false;
        }
        *note = fp8rt_note_behind(own);
    }
    return true;
}

// Whether the descriptors fill the list, and all but the last one say that another follows.
static bool is_list(const fp8rt_network *network, const fp8rt_caps *caps)
{
    const uint32_t *word = fp8rt_list_of(network), *const end = fp8rt_notes_of(network);
    const uint32_t *note = fp8rt_notes_of(network);
    uint32_t commands = 0;
    bool more = true;
    while (more && (uint32_t)(end - word) >= FP8MAC_COMMAND_WORDS &&
           (uint32_t)(end - word) >= fp8rt_words_stride(caps, word) &&
           is_command(network, word, ++commands, &note)) {
        more = (word[FP8MAC_WORD_SUBMIT] & FP8RT_BIT(SUBMIT__MORE)) != 0;
        word += fp8rt_words_stride(caps, word);
    }
    return word == end && !more && commands == network->image[FP8RT_IMAGE_WORD_COMMANDS] &&
           fp8rt_note_next(network, note, FP8RT_NOTE_RELOCATION) == NULL;
}

static bool is_image(const fp8rt_device *dev, const uint32_t *image, size_t bytes)
{
    const size_t words = bytes / sizeof *image;
    if (words < FP8RT_IMAGE_HEADER || image[FP8RT_IMAGE_WORD_MAGIC] != FP8RT_IMAGE_MAGIC ||
        image[FP8RT_IMAGE_WORD_VERSION] >> 16 != FP8RT_IMAGE_VERSION >> 16 ||
        image[FP8RT_IMAGE_WORD_STAMP] != dev->stamp || image[FP8RT_IMAGE_WORD_WORDS] > words ||
        image[FP8RT_IMAGE_WORD_LIST] > FP8RT_LIST_MOST_WORDS) {
        return false;
    }
    return (uint64_t)FP8RT_IMAGE_HEADER + image[FP8RT_IMAGE_WORD_LIST] +
                   image[FP8RT_IMAGE_WORD_NOTES] ==
               image[FP8RT_IMAGE_WORD_WORDS] &&
           image[FP8RT_IMAGE_WORD_HASH] == fp8rt_image_hash(image);
}

fp8rt_status fp8rt_network_open(fp8rt_network *network, fp8rt_device *dev, void *image,
                                size_t bytes)
{
    if (network == NULL || dev == NULL || image == NULL) {
        return FP8RT_ERR_NULL;
    }
    *network = (fp8rt_network){0};
    if (dev->stamp == 0) {
        return FP8RT_ERR_NOT_OPEN;
    }
    if (((uintptr_t)image & (FP8RT_NETWORK_ALIGN - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    fp8rt_network opened = {.image = image};
    uint32_t symbols = 0;
    if (!is_image(dev, image, bytes) || !are_notes(&opened, &symbols) ||
        !is_list(&opened, &dev->caps)) {
        return FP8RT_ERR_PLAN;
    }
    opened.dev = dev;
    opened.unbound = (1u << symbols) - 1u;
    *network = opened;
    fp8rt_network_find_last(network);
    fp8rt_network_abandon(network);
    return FP8RT_OK;
}

size_t fp8rt_network_save(const fp8rt_network *network, void *image, size_t bytes)
{
    if (network == NULL || network->dev == NULL || network->local) {
        return 0;
    }
    const size_t size = network->image[FP8RT_IMAGE_WORD_WORDS] * sizeof(uint32_t);
    if (bytes != 0) { // image may be NULL otherwise
        memcpy(image, network->image, size < bytes ? size : bytes);
    }
    // The list with offsets in place of addresses
    uint32_t *const list = (uint32_t *)image + FP8RT_IMAGE_HEADER;
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = fp8rt_note_next(network, note, FP8RT_NOTE_RELOCATION)) != NULL) {
        const uint32_t word = fp8rt_note_word(*note);
        if ((FP8RT_IMAGE_HEADER + word + 1u) * sizeof(uint32_t) <= bytes) {
            list[word] -= (uint32_t)network->bases[fp8rt_note_symbol(*note)];
        }
        note = fp8rt_note_behind(note);
    }
    return size;
}

fp8rt_status fp8rt_network_bind(fp8rt_network *network, const char *symbol, void *data,
                                size_t bytes)
{
    if (network == NULL || network->dev == NULL || symbol == NULL || data == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (network->started) {
        return FP8RT_ERR_LATE;
    }
    if (((uintptr_t)data & (network->dev->caps.beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    const uint32_t *note = fp8rt_notes_of(network);
    for (uint32_t number = 0; (note = fp8rt_note_next(network, note, FP8RT_NOTE_SYMBOL)) != NULL;
         number++, note = fp8rt_note_behind(note)) {
        if (strcmp(fp8rt_note_name(note), symbol) == 0) {
            if (bytes < note[1]) {
                return FP8RT_ERR_SHAPE;
            }
            fp8rt_network_place(network, number, (uintptr_t)data);
            return FP8RT_OK;
        }
    }
    return FP8RT_ERR_SHAPE;
}
