// SPDX-License-Identifier: Apache-2.0
// The commands of a run, each with a plan: made for it, or kept from an earlier one.
//
// A kept plan serves a command whose descriptor is equal, word for word. So nothing has to be known
// about what a plan depends on. Excepted are numbers that the run of a plan reads and checks
// itself: single scales, which the descriptor only points to, and beta, as long as C is read or not
// as before; of a row command eps, as long as it is 0 or not as before.
#ifndef FP8RT_LAYERS_PLANS_H
#define FP8RT_LAYERS_PLANS_H

#include "elementwise_plan.h"
#include "fp8rt/tensor.h"
#include "rows_plan.h"

// Descriptors are compared word for word: they are cleared, padding included, and their fields are
// set one by one.
static inline void fp8rt_plans_clear(void *desc, size_t bytes)
{
    uint32_t __attribute__((may_alias)) *word = desc, *const end = word + bytes / sizeof *word;
    for (; word != end; word++) {
        *word = 0;
    }
}

// Where descriptors of this run have their single scales: at the same address from run to run.
static inline fp8rt_command_scales *fp8rt_scales_of(const fp8rt_run *run,
                                                    fp8rt_command_scales *otherwise)
{
    return run->plans == NULL ? otherwise : &run->plans->scales;
}

// 1 / x and x * y. The plan that is expected to serve keeps the last results, because the core has
// no floating point.
float fp8rt_plans_inverse(const fp8rt_run *run, float x);
float fp8rt_plans_product(const fp8rt_run *run, float x, float y);

// Runs the command of fresh->desc. In a query: only its checks. `fresh` is memory for a plan, which
// is used if none is kept.
fp8rt_status fp8rt_plans_gemm(fp8rt_run *run, fp8rt_gemm_plan *fresh, void *scratch, size_t bytes,
                              fp8rt_gemm_result *result);
fp8rt_status fp8rt_plans_elementwise(fp8rt_run *run, fp8rt_elementwise_plan *fresh,
                                     fp8rt_gemm_result *result);
fp8rt_status fp8rt_plans_rows(fp8rt_run *run, fp8rt_rows_plan *fresh, fp8rt_gemm_result *result);

#endif
