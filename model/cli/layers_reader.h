// SPDX-License-Identifier: Apache-2.0
// The reader of lists of layers: what its two files share. layers.c has the file and the line of
// names, layer_line.c the lines of layers.
#ifndef FP8MAC_CLI_LAYERS_READER_H
#define FP8MAC_CLI_LAYERS_READER_H

#include "layers.h"

enum { MOST_COLUMNS = 40 };

typedef enum column {
    LAYER,
    M,
    N,
    K,
    COUNT,
    FORMAT_D,
    FORMAT_A,
    FORMAT_B,
    FORMAT_C,
    MX,
    VECTORS,
    // A convolution, with the names of SCALE-Sim's topologies
    IFMAP_HEIGHT,
    IFMAP_WIDTH,
    FILTER_HEIGHT,
    FILTER_WIDTH,
    CHANNELS,
    NUM_FILTER,
    // What a convolution may have, too
    STRIDES,
    STRIDE_Y,
    STRIDE_X,
    DILATION_Y,
    DILATION_X,
    PAD_Y,
    PAD_X,
    IMAGES,
    GROUPS,
    PIXEL_BYTES,
    COLUMNS,
    IGNORED
} column;

// What a reader needs to know of where it is
typedef struct reader {
    cli *c;
    const char *path;
    unsigned line;
    column columns[MOST_COLUMNS];
    unsigned count;
    bool has[COLUMNS];
    bool topology; // SCALE-Sim's, whose lines may have more behind their columns
    bool mixed;    // each line is a GEMM or a convolution, and leaves the other one's fields empty
    workload usual;
} reader;

extern const char *const layers_names[COLUMNS];

// Divides a line at its commas. A comma at its end begins a field only if one more is expected.
unsigned layers_split(const reader *r, char *line, char *fields[MOST_COLUMNS], unsigned expected);
// A line behind the names
layer layers_line(const reader *r, char *line);

#endif
