// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/reduce.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/reference_normalise.h"

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_reduce(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_reduce(reference, desc);
}

typedef struct reduce_case {
    const char *name;
    fp8mac_rows_operation operation;
    uint32_t rows, cols;
    float scale;
    fp8mac_format_id x_format, out_format;
    fp8rt_scaling_kind scaling;
} reduce_case;

static const reduce_case cases[] = {
    {"sum, 20 x 64, float32", FP8MAC_ROWS_SUM, 20, 64, 1.0f, FP8MAC_FP32, FP8MAC_FP32, 0},
    {"sum, 5 x 333 of e5m2, dynamic", FP8MAC_ROWS_SUM, 5, 333, 0.5f, FP8MAC_E5M2, FP8MAC_E4M3FN,
     FP8RT_SCALING_DYNAMIC},
    {"sum of squares, 9 x 100 of e4m3fn", FP8MAC_ROWS_SUM_OF_SQUARES, 9, 100, 0.25f, FP8MAC_E4M3FN,
     FP8MAC_FP32, 0},
    {"maximum, 7 x 45, float32 to float16", FP8MAC_ROWS_MAXIMUM, 7, 45, 0.5f, FP8MAC_FP32,
     FP8MAC_FP16, 0},
    {"magnitude, 18 x 70 of e4m3fn", FP8MAC_ROWS_MAGNITUDE, 18, 70, 0.25f, FP8MAC_E4M3FN,
     FP8MAC_FP32, 0},
};

static void run_case(layers_test *test, const reduce_case *c)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = c->scaling};
    fp8rt_tensor x = layers_codes(test, c->rows, c->cols, c->x_format);
    fp8rt_tensor out = layers_empty(test, c->rows, 1, c->out_format);
    x.scale = c->scale;
    out.scaling = &scaling;
    const fp8rt_reduce_desc desc = {c->operation, &x, &out};
    const unsigned before = test->recorded;
    layers_try(test, c->name, call, refer, &desc, &out);
    if (c->scaling == FP8RT_SCALING_STATIC) {
        layers_expect_recorded(test, "a reduction is recorded", before);
    }
    test->arena = arena;
}

static bool is_first_maximum(const fp8rt_caps *caps, const fp8rt_tensor *x, uint32_t row,
                             uint32_t column)
{
    const float *values = (const float *)(const void *)((const uint8_t *)x->data +
                                                        (size_t)row * fp8rt_tensor_stride(caps, x));
    for (uint32_t i = 0; i < x->cols; i++) {
        if (values[i] > values[column] || (i < column && values[i] == values[column])) {
            return false;
        }
    }
    return true;
}

static void argmax(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    fp8rt_tensor x = layers_codes(test, 64, 10, FP8MAC_FP32);
    fp8rt_tensor out = layers_empty(test, 64, 1, FP8MAC_FP32);
    fp8rt_reduce_desc desc = {FP8MAC_ROWS_ARGMAX, &x, &out};
    layers_try(test, "argmax, 64 x 10", call, NULL, &desc, &out);
    bool right = true;
    for (uint32_t row = 0; row < x.rows; row++) {
        uint32_t column;
        memcpy(&column, (const uint8_t *)out.data + (size_t)row * fp8rt_tensor_stride(caps, &out),
               sizeof column);
        right = right && column < x.cols && is_first_maximum(caps, &x, row, column);
    }
    layers_expect(test, "columns of maxima", right);
    fp8rt_run run = fp8rt_run_query(&test->dev);
    out.format = FP8MAC_FP16;
    layers_expect(test, "argmax in float16", fp8rt_reduce(&run, &desc) == FP8RT_ERR_FORMAT);
    out.format = FP8MAC_FP32;
    out.scale = 2.0f;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "argmax with a scale", fp8rt_reduce(&run, &desc) == FP8RT_ERR_SCALE);
    out.scale = 1.0f;
    out.cols = 2;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "two columns", fp8rt_reduce(&run, &desc) == FP8RT_ERR_SHAPE);
    out.cols = 1;
    desc.operation = FP8MAC_ROWS_SOFTMAX;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a softmax", fp8rt_reduce(&run, &desc) == FP8RT_ERR_UNSUPPORTED);
    test->arena = arena;
}

void layers_reduce(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    argmax(test);
}
