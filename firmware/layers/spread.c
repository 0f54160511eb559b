// SPDX-License-Identifier: Apache-2.0
#include "spread.h"

#include "fp8rt/network.h"
#include "plans.h"
#include "record.h"

enum {
    ONE = 0x38, // E4M3
    PART = 256, // copies of a command: a multiple of a beat's floats
};

#define FOUR ONE, ONE, ONE, ONE
#define SIXTEEN FOUR, FOUR, FOUR, FOUR
#define SIXTY_FOUR SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN
static const _Alignas(FP8RT_NETWORK_ALIGN) uint8_t ones[PART] = {SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR,
                                                                 SIXTY_FOUR};

// ---- the commands -------------------------------------------------------------------------------

// A row of ones that is multiplied by its scale
static fp8rt_status spread_part(fp8rt_run *run, const float *from, float *to, uint32_t count)
{
    fp8rt_elementwise_plan plan;
    fp8rt_gemm_result result;
    fp8rt_plans_clear(&plan.desc, sizeof plan.desc);
    plan.desc.operation = FP8RT_OPERATION_ADD;
    plan.desc.m = 1;
    plan.desc.n = count;
    plan.desc.x = ones;
    plan.desc.x_format = FP8MAC_E4M3FN;
    plan.desc.scale_x = (fp8mac_scale){FP8MAC_SCALE_VECTOR, from};
    plan.desc.d = to;
    plan.desc.d_format = FP8MAC_FP32;
    const fp8rt_status status = fp8rt_plans_elementwise(run, &plan, &result);
    if (status == FP8RT_OK && !run->query && run->recorder == NULL) {
        fp8rt_layer_count(run, &result);
    }
    return status;
}

static fp8rt_status spread_by_commands(fp8rt_run *run, const float *from, float *to, uint32_t count)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t first = 0; first < count && status == FP8RT_OK; first += PART) {
        const uint32_t left = count - first;
        status = spread_part(run, from, to + first, left < PART ? left : PART);
    }
    return status;
}

// ---- the core's part ----------------------------------------------------------------------------

typedef struct copies {
    const float *from;
    float *to;
    uint32_t count;
} copies;

static void copy(void *context)
{
    const copies *c = context;
    for (uint32_t i = 0; i < c->count; i++) {
        c->to[i] = *c->from;
    }
}

fp8rt_status fp8rt_layer_spread(fp8rt_run *run, const float *from, float *to, uint32_t count)
{
    if ((run->dev->caps.functions & FP8MAC_FUNCTION_ELEMENTWISE) != 0) {
        return spread_by_commands(run, from, to, count);
    }
    const copies c = {from, to, count};
    return fp8rt_layer_core(run, copy, &c, sizeof c);
}
