// SPDX-License-Identifier: Apache-2.0
// Moves that are one matrix, or several of equal shape: what transpositions and copies by commands
// share.
#ifndef FP8RT_MOVE_MATRICES_H
#define FP8RT_MOVE_MATRICES_H

#include "fp8rt/move.h"

enum {
    FP8RT_MOVE_LEAST_VALUES = 256,      // of a command, on average; fewer are moved by the core
    FP8RT_MOVE_MOST_COMMANDS = 64,      // of a move
    FP8RT_MOVE_MOST_COUNT = UINT16_MAX, // of rows and columns
};

typedef struct fp8rt_matrices {
    fp8rt_move_axis columns;                 // of x; count 0: there is none
    fp8rt_move_axis rows;                    // of x; count 0: there is none
    fp8rt_move_axis others[FP8RT_MOVE_AXES]; // where one matrix lies beside another
    uint32_t times;                          // matrices
} fp8rt_matrices;

typedef bool fp8rt_is_axis(const fp8rt_move_axis *axis);

// Sorts the axes: the first ones that are columns and rows, and others. False: an axis is none of
// them and steps within a beat, the move begins within a beat, there are too many matrices, or they
// have too many rows or columns.
bool fp8rt_matrices_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_is_axis *is_columns,
                       fp8rt_is_axis *is_rows, fp8rt_matrices *matrices);

// Rows and columns of x from which one of several equal commands moves, and of out to which it
// moves. `index` numbers them, the last of the axes fastest.
typedef struct fp8rt_place {
    uint32_t x_row, x_col, out_row, out_col;
} fp8rt_place;
fp8rt_place fp8rt_move_place(const fp8rt_move_desc *desc,
                             const fp8rt_move_axis others[FP8RT_MOVE_AXES], uint32_t index);

#endif
