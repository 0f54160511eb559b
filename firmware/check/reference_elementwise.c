// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reference_elementwise.h"

#include <math.h>

// ---- arithmetic ---------------------------------------------------------------------------------

static void combine(fp8rt_reference *reference, const fp8rt_arithmetic_desc *desc, bool product)
{
    const fp8rt_caps *caps = reference->caps;
    const double factor = desc->factor == 0.0f ? 1.0 : (double)desc->factor;
    const uint32_t cols = desc->x->cols;
    for (uint32_t i = 0; i < desc->x->rows * cols; i++) {
        const double x = fp8rt_reference_at(caps, desc->x, i / cols, i % cols);
        const double y =
            desc->y == NULL ? 0.0 : factor * fp8rt_reference_at(caps, desc->y, i / cols, i % cols);
        const double value = product ? x * y : x + y;
        reference->values[i] = fp8rt_reference_fused(&desc->fused, value);
        reference->bounds[i] = ldexp(product ? fabs(value) : fabs(x) + fabs(y), -21);
    }
}

void fp8rt_reference_add(fp8rt_reference *reference, const fp8rt_arithmetic_desc *desc)
{
    combine(reference, desc, false);
}

void fp8rt_reference_multiply(fp8rt_reference *reference, const fp8rt_arithmetic_desc *desc)
{
    combine(reference, desc, true);
}

// ---- functions ----------------------------------------------------------------------------------

void fp8rt_reference_nonlinear(fp8rt_reference *reference, const fp8rt_nonlinear_desc *desc)
{
    fp8rt_function *function = fp8rt_curve_function(desc->curve);
    const double error = desc->way == FP8RT_NONLINEAR_INTERPOLATED ? 0.00032 : 1.2e-7;
    const uint32_t cols = desc->x->cols;
    for (uint32_t i = 0; i < desc->x->rows * cols; i++) {
        const double value =
            function(fp8rt_reference_at(reference->caps, desc->x, i / cols, i % cols));
        reference->values[i] = value;
        reference->bounds[i] = error * fmax(fabs(value), 1.0);
    }
}

// ---- pooling ------------------------------------------------------------------------------------

// The windows of a layer, with the defaults filled in
typedef struct pools {
    const fp8rt_pooling_desc *desc;
    fp8rt_window window;
    uint32_t height, width, out_h, out_w;
} pools;

// What a window has of one channel
typedef struct summary {
    double sum, largest;
    uint32_t pixels; // inside the image
} summary;

static uint32_t or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

static pools pools_of(const fp8rt_pooling_desc *desc, bool global)
{
    pools p = {.desc = desc,
               .window = desc->window,
               .height = or_one(desc->height),
               .width = or_one(desc->width)};
    if (global) {
        p.window = (fp8rt_window){.kernel_h = p.height, .kernel_w = p.width};
    }
    p.out_h = fp8rt_window_count(p.window.kernel_h, p.window.stride_y, 1, p.height,
                                 p.window.pad_top + p.window.pad_bottom);
    p.out_w = fp8rt_window_count(p.window.kernel_w, p.window.stride_x, 1, p.width,
                                 p.window.pad_left + p.window.pad_right);
    p.window.kernel_h = or_one(p.window.kernel_h);
    p.window.kernel_w = or_one(p.window.kernel_w);
    p.window.stride_y = or_one(p.window.stride_y);
    p.window.stride_x = or_one(p.window.stride_x);
    return p;
}

static summary summarise(const fp8rt_reference *reference, const pools *p, uint32_t row,
                         uint32_t channel)
{
    const fp8rt_window *w = &p->window;
    const uint32_t image = row / (p->out_h * p->out_w), pixel = row % (p->out_h * p->out_w);
    const int64_t top = (int64_t)(pixel / p->out_w) * w->stride_y - w->pad_top;
    const int64_t left = (int64_t)(pixel % p->out_w) * w->stride_x - w->pad_left;
    summary s = {.largest = -INFINITY};
    for (uint32_t i = 0; i < w->kernel_h * w->kernel_w; i++) {
        const int64_t y = top + i / w->kernel_w, x = left + i % w->kernel_w;
        if (y < 0 || y >= p->height || x < 0 || x >= p->width) {
            continue;
        }
        const uint32_t at = (image * p->height + (uint32_t)y) * p->width + (uint32_t)x;
        const double value = fp8rt_reference_at(reference->caps, p->desc->x, at, channel);
        s.largest = fmax(s.largest, value);
        s.sum += value;
        s.pixels++;
    }
    return s;
}

void fp8rt_reference_max_pool(fp8rt_reference *reference, const fp8rt_pooling_desc *desc)
{
    const pools p = pools_of(desc, false);
    for (uint32_t i = 0; i < desc->out->rows * desc->out->cols; i++) {
        reference->values[i] =
            summarise(reference, &p, i / desc->out->cols, i % desc->out->cols).largest;
        reference->bounds[i] = 0;
    }
}

static double amax_of(const fp8rt_caps *caps, const fp8rt_tensor *x)
{
    double amax = 0;
    for (uint32_t i = 0; i < x->rows * x->cols; i++) {
        amax = fmax(amax, fabs(fp8rt_reference_at(caps, x, i / x->cols, i % x->cols)));
    }
    return amax;
}

// Channels that are added together share the largest operand of a block, which is at most
// the largest one of x.
static void average(fp8rt_reference *reference, const fp8rt_pooling_desc *desc, const pools *p)
{
    const uint32_t points = p->window.kernel_h * p->window.kernel_w;
    const uint32_t blocks = points * 16u / reference->caps->block + 1u;
    const double amax = amax_of(reference->caps, desc->x);
    const uint32_t channels = desc->x->cols; // also where the output of an image is a column
    for (uint32_t i = 0; i < desc->out->rows * desc->out->cols; i++) {
        const summary s = summarise(reference, p, i / channels, i % channels);
        const double divisor = desc->exclude_padding ? s.pixels : points;
        reference->values[i] = s.sum / divisor;
        reference->bounds[i] = ldexp(amax * blocks / divisor, -13);
    }
}

void fp8rt_reference_average_pool(fp8rt_reference *reference, const fp8rt_pooling_desc *desc)
{
    const pools p = pools_of(desc, false);
    average(reference, desc, &p);
}

void fp8rt_reference_global_average(fp8rt_reference *reference, const fp8rt_pooling_desc *desc)
{
    const pools p = pools_of(desc, true);
    average(reference, desc, &p);
}
