// SPDX-License-Identifier: Apache-2.0
// Runs of recorded networks on a device.
#include "fp8rt/network.h"

#include <string.h>

#include "backend.h"
#include "descriptor.h"
#include "fp8rt/registers.h"
#include "network_image.h"
#include "stamp.h"

// ---- commands and layers ------------------------------------------------------------------------

uint32_t fp8rt_network_commands(const fp8rt_network *network)
{
    return network->image[FP8RT_IMAGE_WORD_COMMANDS];
}

void fp8rt_network_find_last(fp8rt_network *network)
{
    network->last = fp8rt_network_word(network, fp8rt_network_commands(network) - 1u);
}

const char *fp8rt_network_layer(const fp8rt_network *network, uint32_t command)
{
    const char *name = "";
    const uint32_t *note = fp8rt_notes_of(network);
    while ((note = fp8rt_note_next(network, note, FP8RT_NOTE_LAYER)) != NULL &&
           note[1] <= command) {
        name = fp8rt_note_name(note);
        note = fp8rt_note_behind(note);
    }
    return name;
}

uint32_t fp8rt_network_next(const fp8rt_network *network)
{
    return fp8rt_network_command_at(network, network->position);
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
    return word < fp8rt_list_words(network) ? fp8rt_network_command_at(network, word)
                                            : FP8RT_NO_COMMAND;
}

// ---- runs ---------------------------------------------------------------------------------------

static void run_calls_behind(fp8rt_network *network, uint32_t commands)
{
    const uint32_t *const notes = fp8rt_notes_of(network);
    const uint32_t *note = &notes[network->call];
    while ((note = fp8rt_note_next(network, note, FP8RT_NOTE_CALL)) != NULL &&
           note[1] <= commands) {
        _Alignas(max_align_t) uint8_t context[FP8RT_CALL_BYTES];
        fp8rt_core_function *function;
        const uint32_t head = 2u + (uint32_t)(sizeof function / sizeof(uint32_t));
        memcpy(&function, &note[2], sizeof function);
        memcpy(context, &note[head], (fp8rt_note_words(*note) - head) * sizeof(uint32_t));
        function(context);
        note = fp8rt_note_behind(note);
        network->call = (uint32_t)(note - notes);
    }
}

// Runs the calls behind the commands before `word` and `more` commands from there on, and none that
// comes later. Most lists have none: their notes are not searched at each start.
static inline void run_calls(fp8rt_network *network, uint32_t word, uint32_t more)
{
    if (network->calls) {
        run_calls_behind(network, fp8rt_network_command_at(network, word) + more);
    }
}

void fp8rt_network_abandon(fp8rt_network *network)
{
    network->call = 0;
    network->position = 0;
}

fp8rt_status fp8rt_network_check(const fp8rt_network *network)
{
    if (network == NULL || network->dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (network->dev->stamp != network->image[FP8RT_IMAGE_WORD_STAMP] || network->unbound != 0) {
        return FP8RT_ERR_PLAN;
    }
    return network->started || network->dev->network != NULL ? FP8RT_ERR_LATE : FP8RT_OK;
}

// The first command of a start finds no B of another one: it reads its own.
static void drop_reuse(fp8rt_network *network)
{
    uint32_t *const mode = fp8rt_list_of(network) + network->position + FP8MAC_WORD_MODE;
    network->reuses = NULL;
    if ((*mode & FP8RT_BIT(MODE__REUSE_B)) != 0) {
        network->reuses = mode;
        *mode &= ~FP8RT_BIT(MODE__REUSE_B);
    }
}

static void give_reuse_back(fp8rt_network *network)
{
    if (network->reuses != NULL) {
        *network->reuses |= FP8RT_BIT(MODE__REUSE_B);
    }
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
    run_calls(network, network->position, 0);
    drop_reuse(network);
    if (dev->port->clean != NULL) {
        fp8rt_network_clean(network);
    }
    network->started = true;
    network->resets = dev->resets;
    fp8rt_backend_list_start(dev, network, network->position);
    return status;
}

fp8rt_status fp8rt_network_start(fp8rt_network *network)
{
    const fp8rt_status status = fp8rt_network_check(network);
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
        fp8rt_network_invalidate(network, at);
        run_calls(network, at, 0);
        if (dev->port->clean != NULL) {
            fp8rt_network_clean(network);
        }
        fp8rt_backend_list_resume(dev);
        return FP8RT_ERR_LATE;
    }
    fp8rt_status status = fp8rt_backend_wait(dev);
    if (dev->port->invalidate != NULL) {
        fp8rt_network_invalidate(network, fp8rt_list_words(network));
    }
    if (status == FP8RT_OK &&
        (network->resets != dev->resets || reached(network) != network->last)) {
        status = FP8RT_ERR_HW_DROPPED;
    }
    if (status == FP8RT_OK) {
        run_calls(network, network->last, 1);
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

// Where the next start begins: with the first command, or with the one that has failed. Returns
// that one.
static uint32_t finish(fp8rt_network *network, fp8rt_status status)
{
    uint32_t failed = FP8RT_NO_COMMAND;
    if (status != FP8RT_OK) {
        failed = failed_command(network);
        if (failed != FP8RT_NO_COMMAND) {
            network->position = fp8rt_network_word(network, failed);
        }
        fp8rt_backend_clear(network->dev, FP8RT_CLEAR_ERROR);
    } else if (!network->alone) {
        fp8rt_network_abandon(network);
    }
    return failed;
}

// Field by field: a list of one small layer takes less than clearing the structure first.
static void report(const fp8rt_network *network, fp8rt_status status, uint32_t failed,
                   fp8rt_network_result *result)
{
    result->status = status;
    result->command = failed;
    result->layer = failed == FP8RT_NO_COMMAND ? "" : fp8rt_network_layer(network, failed);
    result->observed =
        status == FP8RT_OK ? fp8rt_device_observed(network->dev) : (fp8rt_observed){0};
    fp8rt_backend_counters(network->dev, &result->counters);
}

// The status of a start that has ended
static fp8rt_status end(fp8rt_network *network, fp8rt_status status, fp8rt_network_result *result)
{
    network->started = false;
    give_reuse_back(network);
    const uint32_t failed = finish(network, status);
    if (result != NULL) {
        report(network, status, failed, result);
    }
    fp8rt_device_hold(network->dev, NULL);
    return status;
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
    return end(network, status, result);
}

// The usual run is apart, because it is short: the core has no part in the list, and the
// port no lock and no cache. FP8RT_OK: it has ended. FP8RT_ERR_LATE: it has started.
// Otherwise nothing has run.
static inline fp8rt_status run_plain(fp8rt_network *network)
{
    fp8rt_device *const dev = network->dev;
    network->started = true;
    network->resets = dev->resets;
    fp8rt_hold_by(dev, network, true);
    drop_reuse(network);
    const fp8rt_status status =
        fp8rt_backend_list_run(dev, network, network->position, network->last);
    if (status == FP8RT_ERR_LATE || network->resets != dev->resets) {
        return FP8RT_ERR_LATE;
    }
    network->started = false;
    give_reuse_back(network);
    if (status == FP8RT_OK && !network->alone) {
        fp8rt_network_abandon(network);
    }
    fp8rt_hold_by(dev, NULL, true);
    return status;
}

fp8rt_status fp8rt_network_run(fp8rt_network *network, fp8rt_network_result *result)
{
    fp8rt_status status = fp8rt_network_check(network);
    if (status == FP8RT_OK && network->dev->plain && !network->calls) {
        status = run_plain(network);
        if (status == FP8RT_OK) {
            if (result != NULL) {
                report(network, status, FP8RT_NO_COMMAND, result);
            }
            return status;
        }
        if (status == FP8RT_ERR_LATE) {
            return fp8rt_network_wait(network, result);
        }
    } else if (status == FP8RT_OK) {
        status = begin(network);
        if (status == FP8RT_OK) {
            return fp8rt_network_wait(network, result);
        }
    }
    refuse(status, result);
    return status;
}
