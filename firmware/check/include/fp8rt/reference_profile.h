// SPDX-License-Identifier: Apache-2.0
// The error of every layer of a profile: each layer is computed once more in double precision, from the
// codes of its own operands, and its output is compared. For the host: on the chip it takes much longer
// than the layers.
//
//   fp8rt_reference_observer references = fp8rt_reference_observer_on(arena);
//   profile.observer = &references.observer;
//
// The error is the largest |output - value|. It does not contain the errors of earlier layers, but that of
// rounding the output to its format. Not compared are recurrent layers, transposed convolutions, tables
// and layers that only copy. Of a block of a transformer its layers are compared. A layer for which the
// memory does not suffice is not compared either.
#ifndef FP8RT_REFERENCE_PROFILE_H
#define FP8RT_REFERENCE_PROFILE_H

#include "fp8rt/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FP8RT_REFERENCE_DEPTH = 4 }; // layers in layers; deeper ones are not compared

// Of a layer that runs
typedef struct fp8rt_reference_frame {
    fp8rt_reference reference; // values NULL: it is not compared
    fp8rt_tensor *out;
    fp8rt_arena saved; // as it was before the layer
} fp8rt_reference_frame;

typedef struct fp8rt_reference_observer {
    fp8rt_observer observer; // the first member
    fp8rt_arena arena;
    uint32_t depth; // of the frames in use
    fp8rt_reference_frame frames[FP8RT_REFERENCE_DEPTH];
} fp8rt_reference_observer;

// The memory: for the layers that run, 16 bytes for each output, and 8 bytes for each weight of one of them.
fp8rt_reference_observer fp8rt_reference_observer_on(fp8rt_arena arena);

#ifdef __cplusplus
}
#endif
#endif
