// SPDX-License-Identifier: Apache-2.0
// Transpositions as products with the identity: D[m][n] = sum over k of I[m][k] * X[n][k] =
// X[n][m].
//
// One product of each sum is not 0. A command takes 32 columns of X, because the array gives eight
// sums of 32 products in a cycle, which is what the epilogue takes.
#ifndef FP8RT_MOVE_PRODUCTS_H
#define FP8RT_MOVE_PRODUCTS_H

#include "move_matrices.h"

enum { FP8RT_TURN_COLUMNS = 32 };

// Whether the move may be products (fp8rt_move_desc.by_value has the rule), and how. The descriptor
// has been checked. Columns of x become rows.
bool fp8rt_turn_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_matrices *turn);
// The commands. Scales are 1: codes move.
fp8rt_status fp8rt_turn_run(fp8rt_run *run, const fp8rt_move_desc *desc,
                            const fp8rt_matrices *turn);

#endif
