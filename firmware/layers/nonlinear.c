// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/nonlinear.h"

#include <math.h>

#include "layer.h"
#include "record.h"

fp8rt_function *fp8rt_curve_function(fp8rt_curve curve)
{
    switch (curve) {
    case FP8RT_CURVE_SIGMOID: return fp8rt_sigmoid;
    case FP8RT_CURVE_TANH: return tanh;
    case FP8RT_CURVE_SILU: return fp8rt_silu;
    case FP8RT_CURVE_GELU: return fp8rt_gelu;
    default: return NULL;
    }
}

// ---- in single precision ------------------------------------------------------------------------

static float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

// The limit at -Inf is -0, where the quotient would be NaN.
static float silu(float x)
{
    return x < -104.0f ? -0.0f : x / (1.0f + expf(-x));
}

// erfc keeps the small values of large negative x.
static float gelu(float x)
{
    return x < -14.5f ? -0.0f : 0.5f * x * erfcf(-x * 0.70710678f);
}

typedef float single_function(float x);

static single_function *single_of(fp8rt_curve curve)
{
    switch (curve) {
    case FP8RT_CURVE_SIGMOID: return sigmoid;
    case FP8RT_CURVE_TANH: return tanhf;
    case FP8RT_CURVE_SILU: return silu;
    default: return gelu;
    }
}

// What the core computes: rows of FP32 numbers, strides in numbers
typedef struct points {
    fp8rt_nonlinear_way way;
    fp8rt_curve curve;
    const float *x;
    float *y;
    uint32_t rows, cols, x_stride, y_stride;
} points;

static void compute_row(const points *p, const float *x, float *y)
{
    if (p->way == FP8RT_NONLINEAR_INTERPOLATED) {
        fp8rt_interpolate(p->curve, x, y, p->cols);
        return;
    }
    single_function *function = single_of(p->curve);
    for (uint32_t i = 0; i < p->cols; i++) {
        y[i] = function(x[i]);
    }
}

static void compute_rows(void *context)
{
    const points *p = context;
    for (uint32_t row = 0; row < p->rows; row++) {
        compute_row(p, p->x + (size_t)row * p->x_stride, p->y + (size_t)row * p->y_stride);
    }
}

// ---- the layer ----------------------------------------------------------------------------------

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_nonlinear_desc *desc = layer;
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    if ((unsigned)desc->way > FP8RT_NONLINEAR_TABLE || (unsigned)desc->curve > FP8RT_CURVE_GELU) {
        return FP8RT_ERR_ACTIVATION;
    }
    const bool table = desc->way == FP8RT_NONLINEAR_TABLE;
    fp8rt_status status =
        table ? fp8rt_layer_check_operand(run, desc->x) : fp8rt_layer_check_any(run, desc->x);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    if (!fp8rt_tensor_is_as(desc->out, desc->x)) {
        return fp8rt_layer_fit(run, "desc->out");
    }
    if (table && (desc->table == 0 || desc->table > FP8RT_TABLES)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return table && desc->out->format != desc->x->format ? FP8RT_ERR_FORMAT : FP8RT_OK;
}

// The codes of x are looked up as they are.
static fp8rt_status look_up(fp8rt_run *run, const fp8rt_nonlinear_desc *desc)
{
    const fp8rt_fused fused = {.coding = {.table = desc->table}, .table_scale = desc->x->scale};
    return fp8rt_layer_convert(run, desc->x, &fused, desc->out);
}

// Numbers that the core reads or writes as they are
static bool is_float(const fp8rt_tensor *tensor)
{
    return tensor->format == FP8MAC_FP32 && fp8rt_layer_scale(tensor->scale) == 1.0f;
}

static fp8rt_status run_points(fp8rt_run *run, const fp8rt_nonlinear_desc *desc,
                               const fp8rt_tensor *from, const fp8rt_tensor *to)
{
    const points p = {
        .way = desc->way,
        .curve = desc->curve,
        .x = from->data,
        .y = to->data,
        .rows = from->rows,
        .cols = from->cols,
        .x_stride = fp8rt_tensor_words(run, from),
        .y_stride = fp8rt_tensor_words(run, to),
    };
    return fp8rt_layer_core(run, compute_rows, &p, sizeof p);
}

static fp8rt_status compute_points(fp8rt_run *run, const fp8rt_nonlinear_desc *desc)
{
    const fp8rt_tensor *x = desc->x;
    const bool direct = is_float(desc->out);
    fp8rt_tensor values = *desc->out;
    if (!direct) {
        values = fp8rt_layer_tensor(run, x->rows, x->cols, FP8MAC_FP32);
    }
    if (values.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_status status = is_float(x) ? FP8RT_OK : fp8rt_layer_convert(run, x, NULL, &values);
    if (status != FP8RT_OK) {
        return status;
    }
    status = run_points(run, desc, is_float(x) ? x : &values, &values);
    return direct || status != FP8RT_OK ? status
                                        : fp8rt_layer_convert(run, &values, NULL, desc->out);
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_nonlinear_desc *desc = layer;
    return desc->way == FP8RT_NONLINEAR_TABLE ? look_up(run, desc) : compute_points(run, desc);
}

fp8rt_status fp8rt_nonlinear(fp8rt_run *run, const fp8rt_nonlinear_desc *desc)
{
    return fp8rt_layer(run, "nonlinear", desc, check, compute);
}
