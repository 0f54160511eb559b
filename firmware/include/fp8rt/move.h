// SPDX-License-Identifier: Apache-2.0
// Moves values of a tensor to places of another one, without a change: transposition, slice,
// padding, concatenation, repetition, reversal. For all indices i of the axes
//
//   out[out_row + sum of i * to.rows][out_col + sum of i * to.cols] =
//       x[x_row + sum of i * from.rows][x_col + sum of i * from.cols]
//
//   transposition     from = {1, 0}, to = {0, 1}, and {0, 1}, {1, 0}
//   reversal          a step from of {-1, 0}, where x_row is the last row
//   repetition        a step from of {0, 0}
//   concatenation     one move for each part, with its out_row and out_col
//
// The core copies: `make run APP=layers FAMILY=move`. With its checks it takes 9,300 cycles to
// transpose 920 bytes, and 6,500 for 420 bytes of which 12 at a time lie beside each other.
// Recorded, it is a call, for which the list pauses.
//
// With `by_value` transpositions and strided copies can be commands. They move values and not
// codes, except copies of FP8MAC_INT8, in which every code stays what it is.
//
// Strided copies are element-wise commands, X converted to its own format. A NaN becomes the
// format's one NaN, and the run has the flag FP8MAC_FLAG_NAN; all else is as before, -0, Inf and
// subnormals, too. FP8MAC_INT8 is copied as FP8MAC_E4M3FNUZ, all of whose 256 codes are kept, and
// gives the run no flag. A recorded list, which has the flags of all its commands, has
// FP8MAC_FLAG_NAN after a copy of -128. The rule, or the core copies the codes:
//
//   - The accelerator has element-wise commands.
//   - One axis goes from column to column on both sides, by 1, and perhaps one from row to later
//     rows on both sides. They have 65,535 indices at most, and 256 together at least.
//   - Steps along columns of all other axes of two indices or more are whole beats, and so are
//     x_col and out_col.
//   - There are 64 commands at most, one for each index of the other axes.
//
// Transpositions are products with the identity, whose sums are exact:
//
//   -0                becomes +0
//   NaN               its row of x becomes NaN in the block of 32 columns, which are counted from
//                     the first one moved, and the run has the flag FP8MAC_FLAG_NAN
//
// All of this holds, or the core copies the codes:
//
//   - The format is FP8MAC_E4M3FN or _E4M3FNUZ, and the run's accumulators are not FP16. The
//     elements keep each product of such codes with 1: they are aligned to products, or have no
//     window, or one of 17 bits or more.
//   - One axis goes from column to column of x, by 1, and to later rows of out. Another one goes to
//     later rows of x, and from column to column of out, by 1. Each has 2 to 65,535 indices. The
//     first of such axes counts.
//   - Steps along columns of all other axes of two indices or more are whole beats, and so are
//     x_col and out_col.
//   - There are 64 commands at most, one for each 32 columns of each transposition, and one moves
//     256 values or more on average.
//
// Recorded, 70 x 40 values take 627 cycles of the accelerator. Where the layer runs by itself and
// no plans are kept, the core takes 7,000 for each command, so that copying fewer than about 1,500
// values for each is quicker.
#ifndef FP8RT_MOVE_H
#define FP8RT_MOVE_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8RT_MOVE_AXES = 6 };

typedef struct fp8rt_step {
    int32_t rows, cols;
} fp8rt_step;

typedef struct fp8rt_move_axis {
    uint32_t count;      // 0: 1
    fp8rt_step from, to; // from one index to the next
} fp8rt_move_axis;

typedef struct fp8rt_move_desc {
    const fp8rt_tensor *x;                   // of any format
    uint32_t x_row, x_col, out_row, out_col; // where all indices are 0
    fp8rt_move_axis axis[FP8RT_MOVE_AXES];   // the last one fastest
    bool clear;        // all of `out`, with the bytes between its rows, is 0 first
    bool by_value;     // transpositions may be commands
    fp8rt_tensor *out; // of x's format; gets x's scale
} fp8rt_move_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (a place outside x or out, a tensor of 2^31 bytes or more),
// FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP (of
// out and x), FP8RT_ERR_UNSUPPORTED (out has a scaling that is not static): nothing was written. As
// commands, also those of fp8rt_gemm.
fp8rt_status fp8rt_move(fp8rt_run *run, const fp8rt_move_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
