// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_linear(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_linear(reference, desc);
}

typedef struct linear_case {
    const char *name;
    uint32_t m, n, k;
    fp8mac_format_id x_format, out_format;
    bool residual;
    fp8rt_scaling_kind scaling;
    fp8rt_fused fused;
} linear_case;

static const linear_case cases[] = {
    {.name = "16 x 64 to 40", .m = 16, .n = 40, .k = 64},
    {.name = "1 x 300 to 10, float32", .m = 1, .n = 10, .k = 300, .out_format = FP8MAC_FP32},
    {.name = "33 x 70 to 90, e5m2, float32",
     .m = 33,
     .n = 90,
     .k = 70,
     .x_format = FP8MAC_E5M2,
     .out_format = FP8MAC_FP32},
    {.name = "33 x 70 to 90, dynamic, relu",
     .m = 33,
     .n = 90,
     .k = 70,
     .scaling = FP8RT_SCALING_DYNAMIC,
     .fused = {.activation = FP8MAC_ACT_RELU}},
    {.name = "20 x 128 to 24, residual, clamp, float16",
     .m = 20,
     .n = 24,
     .k = 128,
     .out_format = FP8MAC_FP16,
     .residual = true,
     .fused = {.activation = FP8MAC_ACT_CLAMP, .clamp_lo = -300.0f, .clamp_hi = 500.0f}},
    {.name = "20 x 128 to 24, e5m2, calibrated, residual",
     .m = 20,
     .n = 24,
     .k = 128,
     .out_format = FP8MAC_E5M2,
     .residual = true,
     .scaling = FP8RT_SCALING_CALIBRATE},
};

static void run_case(layers_test *test, const linear_case *c)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = c->scaling};
    fp8rt_tensor x = layers_codes(test, c->m, c->k, c->x_format);
    const fp8rt_weights weights = layers_weights(test, c->n, c->k);
    const fp8rt_tensor residual = layers_codes(test, c->m, c->n, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, c->m, c->n, c->out_format);
    x.scale = c->x_format == FP8MAC_E5M2 ? 0.0009765625f : 0.0078125f;
    out.scaling = &scaling;
    out.scale = c->scaling == FP8RT_SCALING_STATIC && c->out_format == FP8MAC_E4M3FN ? 64.0f : 1.0f;
    const fp8rt_linear_desc desc = {.x = &x,
                                    .weights = &weights,
                                    .residual = c->residual ? &residual : NULL,
                                    .fused = c->fused,
                                    .out = &out};
    layers_try(test, c->name, call, refer, &desc, &out);
    test->arena = arena;
}

// What the layer refuses, in a query and in a run.
static void refusals(layers_test *test)
{
    fp8rt_tensor x = layers_codes(test, 4, 32, FP8MAC_E4M3FN);
    fp8rt_weights weights = layers_weights(test, 8, 32);
    fp8rt_tensor out = layers_empty(test, 4, 8, FP8MAC_E4M3FN);
    fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &out};
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "no descriptor", fp8rt_linear(&run, NULL) == FP8RT_ERR_NULL);
    run = fp8rt_run_query(&test->dev);
    x.format = FP8MAC_FP16;
    layers_expect(test, "x in float16", fp8rt_linear(&run, &desc) == FP8RT_ERR_FORMAT);
    layers_expect(test, "a run that has failed", fp8rt_linear(&run, &desc) == FP8RT_ERR_FORMAT);
    x.format = FP8MAC_E4M3FN;
    run = fp8rt_run_query(&test->dev);
    out.rows = 5;
    layers_expect(test, "rows that differ", fp8rt_linear(&run, &desc) == FP8RT_ERR_SHAPE);
    out.rows = 4;
    weights.codes.cols = 31;
    run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "products that differ", fp8rt_linear(&run, &desc) == FP8RT_ERR_SHAPE);
    weights.codes.cols = 32;
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    out.scaling = &scaling;
    run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "no scratch", fp8rt_linear(&run, &desc) == FP8RT_ERR_SCRATCH);
}

void layers_linear(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    refusals(test);
}
