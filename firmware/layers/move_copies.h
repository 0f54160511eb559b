// SPDX-License-Identifier: Apache-2.0
// Strided copies as element-wise commands: D = convert(X), both of one format. The values of a
// format are those of FP32, so each stays what it is, -0 too.
#ifndef FP8RT_MOVE_COPIES_H
#define FP8RT_MOVE_COPIES_H

#include "move_matrices.h"

// Whether the move may be copies (fp8rt_move_desc.by_value has the rule), and how. The descriptor
// has been checked. Columns lie beside each other on both sides; each matrix is a command.
bool fp8rt_copies_of(const fp8rt_run *run, const fp8rt_move_desc *desc, fp8rt_matrices *copies);
// The commands. Scales are 1: codes move.
fp8rt_status fp8rt_copies_run(fp8rt_run *run, const fp8rt_move_desc *desc,
                              const fp8rt_matrices *copies);

#endif
