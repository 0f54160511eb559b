// SPDX-License-Identifier: Apache-2.0
// Commands whose output has a scale: every product, sum and conversion of a layer is made here.
#include "layer.h"

// What an output's command writes: the output itself, or FP32 values of which it is made then.
typedef struct target {
    fp8rt_tensor *out;
    fp8rt_scaling_kind kind;
    fp8rt_fused fused;
    fp8rt_tensor d;
    float scale_d;
    float *factors; // of an output with MX scales
} target;

static bool waits_for_amax(fp8rt_scaling_kind kind)
{
    return kind == FP8RT_SCALING_DYNAMIC || kind == FP8RT_SCALING_CALIBRATE;
}

// The scale by which values become codes.
static float to_codes(const target *t)
{
    if (t->fused.coding.table != 0) {
        return fp8mac_recipe_inverse(fp8rt_layer_scale(t->fused.table_scale));
    }
    return t->kind == FP8RT_SCALING_DELAYED
               ? t->out->scaling->delayed->scale
               : fp8mac_recipe_inverse(fp8rt_layer_scale(t->out->scale));
}

// An output with MX scales: FP32 values, and a factor for each row while they are converted.
static fp8rt_status aim_at_mx(fp8rt_run *run, target *t)
{
    if (t->fused.coding.table != 0 || t->fused.coding.stochastic) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    t->d = fp8rt_layer_tensor(run, t->out->rows, t->out->cols, FP8MAC_FP32);
    t->factors = fp8rt_layer_take(run, fp8rt_mx_scratch_bytes(t->out->rows));
    return t->d.data == NULL || t->factors == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

static fp8rt_status aim(fp8rt_run *run, const fp8rt_fused *fused, fp8rt_tensor *out, target *t)
{
    *t = (target){.out = out, .kind = fp8rt_layer_scaling(out), .d = *out};
    t->fused = fused == NULL ? (fp8rt_fused){0} : *fused;
    if (t->kind != FP8RT_SCALING_STATIC && t->fused.coding.table != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (t->kind == FP8RT_SCALING_DELAYED && out->scaling->delayed == NULL) {
        return FP8RT_ERR_NULL;
    }
    t->scale_d = to_codes(t);
    if (out->mx != NULL) {
        return aim_at_mx(run, t);
    }
    if (waits_for_amax(t->kind)) {
        t->d = fp8rt_layer_tensor(run, out->rows, out->cols, FP8MAC_FP32);
        t->scale_d = 1.0f;
    }
    return t->d.data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

static bool wants_scale(float scale)
{
    return fp8rt_fp32_bits(scale) != FP8RT_FP32_ONE;
}

static fp8mac_scale single(const float *scale)
{
    return wants_scale(*scale) ? (fp8mac_scale){.mode = FP8MAC_SCALE_TENSOR, .values = scale}
                               : (fp8mac_scale){0};
}

static fp8mac_scale vector_or(const float *vector, const float *scale)
{
    return vector == NULL ? single(scale)
                          : (fp8mac_scale){.mode = FP8MAC_SCALE_VECTOR, .values = vector};
}

static fp8rt_status issue(fp8rt_run *run, const fp8rt_elementwise_desc *desc,
                          fp8rt_gemm_result *result)
{
    const fp8rt_status status = fp8rt_elementwise(run->dev, *desc, result);
    if (status == FP8RT_OK) {
        fp8rt_layer_count(run, result);
    }
    return status;
}

// The values at t->d become the codes of the output, whose scale is known now.
static fp8rt_status convert(fp8rt_run *run, const target *t)
{
    const fp8rt_fused fused = {.coding = t->fused.coding};
    fp8rt_tensor out = *t->out;
    out.scaling = NULL;
    return fp8rt_layer_convert(run, &t->d, &fused, &out);
}

static fp8rt_status scale_by_amax(fp8rt_run *run, const target *t, const fp8rt_gemm_result *result)
{
    fp8rt_scaling *scaling = t->out->scaling;
    if (t->kind == FP8RT_SCALING_CALIBRATE &&
        fp8rt_fp32_bits(result->amax) > fp8rt_fp32_bits(scaling->amax)) {
        scaling->amax = result->amax;
    }
    const fp8rt_status status =
        fp8rt_layer_scale_from(t->out, result->amax, result->amax_nonfinite);
    return status == FP8RT_OK ? convert(run, t) : status;
}

// The values at t->d become the codes and scales of the output.
static fp8rt_status convert_to_mx(fp8rt_run *run, const target *t)
{
    const fp8rt_tensor *out = t->out;
    const fp8rt_mx_desc desc = {.rows = out->rows,
                                .cols = out->cols,
                                .values = t->d.data,
                                .values_format = FP8MAC_FP32,
                                .codes = out->data,
                                .format = out->format,
                                .codes_stride = out->stride,
                                .scales = out->mx,
                                .scales_stride = out->mx_stride};
    return fp8rt_mx_convert(run->dev, &desc, t->factors, fp8rt_mx_scratch_bytes(out->rows));
}

// What remains to be done when the first command has run.
static fp8rt_status finish(fp8rt_run *run, const target *t, const fp8rt_gemm_result *result)
{
    if (t->out->mx != NULL) {
        return convert_to_mx(run, t);
    }
    if (waits_for_amax(t->kind)) {
        return scale_by_amax(run, t, result);
    }
    if (t->kind == FP8RT_SCALING_DELAYED) {
        t->out->scale = fp8mac_recipe_inverse(t->scale_d);
        fp8mac_recipe_delayed_update(t->out->scaling->delayed, result->amax,
                                     result->amax_nonfinite);
    }
    return FP8RT_OK;
}

// The first command writes FP32 numbers of a scaled output, which are rounded to nearest even.
static fp8rt_coding coding_of(const target *t)
{
    return waits_for_amax(t->kind) ? (fp8rt_coding){0} : t->fused.coding;
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
    factors f = {.scale = x * fp8rt_layer_scale(p->weights->codes.scale)};
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
    desc->a_stride =
        p->line_bytes != 0 ? p->line_bytes : desc->image.width * desc->image.pixel_bytes;
    desc->m = p->m;
}

static fp8rt_gemm_desc gemm_of(const fp8rt_run *run, const fp8rt_product *p, const factors *f,
                               const target *t)
{
    const fp8rt_weights *w = p->weights;
    fp8rt_gemm_desc desc = {
        .m = p->x->rows,
        .n = w->codes.rows,
        .k = w->codes.cols,
        .a_format = p->x->format,
        .b_format = w->codes.format,
        .acc_format = run->acc_format,
        .a = p->x->data,
        .a_stride = p->x->stride,
        .b = w->codes.data,
        .b_stride = w->codes.stride,
        .mx_a = p->x->mx,
        .mx_a_stride = p->x->mx_stride,
        .mx_b = w->codes.mx,
        .mx_b_stride = w->codes.mx_stride,
        .scale_exp_a = f->a_exp,
        .scale_exp_b = f->b_exp,
        .bias = w->bias,
        .activation = t->fused.activation,
        .clamp_lo = t->fused.clamp_lo,
        .clamp_hi = t->fused.clamp_hi,
        .d = t->d.data,
        .d_stride = t->d.stride,
        .d_format = t->d.format,
        .coding = coding_of(t),
        .scale_d = &t->scale_d,
    };
    if (p->image.channels != 0) {
        set_image(&run->dev->caps, p, &desc);
    }
    if (p->c != NULL) {
        desc.beta = p->factor * fp8rt_layer_scale(p->c->scale);
        desc.c = p->c->data;
        desc.c_stride = p->c->stride;
        desc.c_format = p->c->format;
    }
    return desc;
}

// s = scale_a[m] * scale_b[n]: the product's scale stands in for the vector that is missing, or, if
// both are there, in the rows' vector, which is copied for it.
static fp8rt_status set_scales(fp8rt_run *run, const fp8rt_product *p, const factors *f,
                               fp8rt_gemm_desc *desc)
{
    const float *rows = p->x_scale, *cols = p->weights->row_scale;
    desc->scale_a = vector_or(rows, &f->scale);
    if (rows != NULL || cols != NULL) {
        desc->scale_b = vector_or(cols, &f->scale);
    }
    if (rows == NULL || cols == NULL || !wants_scale(f->scale)) {
        return FP8RT_OK;
    }
    float *scaled = fp8rt_layer_take(run, desc->m * sizeof(float));
    if (scaled == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    for (uint32_t i = 0; i < desc->m && !run->query; i++) {
        scaled[i] = rows[i] * f->scale;
    }
    desc->scale_a.values = scaled;
    return FP8RT_OK;
}

// Vectors between beats are copied to the scratch.
static size_t staging(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc)
{
    const float *vectors[3] = {
        desc->scale_a.mode == FP8MAC_SCALE_VECTOR ? desc->scale_a.values : NULL,
        desc->scale_b.mode == FP8MAC_SCALE_VECTOR ? desc->scale_b.values : NULL, desc->bias};
    const uint32_t counts[3] = {desc->m, desc->n, desc->n};
    size_t bytes = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (((uintptr_t)vectors[i] & (caps->beat_bytes - 1u)) != 0) {
            bytes += counts[i] * sizeof(float) + 2u * caps->beat_bytes;
        }
    }
    return bytes;
}

static fp8rt_status multiply(fp8rt_run *run, const fp8rt_product *p, const target *t)
{
    const factors f = factors_of(run, p);
    fp8rt_gemm_desc desc = gemm_of(run, p, &f, t);
    fp8rt_gemm_result result;
    fp8rt_status status = set_scales(run, p, &f, &desc);
    if (status != FP8RT_OK) {
        return status;
    }
    const size_t bytes = staging(&run->dev->caps, &desc);
    void *scratch = bytes == 0 ? NULL : fp8rt_layer_take(run, bytes);
    if (bytes != 0 && scratch == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    if (run->query) {
        return FP8RT_OK;
    }
    status = fp8rt_gemm(run->dev, desc, scratch, bytes, &result);
    if (status != FP8RT_OK) {
        return status;
    }
    fp8rt_layer_count(run, &result);
    return finish(run, t, &result);
}

fp8rt_status fp8rt_layer_gemm(fp8rt_run *run, const fp8rt_product *product, fp8rt_tensor *out)
{
    const uint32_t m = product->image.channels != 0 ? product->m : product->x->rows;
    if (out->rows != m || out->cols != product->weights->codes.rows ||
        (product->c != NULL && (product->c->rows != m || product->c->cols != out->cols))) {
        return FP8RT_ERR_SHAPE;
    }
    const size_t used = run->used;
    target t;
    fp8rt_status status = aim(run, product->fused, out, &t);
    if (status == FP8RT_OK) {
        status = multiply(run, product, &t);
    }
    run->used = used;
    return status;
}

// ---- element-wise commands ----------------------------------------------------------------------

static fp8rt_status combine(fp8rt_run *run, const fp8rt_combination *e, const target *t)
{
    const float x_scale = fp8rt_layer_scale(e->x->scale);
    fp8rt_elementwise_desc desc = {
        .operation = e->operation,
        .m = e->x->rows,
        .n = e->x->cols,
        .x = e->x->data,
        .x_stride = e->x->stride,
        .x_format = e->x->format,
        .scale_x = vector_or(e->x_scale, &x_scale),
        .activation = t->fused.activation,
        .clamp_lo = t->fused.clamp_lo,
        .clamp_hi = t->fused.clamp_hi,
        .d = t->d.data,
        .d_stride = t->d.stride,
        .d_format = t->d.format,
        .coding = coding_of(t),
        .scale_d = &t->scale_d,
    };
    if (e->c != NULL) {
        desc.beta = e->factor * fp8rt_layer_scale(e->c->scale);
        desc.c = e->c->data;
        desc.c_stride = e->c->stride;
        desc.c_format = e->c->format;
    }
    if (run->query) {
        return FP8RT_OK;
    }
    fp8rt_gemm_result result;
    const fp8rt_status status = issue(run, &desc, &result);
    return status == FP8RT_OK ? finish(run, t, &result) : status;
}

fp8rt_status fp8rt_layer_combine(fp8rt_run *run, const fp8rt_combination *combination,
                                 fp8rt_tensor *out)
{
    const fp8rt_tensor *x = combination->x, *c = combination->c;
    if (out->rows != x->rows || out->cols != x->cols ||
        (c != NULL && (c->rows != x->rows || c->cols != x->cols))) {
        return FP8RT_ERR_SHAPE;
    }
    const size_t used = run->used;
    target t;
    fp8rt_status status = aim(run, combination->fused, out, &t);
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
