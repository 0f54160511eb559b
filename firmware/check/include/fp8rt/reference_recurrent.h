// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer in double precision, from the state that the layer began with.
#ifndef FP8RT_REFERENCE_RECURRENT_H
#define FP8RT_REFERENCE_RECURRENT_H

#include "fp8rt/recurrent.h"
#include "fp8rt/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fp8rt_reference_step {
    bool gru;
    const fp8rt_recurrent_desc *desc; // x is one step
    const uint8_t *hidden;            // the codes of desc->hidden before the step
    const float *state;               // likewise, batch x units without gaps
} fp8rt_reference_step;

// For each sequence a row of 2 * units values: h before it becomes a code, and the state.
void fp8rt_reference_recurrent(fp8rt_reference *reference, const fp8rt_reference_step *step);

#ifdef __cplusplus
}
#endif
#endif
