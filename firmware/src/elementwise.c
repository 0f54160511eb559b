// SPDX-License-Identifier: Apache-2.0
#include "cache.h"
#include "coding.h"
#include "elementwise_plan.h"
#include "fp32_bits.h"
#include "fp8rt/registers.h"
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
    if ((caps->functions & FP8RT_FUNCTION_ELEMENTWISE) == 0 ||
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

static uint32_t mode_of(const fp8rt_elementwise_desc *desc)
{
    return FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           FP8RT_PUT(MODE__ACT, desc->activation) |
           FP8RT_PUT(MODE__SCALE_A_VEC, desc->scale_x.mode == FP8MAC_SCALE_VECTOR) |
           FP8RT_PUT(MODE__AFTER, (desc->flags & FP8RT_GEMM_WAIT_STORES) != 0) |
           FP8RT_PUT(MODE__PASS_SHAPE, FP8RT_PASS_SHAPE_AUTOMATIC) | FP8RT_BIT(MODE__EXTENDED);
}

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

static uint32_t operation_of(uint32_t operation)
{
    return operation == FP8RT_OPERATION_MAXIMUM
               ? FP8RT_PUT(OPERATION__OP, FP8RT_OPERATION_ADD) | FP8RT_BIT(OPERATION__MAXIMUM)
               : FP8RT_PUT(OPERATION__OP, operation);
}

static void encode(const fp8rt_caps *caps, fp8rt_elementwise_plan *plan)
{
    const fp8rt_elementwise_desc *desc = &plan->desc;
    const fp8rt_command command = {
        .a.address = (uintptr_t)desc->x,
        .d = (uintptr_t)desc->d,
        .a.stride = desc->x_stride,
        .d_stride = desc->d_stride,
        .m = desc->m,
        .n = desc->n,
        .tile_m = caps->max_mn,
        .tile_n = caps->max_mn,
        .mode = mode_of(desc),
        .clamp_lo = fp8rt_fp32_bits(desc->clamp_lo),
        .clamp_hi = fp8rt_fp32_bits(desc->clamp_hi),
        .operation = operation_of(desc->operation) | FP8RT_PUT(OPERATION__C_EN, reads_c(desc)) |
                     FP8RT_PUT(OPERATION__C_FMT, reads_c(desc) ? desc->c_format : 0) |
                     FP8RT_PUT(OPERATION__X_FMT, desc->x_format) |
                     fp8rt_coding_operation(&desc->coding),
        .seed = desc->coding.seed,
        .c = (uintptr_t)desc->c,
        .c_stride = desc->c_stride,
    };
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

static __attribute__((noinline)) void clean_all(fp8rt_device *dev,
                                                const fp8rt_elementwise_desc *desc)
{
    const fp8rt_values all[] = {x_of(desc), c_of(desc), d_of(desc)};
    const fp8rt_region x = fp8rt_values_region(&all[0]), c = fp8rt_values_region(&all[1]),
                       d = fp8rt_values_region(&all[2]);
    fp8rt_clean(dev, &x);
    if (reads_c(desc)) {
        fp8rt_clean(dev, &c);
    }
    if (desc->scale_x.mode == FP8MAC_SCALE_VECTOR) {
        dev->port->clean(dev, desc->scale_x.values, desc->m * sizeof(float));
    }
    fp8rt_clean(dev, &d);
}

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

fp8rt_status fp8rt_elementwise_execute(fp8rt_device *dev, fp8rt_elementwise_plan *plan,
                                       bool counters, fp8rt_gemm_result *result)
{
    const fp8rt_elementwise_desc *desc = &plan->desc;
    fp8rt_lock(dev);
    if (dev->port->clean != NULL) {
        clean_all(dev, desc);
    }
    const fp8rt_status status =
        fp8rt_run_descriptor(dev, &plan->descriptor, desc->flags, counters, result);
    if (dev->port->invalidate != NULL) {
        const fp8rt_values values = d_of(desc);
        const fp8rt_region d = fp8rt_values_region(&values);
        fp8rt_cache_after(dev, d.address, fp8rt_region_bytes(&d));
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
