// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "FP8RT_FAULT"

bool fp8rt_host_fault_read(fp8mac_fault *fault)
{
    static const char *const parts[] = {"none",    "d",     "x",     "c",     "scale_a",
                                        "scale_b", "bias",  "a",     "b",     "mx_a",
                                        "mx_b",    "table", "array", "format"};
    const char *text = getenv(VARIABLE);
    char name[16];
    *fault = (fp8mac_fault){FP8MAC_FAULT_NONE};
    if (text == NULL) {
        return true;
    }
    if (sscanf(text, "%15[a-z_]:%u:%u:%u:%u", name, &fault->unit, &fault->lane, &fault->bit,
               &fault->value) == 5) {
        for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
            fault->part = strcmp(name, parts[i]) == 0 ? (fp8mac_fault_part)i : fault->part;
        }
    }
    const bool good = fault->part != FP8MAC_FAULT_NONE && fault->value < 2 &&
                      fault->bit < (fault->part >= FP8MAC_FAULT_ARRAY ? 32u : 8u);
    if (!good) {
        fprintf(stderr, VARIABLE "=%s is not PART:UNIT:LANE:BIT:VALUE, such as a:2:5:3:1\n", text);
    }
    return good;
}
