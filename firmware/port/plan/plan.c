// SPDX-License-Identifier: Apache-2.0
#include "fp8rt_plan.h"

#include <stdlib.h>
#include <string.h>

#include "command_words.h"
#include "timed/commands.h"

static uint32_t functions_of(const fp8mac_cycles_config *config, const fp8rt_caps *caps)
{
    const uint32_t every = FP8RT_FUNCTION_TABLES | FP8RT_FUNCTION_CONV_A | FP8RT_FUNCTION_INT8;
    const uint32_t numbers =
        FP8RT_FUNCTION_C | FP8RT_FUNCTION_ELEMENTWISE | FP8RT_FUNCTION_STOCHASTIC;
    const bool rows = caps->rows == 4 && caps->cols == 4;
    return every | (config->requantise ? FP8RT_FUNCTION_REQUANTISE : numbers) |
           (fp8mac_element_find(config->element)->mx ? FP8RT_FUNCTION_MX : 0u) |
           (rows && !config->requantise ? FP8RT_FUNCTION_ROWS : 0u) |
           (fp8mac_cycles_quads(config) != 0 ? FP8RT_FUNCTION_DEPTHWISE : 0u);
}

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
    caps.functions = functions_of(config, &caps);
    return caps;
}

void fp8rt_plan_commands(const fp8rt_recorder *recorder, const fp8rt_caps *caps,
                         fp8mac_cycles_command *commands)
{
    const uint32_t *words = recorder->image + FP8RT_IMAGE_HEADER;
    bool paused = false;
    for (uint32_t i = 0; i < recorder->commands; i++) {
        uint32_t all[FP8RT_WORDS_MOST] = {0};
        memcpy(all, words, fp8rt_words_count(words) * sizeof *all);
        commands[i] = fp8sim_timed_command(all);
        commands[i].submission =
            i == 0 || paused ? FP8MAC_CYCLES_DOORBELL : FP8MAC_CYCLES_LISTED;
        paused = fp8sim_report_of(all).pause;
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

// Whoever waits for a pause finds an idle accelerator.
fp8mac_status fp8rt_plan_cycles(const fp8rt_recorder *recorder, const fp8mac_cycles_config *config,
                                uint64_t *cycles)
{
    const fp8rt_caps caps = fp8rt_plan_caps(config);
    const uint32_t count = recorder->commands;
    fp8mac_cycles_command *commands = malloc((count + 1u) * sizeof *commands);
    fp8mac_status status = commands == NULL ? FP8MAC_ERR_UNSUPPORTED : FP8MAC_OK;
    *cycles = 0;
    if (status == FP8MAC_OK) {
        fp8rt_plan_commands(recorder, &caps, commands);
    }
    for (uint32_t first = 0, end; first < count && status == FP8MAC_OK; first = end) {
        end = first + 1u;
        while (end < count && commands[end].submission == FP8MAC_CYCLES_LISTED) {
            end++;
        }
        fp8mac_cycles_counters counters;
        status =
            fp8mac_cycles_run(config, &commands[first], end - first, NULL, NULL, &counters);
        *cycles += counters.cycles;
    }
    free(commands);
    return status;
}
