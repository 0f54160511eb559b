// SPDX-License-Identifier: Apache-2.0
// The model of the accelerator behind the device interface. A command runs when it is submitted.
#include <string.h>

#include "choice.h"
#include "backend.h"
#include "descriptor.h"
#include "fault.h"
#include "mapped.h"
#include "host_memory.h"
#include "network_image.h"
#include "stamp.h"

static void *memory_at(void *context, uintptr_t address, uint64_t bytes)
{
    (void)context;
    return fp8rt_host_is_mapped(address, bytes) ? fp8rt_host_at(address, (size_t)bytes) : NULL;
}

fp8rt_status fp8rt_backend_open(fp8rt_device *dev)
{
    fp8mac_accelerator *x = &dev->state.accelerator;
    memset(&dev->state, 0, sizeof dev->state);
    x->memory = memory_at;
    if (!fp8rt_host_array(&dev->caps) || !fp8rt_host_fault_read(&x->fault)) {
        return FP8RT_ERR_NO_DEVICE;
    }
    x->caps = dev->caps;
    return FP8RT_OK;
}

static fp8rt_status error_of(const fp8rt_device *dev)
{
    return dev->state.error == FP8MAC_COMMAND_ERROR_NONE
               ? FP8RT_OK
               : (fp8rt_status)(FP8RT_ERR_HW + (int)dev->state.error);
}

static void run_command(fp8rt_device *dev, const fp8rt_command *command)
{
    dev->state.error = fp8mac_accelerator_run(&dev->state.accelerator, command);
    if (dev->state.error != FP8MAC_COMMAND_ERROR_NONE) {
        dev->state.error_tag = command->tag;
        dev->state.error_event = true;
    }
}

void fp8rt_backend_fetched(const fp8rt_device *dev)
{
    (void)dev;
}

fp8rt_status fp8rt_backend_room(fp8rt_device *dev)
{
    return error_of(dev);
}

fp8rt_status fp8rt_backend_wait(fp8rt_device *dev)
{
    return error_of(dev);
}

// ---- lists --------------------------------------------------------------------------------------

// The words of the command at a word of the list
static const uint32_t *listed_words(const fp8rt_network *network, uint32_t word)
{
    const uintptr_t address = (uintptr_t)(fp8rt_list_of(network) + word);
    const void *words = fp8rt_host_at(address, FP8MAC_COMMAND_WORDS * sizeof(uint32_t));
    return (const void *)fp8rt_host_at(address, fp8rt_words_count(words) * sizeof(uint32_t));
}

// An address as the host has it: a word holds the low bits of symbol + offset.
static uintptr_t whole_address(const fp8rt_network *network, const uint32_t **note, uint32_t at,
                               uint32_t word)
{
    const uint32_t *const end = fp8rt_notes_end(network);
    while (*note != end &&
           (fp8rt_note_kind_of(**note) != FP8RT_NOTE_RELOCATION || fp8rt_note_word(**note) != at)) {
        *note += fp8rt_note_words(**note);
    }
    if (*note == end) {
        return word;
    }
    const uintptr_t base = network->bases[fp8rt_note_symbol(**note)];
    return base + (uint32_t)(word - (uint32_t)base);
}

static fp8rt_command listed_command(const fp8rt_network *network, uint32_t word,
                                    const uint32_t *words)
{
    fp8rt_command command = fp8mac_command_of_words(words);
    fp8mac_command_address list[FP8MAC_COMMAND_ADDRESSES_MOST];
    const unsigned count = fp8mac_command_addresses(&command, list);
    const uint32_t *note = fp8rt_notes_of(network);
    for (unsigned i = 0; i < count; i++) {
        *list[i].at = whole_address(network, &note, word + list[i].word, words[list[i].word]);
    }
    return command;
}

// Until the list pauses or ends
static void run_list(fp8rt_device *dev)
{
    fp8rt_device_state *state = &dev->state;
    bool more = true;
    state->list_paused = false;
    while (more && !state->list_paused && error_of(dev) == FP8RT_OK) {
        const uint32_t *words = listed_words(state->network, state->list_word);
        const fp8rt_command command = listed_command(state->network, state->list_word, words);
        run_command(dev, &command);
        more = command.more;
        if (more && error_of(dev) == FP8RT_OK) {
            state->list_word += fp8rt_words_stride(&dev->caps, words);
            state->list_paused = command.pause;
        }
    }
    fp8rt_device_interrupt(dev);
}

void fp8rt_backend_list_start(fp8rt_device *dev, const fp8rt_network *network, uint32_t word)
{
    dev->state.network = network;
    dev->state.list_word = word;
    run_list(dev);
}

fp8rt_status fp8rt_backend_list_run(fp8rt_device *dev, const fp8rt_network *network, uint32_t first,
                                    uint32_t last)
{
    if (error_of(dev) != FP8RT_OK) {
        return error_of(dev);
    }
    fp8rt_backend_clear(dev, FP8RT_CLEAR_FLAGS | FP8RT_CLEAR_COUNTERS);
    fp8rt_backend_list_start(dev, network, first);
    const fp8rt_device_state *state = &dev->state;
    return error_of(dev) == FP8RT_OK && !state->list_paused && state->list_word == last
               ? FP8RT_OK
               : FP8RT_ERR_LATE;
}

fp8rt_list_state fp8rt_backend_list_look(const fp8rt_device *dev)
{
    return dev->state.list_paused && error_of(dev) == FP8RT_OK ? FP8RT_LIST_PAUSES
                                                               : FP8RT_LIST_ENDED;
}

fp8rt_list_state fp8rt_backend_list_await(fp8rt_device *dev)
{
    return fp8rt_backend_list_look(dev);
}

void fp8rt_backend_list_resume(fp8rt_device *dev)
{
    run_list(dev);
}

uint32_t fp8rt_backend_list_position(const fp8rt_device *dev)
{
    return (uint32_t)(uintptr_t)(fp8rt_list_of(dev->state.network) + dev->state.list_word);
}

void fp8rt_device_pause_limit(fp8rt_device *dev, uint32_t cycles)
{
    (void)dev, (void)cycles;
}

// ---- commands with a record ---------------------------------------------------------------------

static uint32_t record_of(uint16_t tag)
{
    return tag % FP8RT_HOST_RECORDS;
}

// The command runs here. One with a record has flags and amax of its own.
void fp8rt_backend_submit(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint16_t tag)
{
    fp8rt_observed *seen = &dev->state.accelerator.observed;
    const fp8rt_observed before = *seen;
    if (tag != 0) {
        descriptor->command.tag = tag;
        *seen = (fp8rt_observed){0};
    }
    if (error_of(dev) == FP8RT_OK) {
        run_command(dev, &descriptor->command);
    }
    if (tag != 0) {
        dev->state.records[record_of(tag)] = (fp8rt_record){error_of(dev), *seen};
        seen->flags |= before.flags;
        seen->amax_nonfinite |= before.amax_nonfinite;
        seen->amax = before.amax > seen->amax ? before.amax : seen->amax;
    }
    fp8rt_device_interrupt(dev); // as a handler that runs at once
}

void fp8rt_backend_lower(fp8rt_device *dev)
{
    dev->state.error_event = false;
}

bool fp8rt_backend_acknowledge(fp8rt_device *dev)
{
    const bool error = dev->state.error_event;
    dev->state.error_event = false;
    return error;
}

// Of every command that was begun
uint32_t fp8rt_backend_done(const fp8rt_device *dev)
{
    return dev->begun;
}

fp8rt_status fp8rt_backend_run(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear)
{
    fp8rt_backend_clear(dev, clear);
    fp8rt_backend_submit(dev, descriptor, 0);
    return error_of(dev);
}

void fp8rt_backend_counters(const fp8rt_device *dev, fp8rt_counters *counters)
{
    const fp8mac_accelerator *x = &dev->state.accelerator;
    *counters = (fp8rt_counters){
        .macs = x->macs, .read_beats = x->read_beats, .write_beats = x->write_beats};
}

fp8rt_status fp8rt_backend_count(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t clear,
                                 fp8rt_counters *counters)
{
    const fp8rt_status status = fp8rt_backend_run(dev, descriptor, clear);
    fp8rt_backend_counters(dev, counters);
    return status;
}

bool fp8rt_device_is_done(const fp8rt_device *dev, uint16_t tag)
{
    (void)dev, (void)tag;
    return true;
}

fp8rt_status fp8rt_device_await(const fp8rt_device *dev, uint16_t tag, uint32_t cycles)
{
    (void)tag, (void)cycles;
    return fp8rt_open_status(dev);
}

fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag)
{
    return dev->state.records[record_of(tag)];
}

// ---- the state ----------------------------------------------------------------------------------

uint16_t fp8rt_device_error_tag(const fp8rt_device *dev)
{
    return error_of(dev) == FP8RT_OK ? 0 : dev->state.error_tag;
}

fp8rt_status fp8rt_backend_clear(fp8rt_device *dev, uint32_t what)
{
    fp8rt_device_state *state = &dev->state;
    fp8mac_accelerator *x = &state->accelerator;
    if ((what & FP8RT_CLEAR_ERROR) && error_of(dev) != FP8RT_OK) {
        state->error = FP8MAC_COMMAND_ERROR_NONE;
        fp8mac_accelerator_forget(x);
    }
    if (what & FP8RT_CLEAR_ERROR) {
        state->error_event = false;
    }
    if (what & FP8RT_CLEAR_FLAGS) {
        x->observed = (fp8rt_observed){0};
    }
    if (what & FP8RT_CLEAR_COUNTERS) {
        x->macs = 0;
        x->read_beats = x->write_beats = 0;
    }
    return FP8RT_OK;
}

void fp8rt_backend_load_table(fp8rt_device *dev, uint32_t table, const uint8_t *codes)
{
    fp8mac_accelerator_load_table(&dev->state.accelerator, table, codes);
}

fp8rt_status fp8rt_backend_reset(fp8rt_device *dev)
{
    dev->state.error = FP8MAC_COMMAND_ERROR_NONE;
    dev->state.list_paused = false;
    fp8mac_accelerator_forget(&dev->state.accelerator);
    return FP8RT_OK;
}

void fp8rt_device_watchdog(fp8rt_device *dev, uint32_t cycles)
{
    (void)dev, (void)cycles;
}

fp8rt_observed fp8rt_device_observed(const fp8rt_device *dev)
{
    return dev->state.accelerator.observed;
}

fp8rt_counters fp8rt_device_counters(const fp8rt_device *dev)
{
    fp8rt_counters counters;
    fp8rt_backend_counters(dev, &counters);
    return counters;
}
