// SPDX-License-Identifier: Apache-2.0
// Transpositions as products with the identity: D[m][n] = sum over k of I[m][k] * X[n][k] = X[n][m].
//
// One product of each sum is not 0. A command takes 32 columns of X, because the array gives eight
// sums of 32 products in a cycle, which is what the epilogue takes.
#ifndef FP8RT_MOVE_PRODUCTS_H
#define FP8RT_MOVE_PRODUCTS_H

#include "fp8rt/move.h"

enum {
    FP8RT_TURN_COLUMNS = 32,
    // Of all moves that are commands
    FP8RT_MOVE_LEAST_VALUES = 256,      // of a command, on average; fewer are moved by the core
    FP8RT_MOVE_MOST_COMMANDS = 64,      // of a move
    FP8RT_MOVE_MOST_COUNT = UINT16_MAX, // of rows and columns
};

// Rows and columns of x from which one of several equal commands moves, and of out to which it moves.
// `index` numbers them, the last of the axes fastest.
typedef struct fp8rt_place {
    uint32_t x_row, x_col, out_row, out_col;
} fp8rt_place;
fp8rt_place fp8rt_move_place(const fp8rt_move_desc *desc,
                             const fp8rt_move_axis others[FP8RT_MOVE_AXES], uint32_t index);

// A move that is a transposition, or several of equal shape.
typedef struct fp8rt_turn {
    fp8rt_move_axis columns;                 // of x, which become rows
    fp8rt_move_axis rows;                    // of x, which become columns
    fp8rt_move_axis others[FP8RT_MOVE_AXES]; // where one transposition lies beside another
    uint32_t times;                          // transpositions
} fp8rt_turn;

// Whether the move may be products (fp8rt_move_desc.by_value has the rule), and how. The descriptor
// has been checked.
bool fp8rt_turn_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_turn *turn);
// The commands. Scales are 1: codes move.
fp8rt_status fp8rt_turn_run(fp8rt_run *run, const fp8rt_move_desc *desc, const fp8rt_turn *turn);

#endif
