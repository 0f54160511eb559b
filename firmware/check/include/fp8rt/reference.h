// SPDX-License-Identifier: Apache-2.0
// What layers compute, in double precision: the definition of each layer over the values of its
// operands' codes, and by how much an output may differ from it before it becomes a code.
#ifndef FP8RT_REFERENCE_H
#define FP8RT_REFERENCE_H

#include "fp8rt/app.h"
#include "fp8rt/convolution.h"
#include "fp8rt/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of each output of a tensor, row by row without gaps.
typedef struct fp8rt_reference {
    double *values;
    double *bounds;    // of |value before the code - values[i]|
    fp8rt_arena arena; // for rows of operands
    const fp8rt_caps *caps;
} fp8rt_reference;

// Memory for the outputs of `out`; values is NULL if there is not enough.
fp8rt_reference fp8rt_reference_of(const fp8rt_caps *caps, const fp8rt_tensor *out,
                                   fp8rt_arena arena);

// `values` becomes NULL if there is not enough memory for the weights, 8 bytes each.
void fp8rt_reference_linear(fp8rt_reference *reference, const fp8rt_linear_desc *desc);
void fp8rt_reference_convolution(fp8rt_reference *reference, const fp8rt_convolution_desc *desc);

// The value of a tensor's element.
double fp8rt_reference_at(const fp8rt_caps *caps, const fp8rt_tensor *tensor, uint32_t row,
                          uint32_t col);
// What `fused` makes of a value: activation, not table.
double fp8rt_reference_fused(const fp8rt_fused *fused, double value);
// Sum of the products of two rows, and its bound for the block element with FP32 accumulators.
typedef struct fp8rt_reference_sum {
    double sum, bound;
} fp8rt_reference_sum;
fp8rt_reference_sum fp8rt_reference_dot(const fp8rt_caps *caps, const double *a, const double *b,
                                        uint32_t k);

// An output is right if its code is one of those from the code of (value - bound) to the code of
// (value + bound).
typedef struct fp8rt_deviation {
    uint32_t wrong; // outputs
    double error;   // the largest |output - value|
    double bound;   // that a bound and half a unit of the last place allowed there
    double amax;    // the largest |value|
} fp8rt_deviation;
fp8rt_deviation fp8rt_reference_compare(const fp8rt_reference *reference, const fp8rt_tensor *out);

#ifdef __cplusplus
}
#endif
#endif
