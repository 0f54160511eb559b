// SPDX-License-Identifier: Apache-2.0
#include "cases.h"
#include "fp8rt/reference_elementwise.h"

typedef struct arithmetic_case {
    const char *name;
    bool product, without_y;
    fp8mac_format_id x_format, y_format, out_format;
    float factor;
    fp8rt_scaling_kind scaling;
    fp8rt_fused fused;
} arithmetic_case;

typedef struct context {
    const arithmetic_case *c;
    fp8rt_arithmetic_desc desc;
} context;

static const arithmetic_case cases[] = {
    {.name = "sum of e4m3fn and e5m2, relu",
     .y_format = FP8MAC_E5M2,
     .factor = -0.75f,
     .fused = {.activation = FP8MAC_ACT_RELU}},
    {.name = "sum of float32 and e4m3fn to float16",
     .x_format = FP8MAC_FP32,
     .out_format = FP8MAC_FP16},
    {.name = "sum of e4m3fn, dynamic", .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "product of e4m3fn, dynamic", .product = true, .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "product of e5m2 and float32 to bfloat16",
     .product = true,
     .x_format = FP8MAC_E5M2,
     .y_format = FP8MAC_FP32,
     .out_format = FP8MAC_BF16,
     .factor = 3.0f},
    {.name = "float32 to e4m3fn, dynamic",
     .without_y = true,
     .x_format = FP8MAC_FP32,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "e5m2 to float32",
     .without_y = true,
     .x_format = FP8MAC_E5M2,
     .out_format = FP8MAC_FP32},
};

static fp8rt_status call(fp8rt_run *run, const void *context_)
{
    const context *c = context_;
    return c->c->product ? fp8rt_multiply(run, &c->desc) : fp8rt_add(run, &c->desc);
}

static void refer(fp8rt_reference *reference, const void *context_)
{
    const context *c = context_;
    c->c->product ? fp8rt_reference_multiply(reference, &c->desc)
                  : fp8rt_reference_add(reference, &c->desc);
}

static void run_case(layers_test *test, const arithmetic_case *c)
{
    enum { ROWS = 13, COLS = 70 };
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = c->scaling};
    fp8rt_tensor x = layers_codes(test, ROWS, COLS, c->x_format);
    fp8rt_tensor y = layers_codes(test, ROWS, COLS, c->y_format);
    fp8rt_tensor out = layers_empty(test, ROWS, COLS, c->out_format);
    x.scale = 0.3f;
    y.scale = 1.7f;
    out.scaling = &scaling;
    context context = {.c = c,
                       .desc = {.x = &x,
                                .y = c->without_y ? NULL : &y,
                                .factor = c->factor,
                                .fused = c->fused,
                                .out = &out}};
    layers_try(test, c->name, call, refer, &context, &out);
    test->arena = arena;
}

void layers_arithmetic(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
}
