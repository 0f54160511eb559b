// SPDX-License-Identifier: Apache-2.0
// A command of the registers or of a descriptor, as the model of cycles has it, and its bytes from
// the golden model.
#ifndef FP8MAC_SIM_TIMED_COMMANDS_H
#define FP8MAC_SIM_TIMED_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/cycles.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8SIM_WORDS_SHORT = 20, FP8SIM_WORDS_MOST = 36 };

// The fields of fp8mac_cycles_command; its submission is that by registers.
fp8mac_cycles_command fp8sim_timed_command(const uint32_t words[FP8SIM_WORDS_MOST]);

// What reports and lists need of it
typedef struct fp8sim_report {
    uint16_t tag;
    bool record, irq, more, pause, extended;
} fp8sim_report;
fp8sim_report fp8sim_report_of(const uint32_t words[FP8SIM_WORDS_MOST]);

// What a command leaves
typedef struct fp8sim_observed {
    uint32_t flags, amax;
    bool amax_nonfinite;
} fp8sim_observed;

typedef struct fp8sim_bytes fp8sim_bytes;

// The array as FP8RT_ARRAY, FP8RT_ELEMENT, FP8RT_AXI_DATA_W and FP8RT_REQUANTISE spell it
// (firmware/port/host/array.h), and the chip's RAM, which begins at address `base`. NULL: not
// possible.
fp8sim_bytes *fp8sim_bytes_new(const char *array, const char *element, const char *axi_data_w,
                               const char *requantise, uint8_t *ram, uint32_t base, uint32_t size);
void fp8sim_bytes_free(fp8sim_bytes *b);
// Four codes of a table of codes, from code 4 * word on
void fp8sim_bytes_table(fp8sim_bytes *b, unsigned table, unsigned word, uint32_t codes);
// Nothing is left of the command before.
void fp8sim_bytes_forget(fp8sim_bytes *b);
// Runs a command. NULL, or one sentence: why its bytes are not known.
const char *fp8sim_bytes_run(fp8sim_bytes *b, const uint32_t words[FP8SIM_WORDS_MOST],
                             fp8sim_observed *observed);

#ifdef __cplusplus
}
#endif
#endif
