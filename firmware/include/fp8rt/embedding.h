// SPDX-License-Identifier: Apache-2.0
// Embedding: rows of a table by index, with a row of a second table for each position if there is
// one.
//
//   out[i] = table[indices[i]] + positions[first + i]
//
// The core copies rows, and the accelerator adds and converts them in one command. One row is read
// where it lies, without a copy: that is recorded, with the index that it has then. Twelve rows of
// 40 bytes take the core 3,900 cycles. A table with the format and scale of `out` is copied alone,
// if there are no positions.
// Error: that of one FP32 addition, 2^-22 of its terms, before the output becomes a code.
#ifndef FP8RT_EMBEDDING_H
#define FP8RT_EMBEDDING_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_embedding_desc {
    const fp8rt_tensor *table;     // words x width of any format
    const uint32_t *indices;       // out->rows of them, each below table->rows
    const fp8rt_tensor *positions; // first + out->rows rows or more, of any format; NULL: none
    uint32_t first;                // position of out's row 0
    fp8rt_tensor *out;             // tokens x width of any format
} fp8rt_embedding_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (also: an index or a position beyond its table; a query does not
// read the indices), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE,
// FP8RT_ERR_SCRATCH: nothing was written. Others as fp8rt_elementwise.
fp8rt_status fp8rt_embedding(fp8rt_run *run, const fp8rt_embedding_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
