// SPDX-License-Identifier: Apache-2.0
// Layers as a recorded network (fp8rt/network.h): all their commands are one list of the
// accelerator.
#ifndef FP8MAC_CLI_RECORDED_H
#define FP8MAC_CLI_RECORDED_H

#include "layers.h"
#include "watched.h"

typedef struct recorded_result {
    size_t commands;
    fp8mac_cycles_counters counters;
} recorded_result;

// Runs the list that the layer library records. Each layer reads what the layer before has written.
// Refuses lines with a count, and what the library or the accelerator refuses, with the place in the
// file. *files are those of the run; commands have the names of their layers in them.
recorded_result recorded_run(cli *c, const fp8mac_cycles_config *config, const layers *all,
                             const char *path, workload_tables tables, watched files);

#endif
