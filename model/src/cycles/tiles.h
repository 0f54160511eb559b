// SPDX-License-Identifier: Apache-2.0
// From commands to tile commands, without time.
#ifndef FP8MAC_CYCLES_TILES_H
#define FP8MAC_CYCLES_TILES_H

#include "cycles/machine.h"

// What a tile command leaves to those behind it
typedef struct predecessor {
    fp8mac_left left;
    bool configured;
    tile config; // the one before that had results
} predecessor;

// Appends the tile commands of a command, and judges them.
void fp8mac_cycles_plan_command(machine *m, size_t number, predecessor *before);
// Derives what the engines get of a legal tile command.
void fp8mac_cycles_set_tile(const machine *m, size_t number, const fp8mac_tile *from,
                            predecessor *before, tile *t);

#endif
