// SPDX-License-Identifier: Apache-2.0
// Runs a plan: completes its command with what is known only now, submits it and waits,
// or leaves it in flight.
#include <string.h>

#include "backend.h"
#include "cache.h"
#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "gemm_encode.h"
#include "gemm_prepare.h"
#include "gemm_regions.h"
#include "run.h"

// Of a scratch, or of a core with a cache: small, and out of the way of the others
#define RARE __attribute__((noinline, cold))

// Vectors are copied to the scratch before the matrices are read.
static RARE fp8rt_status check_scratch(const fp8rt_device *dev, const fp8rt_gemm_plan *plan,
                                       const void *scratch, size_t scratch_bytes)
{
    if (scratch == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (scratch_bytes < plan->scratch_bytes) {
        return FP8RT_ERR_SCRATCH;
    }
    const uint32_t bytes = (uint32_t)plan->scratch_bytes;
    const fp8rt_region own = {(uintptr_t)scratch, 1, 0, bytes};
    if (fp8rt_gemm_meets(&dev->caps, &plan->desc, &own)) {
        return FP8RT_ERR_OVERLAP;
    }
    return bytes - 1u <= fp8rt_address_room(own.address) ? FP8RT_OK : FP8RT_ERR_STRIDE;
}

// The values of single scales may have changed since the plan was made.
static bool scale_is_bad(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_TENSOR &&
           !fp8rt_fp32_is_scale(fp8rt_fp32_bits(scale->values[0]));
}

// `known`: the scratch was checked.
static fp8rt_status check_run(const fp8rt_device *dev, const fp8rt_gemm_plan *plan,
                              const void *scratch, size_t scratch_bytes, bool known)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    if (dev->stamp == 0) {
        return FP8RT_ERR_NOT_OPEN;
    }
    if (plan->stamp != dev->stamp) {
        return FP8RT_ERR_PLAN;
    }
    if (!plan->late) {
        return FP8RT_OK;
    }
    if (scale_is_bad(&desc->a.scale) || scale_is_bad(&desc->b.scale) ||
        (desc->scale_d != NULL && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(*desc->scale_d)))) {
        return FP8RT_ERR_SCALE;
    }
    return plan->scratch_bytes == 0 || known ? FP8RT_OK
                                             : check_scratch(dev, plan, scratch, scratch_bytes);
}

static uintptr_t place_vector(const float *vector, uint32_t count, uint8_t *scratch, size_t offset)
{
    if (offset == FP8RT_IN_PLACE) {
        return (uintptr_t)vector;
    }
    memcpy(scratch + offset, vector, (size_t)count * sizeof(float));
    return (uintptr_t)(scratch + offset);
}

// The address of a scale vector, or the FP32 bits of a single scale.
static uintptr_t place_scale(const fp8mac_scale *scale, uint32_t count, uint8_t *scratch,
                             size_t offset)
{
    if (scale->mode == FP8MAC_SCALE_VECTOR) {
        return place_vector(scale->values, count, scratch, offset);
    }
    return scale->mode == FP8MAC_SCALE_NONE ? FP8RT_FP32_ONE : fp8rt_fp32_bits(scale->values[0]);
}

static uint8_t *align_up(const fp8rt_caps *caps, void *p)
{
    return (uint8_t *)(((uintptr_t)p + caps->beat_bytes - 1u) &
                       ~((uintptr_t)caps->beat_bytes - 1u));
}

// What is known only now. The accelerator reads no descriptor.
static void complete(const fp8rt_device *dev, fp8rt_gemm_plan *plan, void *memory)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    uint8_t *scratch = align_up(&dev->caps, memory);
    fp8rt_backend_set_scales(
        &plan->descriptor, place_scale(&desc->a.scale, desc->m, scratch, plan->staged.scale_a),
        place_scale(&desc->b.scale, desc->n, scratch, plan->staged.scale_b),
        place_vector(desc->bias, desc->n, scratch, plan->staged.bias),
        desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d));
    if (fp8rt_gemm_reads_c(desc)) {
        fp8rt_backend_set_beta(&plan->descriptor, fp8rt_fp32_bits(desc->beta));
    }
}

// The memory of the command as the accelerator reads it: vectors that were copied to the scratch
// are read there. D is the first region.
static RARE unsigned extents_of(const fp8rt_device *dev, const fp8rt_gemm_plan *plan,
                                fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST])
{
    fp8rt_command command;
    fp8rt_gemm_memory(&dev->caps, &plan->desc, &command);
    fp8rt_backend_get_scales(&plan->descriptor, &command);
    return fp8mac_product_extents(&dev->caps, &command, list);
}

static RARE void keep_coherent(fp8rt_device *dev, const fp8rt_gemm_plan *plan,
                               fp8rt_cache_step step)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    fp8rt_cache_regions(dev, list, extents_of(dev, plan, list), step);
}

// Notes what is invalidated at the end of a command in flight.
static RARE void note_d(fp8rt_device *dev, const fp8rt_gemm_plan *plan, fp8rt_flight *flight)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    extents_of(dev, plan, list);
    flight->d = list->at.address;
    flight->d_bytes = (uint32_t)fp8rt_region_span(&list->at) + 1u;
}

static void fill_observed(fp8rt_gemm_result *result, const fp8rt_observed *seen)
{
    result->amax = fp8rt_fp32_from_bits(seen->amax);
    result->amax_nonfinite = seen->amax_nonfinite;
    result->flags = seen->flags;
}

static void observe(fp8rt_device *dev, fp8rt_status status, fp8rt_gemm_result *result)
{
    fp8rt_observed seen = {0};
    if (status == FP8RT_OK) {
        seen = fp8rt_device_observed(dev);
    }
    result->status = status;
    fill_observed(result, &seen);
}

static uint32_t cleared_by(uint32_t flags)
{
    return FP8RT_CLEAR_ERROR | ((flags & FP8RT_GEMM_KEEP_FLAGS) ? 0 : FP8RT_CLEAR_FLAGS) |
           ((flags & FP8RT_GEMM_KEEP_COUNTERS) ? 0 : FP8RT_CLEAR_COUNTERS);
}

fp8rt_status fp8rt_run_descriptor(fp8rt_device *dev, fp8rt_descriptor *descriptor, uint32_t flags,
                                  bool counters, fp8rt_gemm_result *result)
{
    const uint32_t clear = cleared_by(flags) & dev->clears;
    const fp8rt_status status = result != NULL && counters
                                    ? fp8rt_backend_count(dev, descriptor, clear, &result->counters)
                                    : fp8rt_backend_run(dev, descriptor, clear);
    if (result != NULL) {
        observe(dev, status, result);
    }
    if (status != FP8RT_OK) {
        fp8rt_backend_clear(dev, FP8RT_CLEAR_ERROR & dev->clears);
    }
    return status;
}

fp8rt_status fp8rt_gemm_complete(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                                 size_t scratch_bytes, bool known)
{
    const fp8rt_status status = check_run(dev, plan, scratch, scratch_bytes, known);
    if (status == FP8RT_OK && plan->late) {
        fp8rt_backend_fetched(dev);
        complete(dev, plan, scratch);
    }
    return status;
}

fp8rt_status fp8rt_gemm_execute(fp8rt_device *dev, fp8rt_gemm_plan *plan, bool counters,
                                fp8rt_gemm_result *result)
{
    fp8rt_lock(dev);
    if (dev->port->clean != NULL) {
        keep_coherent(dev, plan, FP8RT_CACHE_BEFORE);
    }
    const fp8rt_status status =
        fp8rt_run_descriptor(dev, &plan->descriptor, plan->desc.flags, counters, result);
    if (dev->port->invalidate != NULL) {
        keep_coherent(dev, plan, FP8RT_CACHE_BEHIND);
    }
    fp8rt_unlock(dev);
    return status;
}

static __attribute__((noinline)) fp8rt_status run_with_all(fp8rt_device *dev, fp8rt_gemm_plan *plan,
                                                           void *scratch, size_t scratch_bytes,
                                                           fp8rt_gemm_result *result)
{
    fp8rt_status status = FP8RT_ERR_NULL;
    if (dev != NULL && plan != NULL) {
        status = fp8rt_gemm_complete(dev, plan, scratch, scratch_bytes, false);
    }
    if (status == FP8RT_OK) {
        return fp8rt_gemm_execute(dev, plan, true, result);
    }
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = status};
    }
    return status;
}

static __attribute__((noinline)) fp8rt_status leave_error(fp8rt_device *dev, fp8rt_status status)
{
    fp8rt_backend_clear(dev, FP8RT_CLEAR_ERROR);
    return status;
}

// The usual run is apart, because it is short.
fp8rt_status fp8rt_gemm_run(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                            size_t scratch_bytes, fp8rt_gemm_result *result)
{
    if (result != NULL || dev == NULL || plan == NULL || dev->stamp == 0 ||
        plan->stamp != dev->stamp || !dev->plain) {
        return run_with_all(dev, plan, scratch, scratch_bytes, result);
    }
    fp8rt_status status =
        plan->late ? fp8rt_gemm_complete(dev, plan, scratch, scratch_bytes, false) : FP8RT_OK;
    if (status != FP8RT_OK) {
        return status;
    }
    status = fp8rt_backend_run(dev, &plan->descriptor, cleared_by(plan->desc.flags));
    return status == FP8RT_OK ? status : leave_error(dev, status);
}

fp8rt_status fp8rt_gemm_begin(fp8rt_device *dev, fp8rt_gemm_plan *plan, void *scratch,
                              size_t scratch_bytes, uint16_t *tag)
{
    if (dev == NULL || plan == NULL || tag == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = check_run(dev, plan, scratch, scratch_bytes, false);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_lock(dev);
    status = fp8rt_device_claim(dev, tag);
    if (status == FP8RT_OK) {
        if (plan->late) {
            complete(dev, plan, scratch);
        }
        if (dev->port->clean != NULL) {
            keep_coherent(dev, plan, FP8RT_CACHE_BEFORE);
        }
        if (dev->port->invalidate != NULL) {
            note_d(dev, plan, fp8rt_flight_of(dev, *tag));
        }
        fp8rt_backend_submit(dev, &plan->descriptor, *tag);
    }
    fp8rt_unlock(dev);
    return status;
}

fp8rt_status fp8rt_gemm_end(fp8rt_device *dev, uint16_t tag, fp8rt_gemm_result *result)
{
    if (dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_record record = fp8rt_device_end(dev, tag);
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = record.status};
        if (record.status == FP8RT_OK) {
            fill_observed(result, &record.observed);
        }
    }
    return record.status;
}

fp8rt_status fp8rt_gemm(fp8rt_device *dev, fp8rt_gemm_desc desc, void *scratch,
                        size_t scratch_bytes, fp8rt_gemm_result *result)
{
    fp8rt_gemm_plan plan;
    fp8rt_status status = fp8rt_open_status(dev);
    if (status == FP8RT_OK) {
        plan.desc = desc;
        status = fp8rt_gemm_prepare(&dev->caps, dev->stamp, &plan);
    }
    if (status == FP8RT_OK) {
        return fp8rt_gemm_run(dev, &plan, scratch, scratch_bytes, result);
    }
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = status};
    }
    return status;
}
