// SPDX-License-Identifier: Apache-2.0
// How the accelerator divides a command into tile commands, and which of them it takes. The model
// of the accelerator, the model of cycles and the simulators all ask here; the RTL's own check
// (fp8mac_cmd_walk, fp8mac_cmd_check) is the independent second one, and a test compares both.
//
// Addresses have 32 bits, as on the bus. A host's address beyond counts as the start of the chip's
// RAM, 0x80000000, so that host and chip refuse the same matrices.
#ifndef FP8MAC_TILES_H
#define FP8MAC_TILES_H

#include "fp8mac/command.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a tile command of a row command does with X: rows_step_e of the RTL's fp8mac_pkg
typedef enum fp8mac_rows_step {
    FP8MAC_STEP_NONE = 0,    // no row command
    FP8MAC_STEP_SUM = 1,     // the sum of X
    FP8MAC_STEP_SQUARES = 2, // the sum of squares of X, or of X - offset
    FP8MAC_STEP_MAXIMUM = 3,
    FP8MAC_STEP_FIRST = 4,     // the first column whose value is the offset
    FP8MAC_STEP_EXP_SUM = 5,   // the sum of the exponentials of X - offset
    FP8MAC_STEP_MAGNITUDE = 6, // the maximum of magnitudes
    FP8MAC_STEP_OUT = 7,       // gives X or X - offset, times gain * gamma
    FP8MAC_STEP_EXP_OUT = 8,   // gives exponentials, times gain
    FP8MAC_STEP_RESULT = 9,    // gives the offset of each row: the result of a reduction
    FP8MAC_STEP_SIGMOID = 10,  // give a function of X * SCALE_A
    FP8MAC_STEP_TANH = 11,
} fp8mac_rows_step;

// Steps that leave statistics of each row and give no D
static inline bool fp8mac_step_is_statistic(fp8mac_rows_step step)
{
    return step != FP8MAC_STEP_NONE && step < FP8MAC_STEP_OUT;
}

static inline bool fp8mac_step_is_curve(fp8mac_rows_step step)
{
    return step == FP8MAC_STEP_SIGMOID || step == FP8MAC_STEP_TANH;
}

// Regions of a tile command: those of fp8mac_region_of but the table
enum { FP8MAC_TILE_REGIONS = 9 };

// One tile command of a command
typedef struct fp8mac_tile {
    uint32_t m, n, k;                   // 0: illegal, or more than 16 bits hold
    uint32_t columns;                   // of the products: n, or twice as many with pairs
    uint32_t seconds;                   // with pairs: rows that have two results
    uint32_t first_m, first_n, first_k; // its first output, and the first of its products
    uint32_t mx_first;                  // the byte of its first MX scale in a beat
    uint32_t shape;                     // log2 of a pass's tiles down
    uint32_t phase;                     // of a row command
    // Of the part that it has. With pairs that of D is where the rows that it could write end, less
    // twice its rows.
    uint32_t address[FP8MAC_TILE_REGIONS];
    fp8mac_rows_step step;
    bool first, last; // of its command
    bool reuse_a, reuse_b, acc_continue, acc_keep;
    bool more_k;    // the next tile command has more products of the same outputs
    bool moves_m;   // the next one has other rows
    bool next_rows; // the rows of A behind those of the tile command before
    bool k_start;   // it begins with the command's first product
    bool uses_x, writes;
    bool rows_first, rows_end;    // of a phase of a band of rows
    bool range_bad, sequence_bad; // the walk has found this
} fp8mac_tile;

// The walk's position in a command, private
typedef struct fp8mac_walk {
    const fp8mac_caps *caps;
    const fp8mac_command *command;
    uint32_t granule;
    uint32_t phase, last_phase; // of a row command
    uint64_t a_band, d_band;
    uint32_t tile_m, tile_n, tile_k;
    uint32_t m_left, n_left, k_left, cap, k_done;
    uint32_t m, n, k; // of the tile command
    bool m_more, n_more, k_more, m_start, n_start;
    bool first, backwards, from_start, has_a, has_b, next_rows;
    uint64_t at[FP8MAC_TILE_REGIONS]; // addresses of the tile, with a carry
} fp8mac_walk;

// Both outlive the walk.
void fp8mac_walk_begin(fp8mac_walk *walk, const fp8mac_caps *caps, const fp8mac_command *command);
// The next tile command; the last one says so.
void fp8mac_walk_next(fp8mac_walk *walk, fp8mac_tile *tile);

// What a tile command leaves to the one behind it. All zero: nothing
typedef struct fp8mac_left {
    bool any;       // operands of a GEMM
    bool kept;      // accumulators
    uint64_t terms; // products in the accumulators
    uint32_t m, n, k, shape, mx_first;
    bool acc_fmt, mx, depthwise, pairs, a_narrow, b_narrow;
    uint8_t a_fmt, b_fmt;
    int8_t sa, sb;
} fp8mac_left;

// The error of a command that asks for a function which the accelerator does not have: it is judged
// before all others. FP8MAC_COMMAND_ERROR_NONE or FP8MAC_COMMAND_ERROR_MODE
fp8mac_command_error fp8mac_command_absent(const fp8mac_caps *caps, const fp8mac_command *command);
// Derives tile->shape and tile->seconds, and returns the error that the accelerator reports for the
// tile command, the first that applies. FP8MAC_COMMAND_ERROR_NONE: it runs, and *left is
// what it leaves. `tables`: bit i, table i + 1 was loaded. Values of vectors and answers of
// the bus are not judged.
fp8mac_command_error fp8mac_tile_check(const fp8mac_caps *caps, const fp8mac_command *command,
                                       uint32_t tables, fp8mac_left *left, fp8mac_tile *tile);
// The same of all tile commands of a command: the first error. *left changes with a legal command.
fp8mac_command_error fp8mac_command_check(const fp8mac_caps *caps, const fp8mac_command *command,
                                          uint32_t tables, fp8mac_left *left);

// A region of a checked tile command, for the model of cycles
typedef struct fp8mac_tile_region {
    bool used;
    uint32_t stride, rows;
    uint64_t row_bytes;
} fp8mac_tile_region;
void fp8mac_tile_regions(const fp8mac_caps *caps, const fp8mac_command *command,
                         const fp8mac_tile *tile, fp8mac_tile_region list[FP8MAC_TILE_REGIONS]);

// The address that a region has on the bus
uint32_t fp8mac_bus_address(const fp8mac_caps *caps, uintptr_t address);

// Products that chunks of K have in whole
static inline uint32_t fp8mac_caps_bound_block(const fp8mac_caps *caps)
{
    return caps->block > 32u ? caps->block : 32u;
}

// Beats of MX scales in a row RAM
uint32_t fp8mac_caps_scale_beats(const fp8mac_caps *caps);

#ifdef __cplusplus
}
#endif
#endif
