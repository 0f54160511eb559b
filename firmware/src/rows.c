// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/rows.h"

#include "cache.h"
#include "coding.h"
#include "convert_fp8.h"
#include "fp32_bits.h"
#include "fp8mac/recipe.h"
#include "gemm_tiles.h"
#include "rows_plan.h"
#include "run.h"

#define LOG2_E 0x3fb8aa3bu // log2(e), to nearest

fp8rt_values fp8rt_rows_x(const fp8rt_rows_desc *desc)
{
    return (fp8rt_values){desc->x, desc->m, desc->n, desc->x_stride, desc->x_format};
}

// Argmax writes words, as FP32 numbers are. Results one behind the other are a row.
fp8rt_values fp8rt_rows_d(const fp8rt_rows_desc *desc)
{
    const bool reduces = fp8mac_rows_is_reduction(desc->operation);
    const fp8mac_format_id format =
        desc->operation == FP8MAC_ROWS_ARGMAX ? FP8MAC_FP32 : desc->d_format;
    if (reduces && format == FP8MAC_FP32 && desc->d_stride == FP8RT_ROWS_DENSE) {
        return (fp8rt_values){desc->d, 1, desc->m, FP8RT_ROWS_DENSE, format};
    }
    return (fp8rt_values){desc->d, desc->m, reduces ? 1 : desc->n, desc->d_stride, format};
}

fp8rt_values fp8rt_rows_scales(const fp8rt_rows_desc *desc)
{
    return (fp8rt_values){desc->scales, desc->m, fp8rt_mx_blocks(desc->n), desc->scales_stride,
                          FP8MAC_E4M3FN}; // of a byte, as E8M0
}

// ---- checks -------------------------------------------------------------------------------------

static bool has_epilogue(const fp8rt_rows_desc *desc)
{
    return desc->activation != FP8MAC_ACT_NONE || desc->overflow != 0 || desc->coding.table != 0 ||
           desc->scale_d != NULL;
}

// Argmax and MX have no epilogue, and MX alone has scales.
static bool has_too_much(const fp8rt_rows_desc *desc)
{
    const bool argmax = desc->operation == FP8MAC_ROWS_ARGMAX;
    const bool mx = fp8rt_rows_is_mx(desc->operation);
    return ((argmax || mx) && (desc->factor != NULL || has_epilogue(desc))) ||
           (argmax && desc->d_format != 0) ||
           (!mx && (desc->scales != NULL || desc->scales_stride != 0));
}

static bool is_unsupported(const fp8rt_caps *caps, const fp8rt_rows_desc *desc)
{
    const bool norm = fp8rt_rows_is_norm(desc->operation);
    const bool quantise =
        desc->operation == FP8MAC_ROWS_QUANTISE || fp8rt_rows_is_mx(desc->operation);
    const bool affine = desc->gamma != NULL || desc->beta != NULL;
    return (caps->functions & FP8MAC_FUNCTION_ROWS) == 0 ||
           (unsigned)desc->operation >= FP8MAC_ROWS_OPERATIONS || desc->coding.stochastic ||
           ((norm || quantise) && desc->factor != NULL) ||
           ((norm || quantise || fp8rt_rows_is_curve(desc->operation)) &&
            (desc->seen != 0 || desc->causal)) ||
           (!norm && (affine || fp8rt_fp32_bits(desc->eps) != 0)) ||
           (desc->operation == FP8MAC_ROWS_RMS_NORM && desc->beta != NULL) || has_too_much(desc);
}

static fp8rt_status check_kinds(const fp8rt_caps *caps, const fp8rt_rows_desc *desc)
{
    if (is_unsupported(caps, desc)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    const bool mx = fp8rt_rows_is_mx(desc->operation);
    if (desc->x == NULL || desc->d == NULL || (mx && desc->scales == NULL)) {
        return FP8RT_ERR_NULL;
    }
    if (desc->m == 0 || desc->n == 0 || desc->n > FP8MAC_ROWS_MAX_COLS || desc->seen > desc->n) {
        return FP8RT_ERR_SHAPE;
    }
    if (!fp8rt_is_result_format(caps, desc->x_format) ||
        !fp8rt_is_result_format(caps, desc->d_format) || (mx && !fp8rt_is_fp8(desc->d_format))) {
        return FP8RT_ERR_FORMAT;
    }
    return fp8rt_is_overflow(desc->overflow, desc->d_format) ? FP8RT_OK : FP8RT_ERR_OVERFLOW_MODE;
}

// Gamma or beta: absent, or n values beside D
static fp8rt_status check_vector(const fp8rt_caps *caps, const fp8rt_rows_desc *desc,
                                 const float *vector)
{
    const fp8rt_values d = fp8rt_rows_d(desc), values = {vector, 1, desc->n, 0, FP8MAC_FP32};
    return vector == NULL ? FP8RT_OK : fp8rt_values_check(caps, &values, &d);
}

// Scales lie beside X and D.
static fp8rt_status check_scales(const fp8rt_caps *caps, const fp8rt_rows_desc *desc)
{
    const fp8rt_values x = fp8rt_rows_x(desc), d = fp8rt_rows_d(desc),
                       scales = fp8rt_rows_scales(desc);
    if (!fp8rt_rows_is_mx(desc->operation)) {
        return FP8RT_OK;
    }
    const fp8rt_status status = fp8rt_values_check(caps, &scales, &d);
    return status == FP8RT_OK ? fp8rt_values_check(caps, &scales, &x) : status;
}

static fp8rt_status check_matrices(const fp8rt_caps *caps, const fp8rt_rows_desc *desc)
{
    const fp8rt_values x = fp8rt_rows_x(desc), d = fp8rt_rows_d(desc);
    fp8rt_status status = fp8rt_values_check(caps, &d, &d);
    if (status == FP8RT_OK) {
        status = fp8rt_values_check(caps, &x, &d);
    }
    if (status == FP8RT_OK) {
        status = check_vector(caps, desc, desc->gamma);
    }
    if (status == FP8RT_OK) {
        status = check_scales(caps, desc);
    }
    return status == FP8RT_OK ? check_vector(caps, desc, desc->beta) : status;
}

// SCALE_A: the command has log2(e) in the factor of a softmax.
static uint32_t factor_of(const fp8rt_rows_desc *desc)
{
    if (desc->operation != FP8MAC_ROWS_SOFTMAX) {
        return desc->factor == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->factor);
    }
    return desc->factor == NULL ? LOG2_E
                                : fp8rt_fp32_bits(*desc->factor * fp8rt_fp32_from_bits(LOG2_E));
}

static uint32_t scale_d_of(const fp8rt_rows_desc *desc)
{
    return desc->scale_d == NULL ? FP8RT_FP32_ONE : fp8rt_fp32_bits(*desc->scale_d);
}

// What may change from run to run
static fp8rt_status check_numbers(const fp8rt_rows_desc *desc)
{
    const uint32_t eps = fp8rt_fp32_bits(desc->eps);
    return (desc->factor != NULL && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(*desc->factor))) ||
                   !fp8rt_fp32_is_scale(factor_of(desc)) ||
                   !fp8rt_fp32_is_scale(scale_d_of(desc)) || (eps != 0 && !fp8rt_fp32_is_scale(eps))
               ? FP8RT_ERR_SCALE
               : FP8RT_OK;
}

static fp8rt_status check_choices(const fp8rt_caps *caps, const fp8rt_rows_desc *desc)
{
    const fp8rt_finish finish = {desc->activation, desc->clamp_lo, desc->clamp_hi,
                                 desc->flags,      &desc->coding,  desc->d_format};
    return fp8rt_finish_check(caps, &finish);
}

// ---- the command --------------------------------------------------------------------------------

// All that is known before the run
static void command_of(const fp8rt_caps *caps, const fp8rt_rows_desc *desc, fp8rt_command *command)
{
    const bool norm = fp8rt_rows_is_norm(desc->operation);
    fp8mac_command_clear(command);
    command->a.addr = (uintptr_t)desc->x;
    command->a.stride = desc->x_stride;
    command->a.mx_addr = (uintptr_t)desc->scales;
    command->a.mx_stride = desc->scales_stride;
    command->b.stride = norm ? fp8rt_fp32_bits(fp8mac_recipe_inverse((float)desc->n)) : 0;
    command->b.scale_vec = desc->gamma != NULL;
    command->d.addr = (uintptr_t)desc->d;
    command->d.stride = desc->d_stride;
    command->d.fmt = (uint8_t)fp8rt_rows_d(desc).format;
    command->m = desc->m;
    command->n = desc->n;
    command->k = desc->seen;
    command->tile.m = caps->max_mn;
    command->tile.n = caps->max_mn;
    command->mode.op = FP8MAC_OP_ROWS;
    command->mode.row_op = (uint8_t)desc->operation;
    command->mode.causal = desc->causal;
    command->mode.after = (desc->flags & FP8RT_GEMM_WAIT_STORES) != 0;
    command->mode.pass_shape = FP8MAC_PASS_AUTOMATIC;
    command->mode.extended = true;
    command->finish.overflow = (uint8_t)desc->overflow;
    command->finish.act = (uint8_t)desc->activation;
    command->finish.bias_en = desc->beta != NULL;
    command->finish.clamp_lo = fp8rt_fp32_bits(desc->clamp_lo);
    command->finish.clamp_hi = fp8rt_fp32_bits(desc->clamp_hi);
    command->finish.act_table = (uint8_t)desc->coding.table;
    command->x_fmt = (uint8_t)desc->x_format;
}

static void encode(const fp8rt_caps *caps, fp8rt_rows_plan *plan)
{
    fp8rt_command command;
    command_of(caps, &plan->desc, &command);
    fp8rt_backend_encode(&command, &plan->descriptor);
}

static fp8rt_status check(const fp8rt_caps *caps, fp8rt_rows_desc *desc)
{
    fp8rt_status status = check_kinds(caps, desc);
    if (status == FP8RT_OK) {
        fp8rt_rows_fill(caps, desc);
        status = check_matrices(caps, desc);
    }
    if (status == FP8RT_OK) {
        status = check_numbers(desc);
    }
    return status == FP8RT_OK ? check_choices(caps, desc) : status;
}

void fp8rt_rows_fill(const fp8rt_caps *caps, fp8rt_rows_desc *desc)
{
    const fp8rt_values x = fp8rt_rows_x(desc), d = fp8rt_rows_d(desc);
    desc->x_stride = fp8rt_values_stride(caps, &x);
    desc->d_stride = fp8rt_values_stride(caps, &d);
    if (fp8rt_rows_is_mx(desc->operation)) {
        const fp8rt_values scales = fp8rt_rows_scales(desc);
        desc->scales_stride = fp8rt_values_stride(caps, &scales);
    }
}

fp8rt_status fp8rt_rows_prepare(const fp8rt_caps *caps, uint32_t stamp, fp8rt_rows_plan *plan)
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

fp8rt_status fp8rt_rows_complete(fp8rt_device *dev, fp8rt_rows_plan *plan)
{
    const fp8rt_rows_desc *desc = &plan->desc;
    if (plan->stamp != dev->stamp) {
        return FP8RT_ERR_PLAN;
    }
    const fp8rt_status status = check_numbers(desc);
    if (status == FP8RT_OK) {
        fp8rt_backend_fetched(dev);
        fp8rt_backend_set_scales(&plan->descriptor, factor_of(desc),
                                 desc->gamma == NULL ? FP8RT_FP32_ONE : (uintptr_t)desc->gamma,
                                 (uintptr_t)desc->beta, scale_d_of(desc));
        fp8rt_backend_set_beta(&plan->descriptor, fp8rt_fp32_bits(desc->eps));
    }
    return status;
}

static __attribute__((noinline)) void keep_coherent(fp8rt_device *dev, const fp8rt_rows_plan *plan,
                                                    fp8rt_cache_step step)
{
    fp8rt_command command;
    command_of(&dev->caps, &plan->desc, &command);
    fp8rt_backend_get_scales(&plan->descriptor, &command);
    fp8rt_cache_command(dev, &command, step);
}

fp8rt_status fp8rt_rows_execute(fp8rt_device *dev, fp8rt_rows_plan *plan, bool counters,
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

fp8rt_status fp8rt_rows(fp8rt_device *dev, fp8rt_rows_desc desc, fp8rt_gemm_result *result)
{
    fp8rt_rows_plan plan;
    fp8rt_status status = fp8rt_open_status(dev);
    if (status == FP8RT_OK) {
        plan.desc = desc;
        status = fp8rt_rows_prepare(&dev->caps, dev->stamp, &plan);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_rows_complete(dev, &plan);
    }
    if (status == FP8RT_OK) {
        return fp8rt_rows_execute(dev, &plan, true, result);
    }
    if (result != NULL) {
        *result = (fp8rt_gemm_result){.status = status};
    }
    return status;
}
