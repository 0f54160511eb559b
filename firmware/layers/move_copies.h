// SPDX-License-Identifier: Apache-2.0
// Strided copies as element-wise commands: D = convert(X), both of one format. The values of a format are
// those of FP32, so each stays what it is, -0 too.
#ifndef FP8RT_MOVE_COPIES_H
#define FP8RT_MOVE_COPIES_H

#include "fp8rt/move.h"

// A move that is a matrix, or several of equal shape.
typedef struct fp8rt_copies {
    fp8rt_move_axis columns;                 // that lie beside each other on both sides
    fp8rt_move_axis rows;                    // from row to row on both sides; count 0: one row
    fp8rt_move_axis others[FP8RT_MOVE_AXES]; // where one matrix lies beside another
    uint32_t times;                          // matrices, each of which is a command
} fp8rt_copies;

// Whether the move may be copies (fp8rt_move_desc.by_value has the rule), and how. The descriptor has
// been checked.
bool fp8rt_copies_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_copies *copies);
// The commands. Scales are 1: codes move.
fp8rt_status fp8rt_copies_run(fp8rt_run *run, const fp8rt_move_desc *desc,
                              const fp8rt_copies *copies);

#endif
