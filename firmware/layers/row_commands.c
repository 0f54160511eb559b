// SPDX-License-Identifier: Apache-2.0
// Row operations of layers, as commands or on the core. Both compute what fp8mac/rows.h defines.
#include "layer.h"
#include "plans.h"
#include "record.h"
#include "spread.h"
#include "target.h"

static bool is_one(float x)
{
    return fp8rt_fp32_bits(x) == FP8RT_FP32_ONE;
}

// ---- the description ----------------------------------------------------------------------------

// Norms do not depend on x's scale, but their eps does: it is that of the codes.
static float eps_of(const fp8rt_row_operation *r)
{
    const float scale = fp8rt_layer_scale(r->x->scale);
    if (is_one(scale)) {
        return r->eps;
    }
    const float inverse = fp8mac_recipe_inverse(scale);
    return r->eps * inverse * inverse;
}

static float factor_of(const fp8rt_run *run, const fp8rt_row_operation *r)
{
    const float scale = fp8rt_layer_scale(r->x->scale);
    return fp8rt_rows_is_norm(r->operation) ? 1.0f : fp8rt_plans_product(run, r->factor, scale);
}

static bool is_argmax(const fp8rt_row_operation *r)
{
    return r->operation == FP8MAC_ROWS_ARGMAX;
}

static void set_rows(const fp8rt_row_operation *r, const fp8rt_target *t,
                     const fp8rt_command_scales *scales, fp8rt_rows_desc *desc)
{
    const bool norm = fp8rt_rows_is_norm(r->operation);
    fp8rt_plans_clear(desc, sizeof *desc);
    desc->operation = r->operation;
    desc->m = r->x->rows;
    desc->n = r->x->cols;
    desc->x = r->x->data;
    desc->x_stride = r->x->stride;
    desc->x_format = r->x->format;
    desc->seen = r->seen;
    desc->causal = r->causal;
    desc->factor =
        norm || is_argmax(r) || r->operation == FP8MAC_ROWS_QUANTISE ? NULL : &scales->operands;
    desc->eps = norm ? eps_of(r) : 0.0f;
    desc->gamma = r->gamma;
    desc->beta = r->beta;
    desc->d = t->d->data;
    desc->d_stride = t->d->stride;
    if (!is_argmax(r)) {
        desc->d_format = t->d->format;
        desc->scale_d = &scales->out;
    }
}

// ---- the core's part ----------------------------------------------------------------------------

// What a call is given: numbers and addresses of fp8mac_rows_desc
typedef struct core_rows {
    const void *x;
    void *d;
    const float *gamma, *beta;
    fp8rt_gemm_result *result; // NULL in a recording
    uint32_t rows, cols, ldx, ldd, seen;
    float factor, eps, scale_d;
    uint8_t operation, x_format, d_format;
    bool causal, has_factor;
} core_rows;

static void compute_rows(void *context)
{
    const core_rows *c = context;
    const fp8mac_rows_operation operation = (fp8mac_rows_operation)c->operation;
    const bool argmax = operation == FP8MAC_ROWS_ARGMAX;
    const fp8mac_rows_desc desc = {
        .operation = operation,
        .rows = c->rows,
        .cols = c->cols,
        .x = c->x,
        .x_format = fp8mac_format_get((fp8mac_format_id)c->x_format),
        .ldx = c->ldx,
        .seen = c->seen,
        .causal = c->causal,
        .factor = c->has_factor ? &c->factor : NULL,
        .eps = c->eps,
        .gamma = c->gamma,
        .beta = c->beta,
        .d = c->d,
        .d_format = argmax ? NULL : fp8mac_format_get((fp8mac_format_id)c->d_format),
        .ldd = c->ldd,
        .scale_d = argmax ? NULL : &c->scale_d,
    };
    fp8mac_gemm_result result = {0};
    fp8mac_rows(&desc, &result);
    if (c->result != NULL) {
        *c->result = (fp8rt_gemm_result){
            .amax = result.amax, .amax_nonfinite = result.amax_nonfinite, .flags = result.flags};
    }
}

static uint32_t distance(const fp8rt_values *v)
{
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(v->format));
    return v->rows > 1 ? v->stride / bytes : v->cols;
}

// The descriptor is checked as a command would be.
static fp8rt_status run_on_core(fp8rt_run *run, fp8rt_rows_plan *plan, fp8rt_gemm_result *result)
{
    fp8rt_caps caps = run->dev->caps;
    caps.functions |= FP8MAC_FUNCTION_ROWS;
    const fp8rt_status status = fp8rt_rows_prepare(&caps, run->dev->stamp, plan);
    if (status != FP8RT_OK) {
        return status;
    }
    const fp8rt_rows_desc *desc = &plan->desc;
    const fp8rt_values x = fp8rt_rows_x(desc), d = fp8rt_rows_d(desc);
    const core_rows context = {
        .x = x.at,
        .d = desc->d,
        .gamma = desc->gamma,
        .beta = desc->beta,
        .result = run->recorder == NULL ? result : NULL,
        .rows = x.rows,
        .cols = x.cols,
        .ldx = distance(&x),
        .ldd = desc->d_stride == FP8RT_ROWS_DENSE ? 1 : distance(&d),
        .seen = desc->seen,
        .factor = desc->factor == NULL ? 1.0f : *desc->factor,
        .eps = desc->eps,
        .scale_d = desc->scale_d == NULL ? 1.0f : *desc->scale_d,
        .operation = (uint8_t)desc->operation,
        .x_format = (uint8_t)x.format,
        .d_format = (uint8_t)d.format,
        .causal = desc->causal,
        .has_factor = desc->factor != NULL,
    };
    return fp8rt_layer_core(run, compute_rows, &context, sizeof context);
}

// A command or its part of the core
static fp8rt_status run_plan(fp8rt_run *run, bool on_core, fp8rt_rows_plan *plan,
                             fp8rt_gemm_result *result)
{
    return on_core ? run_on_core(run, plan, result) : fp8rt_plans_rows(run, plan, result);
}

bool fp8rt_layer_has_rows(const fp8rt_run *run)
{
    return (run->dev->caps.functions & FP8MAC_FUNCTION_ROWS) != 0;
}

// ---- the layers' functions ----------------------------------------------------------------------

static fp8rt_status run_rows(fp8rt_run *run, const fp8rt_row_operation *r, fp8rt_target *t)
{
    fp8rt_command_scales own, *scales = fp8rt_scales_of(run, &own);
    fp8rt_rows_plan plan;
    fp8rt_gemm_result result;
    scales->operands = factor_of(run, r);
    scales->out = t->scale_d;
    set_rows(r, t, scales, &plan.desc);
    if (fp8rt_rows_is_norm(r->operation) && !fp8rt_fp32_is_scale(fp8rt_fp32_bits(plan.desc.eps))) {
        return FP8RT_ERR_SCALE;
    }
    t->on_core = !fp8rt_layer_has_rows(run);
    const fp8rt_status status = run_plan(run, t->on_core, &plan, &result);
    return status == FP8RT_OK ? fp8rt_target_finish(run, t, &result) : status;
}

fp8rt_status fp8rt_layer_rows(fp8rt_run *run, const fp8rt_row_operation *rows, fp8rt_tensor *out)
{
    const size_t used = run->used;
    fp8rt_target t;
    fp8rt_status status = fp8rt_target_aim(run, NULL, out, &t);
    if (status == FP8RT_OK) {
        status = run_rows(run, rows, &t);
    }
    run->used = used;
    return status;
}

static fp8rt_tensor one_row(const fp8rt_tensor *tensor)
{
    fp8rt_tensor row = *tensor;
    row.cols = tensor->rows * tensor->cols;
    row.rows = 1;
    row.stride = 0;
    return row;
}

// One of both commands: QUANTISE to the codes of `out`, or MAGNITUDE to the scales at `words`
static fp8rt_status run_part(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out,
                             const fp8rt_tensor *words, fp8mac_rows_operation operation)
{
    fp8rt_command_scales own, *scales = fp8rt_scales_of(run, &own);
    const bool codes = operation == FP8MAC_ROWS_QUANTISE, on_core = !fp8rt_layer_has_rows(run);
    const float most = fp8mac_recipe_format_max(fp8mac_format_get(out->format));
    fp8rt_rows_plan plan;
    fp8rt_gemm_result result;
    const fp8rt_row_operation row = {.operation = operation, .x = x};
    const fp8rt_target t = {.d = codes ? out : words};
    scales->operands = codes ? 1.0f : fp8rt_plans_inverse(run, most);
    scales->out = codes ? most : 1.0f;
    set_rows(&row, &t, scales, &plan.desc);
    const fp8rt_status status = run_plan(run, on_core, &plan, &result);
    if (status == FP8RT_OK && !run->query && run->recorder == NULL) {
        on_core ? fp8rt_layer_flags(run, &result) : fp8rt_layer_count(run, &result);
    }
    return status;
}

static fp8rt_status quantise_rows(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out,
                                  float *scales)
{
    const fp8rt_tensor words = {.data = scales, .stride = FP8RT_ROWS_DENSE, .format = FP8MAC_FP32};
    const fp8rt_status status = run_part(run, x, out, &words, FP8MAC_ROWS_QUANTISE);
    return status == FP8RT_OK ? run_part(run, x, out, &words, FP8MAC_ROWS_MAGNITUDE) : status;
}

fp8rt_status fp8rt_layer_quantise(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    if (!out->one_scale || out->rows == 1) {
        return quantise_rows(run, x, out, out->row_scale);
    }
    // The whole tensor is a row.
    const fp8rt_tensor all = one_row(x), codes = one_row(out);
    float *const scale = fp8rt_layer_take(run, sizeof *scale);
    if (scale == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    const fp8rt_status status = quantise_rows(run, &all, &codes, scale);
    return status == FP8RT_OK ? fp8rt_layer_spread(run, scale, out->row_scale, out->rows) : status;
}

fp8rt_status fp8rt_layer_rows_to_mx(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out)
{
    fp8rt_rows_plan plan;
    fp8rt_gemm_result result;
    fp8rt_plans_clear(&plan.desc, sizeof plan.desc);
    plan.desc.operation = FP8MAC_ROWS_QUANTISE_MX;
    plan.desc.m = x->rows;
    plan.desc.n = x->cols;
    plan.desc.x = x->data;
    plan.desc.x_stride = x->stride;
    plan.desc.x_format = x->format;
    plan.desc.d = out->data;
    plan.desc.d_stride = out->stride;
    plan.desc.d_format = out->format;
    plan.desc.scales = out->mx;
    plan.desc.scales_stride = out->mx_stride;
    const fp8rt_status status = fp8rt_plans_rows(run, &plan, &result);
    if (status == FP8RT_OK && !run->query && run->recorder == NULL) {
        fp8rt_layer_count(run, &result);
    }
    return status;
}
