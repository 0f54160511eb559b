// SPDX-License-Identifier: Apache-2.0
// What does not change in a run of the model of cycles: the accelerator's parameters and the tile
// commands.
#ifndef FP8MAC_CYCLES_PARAMETERS_H
#define FP8MAC_CYCLES_PARAMETERS_H

#include "core/internal.h"
#pragma GCC visibility push(default)
#include "fp8mac/cycles.h"
#include "fp8mac/tiles.h"
#pragma GCC visibility pop

enum {
    PASS_TILES = 4,
    BAND_ROWS = 16, // of a row command
    PAGE = 4096,
    MAX_BURST = 16,
    READS = 32,          // bursts in flight, and strips of images that wait
    STRIPS_BESIDE_C = 8, // of them, strips of a command that adds C
    READ_DESTS = 16,     // bursts among them that are not of an image
    WRITES = 16,
    LINE_ROWS = 63, // most rows of a depthwise command that share strips
    MEMORY_RING = 2 * READS,
    SLOTS = 4, // regions of a buffer of D, C or X
    STORING_DEPTH = 2,
    STORE_DEPTH = 3,
    WRITE_OUT_DEPTH = 2,
    FINISHED_DEPTH = 4,
    SOURCE_DEPTH = 2,
    RESULT_RING = 32,
    EPILOGUE_CYCLES = 25,  // its last stage
    REQUANTISE_CYCLES = 7, // that of the integer requantiser
};

// ---- what does not change -----------------------------------------------------------------------

typedef struct parameters {
    uint32_t rows, cols, lanes, beat, tiles, max_mn, queue_depth, buf_beats;
    uint32_t rows_log2, cols_log2, lanes_log2, beat_log2;
    uint32_t block, bound_block, granule;
    uint32_t share, loop, array_cycles, keep_cycles;
    uint32_t bundle;                 // rows of a bundle
    uint32_t transfer_rows;          // rows of a transfer
    uint32_t row_bytes;              // of a region
    uint32_t quads;                  // of a beat of a depthwise command; 0: it is not possible
    uint32_t product_cycles;         // of the walker, for one product
    uint32_t short_beats, all_beats; // of a descriptor, without and with its extension
    bool chip_memory;
    uint32_t latency, stall_permille;
    uint64_t stall_state;
    bool odd;
    uint32_t image_turn;
    bool requantise;
    uint32_t epilogue_cycles; // of the epilogue or the requantiser
    const fp8mac_element_info *element;
    fp8mac_caps caps;
} parameters;

fp8mac_status fp8mac_cycles_parameters_of(const fp8mac_cycles_config *config, parameters *p);

// ---- tile commands ------------------------------------------------------------------------------

typedef enum walk_state {
    WALK_IDLE,
    WALK_SIZE,
    WALK_OFFER,
    WALK_MOVE,    // waits for the products
    WALK_MOVE_ON, // does not
} walk_state;

// Regions of memory that a tile command reads or writes
enum {
    REGION_A = FP8MAC_REGION_A,
    REGION_B = FP8MAC_REGION_B,
    REGION_D = FP8MAC_REGION_D,
    REGION_SCALE_A = FP8MAC_REGION_SCALE_A,
    REGION_SCALE_B = FP8MAC_REGION_SCALE_B,
    REGION_BIAS = FP8MAC_REGION_BIAS,
    REGION_C = FP8MAC_REGION_C,
    REGION_MX_A = FP8MAC_REGION_MX_A,
    REGION_MX_B = FP8MAC_REGION_MX_B,
    REGIONS = FP8MAC_TILE_REGIONS
};

// What decides about the time of a tile command. Those with equal keys take equal times in equal
// states.
typedef struct tile_key {
    uint32_t command;
    uint32_t m, n, k;
    uint32_t columns; // of the products: n, or twice as many with pairs
    uint32_t seconds; // with pairs: rows that have two results
    uint32_t shape;   // log2 of a pass's tiles down
    uint32_t row_beats, mx_words, mx_first;
    uint32_t pages[REGIONS]; // where rows cross pages; NO_PAGE: none does
    walk_state next;         // of the walker, behind it
    fp8mac_rows_step step;
    bool first, last, reuse_a, reuse_b, acc_continue, acc_keep;
    bool elementwise, mx, reads_c, loads_bias, loads_scale_a, loads_scale_b;
    bool image, next_rows, k_start; // A is an image; as in load_job_t
    bool depthwise;                 // that of a depthwise convolution
    bool pairs;                     // with two results of each row and channel
    bool has_vectors;               // of the command, also where they are not loaded
    bool uses_x, writes;            // reads X; writes D
    bool dense;                     // D has one result of each row, one behind the other
    bool blocks;                    // its columns are those of an MX block
    bool rows_first, rows_end;      // of a phase of a band of rows
    bool same_config;               // the epilogue has its configuration already
} tile_key;

#define NO_PAGE UINT32_MAX

typedef struct tile {
    tile_key key;
    uint32_t address[REGIONS];
    uint32_t first_m, first_n;
    uint32_t phase; // of a row command
} tile;

// The tile commands of a run, in their order. A run that goes on for ever forgets old ones: `first`
// is the number of the first one that is kept, and `count` that of all.
typedef struct tile_list {
    tile *tiles;
    size_t first, count, room;
} tile_list;

// ---- numbers ------------------------------------------------------------------------------------

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t ceil_log2(uint32_t x, uint32_t log2)
{
    return (uint32_t)(((uint64_t)x + (1u << log2) - 1u) >> log2);
}

#endif
