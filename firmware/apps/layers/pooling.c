// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cases.h"
#include "fp8rt/reference_elementwise.h"

typedef enum kind { MAXIMUM, AVERAGE, GLOBAL } kind;

typedef struct pooling_case {
    const char *name;
    kind kind;
    uint32_t images, height, width, channels;
    fp8rt_window window;
    bool exclude_padding;
    fp8mac_format_id x_format, out_format;
    fp8rt_scaling_kind scaling;
    bool column; // a row for each channel
    bool ones;   // constants from the caller
} pooling_case;

typedef struct context {
    kind kind;
    fp8rt_pooling_desc desc;
    uint32_t out_h, out_w;
} context;

#define TWO_BY_TWO {.kernel_h = 2, .kernel_w = 2, .stride_y = 2, .stride_x = 2}
#define THREE_BY_THREE                                                                             \
    {.kernel_h = 3,                                                                                \
     .kernel_w = 3,                                                                                \
     .stride_y = 2,                                                                                \
     .stride_x = 2,                                                                                \
     .pad_top = 1,                                                                                 \
     .pad_left = 1,                                                                                \
     .pad_right = 1}

static const pooling_case cases[] = {
    {.name = "maximum of 2 x 2, 16 x 16 x 32",
     .height = 16,
     .width = 16,
     .channels = 32,
     .window = TWO_BY_TWO},
    {.name = "maximum of 3 x 3, stride 2, 2 of 11 x 9 x 21, e5m2",
     .images = 2,
     .height = 11,
     .width = 9,
     .channels = 21,
     .window = THREE_BY_THREE,
     .x_format = FP8MAC_E5M2,
     .out_format = FP8MAC_E5M2},
    {.name = "maximum of 3 x 3, 8 x 8 x 5, e4m3fnuz",
     .height = 8,
     .width = 8,
     .channels = 5,
     .window = THREE_BY_THREE,
     .x_format = FP8MAC_E4M3FNUZ,
     .out_format = FP8MAC_E4M3FNUZ},
    {.name = "maximum of 3 x 3, 2 of 7 x 6 x 32",
     .images = 2,
     .height = 7,
     .width = 6,
     .channels = 32,
     .window = {.kernel_h = 3,
                .kernel_w = 3,
                .pad_top = 1,
                .pad_left = 1,
                .pad_bottom = 1,
                .pad_right = 1}},
    {.name = "maximum of 1 x 5, stride 3, 2 of 1 x 40 x 9",
     .images = 2,
     .width = 40,
     .channels = 9,
     .window = {.kernel_w = 5, .stride_x = 3, .pad_left = 2}},
    {.name = "maximum of 4 x 1, 9 x 5 x 21, e5m2fnuz",
     .height = 9,
     .width = 5,
     .channels = 21,
     .window = {.kernel_h = 4, .stride_y = 2, .pad_bottom = 3},
     .x_format = FP8MAC_E5M2FNUZ,
     .out_format = FP8MAC_E5M2FNUZ},
    {.name = "maximum of an image, 2 of 5 x 5 x 40",
     .images = 2,
     .height = 5,
     .width = 5,
     .channels = 40,
     .window = {.kernel_h = 7,
                .kernel_w = 7,
                .pad_top = 1,
                .pad_right = 2,
                .pad_left = 2,
                .pad_bottom = 1}},
    {.name = "maximum of 4 x 4 on 2 x 2 x 16, by the core",
     .height = 2,
     .width = 2,
     .channels = 16,
     .window = {.kernel_h = 4,
                .kernel_w = 4,
                .pad_top = 3,
                .pad_left = 3,
                .pad_bottom = 3,
                .pad_right = 3}},
    {.name = "average of 2 x 2, 16 x 16 x 32",
     .kind = AVERAGE,
     .height = 16,
     .width = 16,
     .channels = 32,
     .window = TWO_BY_TWO},
    {.name = "average of 3 x 3, 2 of 11 x 9 x 21, dynamic",
     .kind = AVERAGE,
     .images = 2,
     .height = 11,
     .width = 9,
     .channels = 21,
     .window = THREE_BY_THREE,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "average of 3 x 3 without padding, 11 x 9 x 21, float32",
     .kind = AVERAGE,
     .height = 11,
     .width = 9,
     .channels = 21,
     .window = THREE_BY_THREE,
     .exclude_padding = true,
     .out_format = FP8MAC_FP32},
    {.name = "average of 3 x 3, 12 x 10 x 40, ones given",
     .kind = AVERAGE,
     .height = 12,
     .width = 10,
     .channels = 40,
     .window = {.kernel_h = 3, .kernel_w = 3},
     .ones = true},
    {.name = "average of 3 x 3 without padding, 11 x 9 x 24, inverses given",
     .kind = AVERAGE,
     .height = 11,
     .width = 9,
     .channels = 24,
     .window = THREE_BY_THREE,
     .exclude_padding = true,
     .ones = true},
    {.name = "average of 2 x 2, 2 of 6 x 5 x 21, ones given",
     .kind = AVERAGE,
     .images = 2,
     .height = 6,
     .width = 5,
     .channels = 21,
     .window = TWO_BY_TWO,
     .ones = true},
    {.name = "average of 3 x 3 without padding, 7 x 6 x 13, float16, all given",
     .kind = AVERAGE,
     .height = 7,
     .width = 6,
     .channels = 13,
     .window = THREE_BY_THREE,
     .exclude_padding = true,
     .out_format = FP8MAC_FP16,
     .ones = true},
    {.name = "global average of 7 x 7 x 64",
     .kind = GLOBAL,
     .height = 7,
     .width = 7,
     .channels = 64},
    {.name = "global average of 3 of 5 x 4 x 30, dynamic",
     .kind = GLOBAL,
     .images = 3,
     .height = 5,
     .width = 4,
     .channels = 30,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "global average of 2 of 1 x 50 x 9, float32",
     .kind = GLOBAL,
     .images = 2,
     .width = 50,
     .channels = 9,
     .out_format = FP8MAC_FP32},
    {.name = "global average of 5 x 25 x 64, a column",
     .kind = GLOBAL,
     .height = 5,
     .width = 25,
     .channels = 64,
     .column = true,
     .ones = true},
    {.name = "global average of 3 x 11 x 21, a column, dynamic",
     .kind = GLOBAL,
     .height = 3,
     .width = 11,
     .channels = 21,
     .scaling = FP8RT_SCALING_DYNAMIC,
     .column = true,
     .ones = true},
    {.name = "global average of 4 of 7 x 7 x 72, ones given",
     .kind = GLOBAL,
     .images = 4,
     .height = 7,
     .width = 7,
     .channels = 72,
     .ones = true},
    {.name = "global average of 2 of 3 x 5 x 13, ones given, float32",
     .kind = GLOBAL,
     .images = 2,
     .height = 3,
     .width = 5,
     .channels = 13,
     .out_format = FP8MAC_FP32,
     .ones = true},
    {.name = "global average of 2 of 4 x 3 x 21, ones given",
     .kind = GLOBAL,
     .images = 2,
     .height = 4,
     .width = 3,
     .channels = 21,
     .ones = true},
};

static fp8rt_status call(fp8rt_run *run, const void *context_)
{
    const context *c = context_;
    return c->kind == MAXIMUM   ? fp8rt_max_pool(run, &c->desc)
           : c->kind == AVERAGE ? fp8rt_average_pool(run, &c->desc)
                                : fp8rt_global_average(run, &c->desc);
}

static void refer(fp8rt_reference *reference, const void *context_)
{
    const context *c = context_;
    if (c->kind == MAXIMUM) {
        fp8rt_reference_max_pool(reference, &c->desc);
    } else if (c->kind == AVERAGE) {
        fp8rt_reference_average_pool(reference, &c->desc);
    } else {
        fp8rt_reference_global_average(reference, &c->desc);
    }
}

static uint32_t or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

// The caller's constants
typedef struct constants {
    void *ones;
    float *inverses;
    size_t ones_bytes, inverses_bytes;
} constants;

static constants give(layers_test *test, kind kind, fp8rt_pooling_desc *desc)
{
    const fp8rt_run run = fp8rt_run_query(&test->dev);
    constants c = {0};
    if (kind == GLOBAL) {
        c.ones_bytes = fp8rt_global_average_ones(&run, desc, NULL);
    } else {
        c.ones_bytes = fp8rt_average_pool_ones(&run, desc, NULL);
        c.inverses_bytes = fp8rt_average_pool_inverses(&run, desc, NULL);
    }
    desc->ones = c.ones = layers_take(test, c.ones_bytes);
    desc->inverses = c.inverses =
        c.inverses_bytes == 0 ? NULL : layers_take(test, c.inverses_bytes);
    if (c.ones != NULL && kind == GLOBAL) {
        fp8rt_global_average_ones(&run, desc, c.ones);
    } else if (c.ones != NULL) {
        fp8rt_average_pool_ones(&run, desc, c.ones);
        fp8rt_average_pool_inverses(&run, desc, c.inverses);
    }
    return c;
}

static bool is_zero(const fp8rt_caps *caps, const fp8rt_tensor *t)
{
    const uint32_t bytes = t->cols * fp8mac_format_bytes(fp8mac_format_get(t->format));
    bool zero = true;
    for (uint32_t row = 0; row < t->rows; row++) {
        const uint8_t *at = (uint8_t *)t->data + (size_t)row * fp8rt_tensor_stride(caps, t);
        for (uint32_t i = 0; i < bytes; i++) {
            zero = zero && (at[i] & 0x7fu) == 0;
        }
    }
    return zero;
}

// Zeros in the place of codes, or small numbers in that of inverses, make all outputs 0,
// unless they are ignored.
static void expect_used(layers_test *test, const context *c, const constants *given)
{
    uint8_t *const parts[] = {given->ones, (uint8_t *)given->inverses};
    const size_t bytes[] = {given->ones_bytes, given->inverses_bytes};
    const fp8rt_tensor *const x = c->desc.x;
    memset(x->data, 0x38, fp8rt_tensor_bytes(&test->dev.caps, x)); // without NaN
    for (unsigned i = 0; i < 2; i++) {
        fp8rt_arena arena = test->arena;
        uint8_t *copy = fp8rt_arena_alloc(&arena, bytes[i]);
        fp8rt_run run = fp8rt_run_query(&test->dev);
        if (bytes[i] == 0 || copy == NULL || call(&run, c) != FP8RT_OK) {
            layers_expect(test, "memory for other constants", bytes[i] == 0);
            continue;
        }
        const size_t peak = run.peak;
        run = fp8rt_run_on(&test->dev, fp8rt_arena_alloc(&arena, peak), peak);
        memcpy(copy, parts[i], bytes[i]);
        memset(parts[i], 0, bytes[i]);
        for (size_t n = 0; i == 1 && n < bytes[i] / sizeof(float); n++) {
            given->inverses[n] = 0x1p-100f; // a scale is not 0
        }
        call(&run, c);
        layers_expect(test, "the given constants are used",
                      run.status == FP8RT_OK && is_zero(&test->dev.caps, c->desc.out));
        memcpy(parts[i], copy, bytes[i]);
    }
}

// The bytes are those of constants that the core writes.
static void compare_with_own(layers_test *test, const context *c)
{
    fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    const size_t bytes = fp8rt_tensor_bytes(caps, c->desc.out);
    context own = *c;
    own.desc.ones = NULL;
    own.desc.inverses = NULL;
    fp8rt_run run = fp8rt_run_query(&test->dev);
    call(&run, &own);
    const size_t peak = run.peak;
    uint8_t *want = fp8rt_arena_alloc(&arena, bytes), *out = c->desc.out->data;
    void *scratch = fp8rt_arena_alloc(&arena, peak);
    if (want == NULL || scratch == NULL) {
        layers_expect(test, "memory for the core's constants", false);
        return;
    }
    memcpy(want, out, bytes);
    run = fp8rt_run_on(&test->dev, scratch, peak);
    call(&run, &own);
    bool same = run.status == FP8RT_OK;
    const uint32_t row =
        c->desc.out->cols * fp8mac_format_bytes(fp8mac_format_get(c->desc.out->format));
    for (size_t at = 0; at < bytes; at += fp8rt_tensor_stride(caps, c->desc.out)) {
        same = same && memcmp(want + at, out + at, row) == 0;
    }
    layers_expect(test, "the bytes of the core's constants", same);
}

// The core computes the same bytes where the accelerator has no element-wise commands.
static void compare_with_core(layers_test *test, const context *c)
{
    const fp8rt_caps caps = test->dev.caps;
    const fp8rt_tensor *out = c->desc.out;
    const size_t bytes = (size_t)out->rows * fp8rt_packed_stride(&caps, out->cols);
    uint8_t *commands = layers_take(test, bytes), *scratch = layers_take(test, caps.beat_bytes);
    if (commands == NULL || scratch == NULL) {
        layers_expect(test, "memory for the core's bytes", false);
        return;
    }
    memcpy(commands, out->data, bytes);
    memset(out->data, 0, bytes);
    fp8rt_run run = fp8rt_run_on(&test->dev, scratch, caps.beat_bytes);
    test->dev.caps.functions &= ~(uint32_t)FP8MAC_FUNCTION_ELEMENTWISE;
    bool same = fp8rt_max_pool(&run, &c->desc) == FP8RT_OK;
    test->dev.caps = caps;
    for (uint32_t i = 0; i < out->rows; i++) {
        const size_t row = (size_t)i * fp8rt_packed_stride(&caps, out->cols);
        same = same && memcmp(commands + row, (uint8_t *)out->data + row, out->cols) == 0;
    }
    layers_expect(test, "the core gives the bytes of commands", same);
}

static void run_case(layers_test *test, const pooling_case *p)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = p->scaling};
    fp8rt_window window = p->window;
    const uint32_t height = or_one(p->height), images = or_one(p->images);
    if (p->kind == GLOBAL) {
        window = (fp8rt_window){.kernel_h = height, .kernel_w = p->width};
    }
    context c = {
        .kind = p->kind,
        .out_h = fp8rt_window_count(window.kernel_h, window.stride_y, 1, height,
                                    window.pad_top + window.pad_bottom),
        .out_w = fp8rt_window_count(window.kernel_w, window.stride_x, 1, p->width,
                                    window.pad_left + window.pad_right),
    };
    fp8rt_tensor x = layers_codes(test, images * height * p->width, p->channels, p->x_format);
    fp8rt_tensor out =
        p->column ? layers_empty(test, p->channels, 1, p->out_format)
                  : layers_empty(test, images * c.out_h * c.out_w, p->channels, p->out_format);
    x.scale = 0.25f;
    out.scale = p->out_format == FP8MAC_FP32 ? 1.0f : 0.25f;
    out.scaling = &scaling;
    c.desc = (fp8rt_pooling_desc){.x = &x,
                                  .images = p->images,
                                  .height = height,
                                  .width = p->width,
                                  .window = window,
                                  .exclude_padding = p->exclude_padding,
                                  .out = &out};
    const constants given = p->ones ? give(test, p->kind, &c.desc) : (constants){0};
    const unsigned before = test->recorded, paused = test->paused;
    layers_try(test, p->name, call, refer, &c, &out);
    if (p->scaling == FP8RT_SCALING_STATIC) {
        layers_expect_recorded(test, "a pool is recorded", before);
    }
    if (p->ones) {
        layers_expect(test, "a list that does not pause", test->paused == paused);
    }
    if (p->ones && p->kind == AVERAGE) {
        compare_with_own(test, &c);
    }
    if (p->ones && p->scaling == FP8RT_SCALING_STATIC) {
        expect_used(test, &c, &given);
    }
    if (p->kind == MAXIMUM) {
        compare_with_core(test, &c);
    }
    test->arena = arena;
}

// ---- every code ---------------------------------------------------------------------------------

// Whether the maximum of two codes, the windows' pixels, is `out`: a NaN if one of them is NaN.
static bool is_maximum(const layers_test *test, const fp8rt_tensor *x, const fp8rt_tensor *out,
                       uint32_t image, uint32_t channel)
{
    const fp8rt_caps *caps = &test->dev.caps;
    const double a = fp8rt_reference_at(caps, x, 2 * image, channel);
    const double b = fp8rt_reference_at(caps, x, 2 * image + 1, channel);
    const double most = fp8rt_reference_at(caps, out, image, channel);
    return isnan(a) || isnan(b) ? isnan(most) : most == (a > b ? a : b);
}

// Windows of two pixels: channel c of image i has the codes c and c + step * i.
static void pairs_of_codes(layers_test *test, const char *name, fp8mac_format_id format,
                           uint32_t images, uint32_t step)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_empty(test, 2 * images, 256, format);
    fp8rt_tensor out = layers_empty(test, images, 256, format);
    uint8_t *code = x.data;
    for (uint32_t i = 0; i < images; i++, code += 512) {
        for (uint32_t c = 0; c < 256; c++) {
            code[c] = (uint8_t)c;
            code[256 + c] = (uint8_t)(c + step * i);
        }
    }
    const context context = {.desc = {.x = &x,
                                      .images = images,
                                      .width = 2,
                                      .window = {.kernel_w = 2, .stride_x = 2},
                                      .out = &out}};
    layers_try(test, name, call, NULL, &context, &out);
    bool right = true;
    for (uint32_t i = 0; fp8rt_app_is_host && i < images * 256; i++) {
        right = right && is_maximum(test, &x, &out, i / 256, i % 256);
    }
    layers_expect(test, "the maximum of two codes", right);
    test->arena = arena;
}

// All pairs of codes are too much for the chip.
static void run_codes(layers_test *test)
{
    static const char *const names[] = {"maximum of codes, e4m3fn", "maximum of codes, e5m2",
                                        "maximum of codes, e4m3fnuz", "maximum of codes, e5m2fnuz"};
    for (unsigned format = 0; format < 4; format++) {
        pairs_of_codes(test, names[format], (fp8mac_format_id)format, 8, 37);
        if (fp8rt_app_is_host) {
            pairs_of_codes(test, "  all pairs", (fp8mac_format_id)format, 256, 1);
        }
    }
}

// ---- between other layers -----------------------------------------------------------------------

// Each operand and output belongs to commands.
typedef struct between {
    fp8rt_convolution_desc before, behind;
    fp8rt_pooling_desc maximum, average;
} between;

static fp8rt_status call_between(fp8rt_run *run, const void *context_)
{
    const between *b = context_;
    fp8rt_convolution(run, &b->before);
    fp8rt_max_pool(run, &b->maximum);
    fp8rt_average_pool(run, &b->average);
    return fp8rt_convolution(run, &b->behind);
}

static void run_between(layers_test *test)
{
    enum { SIDE = 8, HALF = 4, CHANNELS = 16, OUTPUTS = 24 };
    const fp8rt_arena arena = test->arena;
    const unsigned before = test->recorded;
    fp8rt_tensor x = layers_codes(test, SIDE * SIDE, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_tensor wide = layers_empty(test, SIDE * SIDE, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_tensor largest = layers_empty(test, HALF * HALF, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_tensor mean = layers_empty(test, HALF * HALF, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, HALF * HALF, OUTPUTS, FP8MAC_E4M3FN);
    const fp8rt_weights first = layers_weights(test, CHANNELS, CHANNELS);
    const fp8rt_weights last = layers_weights(test, OUTPUTS, CHANNELS);
    const between b = {
        .before = {.x = &x, .height = SIDE, .width = SIDE, .weights = &first, .out = &wide},
        .maximum =
            {.x = &wide, .height = SIDE, .width = SIDE, .window = TWO_BY_TWO, .out = &largest},
        .average = {.x = &largest,
                    .height = HALF,
                    .width = HALF,
                    .window = {.kernel_h = 3,
                               .kernel_w = 3,
                               .pad_top = 1,
                               .pad_bottom = 1,
                               .pad_left = 1,
                               .pad_right = 1},
                    .exclude_padding = true,
                    .out = &mean},
        .behind = {.x = &mean, .height = HALF, .width = HALF, .weights = &last, .out = &out},
    };
    layers_try(test, "maximum and average between convolutions", call_between, NULL, &b, &out);
    layers_expect(test, "they are recorded", test->recorded == before + 1u);
    test->arena = arena;
}

static void refusals(layers_test *test)
{
    fp8rt_tensor x = layers_codes(test, 64, 32, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, 16, 32, FP8MAC_E5M2);
    fp8rt_pooling_desc desc = {.x = &x, .height = 8, .width = 8, .window = TWO_BY_TWO, .out = &out};
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a maximum of another format",
                  fp8rt_max_pool(&run, &desc) == FP8RT_ERR_FORMAT);
    run = fp8rt_run_query(&test->dev);
    desc.window.pad_top = 2;
    layers_expect(test, "a window of padding", fp8rt_average_pool(&run, &desc) == FP8RT_ERR_IMAGE);
    run = fp8rt_run_query(&test->dev);
    desc.window.pad_top = 0;
    desc.height = 7;
    layers_expect(test, "pixels that are not there",
                  fp8rt_average_pool(&run, &desc) == FP8RT_ERR_SHAPE);
    run = fp8rt_run_query(&test->dev);
    desc.height = 8;
    layers_expect(test, "an output for each window",
                  fp8rt_global_average(&run, &desc) == FP8RT_ERR_SHAPE);
}

void layers_pooling(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    run_codes(test);
    run_between(test);
    refusals(test);
}
