// SPDX-License-Identifier: Apache-2.0
// What layers record, in place of running it. run->recorder decides; without one these functions do
// nothing.
#ifndef FP8RT_RECORD_H
#define FP8RT_RECORD_H

#include "elementwise_plan.h"
#include "network_image.h"
#include "rows_plan.h"

// Memory for a recording without commands: its header and symbols, whose names have 20 bytes.
static inline size_t fp8rt_record_bytes(void)
{
    return (FP8RT_IMAGE_HEADER + FP8RT_NETWORK_SYMBOLS * 8u) * sizeof(uint32_t);
}
// In a query: the memory for one command more.
void fp8rt_record_count(fp8rt_run *run);
// The commands from here on belong to this layer, if no other layer has called it.
void fp8rt_record_layer(fp8rt_run *run, const char *name);
// The commands of plans that are prepared. FP8RT_ERR_ALIGNMENT: it has vectors that are not at a
// beat. FP8RT_ERR_SCRATCH: no room. FP8RT_ERR_SHAPE: too many commands or symbols. FP8RT_ERR_SCALE.
fp8rt_status fp8rt_record_gemm(fp8rt_run *run, fp8rt_gemm_plan *plan);
fp8rt_status fp8rt_record_elementwise(fp8rt_run *run, fp8rt_elementwise_plan *plan);
fp8rt_status fp8rt_record_rows(fp8rt_run *run, fp8rt_rows_plan *plan);

// A part of the core: runs `function` on `context` of `bytes`, FP8RT_CALL_BYTES at most; in a query
// it does nothing, and a recording runs it when the list does. It uses its context and what that
// points to, and no other variable.
fp8rt_status fp8rt_layer_core(fp8rt_run *run, fp8rt_core_function *function, const void *context,
                              size_t bytes);

// Sets or copies bytes, by the core.
fp8rt_status fp8rt_layer_fill(fp8rt_run *run, void *data, uint8_t byte, size_t bytes);
fp8rt_status fp8rt_layer_copy(fp8rt_run *run, void *to, const void *from, size_t bytes);

#endif
