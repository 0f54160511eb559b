// SPDX-License-Identifier: Apache-2.0
// Profiles of recorded networks.
#include "descriptor.h"
#include "fp8rt/registers.h"
#include "network_image.h"

// One command alone: no other one follows it, and its end wakes the core.
static fp8rt_status run_alone(fp8rt_network *network, uint32_t word, fp8rt_network_result *result)
{
    uint32_t *const words = fp8rt_list_of(network) + word;
    const uint32_t mode = words[FP8MAC_WORD_MODE], submit = words[FP8MAC_WORD_SUBMIT];
    words[FP8MAC_WORD_MODE] |= FP8RT_BIT(MODE__IRQ);
    words[FP8MAC_WORD_SUBMIT] &= ~(FP8RT_BIT(SUBMIT__MORE) | FP8RT_BIT(SUBMIT__PAUSE));
    const uint32_t last = network->last;
    network->position = network->last = word;
    network->alone = true;
    const fp8rt_status status = fp8rt_network_run(network, result);
    network->alone = false;
    network->last = last;
    words[FP8MAC_WORD_MODE] = mode;
    words[FP8MAC_WORD_SUBMIT] = submit;
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
        at->name = fp8rt_note_name(at->next);
        at->next = fp8rt_note_next(network, fp8rt_note_behind(at->next), FP8RT_NOTE_LAYER);
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
            : fp8rt_network_check(network);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_network_result sum = {.command = FP8RT_NO_COMMAND, .layer = ""};
    uint32_t word = 0;
    layer_at at = {"", fp8rt_note_next(network, fp8rt_notes_of(network), FP8RT_NOTE_LAYER)};
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
