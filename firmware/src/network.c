// SPDX-License-Identifier: Apache-2.0
// Recorded networks: their images, and their runs on a device.
#include "fp8rt/network.h"

#include <string.h>

#include "backend.h"
#include "cache.h"
#include "command_words.h"
#include "fp8mac/rows.h"
#include "network_image.h"
#include "fp8rt/registers.h"
#include "stamp.h"

// ---- the image ----------------------------------------------------------------------------------

uint32_t fp8rt_image_hash(const uint32_t *image)
{
    uint32_t hash = UINT32_C(2166136261);
    for (uint32_t i = 0; i < image[FP8RT_IMAGE_WORD_WORDS]; i++) {
        hash = i == FP8RT_IMAGE_WORD_HASH ? hash : (hash ^ image[i]) * UINT32_C(16777619);
    }
    return hash;
}

// The next note of a kind from `note` on; NULL: there is none.
static const uint32_t *next_of(const fp8rt_network *network, const uint32_t *note,
                               fp8rt_note_kind kind)
{
    const uint32_t *const end = fp8rt_notes_end(network);
    while (note != end && fp8rt_note_kind_of(*note) != kind) {
        note += fp8rt_note_words(*note);
    }
    return note == end ? NULL : note;
}

static const uint32_t *behind(const uint32_t *note)
{
    return note + fp8rt_note_words(*note);
}

static const char *name_of(const uint32_t *note)
{
    return (const char *)&note[2];
}

void fp8rt_network_place(fp8rt_network *network, uint32_t symbol, uintptr_t base)
{
    const uint32_t by = (uint32_t)base - (uint32_t)network->bases[symbol];
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = next_of(network, note, FP8RT_NOTE_RELOCATION)) != NULL) {
        if (fp8rt_note_symbol(*note) == symbol) {
            fp8rt_list_of(network)[fp8rt_note_word(*note)] += by;
        }
        note = behind(note);
    }
    network->bases[symbol] = base;
    network->unbound &= ~(1u << symbol);
}

// A name is within its note, and ends there.
static bool is_named(const uint32_t *note)
{
    const size_t bytes = (size_t)(fp8rt_note_words(*note) - 2u) * sizeof(uint32_t);
    return bytes != 0 && name_of(note)[bytes - 1] == '\0';
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
               is_named(note) && *name_of(note) != '\0';
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
    fp8rt_command command = fp8rt_command_of_words(words);
    fp8rt_address addresses[FP8RT_ADDRESSES_MOST];
    const unsigned count = fp8rt_command_addresses(&command, addresses);
    const uint32_t at = (uint32_t)(words - fp8rt_list_of(network));
    if (command.tag != tag || (command.mode & FP8RT_BIT(MODE__RECORD)) != 0 ||
        (words[FP8RT_WORD_SUBMIT] & FP8RT_BIT(SUBMIT__PAUSE)) != 0) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *own = next_of(network, *note, FP8RT_NOTE_RELOCATION);
        if (own == NULL || fp8rt_note_word(*own) != at + addresses[i].word) {
            return false;
        }
        *note = behind(own);
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
    while (more && (uint32_t)(end - word) >= FP8RT_WORDS_SHORT &&
           (uint32_t)(end - word) >= fp8rt_words_stride(caps, word) &&
           is_command(network, word, ++commands, &note)) {
        more = (word[FP8RT_WORD_SUBMIT] & FP8RT_BIT(SUBMIT__MORE)) != 0;
        word += fp8rt_words_stride(caps, word);
    }
    return word == end && !more && commands == network->image[FP8RT_IMAGE_WORD_COMMANDS] &&
           next_of(network, note, FP8RT_NOTE_RELOCATION) == NULL;
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
    memcpy(image, network->image, size < bytes ? size : bytes);
    // The list with offsets in place of addresses
    uint32_t *const list = (uint32_t *)image + FP8RT_IMAGE_HEADER;
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = next_of(network, note, FP8RT_NOTE_RELOCATION)) != NULL) {
        const uint32_t word = fp8rt_note_word(*note);
        if ((FP8RT_IMAGE_HEADER + word + 1u) * sizeof(uint32_t) <= bytes) {
            list[word] -= (uint32_t)network->bases[fp8rt_note_symbol(*note)];
        }
        note = behind(note);
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
    for (uint32_t number = 0; (note = next_of(network, note, FP8RT_NOTE_SYMBOL)) != NULL;
         number++, note = behind(note)) {
        if (strcmp(name_of(note), symbol) == 0) {
            if (bytes < note[1]) {
                return FP8RT_ERR_SHAPE;
            }
            fp8rt_network_place(network, number, (uintptr_t)data);
            return FP8RT_OK;
        }
    }
    return FP8RT_ERR_SHAPE;
}

// ---- commands and layers ------------------------------------------------------------------------

uint32_t fp8rt_network_commands(const fp8rt_network *network)
{
    return network->image[FP8RT_IMAGE_WORD_COMMANDS];
}

static uint32_t word_of(const fp8rt_network *network, uint32_t command)
{
    const uint32_t *const list = fp8rt_list_of(network);
    uint32_t word = 0;
    for (; command != 0; command--) {
        word += fp8rt_words_stride(&network->dev->caps, &list[word]);
    }
    return word;
}

void fp8rt_network_find_last(fp8rt_network *network)
{
    network->last = word_of(network, fp8rt_network_commands(network) - 1u);
}

// The tags count the commands from 1 on.
static uint32_t command_at(const fp8rt_network *network, uint32_t word)
{
    const uint32_t submit = fp8rt_list_of(network)[word + FP8RT_WORD_SUBMIT];
    return FP8RT_GET(SUBMIT__TAG, submit) - 1u;
}

const char *fp8rt_network_layer(const fp8rt_network *network, uint32_t command)
{
    const char *name = "";
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = next_of(network, note, FP8RT_NOTE_LAYER)) != NULL && note[1] <= command) {
        name = name_of(note);
        note = behind(note);
    }
    return name;
}

// The word of the list that the accelerator has read last, or that follows a pause
static uint32_t reached(const fp8rt_network *network)
{
    return (fp8rt_backend_list_position(network->dev) -
            (uint32_t)(uintptr_t)fp8rt_list_of(network)) /
           4u;
}

// The command that the failure is about. One that was not read has no tag: its address tells.
static uint32_t failed_command(const fp8rt_network *network)
{
    const uint16_t tag = fp8rt_device_error_tag(network->dev);
    if (tag != 0) { // of another command, if it is beyond the list's
        return tag <= fp8rt_network_commands(network) ? tag - 1u : FP8RT_NO_COMMAND;
    }
    const uint32_t word = reached(network);
    return word < fp8rt_list_words(network) ? command_at(network, word) : FP8RT_NO_COMMAND;
}

// ---- the cache ----------------------------------------------------------------------------------

static uint32_t bytes_of(uint32_t format)
{
    return fp8mac_format_bytes(fp8mac_format_get((fp8mac_format_id)format));
}

// What lies at an address of the command
static fp8rt_region region_of(const fp8rt_command *c, const uintptr_t *at)
{
    const uint32_t operation = (c->mode & FP8RT_BIT(MODE__EXTENDED)) != 0 ? c->operation : 0;
    const uint32_t op = FP8RT_GET(OPERATION__OP, operation);
    if (at == &c->a.address && (operation & FP8RT_BIT(OPERATION__CONV_A)) != 0) {
        return (fp8rt_region){*at, FP8RT_GET(CONV_SIZE__HEIGHT, c->conv[1]), c->a.stride,
                              FP8RT_GET(CONV_LINE__WIDTH, c->conv[0])};
    }
    if (at == &c->a.address) {
        const uint32_t x = c->n * bytes_of(FP8RT_GET(OPERATION__X_FMT, operation));
        return (fp8rt_region){*at, c->m, c->a.stride, op != FP8RT_OPERATION_GEMM ? x : c->k};
    }
    if (at == &c->b.address) {
        return (fp8rt_region){*at, c->n, c->b.stride, c->k};
    }
    if (at == &c->d) {
        const bool one = op == FP8RT_OPERATION_ROWS &&
                         FP8RT_GET(OPERATION__ROW_OP, operation) <= FP8MAC_ROWS_ARGMAX;
        return (fp8rt_region){*at, c->m, c->d_stride,
                              (one ? 1 : c->n) * bytes_of(FP8RT_GET(MODE__D_FMT, c->mode))};
    }
    if (at == &c->c) {
        return (fp8rt_region){*at, c->m, c->c_stride,
                              c->n * bytes_of(FP8RT_GET(OPERATION__C_FMT, operation))};
    }
    if (at == &c->a.mx || at == &c->b.mx) {
        const bool is_a = at == &c->a.mx;
        return (fp8rt_region){*at, is_a ? c->m : c->n, is_a ? c->a.mx_stride : c->b.mx_stride,
                              fp8rt_mx_blocks(c->k)};
    }
    return (fp8rt_region){*at, at == &c->a.scale ? c->m : c->n, sizeof(float), sizeof(float)};
}

static void clean_all(fp8rt_network *network)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; word < fp8rt_list_words(network);
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        fp8rt_command command = fp8rt_command_of_words(&list[word]);
        fp8rt_address addresses[FP8RT_ADDRESSES_MOST];
        const unsigned count = fp8rt_command_addresses(&command, addresses);
        for (unsigned i = 0; i < count; i++) {
            const fp8rt_region region = region_of(&command, addresses[i].at);
            fp8rt_clean(dev, &region);
        }
    }
    dev->port->clean(dev, list, fp8rt_list_words(network) * sizeof *list);
}

// D of the commands of this start before `end`, a word of the list: some are invalidated again.
static void invalidate_until(fp8rt_network *network, uint32_t end)
{
    fp8rt_device *dev = network->dev;
    const uint32_t *const list = fp8rt_list_of(network);
    for (uint32_t word = network->position; dev->port->invalidate != NULL && word < end;
         word += fp8rt_words_stride(&dev->caps, &list[word])) {
        const fp8rt_command command = fp8rt_command_of_words(&list[word]);
        if ((command.mode & FP8RT_BIT(MODE__ACC_KEEP)) == 0) {
            const fp8rt_region d = region_of(&command, &command.d);
            fp8rt_cache_after(dev, d.address, fp8rt_region_bytes(&d));
        }
    }
}

// ---- runs ---------------------------------------------------------------------------------------

// Runs the calls behind the first `commands` commands, and none that comes later.
static void run_calls(fp8rt_network *network, uint32_t commands)
{
    const uint32_t *const notes = fp8rt_notes_of(network);
    const uint32_t *note = &notes[network->call];
    if (!network->calls) {
        return; // most lists: their notes are not searched at each start
    }
    while ((note = next_of(network, note, FP8RT_NOTE_CALL)) != NULL && note[1] <= commands) {
        _Alignas(max_align_t) uint8_t context[FP8RT_CALL_BYTES];
        fp8rt_core_function *function;
        const uint32_t head = 2u + (uint32_t)(sizeof function / sizeof(uint32_t));
        memcpy(&function, &note[2], sizeof function);
        memcpy(context, &note[head], (fp8rt_note_words(*note) - head) * sizeof(uint32_t));
        function(context);
        note = behind(note);
        network->call = (uint32_t)(note - notes);
    }
}

void fp8rt_network_abandon(fp8rt_network *network)
{
    network->call = 0;
    network->position = 0;
}

// A network that can be started
static fp8rt_status check(const fp8rt_network *network)
{
    if (network == NULL || network->dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (network->dev->stamp != network->image[FP8RT_IMAGE_WORD_STAMP] || network->unbound != 0) {
        return FP8RT_ERR_PLAN;
    }
    return network->started || network->dev->network != NULL ? FP8RT_ERR_LATE : FP8RT_OK;
}

static fp8rt_status begin(fp8rt_network *network)
{
    fp8rt_device *dev = network->dev;
    fp8rt_lock(dev);
    fp8rt_status status = fp8rt_backend_wait(dev);
    if (status == FP8RT_OK) {
        status = fp8rt_backend_clear(dev, FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS);
    }
    if (status == FP8RT_OK) {
        fp8rt_device_hold(dev, network);
    }
    fp8rt_unlock(dev);
    if (status != FP8RT_OK) {
        return status;
    }
    run_calls(network, command_at(network, network->position));
    if (dev->port->clean != NULL) {
        clean_all(network);
    }
    network->started = true;
    network->resets = dev->resets;
    fp8rt_backend_list_start(dev, network, network->position);
    return status;
}

fp8rt_status fp8rt_network_start(fp8rt_network *network)
{
    const fp8rt_status status = check(network);
    return status == FP8RT_OK ? begin(network) : status;
}

static fp8rt_status go_on(fp8rt_network *network, fp8rt_list_state state)
{
    fp8rt_device *dev = network->dev;
    if (state == FP8RT_LIST_RUNS) {
        return FP8RT_ERR_LATE;
    }
    if (state == FP8RT_LIST_PAUSES) {
        const uint32_t at = reached(network);
        invalidate_until(network, at);
        run_calls(network, command_at(network, at));
        if (dev->port->clean != NULL) {
            clean_all(network);
        }
        fp8rt_backend_list_resume(dev);
        return FP8RT_ERR_LATE;
    }
    fp8rt_status status = fp8rt_backend_wait(dev);
    invalidate_until(network, fp8rt_list_words(network));
    if (status == FP8RT_OK &&
        (network->resets != dev->resets || reached(network) != network->last)) {
        status = FP8RT_ERR_HW_DROPPED;
    }
    if (status == FP8RT_OK) {
        run_calls(network, command_at(network, network->last) + 1u);
    }
    return status;
}

fp8rt_status fp8rt_network_poll(fp8rt_network *network)
{
    if (network == NULL || network->dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    return network->started ? go_on(network, fp8rt_backend_list_look(network->dev))
                            : FP8RT_ERR_HW_DROPPED;
}

static void report(fp8rt_network *network, fp8rt_status status, fp8rt_network_result *result)
{
    fp8rt_network_result own;
    result = result == NULL ? &own : result;
    *result = (fp8rt_network_result){
        .status = status,
        .command = FP8RT_NO_COMMAND,
        .layer = "",
        .counters = fp8rt_device_counters(network->dev),
    };
    if (status == FP8RT_OK) {
        result->observed = fp8rt_device_observed(network->dev);
        if (!network->alone) {
            fp8rt_network_abandon(network);
        }
        return;
    }
    result->command = failed_command(network);
    if (result->command != FP8RT_NO_COMMAND) {
        result->layer = fp8rt_network_layer(network, result->command);
        network->position = word_of(network, result->command);
    }
    fp8rt_backend_clear(network->dev, FP8RT_CLEAR_ERROR);
}

// Nothing has run.
static void refuse(fp8rt_status status, fp8rt_network_result *result)
{
    if (result != NULL) {
        *result =
            (fp8rt_network_result){.status = status, .command = FP8RT_NO_COMMAND, .layer = ""};
    }
}

fp8rt_status fp8rt_network_wait(fp8rt_network *network, fp8rt_network_result *result)
{
    fp8rt_status status = FP8RT_ERR_LATE;
    if (network == NULL || network->dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (!network->started) {
        refuse(FP8RT_ERR_HW_DROPPED, result);
        return FP8RT_ERR_HW_DROPPED;
    }
    while (status == FP8RT_ERR_LATE) {
        status = go_on(network, fp8rt_backend_list_await(network->dev));
    }
    network->started = false;
    report(network, status, result);
    fp8rt_device_hold(network->dev, NULL);
    return status;
}

fp8rt_status fp8rt_network_run(fp8rt_network *network, fp8rt_network_result *result)
{
    const fp8rt_status status = fp8rt_network_start(network);
    if (status == FP8RT_OK) {
        return fp8rt_network_wait(network, result);
    }
    refuse(status, result);
    return status;
}

// ---- profile ------------------------------------------------------------------------------------

// One command alone: no other one follows it, and its end wakes the core.
static fp8rt_status run_alone(fp8rt_network *network, uint32_t word, fp8rt_network_result *result)
{
    uint32_t *const words = fp8rt_list_of(network) + word;
    const uint32_t mode = words[FP8RT_WORD_MODE], submit = words[FP8RT_WORD_SUBMIT];
    words[FP8RT_WORD_MODE] |= FP8RT_BIT(MODE__IRQ);
    words[FP8RT_WORD_SUBMIT] &= ~(FP8RT_BIT(SUBMIT__MORE) | FP8RT_BIT(SUBMIT__PAUSE));
    const uint32_t last = network->last;
    network->position = network->last = word;
    network->alone = true;
    const fp8rt_status status = fp8rt_network_run(network, result);
    network->alone = false;
    network->last = last;
    words[FP8RT_WORD_MODE] = mode;
    words[FP8RT_WORD_SUBMIT] = submit;
    return status;
}

static void observe(fp8rt_observed *all, const fp8rt_observed *one)
{
    all->flags |= one->flags;
    all->amax_nonfinite = all->amax_nonfinite || one->amax_nonfinite;
    all->amax = one->amax > all->amax ? one->amax : all->amax;
}

// Where the commands of a profile are in the list: their layer, and the note of the next one
typedef struct layer_at {
    const char *name;
    const uint32_t *next; // NULL: there is none
} layer_at;

// Whether the command is the first of a layer. Commands come in their order.
static bool begins_layer(const fp8rt_network *network, uint32_t command, layer_at *at)
{
    const char *const before = at->name;
    while (at->next != NULL && at->next[1] <= command) {
        at->name = name_of(at->next);
        at->next = next_of(network, behind(at->next), FP8RT_NOTE_LAYER);
    }
    return command == 0 || at->name != before;
}

// The entry of the command's layer, a new one if it is the layer's first; NULL: there is no room.
static fp8rt_profile_entry *entry_of(const fp8rt_network *network, uint32_t command, layer_at *at,
                                     fp8rt_profile *profile)
{
    const bool begins = begins_layer(network, command, at);
    if (!begins && profile->count != 0 && profile->count <= profile->capacity) {
        return &profile->entries[profile->count - 1];
    }
    if (profile->count++ >= profile->capacity) {
        return NULL;
    }
    profile->entries[profile->count - 1] = (fp8rt_profile_entry){.name = at->name};
    return &profile->entries[profile->count - 1];
}

static uint64_t now(const fp8rt_profile *profile)
{
    return profile->clock == NULL ? 0 : profile->clock();
}

fp8rt_status fp8rt_network_profile(fp8rt_network *network, fp8rt_profile *profile,
                                   fp8rt_network_result *result)
{
    fp8rt_status status =
        profile == NULL || result == NULL || (profile->entries == NULL && profile->capacity != 0)
            ? FP8RT_ERR_NULL
            : check(network);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_network_result sum = {.command = FP8RT_NO_COMMAND, .layer = ""};
    uint32_t word = 0;
    layer_at at = {"", next_of(network, fp8rt_notes_of(network), FP8RT_NOTE_LAYER)};
    fp8rt_network_abandon(network);
    for (uint32_t command = 0; command < fp8rt_network_commands(network); command++) {
        const uint64_t start = now(profile);
        status = run_alone(network, word, result);
        if (status != FP8RT_OK) {
            return status;
        }
        fp8rt_profile_entry *entry = entry_of(network, command, &at, profile);
        if (entry != NULL) {
            entry->core_cycles += (uint32_t)(now(profile) - start);
            entry->commands++;
            fp8rt_counters_add(&entry->counters, &result->counters);
        }
        observe(&sum.observed, &result->observed);
        fp8rt_counters_add(&sum.counters, &result->counters);
        word += fp8rt_words_stride(&network->dev->caps, &fp8rt_list_of(network)[word]);
    }
    fp8rt_network_abandon(network);
    *result = sum;
    return FP8RT_OK;
}
