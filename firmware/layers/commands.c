// SPDX-License-Identifier: Apache-2.0
// Commands whose output has a scale: every product, sum and conversion of a layer is made here.
#include "layer.h"
#include "plans.h"

// What an output's command writes: the output itself, or FP32 values of which it is made then.
typedef struct target {
    fp8rt_tensor *out;
    fp8rt_scaling_kind kind;
    const fp8rt_fused *fused;
    const fp8rt_tensor *d;
    fp8rt_tensor values; // d, if it is not `out`
    float scale_d;
    float *factors; // of an output with MX scales
} target;

static bool waits_for_amax(fp8rt_scaling_kind kind)
{
    return kind == FP8RT_SCALING_DYNAMIC || kind == FP8RT_SCALING_CALIBRATE;
}

// The scale by which values become codes.
static float to_codes(const fp8rt_run *run, const target *t)
{
    if (t->kind == FP8RT_SCALING_DELAYED) {
        return t->out->scaling->delayed->scale;
    }
    const float scale = t->fused->coding.table != 0 ? t->fused->table_scale : t->out->scale;
    return fp8rt_plans_inverse(run, fp8rt_layer_scale(scale));
}

static fp8rt_status aim_at_values(fp8rt_run *run, target *t)
{
    t->values = fp8rt_layer_tensor(run, t->out->rows, t->out->cols, FP8MAC_FP32);
    t->d = &t->values;
    t->scale_d = 1.0f;
    return t->values.data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

// An output with MX scales: FP32 values, and a factor for each row while they are converted.
static fp8rt_status aim_at_mx(fp8rt_run *run, target *t)
{
    if (t->fused->coding.table != 0 || t->fused->coding.stochastic) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    const float scale_d = to_codes(run, t);
    const fp8rt_status status = aim_at_values(run, t);
    t->scale_d = scale_d;
    t->factors = fp8rt_layer_take(run, fp8rt_mx_scratch_bytes(t->out->rows));
    return status == FP8RT_OK && t->factors == NULL ? FP8RT_ERR_SCRATCH : status;
}

static fp8rt_status aim(fp8rt_run *run, const fp8rt_fused *fused, fp8rt_tensor *out, target *t)
{
    static const fp8rt_fused nothing;
    t->out = out;
    t->d = out;
    t->kind = fp8rt_layer_scaling(out);
    t->fused = fused == NULL ? &nothing : fused;
    if (t->kind != FP8RT_SCALING_STATIC && t->fused->coding.table != 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (t->kind == FP8RT_SCALING_DELAYED && out->scaling->delayed == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (out->mx != NULL) {
        return aim_at_mx(run, t);
    }
    if (waits_for_amax(t->kind)) {
        return aim_at_values(run, t);
    }
    t->scale_d = to_codes(run, t);
    return t->d->data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

static bool wants_scale(float scale)
{
    return fp8rt_fp32_bits(scale) != FP8RT_FP32_ONE;
}

static float times(float factor, float scale)
{
    return wants_scale(factor) ? factor * fp8rt_layer_scale(scale) : fp8rt_layer_scale(scale);
}

// Descriptors are compared word for word: they are cleared, padding included, and their fields are set
// one by one.
static inline void clear(void *desc, size_t bytes)
{
    uint32_t __attribute__((may_alias)) *word = desc, *const end = word + bytes / sizeof *word;
    for (; word != end; word++) {
        *word = 0;
    }
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

// The values at t->d become the codes of the output, whose scale is known now.
static fp8rt_status convert(fp8rt_run *run, const target *t)
{
    const fp8rt_fused fused = {.coding = t->fused->coding};
    fp8rt_tensor out = *t->out;
    out.scaling = NULL;
    return fp8rt_layer_convert(run, t->d, &fused, &out);
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
                                .values = t->d->data,
                                .values_format = FP8MAC_FP32,
                                .codes = out->data,
                                .format = out->format,
                                .codes_stride = out->stride,
                                .scales = out->mx,
                                .scales_stride = out->mx_stride};
    return fp8rt_mx_convert(run->dev, &desc, t->factors, fp8rt_mx_scratch_bytes(out->rows));
}

// What remains to be done when the first command has run. In a query its result is not there.
static fp8rt_status finish(fp8rt_run *run, const target *t, const fp8rt_gemm_result *result)
{
    if (run->query) {
        return waits_for_amax(t->kind) ? convert(run, t) : FP8RT_OK;
    }
    if (run->recorder != NULL) { // nothing may depend on what the command has given
        return t->kind == FP8RT_SCALING_STATIC && t->out->mx == NULL ? FP8RT_OK
                                                                     : FP8RT_ERR_UNSUPPORTED;
    }
    fp8rt_layer_count(run, result);
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
static void set_coding(const target *t, fp8rt_coding *coding)
{
    if (!waits_for_amax(t->kind)) {
        coding->stochastic = t->fused->coding.stochastic;
        coding->seed = t->fused->coding.seed;
        coding->table = t->fused->coding.table;
    }
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

static void set_matrices(const fp8rt_product *p, const factors *f, const target *t,
                         fp8rt_gemm_desc *desc)
{
    const fp8rt_tensor *x = p->x, *w = &p->weights->codes;
    desc->m = x->rows;
    desc->n = w->rows;
    desc->k = w->cols;
    set_operand(x, f->a_exp, &desc->a);
    set_operand(w, f->b_exp, &desc->b);
    desc->d = t->d->data;
    desc->d_stride = t->d->stride;
    desc->d_format = t->d->format;
}

static void set_gemm(const fp8rt_run *run, const fp8rt_product *p, const factors *f,
                     const target *t, fp8rt_gemm_desc *desc)
{
    clear(desc, sizeof *desc);
    set_matrices(p, f, t, desc);
    desc->acc_format = run->acc_format;
    desc->bias = p->weights->bias;
    desc->activation = t->fused->activation;
    desc->clamp_lo = t->fused->clamp_lo;
    desc->clamp_hi = t->fused->clamp_hi;
    set_coding(t, &desc->coding);
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

static fp8rt_status multiply(fp8rt_run *run, const fp8rt_product *p, const target *t)
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
    return status == FP8RT_OK ? finish(run, t, &result) : status;
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

static void set_elementwise(const fp8rt_combination *e, const target *t,
                            const fp8rt_command_scales *scales, fp8rt_elementwise_desc *desc)
{
    const fp8rt_tensor *x = e->x, *c = e->c;
    clear(desc, sizeof *desc);
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
    set_coding(t, &desc->coding);
    desc->scale_d = &scales->out;
    if (c != NULL) {
        desc->beta = times(e->factor, c->scale);
        desc->c = c->data;
        desc->c_stride = c->stride;
        desc->c_format = c->format;
    }
}

static fp8rt_status combine(fp8rt_run *run, const fp8rt_combination *e, const target *t)
{
    fp8rt_command_scales own, *scales = fp8rt_scales_of(run, &own);
    fp8rt_elementwise_plan plan;
    fp8rt_gemm_result result;
    scales->operands = fp8rt_layer_scale(e->x->scale);
    scales->out = t->scale_d;
    set_elementwise(e, t, scales, &plan.desc);
    const fp8rt_status status = fp8rt_plans_elementwise(run, &plan, &result);
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
