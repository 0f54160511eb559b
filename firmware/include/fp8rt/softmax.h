// SPDX-License-Identifier: Apache-2.0
// Softmax of each row: out = exp(factor * x) / sum of exp(factor * x) over the columns that the row sees.
//
// The accelerator turns x into fixed-point logarithms to base 2. The core subtracts the row's largest
// one and computes powers of two by a polynomial, in integers. So the host computes the same bytes.
//
// Cycles of the core: 44 for each value that is seen, twice that if the output is normalised, 500 for each row, and
// one command.
//
// A division for each value would cost the core most. So the codes may stay unnormalised: the largest
// value of each row is 1, and 1 / sum goes to `row_scale`, which a following GEMM takes as the scale of
// its rows (fp8rt_attention does).
//
// Error of a value, in both forms, before it is rounded to FP8: 2^-10 of it, and cols * 2^-20. Besides,
// factor * x is limited to +-709, and rounded to a multiple of 2^-12 * ln 2.
#ifndef FP8RT_SOFTMAX_H
#define FP8RT_SOFTMAX_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_softmax_desc {
    const fp8rt_tensor *x; // of any format
    float factor;          // finite, > 0; 0 stands for 1
    uint32_t seen;         // columns that row 0 sees; 0: all. Codes of the others are 0
    bool causal;           // each row sees one column more than the row before it
    // FP8. The layer writes its scale, a power of two: its scaling is static.
    fp8rt_tensor *out;
    float *row_scale; // x->rows values; NULL: out is normalised
} fp8rt_softmax_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (seen is more than x->cols), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (also
// of factor), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_UNSUPPORTED (out has a scaling that is
// not static), FP8RT_ERR_SCRATCH: nothing was written. A row with a NaN has undefined values.
fp8rt_status fp8rt_softmax(fp8rt_run *run, const fp8rt_softmax_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
