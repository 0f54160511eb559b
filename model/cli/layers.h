// SPDX-License-Identifier: Apache-2.0
// Lists of layers as CSV: m,n,k, convolutions, or a topology of SCALE-Sim.
#ifndef FP8MAC_CLI_LAYERS_H
#define FP8MAC_CLI_LAYERS_H

#include "cli.h"
#include "workload.h"

typedef struct layer {
    const char *name; // of its line, or its number
    workload work;
    uint64_t count;
    unsigned line; // of the file
} layer;

typedef struct layers {
    layer *list;
    size_t count;
} layers;

// Reads the file; "-" is standard input. The first line names the columns. A bad line is refused
// with file, line, column and what is expected there. What a line does not say is as in `usual`.
layers layers_read(cli *c, const char *path, const workload *usual);
// The format of D of that name; false: there is none.
bool layers_d_format(const char *name, fp8mac_format_id *id);

#endif
