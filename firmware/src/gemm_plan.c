// SPDX-License-Identifier: Apache-2.0
// Makes a plan: checks, tiles, scratch, the encoded command.
#include "backend.h"
#include "gemm_desc.h"
#include "gemm_choose.h"
#include "gemm_encode.h"
#include "gemm_image.h"
#include "gemm_prepare.h"
#include "gemm_regions.h"
#include "stamp.h"

// ---- scratch ------------------------------------------------------------------------------------

static size_t reserve(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, size_t bytes)
{
    size_t offset = plan->scratch_bytes;
    plan->scratch_bytes += (bytes + caps->beat_bytes - 1u) & ~((size_t)caps->beat_bytes - 1u);
    return offset;
}

static size_t stage_vector(const fp8rt_caps *caps, fp8rt_gemm_plan *plan, const float *vector,
                           uint32_t count)
{
    if (vector == NULL || fp8rt_is_aligned(caps, vector, 1, 0)) {
        return FP8RT_IN_PLACE;
    }
    return reserve(caps, plan, (size_t)count * sizeof(float));
}

static void lay_out_scratch(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    plan->scratch_bytes = 0;
    plan->staged.scale_a = stage_vector(caps, plan, fp8rt_scale_vector(&desc->a.scale), desc->m);
    plan->staged.scale_b = stage_vector(caps, plan, fp8rt_scale_vector(&desc->b.scale), desc->n);
    plan->staged.bias = stage_vector(caps, plan, desc->bias, desc->n);
    if (plan->scratch_bytes > 0) {
        plan->scratch_bytes += caps->beat_bytes - 1u; // to align its start
    }
}

// ---- plans --------------------------------------------------------------------------------------

fp8rt_status fp8rt_gemm_prepare(const fp8rt_caps *caps, uint32_t stamp, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    fp8rt_command command;
    plan->stamp = 0;
    fp8rt_status status = fp8rt_gemm_validate(caps, &plan->desc, &command);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm_choose_tiles(caps, desc, &plan->tiles);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    lay_out_scratch(caps, plan);
    plan->late = plan->scratch_bytes != 0 || desc->a.scale.mode == FP8MAC_SCALE_TENSOR ||
                 desc->b.scale.mode == FP8MAC_SCALE_TENSOR || desc->scale_d != NULL;
    fp8rt_gemm_encode(plan, &command);
    plan->stamp = stamp;
    return FP8RT_OK;
}

fp8rt_status fp8rt_gemm_plan_make(const fp8rt_caps *caps, fp8rt_gemm_desc desc,
                                  fp8rt_gemm_plan *plan)
{
    if (caps == NULL || plan == NULL) {
        return FP8RT_ERR_NULL;
    }
    plan->stamp = 0;
    if (caps->beat_bytes == 0) {
        return FP8RT_ERR_NOT_OPEN;
    }
    plan->desc = desc;
    return fp8rt_gemm_prepare(caps, fp8rt_stamp(caps), plan);
}

fp8rt_status fp8rt_gemm_plan_move(fp8rt_device *dev, fp8rt_gemm_plan *plan, const void *a,
                                  const void *b, void *d)
{
    if (dev == NULL || plan == NULL || a == NULL || b == NULL || d == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (plan->stamp != dev->stamp || dev->stamp == 0) {
        return dev->stamp == 0 ? FP8RT_ERR_NOT_OPEN : FP8RT_ERR_PLAN;
    }
    const uintptr_t a_bits = fp8rt_has_image(&plan->desc) ? 0 : (uintptr_t)a;
    if (((a_bits | (uintptr_t)b | (uintptr_t)d) & (dev->caps.beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    fp8rt_gemm_desc *desc = &plan->desc;
    fp8rt_command command;
    fp8rt_gemm_memory(&dev->caps, desc, &command);
    command.a.addr = (uintptr_t)a;
    command.b.addr = (uintptr_t)b;
    command.d.addr = (uintptr_t)d;
    const fp8rt_status status = fp8rt_gemm_check_regions(&dev->caps, desc, &command);
    if (status != FP8RT_OK) {
        return status;
    }
    desc->a.codes = a;
    desc->b.codes = b;
    desc->d = d;
    fp8rt_backend_fetched(dev);
    fp8rt_backend_set_matrices(&plan->descriptor, (uintptr_t)a, (uintptr_t)b, (uintptr_t)d);
    return FP8RT_OK;
}
