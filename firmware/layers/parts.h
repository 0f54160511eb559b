// SPDX-License-Identifier: Apache-2.0
// An output that several commands write, each a part of it. One scale holds for all parts, so an
// output whose scale is not static is collected in FP32, and one conversion makes its codes.
#ifndef FP8RT_PARTS_H
#define FP8RT_PARTS_H

#include "layer.h"

typedef struct fp8rt_parts {
    fp8rt_tensor whole; // `out` itself, or the FP32 numbers of which it is made
    fp8rt_fused fused;  // of the commands
    bool collected;
    fp8rt_coding coding; // of the conversion
} fp8rt_parts;

// `count` commands will write `out`; one of them alone needs no collecting. FP8RT_ERR_SCRATCH,
// FP8RT_ERR_UNSUPPORTED (a table of codes and a scale that is not static).
fp8rt_status fp8rt_parts_begin(fp8rt_run *run, const fp8rt_fused *fused, const fp8rt_tensor *out,
                               uint32_t count, fp8rt_parts *parts);
// To be called when all parts of `whole` are written.
fp8rt_status fp8rt_parts_end(fp8rt_run *run, const fp8rt_parts *parts, fp8rt_tensor *out);

#endif
