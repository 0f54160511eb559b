// SPDX-License-Identifier: Apache-2.0
// A whole GEMM for a test: it draws operands from a seed, runs, and is compared with the golden
// model.
#ifndef FP8RT_TRIAL_H
#define FP8RT_TRIAL_H

#include "fp8rt/app.h"
#include "fp8rt/check.h"
#include "fp8rt/random.h"

#ifdef __cplusplus
extern "C" {
#endif

// One operand of a trial.
typedef struct fp8rt_trial_operand {
    fp8mac_format_id format;
    int scale_exp;
} fp8rt_trial_operand;

// If only m, n and k are set: finite data, e4m3fn, FP32 accumulator, no scales, seed 0.
typedef struct fp8rt_trial {
    uint32_t m, n, k;
    fp8rt_trial_operand a, b;
    fp8mac_format_id d_format;
    fp8mac_acc_format acc_format;
    fp8mac_scale_mode scales; // of A and B; anything but none also sets scale_d
    bool bias;
    bool mx;                      // MX scales of A and B, within 2^-8 .. 2^7 of 1
    fp8mac_activation activation; // clamp: -2 .. 6
    fp8mac_overflow overflow;
    fp8rt_data data;
    uint32_t seed;
    bool unaligned_vectors; // scale vectors and bias start between beats: the scratch takes them
} fp8rt_trial;

typedef struct fp8rt_trial_outcome {
    fp8rt_status status;
    uint32_t differing;   // as fp8rt_check_gemm returns it
    uint32_t overwritten; // bytes between the rows of D that were written
    uint32_t plan_cycles; // of the core, for the plan (host: 0)
    fp8rt_gemm_plan plan;
    fp8rt_gemm_result result;
} fp8rt_trial_outcome;

// All memory comes from `arena`. It is passed by value, so the next trial may use the same memory.
// FP8RT_ERR_SCRATCH if it is too small.
fp8rt_trial_outcome fp8rt_trial_run(fp8rt_device *dev, const fp8rt_trial *trial, fp8rt_arena arena);
static inline bool fp8rt_trial_passed(const fp8rt_trial_outcome *outcome)
{
    return outcome->status == FP8RT_OK && outcome->differing == 0 && outcome->overwritten == 0;
}

#ifdef __cplusplus
}
#endif
#endif
