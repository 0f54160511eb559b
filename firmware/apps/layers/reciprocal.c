// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reciprocal.h"

#include <math.h>

#include "cases.h"

enum { ROWS = 5, COLS = 7 };

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_reciprocal(run, desc);
}

// In double precision: the result is off by half a unit of the last place at most.
static void refer(fp8rt_reference *reference, const void *layer)
{
    const fp8rt_reciprocal_desc *d = layer;
    for (uint32_t row = 0; row < d->x->rows; row++) {
        const float *x =
            (const float *)(const void *)((const uint8_t *)d->x->data + (size_t)row * d->x->stride);
        for (uint32_t col = 0; col < d->x->cols; col++) {
            const uint32_t place = row * d->x->cols + col;
            reference->values[place] = d->zero && x[col] == 0.0f ? 0.0 : 1.0 / (double)x[col];
            reference->bounds[place] = fabs(reference->values[place]) * 0x1p-24;
        }
    }
}

static void fill(fp8rt_tensor *x, float first)
{
    for (uint32_t row = 0; row < x->rows; row++) {
        float *values = (float *)(void *)((uint8_t *)x->data + (size_t)row * x->stride);
        for (uint32_t col = 0; col < x->cols; col++) {
            values[col] = first * (1.0f + 0.37f * (float)(row * COLS + col)) *
                          ((row + col) % 3 == 0 ? -1.0f : 1.0f);
        }
    }
}

static void refused(layers_test *test, fp8rt_tensor *x, fp8rt_tensor *out)
{
    const fp8rt_reciprocal_desc desc = {.x = x, .out = out};
    fp8rt_run run = fp8rt_run_query(&test->dev);
    out->cols--;
    layers_expect(test, "another shape", fp8rt_reciprocal(&run, &desc) == FP8RT_ERR_SHAPE);
    out->cols++;
    run = fp8rt_run_query(&test->dev);
    x->scale = 2.0f;
    layers_expect(test, "a scale", fp8rt_reciprocal(&run, &desc) == FP8RT_ERR_SCALE);
    x->scale = 1.0f;
    run = fp8rt_run_query(&test->dev);
    out->format = FP8MAC_FP16;
    layers_expect(test, "float16", fp8rt_reciprocal(&run, &desc) == FP8RT_ERR_FORMAT);
    out->format = FP8MAC_FP32;
    const fp8rt_tensor moved = *out;
    out->data = (uint8_t *)x->data + x->stride;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "rows that overlap", fp8rt_reciprocal(&run, &desc) == FP8RT_ERR_OVERLAP);
    *out = moved;
}

void layers_reciprocal(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_empty(test, ROWS, COLS, FP8MAC_FP32);
    fp8rt_tensor out = layers_empty(test, ROWS, COLS, FP8MAC_FP32);
    fp8rt_reciprocal_desc desc = {.x = &x, .out = &out};
    x.stride = out.stride = fp8rt_tensor_stride(&test->dev.caps, &x);
    fill(&x, 0.173f);
    const unsigned before = test->recorded;
    layers_try(test, "reciprocals of 5 x 7", call, refer, &desc, &out);
    layers_expect_recorded(test, "reciprocals are recorded", before);
    float *values = x.data;
    values[1] = 0.0f;
    values[2] = -0.0f;
    desc.zero = true;
    layers_try(test, "reciprocals, of 0 too", call, refer, &desc, &out);
    desc.zero = false;
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "reciprocals with Inf", fp8rt_reciprocal(&run, &desc) == FP8RT_OK);
    const float *results = out.data;
    layers_expect(test, "1 / 0 is Inf with its sign",
                  isinf(results[1]) && results[1] > 0 && isinf(results[2]) && results[2] < 0);
    refused(test, &x, &out);
    test->arena = arena;
}
