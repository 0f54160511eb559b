// SPDX-License-Identifier: Apache-2.0
// From commands to tile commands, without time.
#ifndef FP8MAC_CYCLES_TILES_H
#define FP8MAC_CYCLES_TILES_H

#include "cycles/machine.h"

// The walker's position in a command
typedef struct walker {
    const parameters *p;
    const fp8mac_cycles_command *command;
    uint32_t number; // of the command
    bool elementwise, rows, reduction, blocks, mx, reads_c, pairs;
    uint32_t phase, last_phase; // of a row command
    uint64_t a_band, d_band;
    uint32_t tile_m, tile_n, tile_k;
    uint32_t m_left, n_left, k_left, cap, k_done;
    uint32_t m, n, k; // of the tile command
    bool m_more, n_more, k_more, m_start, n_start;
    bool first, backwards, from_start, has_a, has_b, next_rows;
    uint64_t at[REGIONS]; // addresses of the tile, with a carry
} walker;

void fp8mac_cycles_walk_begin(walker *k, const parameters *p, const fp8mac_cycles_command *c,
                              size_t command);
// The next tile command; the last one's key says so.
void fp8mac_cycles_walk_next(walker *k, tile *t);

// What a tile command leaves to those behind it
typedef struct predecessor {
    bool any, kept, configured;
    uint64_t terms; // products in the accumulators
    tile left;      // the one before
    tile config;    // the one before that had results
} predecessor;

// Appends the tile commands of a command, and judges them.
void fp8mac_cycles_plan_command(machine *m, size_t number, predecessor *before);
// Derives what the engines get, and returns whether the accelerator takes it.
bool fp8mac_cycles_check_tile(const machine *m, predecessor *before, tile *t);

// ---- row commands (rows.c) ----------------------------------------------------------------------

bool fp8mac_cycles_is_reduction(const fp8mac_cycles_command *c);
uint32_t fp8mac_cycles_last_phase(const fp8mac_cycles_command *c);
// Sets what the key of a row command's tile command has.
void fp8mac_cycles_rows_key(const fp8mac_cycles_command *c, const tile *t, bool out, tile_key *key);
// Whether a tile command has the columns of an MX block
bool fp8mac_cycles_has_blocks(const fp8mac_cycles_command *c);
bool fp8mac_cycles_is_norm(const fp8mac_cycles_command *c);
bool fp8mac_cycles_is_statistic(rows_step step);
bool fp8mac_cycles_is_curve(rows_step step);
// Whether the accelerator refuses the command's mode
bool fp8mac_cycles_rows_bad(const parameters *p, const fp8mac_cycles_command *c);
// Whether X - offset is taken
bool fp8mac_cycles_is_centred(const fp8mac_cycles_command *c, const tile *t);

#endif
