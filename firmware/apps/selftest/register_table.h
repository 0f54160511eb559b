// SPDX-License-Identifier: Apache-2.0
// The accelerator's registers as a table, from the generated list.
#ifndef REGISTER_TABLE_H
#define REGISTER_TABLE_H

#include <stdint.h>

#include "fp8mac_regs_list.h"

typedef struct entry {
    const char *name;
    uint32_t offset, writable, constant, reset;
} entry;

#define REGISTER_ENTRY(name, offset, writable, constant, reset)                                    \
    {#name, offset, writable, constant, reset},
static const entry entries[] = {FP8MAC_REGS_LIST(REGISTER_ENTRY)};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

#endif
