// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/logarithm.h"

#include <math.h>
#include <string.h>

#include "cases.h"

enum { ROWS = 60, COLS = 9 };

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_logarithm(run, desc);
}

static const float *row_of(const fp8rt_tensor *x, uint32_t row)
{
    return (const float *)(const void *)((const uint8_t *)x->data + (size_t)row * x->stride);
}

// By the C library in double precision, with the header's bound
static void refer(fp8rt_reference *reference, const void *layer)
{
    const fp8rt_logarithm_desc *d = layer;
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        const float s = row_of(d->x, i / COLS)[i % COLS] + d->offset;
        const double exact = log2((double)s);
        reference->values[i] = (double)d->factor * exact;
        reference->bounds[i] = fabs((double)d->factor) * (0x1p-18 + 0x1p-22 * fabs(exact));
    }
}

// All powers of two, each with a few significands
static void fill(fp8rt_tensor *x)
{
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        float *row = (float *)(void *)((uint8_t *)x->data + (size_t)(i / COLS) * x->stride);
        row[i % COLS] =
            ldexpf(1.0f + 0.00187f * (float)(i % 534), (int)(i * 253 / (ROWS * COLS)) - 126);
    }
}

static void specials(layers_test *test, fp8rt_logarithm_desc *desc, fp8rt_tensor *x)
{
    static const float values[] = {0.0f, -0.0f, 0x1p-140f, -1.0f, -0x1p-140f};
    float *row = x->data;
    memcpy(row, values, sizeof values);
    row[5] = INFINITY;
    row[6] = -INFINITY;
    row[7] = NAN;
    desc->offset = 0.0f;
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "logarithms of specials", fp8rt_logarithm(&run, desc) == FP8RT_OK);
    const float *y = desc->out->data;
    const bool zeros =
        y[0] == -INFINITY && y[1] == -INFINITY && y[2] == -INFINITY && y[4] == -INFINITY;
    layers_expect(test, "those of 0 are -Inf", zeros);
    layers_expect(test, "that of Inf is Inf", isinf(y[5]) && y[5] > 0.0f);
    layers_expect(test, "others are NaN", isnan(y[3]) && isnan(y[6]) && isnan(y[7]));
    desc->factor = -2.0f;
    run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "with a negative factor", fp8rt_logarithm(&run, desc) == FP8RT_OK);
    layers_expect(test, "the signs of Inf change", y[0] == INFINITY && y[5] == -INFINITY);
    desc->factor = 0.0f;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a factor of 0", fp8rt_logarithm(&run, desc) == FP8RT_ERR_SCALE);
}

void layers_logarithm(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_empty(test, ROWS, COLS, FP8MAC_FP32);
    fp8rt_tensor out = layers_empty(test, ROWS, COLS, FP8MAC_FP32);
    fp8rt_logarithm_desc desc = {.x = &x, .factor = 3.0103f, .out = &out};
    x.stride = out.stride = fp8rt_tensor_stride(&test->dev.caps, &x);
    fill(&x);
    const unsigned before = test->recorded;
    layers_try(test, "logarithms of 60 x 9", call, refer, &desc, &out);
    layers_expect_recorded(test, "logarithms are recorded", before);
    desc.offset = 1e-10f;
    layers_try(test, "logarithms with an offset", call, refer, &desc, &out);
    specials(test, &desc, &x);
    test->arena = arena;
}
