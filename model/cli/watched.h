// SPDX-License-Identifier: Apache-2.0
// A run of the model of cycles that writes files of what happens in it: the transfers of the bus as
// CSV, and a timeline (trace_events.h).
#ifndef FP8MAC_CLI_WATCHED_H
#define FP8MAC_CLI_WATCHED_H

#include "cli.h"
#include "fp8mac/cycles.h"

typedef struct watched {
    const char *bus, *timeline; // files; NULL: is not written
    uint64_t start;             // cycle 0, counted from the chip's reset
    const char *const *names;   // of the commands, in the timeline
} watched;

// fp8mac_cycles_run with these files. The cycles in them are counted from the chip's reset.
fp8mac_status watched_run(cli *c, const fp8mac_cycles_config *config,
                          const fp8mac_cycles_command *commands, size_t count, const watched *w,
                          size_t *refused, fp8mac_cycles_counters *counters);

#endif
