// SPDX-License-Identifier: Apache-2.0
// The error of every layer of a profile: each layer is computed once more in double precision, from
// the codes of its own operands, and its output is compared. For the host: on the chip it takes
// much longer than the layers.
//
//   fp8rt_reference_observer references = fp8rt_reference_observer_on(arena);
//   profile.observer = &references.observer;
//
// The error is the largest |output - value|. It does not contain the errors of earlier layers, but
// that of rounding the output to its format. An entry that is not compared has a reason:
//   recurrent   LSTM and GRU: `make run APP=layers FAMILY=recurrent` compares their steps
//   transposed  a transposed convolution: `make run APP=layers FAMILY=transposed` compares them
//   table       the codes of a table may stand for any function
//   argmax      numbers of columns are no values
//   cache       keys and values go to caches: the attention that reads them is compared
//   copy        the layer only copies
//   layers      the layers of a transformer's block are compared, each by itself
//   depth       more than FP8RT_REFERENCE_DEPTH layers in layers
//   memory      the arena is too small
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
    fp8rt_arena saved;  // as it was before the layer
    const char *reason; // if it is not compared
} fp8rt_reference_frame;

typedef struct fp8rt_reference_observer {
    fp8rt_observer observer; // the first member
    fp8rt_arena arena;
    uint32_t depth; // of the frames in use
    fp8rt_reference_frame frames[FP8RT_REFERENCE_DEPTH];
} fp8rt_reference_observer;

// The memory: for the layers that run, 16 bytes for each output, and 8 bytes for each
// weight of one of them.
fp8rt_reference_observer fp8rt_reference_observer_on(fp8rt_arena arena);

#ifdef __cplusplus
}
#endif
#endif
