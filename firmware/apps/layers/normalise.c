// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/normalise.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/reference_normalise.h"

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_normalise(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_normalise(reference, desc);
}

typedef struct norm_case {
    const char *name;
    uint32_t rows, cols;
    bool rms, plain; // plain: neither gamma nor beta
    float scale;     // of x
    float offset;    // that is added to x in float32
    fp8mac_format_id x_format, out_format;
    fp8rt_scaling_kind scaling;
} norm_case;

static const norm_case cases[] = {
    {.name = "layer norm, 16 x 64, float32",
     .rows = 16,
     .cols = 64,
     .x_format = FP8MAC_FP32,
     .out_format = FP8MAC_FP32},
    {.name = "layer norm, 16 x 128 to e4m3fn",
     .rows = 16,
     .cols = 128,
     .x_format = FP8MAC_FP32,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "layer norm, 7 x 45 of e5m2, plain",
     .rows = 7,
     .cols = 45,
     .plain = true,
     .x_format = FP8MAC_E5M2,
     .out_format = FP8MAC_FP16},
    {.name = "layer norm, 3 x 1000 of e4m3fn, of tiny numbers",
     .rows = 3,
     .cols = 1000,
     .scale = 0x1p-40f,
     .x_format = FP8MAC_E4M3FN,
     .out_format = FP8MAC_FP32},
    {.name = "layer norm, 5 x 64 about 40",
     .rows = 5,
     .cols = 64,
     .offset = 40.0f,
     .scale = 0x1p-6f,
     .x_format = FP8MAC_FP32,
     .out_format = FP8MAC_FP32},
    {.name = "RMS norm, 16 x 64, float32",
     .rows = 16,
     .cols = 64,
     .rms = true,
     .x_format = FP8MAC_FP32,
     .out_format = FP8MAC_FP32},
    {.name = "RMS norm, 16 x 128 of e4m3fn to e4m3fn",
     .rows = 16,
     .cols = 128,
     .rms = true,
     .x_format = FP8MAC_E4M3FN,
     .scaling = FP8RT_SCALING_DYNAMIC},
};

// Rows of float32 have no gaps here.
static void add_offset(const fp8rt_tensor *x, float offset)
{
    float *values = x->data;
    for (uint32_t i = 0; i < x->rows * x->cols; i++) {
        values[i] += offset;
    }
}

static void run_case(layers_test *test, const norm_case *c)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = c->scaling};
    fp8rt_tensor x = layers_codes(test, c->rows, c->cols, c->x_format);
    fp8rt_tensor out = layers_empty(test, c->rows, c->cols, c->out_format);
    x.scale = c->scale;
    if (c->offset > 0.0f) {
        add_offset(&x, c->offset / c->scale);
    }
    out.scaling = &scaling;
    const fp8rt_norm_desc desc = {
        .x = &x,
        .rms = c->rms,
        .eps = 1e-5f,
        .gamma = c->plain ? NULL : layers_floats(test, true, c->cols),
        .beta = c->plain || c->rms ? NULL : layers_floats(test, true, c->cols),
        .out = &out,
    };
    const unsigned before = test->recorded;
    layers_try(test, c->name, call, refer, &desc, &out);
    if (c->scaling == FP8RT_SCALING_STATIC) {
        layers_expect_recorded(test, "a norm is recorded", before);
    }
    test->arena = arena;
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, 4, 32, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, 4, 32, FP8MAC_E4M3FN);
    fp8rt_norm_desc desc = {.x = &x, .out = &out};
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "no eps", fp8rt_normalise(&run, &desc) == FP8RT_ERR_SCALE);
    desc.eps = 1e-5f;
    desc.rms = true;
    desc.beta = x.data;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "beta of an RMS norm",
                  fp8rt_normalise(&run, &desc) == FP8RT_ERR_UNSUPPORTED);
    desc.beta = NULL;
    fp8rt_tensor tiny = x;
    tiny.scale = 0x1p-100f;
    desc.rms = false;
    desc.x = &tiny;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "eps that the scale makes too large",
                  fp8rt_normalise(&run, &desc) == FP8RT_ERR_SCALE);
    desc.x = &x;
    fp8rt_tensor same = x;
    same.format = FP8MAC_FP16;
    same.cols = out.cols = 32;
    desc.out = &same;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "in place in another format",
                  fp8rt_normalise(&run, &desc) == FP8RT_ERR_OVERLAP);
    desc.out = &out;
    out.cols = 31;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "columns that differ", fp8rt_normalise(&run, &desc) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

// Gamma and beta between beats are copied; as a list they are refused. The bytes are those of
// others.
static void between_beats(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, 4, 32, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, 4, 32, FP8MAC_FP32);
    const float *vectors = layers_floats(test, true, 65);
    float *aligned = layers_take(test, 64 * sizeof(float));
    memcpy(aligned, vectors + 1, 64 * sizeof(float));
    fp8rt_norm_desc desc = {
        .x = &x, .eps = 1e-5f, .gamma = aligned, .beta = aligned + 32, .out = &out};
    layers_try(test, "layer norm, vectors at beats", call, refer, &desc, &out);
    const size_t bytes = fp8rt_tensor_bytes(&test->dev.caps, &out);
    void *want = layers_take(test, bytes);
    memcpy(want, out.data, bytes);
    memset(out.data, 0, bytes);
    desc.gamma = vectors + 1;
    desc.beta = vectors + 33;
    layers_try(test, "layer norm, vectors between beats", call, refer, &desc, &out);
    layers_expect(test, "the same bytes", memcmp(want, out.data, bytes) == 0);
    test->arena = arena;
}

void layers_normalise(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    between_beats(test);
    refusals(test);
}
