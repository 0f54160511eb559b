// SPDX-License-Identifier: Apache-2.0
// Tensors with a scale for each row: outputs that are quantised row by row, and layers that take
// them.
#include <string.h>

#include "cases.h"
#include "fp8rt/normalise.h"
#include "fp8rt/reference_normalise.h"

static fp8rt_status call_linear(fp8rt_run *run, const void *desc)
{
    return fp8rt_linear(run, desc);
}

static void refer_linear(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_linear(reference, desc);
}

static fp8rt_status call_norm(fp8rt_run *run, const void *desc)
{
    return fp8rt_normalise(run, desc);
}

static void refer_norm(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_normalise(reference, desc);
}

static fp8rt_tensor empty_rows(layers_test *test, uint32_t rows, uint32_t cols,
                               fp8mac_format_id format)
{
    fp8rt_tensor tensor = layers_empty(test, rows, cols, format);
    tensor.row_scale = layers_take(test, rows * sizeof(float));
    return tensor;
}

// A list cannot multiply both vectors of scales by another number.
static fp8rt_weights plain_weights(layers_test *test, uint32_t rows, uint32_t cols)
{
    fp8rt_weights weights = layers_weights(test, rows, cols);
    weights.codes.scale = 1.0f;
    return weights;
}

static void report_scales(const layers_test *test, const fp8rt_tensor *out)
{
    const fp8rt_tensor scales = {
        .data = out->row_scale, .rows = 1, .cols = out->rows, .format = FP8MAC_FP32, .scale = 1.0f};
    layers_report(test, "its scales", &scales);
}

// A case, its list, and the scales that it has written
static void try_rows(layers_test *test, const char *name, layers_call *call,
                     layers_reference *reference, const void *desc, fp8rt_tensor *out)
{
    const unsigned before = test->recorded;
    layers_try(test, name, call, reference, desc, out);
    if (out->row_scale != NULL) {
        report_scales(test, out);
    }
    layers_expect_recorded(test, "recorded", before);
}

// ---- layers -------------------------------------------------------------------------------------

typedef struct row_case {
    const char *name;
    uint32_t m, n, k;
    fp8mac_format_id format, out_format;
    fp8rt_fused fused;
} row_case;

static const row_case cases[] = {
    {"rows: 16 x 64 to 40", 16, 40, 64, FP8MAC_E4M3FN, FP8MAC_E4M3FN, {0}},
    {"rows: 33 x 70 to 90, relu",
     33,
     90,
     70,
     FP8MAC_E4M3FN,
     FP8MAC_E4M3FN,
     {.activation = FP8MAC_ACT_RELU}},
    {"rows: 1 x 300 to 10, e5m2", 1, 10, 300, FP8MAC_E5M2, FP8MAC_E5M2, {0}},
    {"rows: 20 x 48 to 24, e4m3fn to e4m3fnuz", 20, 24, 48, FP8MAC_E4M3FN, FP8MAC_E4M3FNUZ, {0}},
};

// Of all magnitudes
static uint8_t largest_code(const fp8rt_caps *caps, const fp8rt_tensor *tensor)
{
    uint8_t largest = 0;
    for (uint32_t r = 0; r < tensor->rows; r++) {
        const uint8_t *row =
            (const uint8_t *)tensor->data + (size_t)r * fp8rt_tensor_stride(caps, tensor);
        for (uint32_t c = 0; c < tensor->cols; c++) {
            largest = (row[c] & 0x7f) > largest ? row[c] & 0x7f : largest;
        }
    }
    return largest;
}

// The first layer's output is the second one's operand.
static void chain(layers_test *test, const row_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, c->m, c->k, c->format);
    const fp8rt_weights first = layers_weights(test, c->n, c->k),
                        second = plain_weights(test, 12, c->n);
    fp8rt_tensor hidden = empty_rows(test, c->m, c->n, c->out_format);
    fp8rt_tensor out = layers_empty(test, c->m, 12, FP8MAC_FP32);
    const fp8rt_linear_desc one = {.x = &x, .weights = &first, .fused = c->fused, .out = &hidden};
    const fp8rt_linear_desc two = {.x = &hidden, .weights = &second, .out = &out};
    try_rows(test, c->name, call_linear, refer_linear, &one, &hidden);
    try_rows(test, "rows: and from there to 12", call_linear, refer_linear, &two, &out);
    test->arena = arena;
}

// One scale for all rows, more of them than a command writes copies of it
static void whole(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, rows, 24, FP8MAC_E4M3FN);
    const fp8rt_weights first = layers_weights(test, cols, 24),
                        second = plain_weights(test, 12, cols);
    fp8rt_tensor hidden = empty_rows(test, rows, cols, format);
    fp8rt_tensor out = layers_empty(test, rows, 12, FP8MAC_FP32);
    hidden.one_scale = true;
    const fp8rt_linear_desc one = {.x = &x, .weights = &first, .out = &hidden};
    const fp8rt_linear_desc two = {.x = &hidden, .weights = &second, .out = &out};
    try_rows(test, "rows: one scale of all", call_linear, refer_linear, &one, &hidden);
    bool equal = true;
    for (uint32_t i = 1; i < rows; i++) {
        equal = equal && hidden.row_scale[i] == hidden.row_scale[0];
    }
    layers_expect(test, "rows: their scales are equal", equal);
    layers_expect(test, "rows: the largest code",
                  largest_code(&test->dev.caps, &hidden) == (format == FP8MAC_E5M2 ? 0x7b : 0x7e));
    try_rows(test, "rows: and from there to 12", call_linear, refer_linear, &two, &out);
    test->arena = arena;
}

// A row of zeros has the least scale, and is multiplied as any other.
static void norms(layers_test *test)
{
    enum { M = 21, K = 96, N = 16 };
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_codes(test, M, K, FP8MAC_E4M3FN);
    memset(x.data, 0, K);
    const fp8rt_weights weights = plain_weights(test, N, K);
    fp8rt_tensor hidden = empty_rows(test, M, K, FP8MAC_E4M3FN);
    fp8rt_tensor out = empty_rows(test, M, N, FP8MAC_E5M2);
    const fp8rt_norm_desc norm = {.x = &x, .rms = true, .eps = 1e-5f, .out = &hidden};
    const fp8rt_linear_desc linear = {.x = &hidden, .weights = &weights, .out = &out};
    try_rows(test, "rows: RMS norm of 21 x 96", call_norm, refer_norm, &norm, &hidden);
    layers_expect(test, "codes of a row of zeros", *(const uint32_t *)hidden.data == 0);
    layers_expect(test, "the scale of a row of zeros", hidden.row_scale[0] == 0x1p-100f / 448.0f);
    try_rows(test, "rows: and from there to 16", call_linear, refer_linear, &linear, &out);
    test->arena = arena;
}

// ---- refusals -----------------------------------------------------------------------------------

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = empty_rows(test, 4, 64, FP8MAC_E4M3FN);
    fp8rt_weights weights = layers_weights(test, 16, 64);
    fp8rt_tensor out = empty_rows(test, 4, 16, FP8MAC_E4M3FN);
    fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &out};
    float *const scales = out.row_scale;
    layers_expect(test, "scales of rows", layers_linear_status(test, &desc) == FP8RT_OK);
    out.row_scale = scales + 1;
    layers_expect(test, "between beats", layers_linear_status(test, &desc) == FP8RT_ERR_ALIGNMENT);
    out.row_scale = scales;
    out.scale = 2.0f;
    layers_expect(test, "and another scale", layers_linear_status(test, &desc) == FP8RT_ERR_SCALE);
    out.scale = 1.0f;
    out.format = FP8MAC_FP16;
    layers_expect(test, "in float16", layers_linear_status(test, &desc) == FP8RT_ERR_FORMAT);
    out.format = FP8MAC_E4M3FN;
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    out.scaling = &scaling;
    layers_expect(test, "and a scaling",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    out.scaling = NULL;
    out.one_scale = true;
    out.cols = weights.codes.rows = test->dev.caps.beat_bytes / 2u;
    layers_expect(test, "one scale of half beats",
                  layers_linear_status(test, &desc) == FP8RT_ERR_SHAPE);
    out.row_scale = NULL;
    layers_expect(test, "one scale that has no place",
                  layers_linear_status(test, &desc) == FP8RT_ERR_NULL);
    out.row_scale = scales;
    out.one_scale = false;
    desc.fused.coding.table = 1;
    layers_expect(test, "and a table", layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    desc.fused.coding.table = 0;
    weights.codes.row_scale = scales;
    layers_expect(test, "of codes of weights",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    weights.codes.row_scale = NULL;
    desc.residual = &out;
    layers_expect(test, "of a residual",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    const fp8rt_norm_desc norm = {.x = &x, .eps = 1e-5f, .out = &x};
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "of x of a norm", fp8rt_normalise(&run, &norm) == FP8RT_ERR_UNSUPPORTED);
    test->arena = arena;
}

void layers_row_scales(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        chain(test, &cases[i]);
    }
    whole(test, 300, 32, FP8MAC_E4M3FN);
    whole(test, 9, 64, FP8MAC_E5M2);
    whole(test, 1, 40, FP8MAC_E4M3FN);
    norms(test);
    refusals(test);
}
