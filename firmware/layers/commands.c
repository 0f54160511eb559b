// SPDX-License-Identifier: Apache-2.0
// Commands whose output has a scale: every product, sum and conversion of a layer is made here.
#include "gemm_image.h"
#include "layer.h"
#include "plans.h"
#include "target.h"

static bool wants_scale(float scale)
{
    return fp8rt_fp32_bits(scale) != FP8RT_FP32_ONE;
}

static float times(float factor, float scale)
{
    return wants_scale(factor) ? factor * fp8rt_layer_scale(scale) : fp8rt_layer_scale(scale);
}

static void set_single(fp8mac_scale *scale, const float *value)
{
    if (wants_scale(*value)) {
        scale->mode = FP8MAC_SCALE_TENSOR;
        scale->values = value;
    }
}

static void set_vector_or(fp8mac_scale *scale, const float *vector, const float *value)
{
    if (vector == NULL) {
        set_single(scale, value);
        return;
    }
    scale->mode = FP8MAC_SCALE_VECTOR;
    scale->values = vector;
}

// ---- products -----------------------------------------------------------------------------------

// The exponent by which codes of a format become numbers up to 2.
static int unit_exponent(fp8mac_format_id format)
{
    return -fp8mac_recipe_floor_log2(fp8mac_recipe_format_max(fp8mac_format_get(format)));
}

typedef struct factors {
    int a_exp, b_exp; // scaling exponents of the operands
    float scale;      // of the product, without those of rows
} factors;

static factors factors_of(const fp8rt_run *run, const fp8rt_product *p)
{
    const float x = p->x_scale == NULL ? fp8rt_layer_scale(p->x->scale) : 1.0f;
    factors f = {.scale = fp8rt_plans_product(run, x, fp8rt_layer_scale(p->weights->codes.scale))};
    if (run->acc_format == FP8MAC_ACC_FP16) {
        f.a_exp = unit_exponent(p->x->format);
        f.b_exp = unit_exponent(p->weights->codes.format);
        f.scale *= fp8mac_recipe_power_of_two(-f.a_exp - f.b_exp);
    }
    return f;
}

static void set_image(const fp8rt_caps *caps, const fp8rt_product *p, fp8rt_gemm_desc *desc)
{
    desc->image = p->image;
    if (desc->image.pixel_bytes == 0) {
        desc->image.pixel_bytes = fp8rt_tensor_stride(caps, p->x);
    }
    desc->a.stride =
        p->line_bytes != 0 ? p->line_bytes : desc->image.width * desc->image.pixel_bytes;
    desc->m = p->m;
}

// Without its dequantising scale
static inline void set_operand(const fp8rt_tensor *from, int scale_exp, fp8rt_operand *x)
{
    x->codes = from->data;
    x->format = from->format;
    x->stride = from->stride;
    x->scale_exp = scale_exp;
    x->mx = from->mx;
    x->mx_stride = from->mx_stride;
}

static void set_matrices(const fp8rt_product *p, const factors *f, const fp8rt_target *t,
                         fp8rt_gemm_desc *desc)
{
    const fp8rt_tensor *x = p->x, *w = &p->weights->codes;
    desc->m = x->rows;
    desc->n = fp8rt_image_d_cols(&p->image, w->rows);
    desc->k = w->cols;
    set_operand(x, f->a_exp, &desc->a);
    set_operand(w, f->b_exp, &desc->b);
    desc->d = t->d->data;
    desc->d_stride = t->d->stride;
    desc->d_format = t->d->format;
}

static void set_gemm(const fp8rt_run *run, const fp8rt_product *p, const factors *f,
                     const fp8rt_target *t, fp8rt_gemm_desc *desc)
{
    fp8rt_plans_clear(desc, sizeof *desc);
    set_matrices(p, f, t, desc);
    desc->acc_format = run->acc_format;
    desc->bias = p->weights->bias;
    desc->activation = t->fused->activation;
    desc->clamp_lo = t->fused->clamp_lo;
    desc->clamp_hi = t->fused->clamp_hi;
    fp8rt_target_coding(t, &desc->coding);
    if (p->image.channels != 0) {
        set_image(&run->dev->caps, p, desc);
    }
    if (p->c != NULL) {
        desc->beta = times(p->factor, p->c->scale);
        desc->c = p->c->data;
        desc->c_stride = p->c->stride;
        desc->c_format = p->c->format;
    }
}

// s = scale_a[m] * scale_b[n]: the product's scale stands in for the vector that is missing, or, if
// both are there, in the rows' vector, which is copied for it.
static fp8rt_status set_scales(fp8rt_run *run, const fp8rt_product *p,
                               const fp8rt_command_scales *scales, fp8rt_gemm_desc *desc)
{
    const float *rows = p->x_scale, *cols = p->weights->row_scale, *scale = &scales->operands;
    desc->scale_d = &scales->out;
    set_vector_or(&desc->a.scale, rows, scale);
    if (rows != NULL || cols != NULL) {
        set_vector_or(&desc->b.scale, cols, scale);
    }
    if (rows == NULL || cols == NULL || !wants_scale(*scale)) {
        return FP8RT_OK;
    }
    float *scaled = fp8rt_layer_take(run, desc->m * sizeof(float));
    if (scaled == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    for (uint32_t i = 0; i < desc->m && fp8rt_layer_computes(run); i++) {
        scaled[i] = rows[i] * *scale;
    }
    desc->a.scale.values = scaled;
    return FP8RT_OK;
}

// Vectors between beats are copied to the scratch.
static size_t staging(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const float *vectors[3] = {
        desc->a.scale.mode == FP8MAC_SCALE_VECTOR ? desc->a.scale.values : NULL,
        desc->b.scale.mode == FP8MAC_SCALE_VECTOR ? desc->b.scale.values : NULL, desc->bias};
    const uint32_t counts[3] = {desc->m, desc->n, desc->n};
    size_t bytes = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (((uintptr_t)vectors[i] & (caps->beat_bytes - 1u)) != 0) {
            bytes += counts[i] * sizeof(float) + 2u * caps->beat_bytes;
        }
    }
    return bytes;
}

static fp8rt_status multiply(fp8rt_run *run, const fp8rt_product *p, const fp8rt_target *t)
{
    const factors f = factors_of(run, p);
    fp8rt_command_scales own, *scales = fp8rt_scales_of(run, &own);
    fp8rt_gemm_plan plan;
    scales->operands = f.scale;
    scales->out = t->scale_d;
    set_gemm(run, p, &f, t, &plan.desc);
    fp8rt_status status = set_scales(run, p, scales, &plan.desc);
    if (status != FP8RT_OK) {
        return status;
    }
    const size_t bytes = staging(&run->dev->caps, &plan.desc);
    void *scratch = bytes == 0 ? NULL : fp8rt_layer_take(run, bytes);
    if (bytes != 0 && scratch == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_gemm_result result;
    status = fp8rt_plans_gemm(run, &plan, scratch, bytes, &result);
    return status == FP8RT_OK ? fp8rt_target_finish(run, t, &result) : status;
}

fp8rt_status fp8rt_layer_gemm(fp8rt_run *run, const fp8rt_product *product, fp8rt_tensor *out)
{
    const uint32_t rows = product->image.channels != 0 ? product->m : product->x->rows;
    const uint32_t m = fp8rt_image_d_rows(&product->image, rows);
    const uint32_t n = fp8rt_image_d_cols(&product->image, product->weights->codes.rows);
    const char *misfit = !fp8rt_tensor_is(out, m, n) ? "desc->out"
                         : product->c != NULL && !fp8rt_tensor_is(product->c, m, n)
                             ? "desc->residual"
                             : NULL;
    if (misfit != NULL) {
        return fp8rt_layer_fit(run, misfit);
    }
    const size_t used = run->used;
    fp8rt_target t;
    fp8rt_status status = fp8rt_target_aim(run, product->fused, out, &t);
    if (status == FP8RT_OK) {
        status = multiply(run, product, &t);
    }
    run->used = used;
    return status;
}

// ---- element-wise commands ----------------------------------------------------------------------

static void set_elementwise(const fp8rt_combination *e, const fp8rt_target *t,
                            const fp8rt_command_scales *scales, fp8rt_elementwise_desc *desc)
{
    const fp8rt_tensor *x = e->x, *c = e->c;
    fp8rt_plans_clear(desc, sizeof *desc);
    desc->operation = e->operation;
    desc->m = x->rows;
    desc->n = x->cols;
    desc->x = x->data;
    desc->x_stride = x->stride;
    desc->x_format = x->format;
    set_vector_or(&desc->scale_x, e->x_scale, &scales->operands);
    desc->activation = t->fused->activation;
    desc->clamp_lo = t->fused->clamp_lo;
    desc->clamp_hi = t->fused->clamp_hi;
    desc->d = t->d->data;
    desc->d_stride = t->d->stride;
    desc->d_format = t->d->format;
    desc->overflow = e->overflow;
    fp8rt_target_coding(t, &desc->coding);
    desc->scale_d = &scales->out;
    if (c != NULL) {
        desc->beta = times(e->factor, c->scale);
        desc->c = c->data;
        desc->c_stride = c->stride;
        desc->c_format = c->format;
    }
}

static fp8rt_status combine(fp8rt_run *run, const fp8rt_combination *e, const fp8rt_target *t)
{
    fp8rt_command_scales own, *scales = fp8rt_scales_of(run, &own);
    fp8rt_elementwise_plan plan;
    fp8rt_gemm_result result;
    scales->operands = fp8rt_layer_scale(e->x->scale);
    scales->out = t->scale_d;
    set_elementwise(e, t, scales, &plan.desc);
    const fp8rt_status status = fp8rt_plans_elementwise(run, &plan, &result);
    return status == FP8RT_OK ? fp8rt_target_finish(run, t, &result) : status;
}

fp8rt_status fp8rt_layer_combine(fp8rt_run *run, const fp8rt_combination *combination,
                                 fp8rt_tensor *out)
{
    const fp8rt_tensor *x = combination->x, *c = combination->c;
    const char *misfit = !fp8rt_tensor_is_as(out, x)              ? "desc->out"
                         : c != NULL && !fp8rt_tensor_is_as(c, x) ? "desc->y"
                                                                  : NULL;
    if (misfit != NULL) {
        return fp8rt_layer_fit(run, misfit);
    }
    const size_t used = run->used;
    fp8rt_target t;
    fp8rt_status status = fp8rt_target_aim(run, combination->fused, out, &t);
    if (status == FP8RT_OK) {
        status = combine(run, combination, &t);
    }
    run->used = used;
    return status;
}

fp8rt_status fp8rt_layer_convert(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_fused *fused,
                                 fp8rt_tensor *out)
{
    const fp8rt_combination conversion = {.operation = FP8RT_OPERATION_ADD, .x = x, .fused = fused};
    return fp8rt_layer_combine(run, &conversion, out);
}
