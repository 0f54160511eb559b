// SPDX-License-Identifier: Apache-2.0
// Layers as a recorded network (fp8rt/network.h): all their commands are one list of the
// accelerator.
#ifndef FP8MAC_CLI_RECORDED_H
#define FP8MAC_CLI_RECORDED_H

#include "layers.h"
#include "watched.h"

// Whether layers have tables of codes behind them
typedef enum recorded_tables {
    RECORDED_NO_TABLES,
    RECORDED_TABLES_STAY,   // loaded before the list
    RECORDED_TABLES_LOADED, // by each layer's first command
} recorded_tables;

typedef struct recorded_result {
    size_t commands;
    fp8mac_cycles_counters counters;
} recorded_result;

// Runs the list. Each layer reads what the layer before has written: a command waits for the last
// one that writes its image, or, if the layers have not as many images, for the last one of all. As
// the recorder does, it names no command that is more than 15 before, and lets B be read meanwhile.
// Refuses lines with a count, and what the accelerator refuses, with the place in the file. *files
// are those of the run; commands have the names of their layers in them.
recorded_result recorded_run(cli *c, const fp8mac_cycles_config *config, const layers *all,
                             const char *path, recorded_tables tables, watched files);

#endif
