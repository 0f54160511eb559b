// SPDX-License-Identifier: Apache-2.0
// The time that a GEMM takes, divided into these tiles and chunks.
#ifndef FP8RT_GEMM_ESTIMATE_H
#define FP8RT_GEMM_ESTIMATE_H

#include "gemm_shape.h"

enum {
    // Cycles from one tile command to the next, at least: those of its check, and until its
    // operands are free for the load of the one after the next.
    FP8RT_COMMAND_CYCLES = 16,
};

// Tiles of the array in the passes over down x across of them: a pass has as many as the array's
// loop.
uint32_t fp8rt_pass_tiles(const shape *s, uint32_t down, uint32_t across);
// Cycles without those that all candidates have in common. A candidate that reads less is a little
// better, since others use the bus, too.
uint64_t fp8rt_estimate(const shape *s, const candidate *c);

#endif
