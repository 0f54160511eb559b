// SPDX-License-Identifier: Apache-2.0
#include "fp8rt_host_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "FP8RT_FAULT"

bool fp8rt_host_fault_read(fp8rt_host_fault *fault)
{
    static const char *const parts[] = {"none",    "d",     "x",     "c",     "scale_a",
                                        "scale_b", "bias",  "a",     "b",     "mx_a",
                                        "mx_b",    "table", "array", "format"};
    const char *text = getenv(VARIABLE);
    char name[16];
    *fault = (fp8rt_host_fault){0};
    if (text == NULL) {
        return true;
    }
    if (sscanf(text, "%15[a-z_]:%u:%u:%u:%u", name, &fault->unit, &fault->lane, &fault->bit,
               &fault->value) == 5) {
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
            fault->part = strcmp(name, parts[i]) == 0 ? (fp8rt_host_part)i : fault->part;
        }
    }
    const bool good = fault->part != FP8RT_HOST_PART_NONE && fault->value < 2 &&
                      fault->bit < (fault->part >= FP8RT_HOST_PART_ARRAY ? 32u : 8u);
    if (!good) {
        fprintf(stderr, VARIABLE "=%s is not PART:UNIT:LANE:BIT:VALUE, such as a:2:5:3:1\n", text);
    }
    return good;
}

void fp8rt_host_stuck_bytes(const fp8rt_host_fault *fault, fp8rt_host_part part, uint32_t unit,
                            uint32_t beat, uint32_t offset, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; fault->part == part && i < count; i++) {
        bytes[i] =
            (uint8_t)fp8rt_host_stuck(fault, part, unit, (offset + i) & (beat - 1u), bytes[i]);
    }
}
