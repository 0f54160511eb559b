// SPDX-License-Identifier: Apache-2.0
// Integer products: what all have in common, and linear layers.
#include "integer.h"

#include "gemm_image.h"
#include "plans.h"

fp8rt_status fp8rt_int_check_named(fp8rt_run *run, const fp8rt_tensor *tensor, const char *name)
{
    if ((run->dev->caps.functions & FP8MAC_FUNCTION_REQUANTISE) == 0) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return fp8rt_layer_check_named(run, tensor, FP8MAC_INT8, FP8MAC_INT8, name);
}

fp8rt_status fp8rt_int_check_overlap(const fp8rt_run *run, const fp8rt_tensor *x,
                                     const fp8rt_tensor *out, bool in_place)
{
    const fp8rt_region from = fp8rt_tensor_region(&run->dev->caps, x),
                       to = fp8rt_tensor_region(&run->dev->caps, out);
    if (in_place && from.address == to.address && from.stride == to.stride) {
        return FP8RT_OK;
    }
    return fp8rt_regions_overlap(&from, &to) ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

static fp8rt_status check_finish(const fp8rt_run *run, const fp8rt_int_finish *finish)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t row = finish->bias_stride * (uint32_t)sizeof(int32_t);
    if (finish->scales == NULL || finish->bias == NULL) {
        return FP8RT_ERR_NULL;
    }
    if (!fp8rt_is_aligned(caps, finish->scales, 1, 0) ||
        !fp8rt_is_aligned(caps, finish->bias, 2, row)) {
        return FP8RT_ERR_ALIGNMENT;
    }
    return finish->lo <= finish->hi ? FP8RT_OK : FP8RT_ERR_ACTIVATION;
}

// ---- commands -----------------------------------------------------------------------------------

fp8rt_status fp8rt_int_multiply(fp8rt_run *run, const fp8rt_int_command *c)
{
    fp8rt_gemm_plan plan;
    fp8rt_gemm_desc *desc = &plan.desc;
    fp8rt_gemm_result result;
    fp8rt_plans_clear(desc, sizeof *desc);
    desc->m = c->m;
    desc->n = fp8rt_image_d_cols(&c->image, c->weights->rows);
    desc->k = c->weights->cols;
    desc->a.codes = c->x;
    desc->a.format = FP8MAC_INT8;
    desc->a.stride = c->x_stride;
    desc->b.codes = c->weights->data;
    desc->b.format = FP8MAC_INT8;
    desc->b.stride = c->weights->stride;
    desc->image = c->image;
    desc->acc_format = run->acc_format;
    desc->d = c->d;
    desc->d_stride = c->d_stride;
    desc->d_format = c->d_format;
    desc->requantise.scales = c->requantise.scales;
    desc->requantise.bias = c->requantise.bias;
    desc->requantise.zero_point = c->requantise.zero_point;
    desc->requantise.lo = c->requantise.lo;
    desc->requantise.hi = c->requantise.hi;
    const fp8rt_status status = fp8rt_plans_gemm(run, &plan, NULL, 0, &result);
    if (status == FP8RT_OK && !run->query && run->recorder == NULL) {
        fp8rt_layer_count(run, &result);
    }
    return status;
}

fp8rt_status fp8rt_int_check_product(fp8rt_run *run, const fp8rt_tensor *x,
                                     const fp8rt_tensor *weights, const fp8rt_tensor *out,
                                     const fp8rt_int_finish *finish)
{
    fp8rt_status status = fp8rt_int_check_named(run, x, "desc->x");
    if (status == FP8RT_OK) {
        status = fp8rt_int_check_named(run, weights, "desc->weights");
    }
    if (status == FP8RT_OK) {
        status = fp8rt_int_check_named(run, out, "desc->out");
    }
    return status == FP8RT_OK ? check_finish(run, finish) : status;
}

// ---- linear -------------------------------------------------------------------------------------

static fp8rt_status check_linear(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_linear_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    const fp8rt_status status =
        fp8rt_int_check_product(run, desc->x, desc->weights, desc->out, &desc->finish);
    if (status != FP8RT_OK) {
        return status;
    }
    if (desc->weights->cols != desc->x->cols) {
        return fp8rt_layer_fit(run, "desc->weights");
    }
    if (!fp8rt_tensor_is(desc->out, desc->x->rows, desc->weights->rows)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    for (uint32_t n = 0; n < desc->out->cols; n++) {
        if (!fp8rt_int_is_scale(desc->finish.scales[n], FP8MAC_SHIFT_MOST)) {
            return FP8RT_ERR_SCALE;
        }
    }
    return fp8rt_int_check_overlap(run, desc->x, desc->out, false);
}

typedef struct rounding {
    const int32_t *sums;
    int8_t *out;
    const fp8mac_int_scale *scales;
    uint32_t rows, cols, sums_stride, out_stride;
    int8_t zero_point, lo, hi;
} rounding;

#define MOST_SCALED (INT32_MAX - INT8_MAX)

// x * scale, rounded once: to nearest, a tie goes away from zero. What is far beyond a code
// is MOST_SCALED. Magnitudes have 62 bits. The shift is most often above 32, and the core
// has no shift of 64 bits.
static int32_t scaled_once(int32_t x, fp8mac_int_scale scale)
{
    const unsigned shift = (unsigned)(31 - scale.shift); // 1 to 62
    const uint64_t product = (uint64_t)fp8rt_int_magnitude(x) * (uint32_t)scale.multiplier;
    if (shift > 32) {
        const uint32_t high = (uint32_t)(product >> 32) + (1u << (shift - 33));
        const int32_t size = (int32_t)(high >> (shift - 32));
        return x < 0 ? -size : size;
    }
    const uint64_t all = (product + (UINT64_C(1) << (shift - 1))) >> shift;
    const int32_t size = all > MOST_SCALED ? MOST_SCALED : (int32_t)all;
    return x < 0 ? -size : size;
}

static void round_once(void *context)
{
    const rounding *r = context;
    for (uint32_t row = 0; row < r->rows; row++) {
        const int32_t *sums = r->sums + (size_t)row * r->sums_stride;
        int8_t *out = r->out + (size_t)row * r->out_stride;
        for (uint32_t n = 0; n < r->cols; n++) {
            out[n] =
                fp8rt_int_clamp(scaled_once(sums[n], r->scales[n]) + r->zero_point, r->lo, r->hi);
        }
    }
}

static fp8rt_status compute_linear(fp8rt_run *run, const void *layer)
{
    const fp8rt_int_linear_desc *desc = layer;
    const fp8rt_caps *caps = &run->dev->caps;
    const fp8rt_tensor sums =
        fp8rt_layer_tensor(run, desc->out->rows, desc->out->cols, FP8MAC_FP32); // INT32
    if (sums.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    const fp8rt_int_command c = {
        .x = desc->x->data,
        .x_stride = desc->x->stride,
        .m = desc->x->rows,
        .weights = desc->weights,
        .requantise = {.bias = desc->finish.bias},
        .d = sums.data,
        .d_stride = fp8rt_tensor_stride(caps, &sums),
        .d_format = FP8MAC_FP32,
    };
    const fp8rt_status status = fp8rt_int_multiply(run, &c);
    const rounding r = {
        .sums = sums.data,
        .out = desc->out->data,
        .scales = desc->finish.scales,
        .rows = desc->out->rows,
        .cols = desc->out->cols,
        .sums_stride = fp8rt_tensor_words(run, &sums),
        .out_stride = fp8rt_tensor_stride(caps, desc->out),
        .zero_point = desc->finish.zero_point,
        .lo = desc->finish.lo,
        .hi = desc->finish.hi,
    };
    return status == FP8RT_OK ? fp8rt_layer_core(run, round_once, &r, sizeof r) : status;
}

fp8rt_status fp8rt_int_linear(fp8rt_run *run, const fp8rt_int_linear_desc *desc)
{
    return fp8rt_layer(run, "int_linear", desc, check_linear, compute_linear);
}
