// SPDX-License-Identifier: Apache-2.0
#include "fp8rt_plan.h"

#include <stdlib.h>

#include "descriptor.h"
#include "fp8rt/network_format.h"

fp8rt_caps fp8rt_plan_caps(const fp8mac_cycles_config *config)
{
    const uint8_t block = fp8mac_element_find(config->element)->block;
    fp8rt_caps caps = {
        .rows = (uint16_t)config->rows,
        .cols = (uint16_t)config->cols,
        .lanes = (uint16_t)config->lanes,
        .beat_bytes = (uint16_t)(config->axi_data_w / 8u),
        .block = (uint16_t)(block != 0 ? block : config->lanes),
        .pass_tiles = 4,
        .acc_tiles = (uint16_t)config->tiles,
        .queue_depth = (uint16_t)config->queue_depth,
        .buf_beats = (uint16_t)config->buf_beats,
        .max_mn = (uint16_t)config->max_mn,
    };
    fp8rt_element_make(config->element, config->lanes, 0, &caps.element);
    caps.functions = fp8mac_functions_possible(&caps, config->requantise);
    return caps;
}

void fp8rt_plan_commands(const fp8rt_recorder *recorder, const fp8rt_caps *caps,
                         fp8mac_cycles_command *commands)
{
    const uint32_t *words = recorder->image + FP8RT_IMAGE_HEADER;
    bool paused = false;
    for (uint32_t i = 0; i < recorder->commands; i++) {
        commands[i] = (fp8mac_cycles_command){.command = fp8mac_command_of_words(words)};
        commands[i].submission = i == 0 || paused ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_LISTED;
        paused = commands[i].command.pause;
        commands[i].command.pause = false;
        words += fp8rt_words_stride(caps, words);
    }
}

// Notes grow down from the end of the memory.
uint32_t fp8rt_plan_calls(const fp8rt_recorder *recorder)
{
    uint32_t calls = 0;
    for (uint32_t at = 0; at < recorder->note_words;) {
        const uint32_t head = recorder->image[recorder->words - 1u - at];
        calls += fp8rt_note_kind_of(head) == FP8RT_NOTE_CALL;
        at += fp8rt_note_words(head);
    }
    return calls;
}

// The cycles of a command from an idle accelerator. One that reuses B is behind `base`, which has
// loaded it and takes `base_cycles`.
static fp8mac_status run_command(const fp8mac_cycles_config *config, fp8mac_cycles_command command,
                                 const fp8mac_cycles_command *base, uint64_t base_cycles,
                                 uint64_t *cycles)
{
    fp8mac_cycles_command both[2] = {*base, command};
    fp8mac_cycles_counters counters;
    both[0].submission = FP8MAC_CYCLES_DOORBELL;
    both[1].submission = command.command.b.reuse ? FP8MAC_CYCLES_LISTED : FP8MAC_CYCLES_DOORBELL;
    both[1].command.mode.after = command.command.b.reuse;
    both[1].command.mode.b_free = false;
    const fp8mac_status status =
        fp8mac_cycles_run(config, command.command.b.reuse ? both : &both[1],
                          command.command.b.reuse ? 2 : 1, NULL, NULL, &counters);
    *cycles = counters.cycles - (command.command.b.reuse ? base_cycles : 0);
    return status;
}

fp8mac_status fp8rt_plan_cycles(const fp8rt_recorder *recorder, const fp8mac_cycles_config *config,
                                uint64_t *cycles)
{
    const fp8rt_caps caps = fp8rt_plan_caps(config);
    const uint32_t count = recorder->commands;
    fp8mac_cycles_command *commands = malloc((count + 1u) * sizeof *commands);
    fp8mac_status status = commands == NULL ? FP8MAC_ERR_UNSUPPORTED : FP8MAC_OK;
    uint64_t base_cycles = 0, own = 0;
    *cycles = 0;
    if (status == FP8MAC_OK) {
        fp8rt_plan_commands(recorder, &caps, commands);
    }
    for (uint32_t i = 0, base = 0; i < count && status == FP8MAC_OK; i++) {
        base = commands[i].command.b.reuse ? base : i;
        status = run_command(config, commands[i], &commands[base], base_cycles, &own);
        base_cycles = commands[i].command.b.reuse ? base_cycles : own;
        *cycles += own;
    }
    free(commands);
    return status;
}
