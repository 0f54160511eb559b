// SPDX-License-Identifier: Apache-2.0
#include "cache.h"
#include "coding.h"
#include "elementwise_plan.h"
#include "fp32_bits.h"
#include "gemm_tiles.h"
#include "run.h"
#include "values.h"

static fp8rt_values x_of(const fp8rt_elementwise_desc *desc)
{
    return (fp8rt_values){desc->x, desc->m, desc->n, desc->x_stride, desc->x_format};
}

static fp8rt_values c_of(const fp8rt_elementwise_desc *desc)
{
    return (fp8rt_values){desc->c, desc->m, desc->n, desc->c_stride, desc->c_format};
}

static fp8rt_values d_of(const fp8rt_elementwise_desc *desc)
{
    return (fp8rt_values){desc->d, desc->m, desc->n, desc->d_stride, desc->d_format};
}

static bool reads_c(const fp8rt_elementwise_desc *desc)
{
    return desc->operation == FP8RT_OPERATION_MULTIPLY ||
           desc->operation == FP8RT_OPERATION_MAXIMUM ||
           !fp8rt_fp32_is_zero(fp8rt_fp32_bits(desc->beta));
}

// ---- checks -------------------------------------------------------------------------------------

static fp8rt_status check_kinds(const fp8rt_caps *caps, const fp8rt_elementwise_desc *desc)
{
    const bool vector = desc->scale_x.mode != FP8MAC_SCALE_NONE;
    if ((caps->functions & FP8MAC_FUNCTION_ELEMENTWISE) == 0 ||
        (desc->operation != FP8RT_OPERATION_ADD && desc->operation != FP8RT_OPERATION_MULTIPLY &&
         desc->operation != FP8RT_OPERATION_MAXIMUM)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (desc->x == NULL || desc->d == NULL || (reads_c(desc) && desc->c == NULL) ||
        (vector && desc->scale_x.values == NULL)) {
        return FP8RT_ERR_NULL;
    }
    if (desc->m == 0 || desc->n == 0 || desc->n > UINT32_MAX / 8) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_is_result_format(caps, desc->x_format) ||
        !fp8rt_is_result_format(caps, desc->d_format) ||
        (reads_c(desc) && !fp8rt_is_result_format(caps, desc->c_format))) {
        return FP8RT_ERR_FORMAT;
    }
    return fp8rt_is_overflow(desc->overflow, desc->d_format) ? FP8RT_OK : FP8RT_ERR_OVERFLOW_MODE;
}

static fp8rt_status check_matrices(const fp8rt_caps *caps, const fp8rt_elementwise_desc *desc)
{
    const fp8rt_values x = x_of(desc), c = c_of(desc), d = d_of(desc);
    fp8rt_status status = fp8rt_values_check(caps, &d, &d);
    if (status == FP8RT_OK) {
        status = fp8rt_values_check(caps, &x, &d);
    }
    if (status == FP8RT_OK && reads_c(desc)) {
        status = fp8rt_values_check(caps, &c, &d);
    }
    return status;
}

static bool is_scale(float x)
{
    return fp8rt_fp32_is_scale(fp8rt_fp32_bits(x));
}

// What may change from run to run
static fp8rt_status check_numbers(const fp8rt_elementwise_desc *desc)
{
    const fp8mac_scale *scale = &desc->scale_x;
    return (unsigned)scale->mode > FP8MAC_SCALE_VECTOR ||
                   (scale->mode == FP8MAC_SCALE_TENSOR && !is_scale(scale->values[0])) ||
                   (desc->scale_d != NULL && !is_scale(*desc->scale_d)) ||
                   (desc->operation == FP8RT_OPERATION_MULTIPLY && !is_scale(desc->beta)) ||
                   (desc->operation == FP8RT_OPERATION_MAXIMUM &&
                    fp8rt_fp32_is_zero(fp8rt_fp32_bits(desc->beta)))
               ? FP8RT_ERR_SCALE
               : FP8RT_OK;
}

static fp8rt_status check_choices(const fp8rt_caps *caps, const fp8rt_elementwise_desc *desc)
{
    const fp8mac_scale *scale = &desc->scale_x;
    if (scale->mode == FP8MAC_SCALE_VECTOR &&
        ((uintptr_t)scale->values & (caps->beat_bytes - 1u)) != 0) {
        return FP8RT_ERR_ALIGNMENT;
    }
    const fp8rt_finish finish = {desc->activation, desc->clamp_lo, desc->clamp_hi,
                                 desc->flags,      &desc->coding,  desc->d_format};
    return fp8rt_finish_check(caps, &finish);
}

// ---- the command --------------------------------------------------------------------------------

static uintptr_t scale_of(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_VECTOR   ? (uintptr_t)scale->values
           : scale->mode == FP8MAC_SCALE_TENSOR ? fp8rt_fp32_bits(scale->values[0])
                                                : FP8RT_FP32_ONE;
}

static bool is_product(const fp8rt_elementwise_desc *desc)
{
    return desc->operation == FP8RT_OPERATION_MULTIPLY;
}

// All that is known before the run. Beta is read anew then, and says whether C is read.
static void command_of(const fp8rt_caps *caps, const fp8rt_elementwise_desc *desc,
                       fp8rt_command *command)
{
    const bool maximum = desc->operation == FP8RT_OPERATION_MAXIMUM;
    fp8mac_command_clear(command);
    command->a.addr = (uintptr_t)desc->x;
    command->a.stride = desc->x_stride;
    command->a.scale_vec = desc->scale_x.mode == FP8MAC_SCALE_VECTOR;
    command->d.addr = (uintptr_t)desc->d;
    command->d.stride = desc->d_stride;
    command->d.fmt = (uint8_t)desc->d_format;
    command->m = desc->m;
    command->n = desc->n;
    command->tile.m = caps->max_mn;
    command->tile.n = caps->max_mn;
    command->mode.op = (uint8_t)(maximum ? FP8MAC_OP_ADD : desc->operation);
    command->mode.maximum = maximum;
    command->mode.after = (desc->flags & FP8RT_GEMM_WAIT_STORES) != 0;
    command->mode.pass_shape = FP8MAC_PASS_AUTOMATIC;
    command->mode.extended = true;
    command->finish.overflow = (uint8_t)desc->overflow;
    command->finish.act = (uint8_t)desc->activation;
    command->finish.clamp_lo = fp8rt_fp32_bits(desc->clamp_lo);
    command->finish.clamp_hi = fp8rt_fp32_bits(desc->clamp_hi);
    command->finish.stochastic = desc->coding.stochastic;
    command->finish.act_table = (uint8_t)desc->coding.table;
    command->finish.seed = desc->coding.seed;
    command->x_fmt = (uint8_t)desc->x_format;
    command->c.en = reads_c(desc);
    command->c.fmt = (uint8_t)(reads_c(desc) ? desc->c_format : FP8MAC_E4M3FN);
    command->c.addr = (uintptr_t)desc->c;
    command->c.stride = desc->c_stride;
    command->c.beta = fp8rt_fp32_bits(desc->beta);
}

static void encode(const fp8rt_caps *caps, fp8rt_elementwise_plan *plan)
{
    fp8rt_command command;
    command_of(caps, &plan->desc, &command);
    fp8rt_backend_encode(&command, &plan->descriptor);
}

static fp8rt_status check(const fp8rt_caps *caps, fp8rt_elementwise_desc *desc)
{
    fp8rt_status status = check_kinds(caps, desc);
    if (status == FP8RT_OK) {
        fp8rt_elementwise_fill(caps, desc);
        status = check_matrices(caps, desc);
    }
    if (status == FP8RT_OK) {
        status = check_numbers(desc);
    }
    return status == FP8RT_OK ? check_choices(caps, desc) : status;
}

void fp8rt_elementwise_fill(const fp8rt_caps *caps, fp8rt_elementwise_desc *desc)
{
    const fp8rt_values x = x_of(desc), c = c_of(desc), d = d_of(desc);
    desc->x_stride = fp8rt_values_stride(caps, &x);
    desc->d_stride = fp8rt_values_stride(caps, &d);
    desc->c_stride = reads_c(desc) ? fp8rt_values_stride(caps, &c) : 0;
}

fp8rt_status fp8rt_elementwise_prepare(const fp8rt_caps *caps, uint32_t stamp,
                                       fp8rt_elementwise_plan *plan)
{
    plan->stamp = 0;
    const fp8rt_status status = check(caps, &plan->desc);
    if (status == FP8RT_OK) {
        encode(caps, plan);
        plan->stamp = stamp;
    }
    return status;
}

// ---- its run ------------------------------------------------------------------------------------

// The numbers, which are read anew at each run
static void complete(fp8rt_elementwise_plan *plan)
{
    const fp8rt_elementwise_desc *desc = &plan->desc;
    const uint32_t beta = fp8rt_fp32_bits(desc->beta);
    fp8rt_backend_set_scales(
        &plan->descriptor, scale_of(&desc->scale_x), is_product(desc) ? beta : FP8RT_FP32_ONE, 0,
        desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d));
    fp8rt_backend_set_beta(&plan->descriptor, beta);
}

fp8rt_status fp8rt_elementwise_complete(fp8rt_device *dev, fp8rt_elementwise_plan *plan)
{
    if (plan->stamp != dev->stamp) {
        return FP8RT_ERR_PLAN;
    }
    const fp8rt_status status = check_numbers(&plan->desc);
    if (status == FP8RT_OK) {
        fp8rt_backend_fetched(dev);
        complete(plan);
    }
    return status;
}

static __attribute__((noinline)) void
keep_coherent(fp8rt_device *dev, const fp8rt_elementwise_plan *plan, fp8rt_cache_step step)
{
    fp8rt_command command;
    command_of(&dev->caps, &plan->desc, &command);
    fp8rt_backend_get_scales(&plan->descriptor, &command);
    fp8rt_cache_command(dev, &command, step);
}

fp8rt_status fp8rt_elementwise_execute(fp8rt_device *dev, fp8rt_elementwise_plan *plan,
                                       bool counters, fp8rt_gemm_result *result)
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

fp8rt_status fp8rt_elementwise(fp8rt_device *dev, fp8rt_elementwise_desc desc,
                               fp8rt_gemm_result *result)
{
    fp8rt_elementwise_plan plan;
    fp8rt_status status = fp8rt_open_status(dev);
    if (status == FP8RT_OK) {
        plan.desc = desc;
        status = fp8rt_elementwise_prepare(&dev->caps, dev->stamp, &plan);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_elementwise_complete(dev, &plan);
    }
    if (status == FP8RT_OK) {
        return fp8rt_elementwise_execute(dev, &plan, true, result);
    }
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = status};
    }
    return status;
}
