// SPDX-License-Identifier: Apache-2.0
// The output of a layer's command, and its scale.
#ifndef FP8RT_LAYERS_TARGET_H
#define FP8RT_LAYERS_TARGET_H

#include "layer.h"

// What an output's command writes: the output itself, or FP32 values of which it is made then.
typedef struct fp8rt_target {
    fp8rt_tensor *out;
    fp8rt_scaling_kind kind;
    const fp8rt_fused *fused;
    const fp8rt_tensor *d;
    fp8rt_tensor values; // d, if it is not `out`
    float scale_d;
    bool on_core; // the core computes in place of the command
} fp8rt_target;

static inline bool fp8rt_waits_for_amax(fp8rt_scaling_kind kind)
{
    return kind == FP8RT_SCALING_DYNAMIC || kind == FP8RT_SCALING_CALIBRATE;
}

// The command's part of t->fused->coding. The first command writes FP32 numbers of a scaled output,
// which are rounded to nearest even.
static inline void fp8rt_target_coding(const fp8rt_target *t, fp8rt_coding *coding)
{
    if (!fp8rt_waits_for_amax(t->kind)) {
        coding->stochastic = t->fused->coding.stochastic;
        coding->seed = t->fused->coding.seed;
        coding->table = t->fused->coding.table;
    }
}

// What the command that makes `out` writes. FP8RT_ERR_SCRATCH, FP8RT_ERR_UNSUPPORTED,
// FP8RT_ERR_NULL.
fp8rt_status fp8rt_target_aim(fp8rt_run *run, const fp8rt_fused *fused, fp8rt_tensor *out,
                              fp8rt_target *t);
// What remains to be done when the command has run. In a query its result is not there.
fp8rt_status fp8rt_target_finish(fp8rt_run *run, const fp8rt_target *t,
                                 const fp8rt_gemm_result *result);

#endif
