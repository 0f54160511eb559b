// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_convolution(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_convolution(reference, desc);
}

// What runs, and the definition with which it is compared
typedef struct paired {
    const fp8rt_convolution_desc *runs, *definition;
} paired;

static fp8rt_status call_pair(fp8rt_run *run, const void *desc)
{
    return fp8rt_convolution(run, ((const paired *)desc)->runs);
}

// The values are the definition's. Blocks of 32 products, and so the bounds, are those of what
// runs.
static void refer_pair(fp8rt_reference *reference, const void *desc)
{
    const paired *pair = desc;
    fp8rt_reference definition =
        fp8rt_reference_of(reference->caps, pair->runs->out, reference->arena);
    fp8rt_reference_convolution(reference, pair->runs);
    fp8rt_reference_convolution(&definition, pair->definition);
    reference->values = definition.values;
}

#define SAME_3_X_3                                                                                 \
    {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1}

typedef struct convolution_case {
    const char *name;
    uint32_t images, height, width, channels, out_channels;
    fp8rt_window window;
    uint32_t pixel_bytes, group_in, group_out;
    bool residual;
    fp8mac_format_id out_format;
    fp8rt_scaling_kind scaling;
    fp8mac_activation activation;
} convolution_case;

static const convolution_case cases[] = {
    {.name = "28 x 28 x 8 to 16, 3 x 3, relu",
     .height = 28,
     .width = 28,
     .channels = 8,
     .out_channels = 16,
     .window = SAME_3_X_3,
     .activation = FP8MAC_ACT_RELU},
    {.name = "2 of 13 x 11 x 5 to 9, 3 x 2, stride 2, dilation 2",
     .images = 2,
     .height = 13,
     .width = 11,
     .channels = 5,
     .out_channels = 9,
     .window = {.kernel_h = 3,
                .kernel_w = 2,
                .stride_y = 2,
                .stride_x = 2,
                .dilation_y = 2,
                .dilation_x = 2,
                .pad_top = 2,
                .pad_bottom = 1,
                .pad_left = 1},
     .out_format = FP8MAC_FP32},
    {.name = "3 of 8 x 8 x 1 to 20, 3 x 3, dynamic, from bytes",
     .images = 3,
     .height = 8,
     .width = 8,
     .channels = 1,
     .pixel_bytes = 1,
     .out_channels = 20,
     .window = SAME_3_X_3,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "5 signals of 64 x 12 to 24, 7, stride 2, residual",
     .images = 5,
     .width = 64,
     .channels = 12,
     .out_channels = 24,
     .window = {.kernel_w = 7, .stride_x = 2, .pad_left = 3, .pad_right = 3},
     .residual = true},
    {.name = "2 of 7 x 9 x 32 to 48, 1 x 1",
     .images = 2,
     .height = 7,
     .width = 9,
     .channels = 32,
     .out_channels = 48,
     .out_format = FP8MAC_E5M2},
    {.name = "2 x 1 x 16 to 16, 1 x 1, lines of padding in between",
     .height = 2,
     .width = 1,
     .channels = 16,
     .out_channels = 16,
     .window = {.stride_y = 2, .pad_top = 1}},
    {.name = "10 x 10 x 64 to 40, 3 x 3, groups of 24, dynamic",
     .height = 10,
     .width = 10,
     .channels = 64,
     .out_channels = 40,
     .group_in = 24,
     .group_out = 16,
     .window = {.kernel_h = 3, .kernel_w = 3},
     .scaling = FP8RT_SCALING_DYNAMIC},
};

static fp8rt_tensor pixels(layers_test *test, const convolution_case *c, uint32_t rows)
{
    if (c->pixel_bytes == 0) {
        return layers_codes(test, rows, c->channels, FP8MAC_E4M3FN);
    }
    fp8rt_tensor bytes = layers_codes(test, 1, rows * c->pixel_bytes, FP8MAC_E4M3FN);
    bytes.rows = rows;
    bytes.cols = c->channels;
    return bytes;
}

static uint32_t or_one(uint32_t x)
{
    return x == 0 ? 1 : x;
}

// Groups of outputs are whole beats of the bus.
static convolution_case on_bus(const layers_test *test, const convolution_case *c)
{
    convolution_case fitted = *c;
    const uint32_t beat = test->dev.caps.beat_bytes;
    if (c->group_out != 0 && c->group_out % beat != 0) {
        fitted.out_channels += c->out_channels / c->group_out * (beat - c->group_out);
        fitted.group_out = beat;
    }
    return fitted;
}

static void run_case(layers_test *test, const convolution_case *of)
{
    const convolution_case fitted = on_bus(test, of), *c = &fitted;
    const fp8rt_arena arena = test->arena;
    const fp8rt_window *w = &c->window;
    const uint32_t images = or_one(c->images), height = or_one(c->height);
    const uint32_t out_h = fp8rt_window_count(w->kernel_h, w->stride_y, w->dilation_y, height,
                                              w->pad_top + w->pad_bottom);
    const uint32_t out_w = fp8rt_window_count(w->kernel_w, w->stride_x, w->dilation_x, c->width,
                                              w->pad_left + w->pad_right);
    const uint32_t rows = images * out_h * out_w;
    const uint32_t group_in = c->group_in == 0 ? c->channels : c->group_in;
    fp8rt_scaling scaling = {.kind = c->scaling};
    fp8rt_tensor x = pixels(test, c, images * height * c->width);
    const fp8rt_weights weights =
        layers_weights(test, c->out_channels, or_one(w->kernel_h) * or_one(w->kernel_w) * group_in);
    const fp8rt_tensor residual = layers_codes(test, rows, c->out_channels, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, rows, c->out_channels, c->out_format);
    x.scale = 0.0078125f;
    out.scaling = &scaling;
    out.scale = c->scaling == FP8RT_SCALING_STATIC && c->out_format == FP8MAC_E4M3FN ? 64.0f : 1.0f;
    const fp8rt_convolution_desc desc = {.x = &x,
                                         .images = c->images,
                                         .height = c->height,
                                         .width = c->width,
                                         .pixel_bytes = c->pixel_bytes,
                                         .window = *w,
                                         .weights = &weights,
                                         .group_in = c->group_in,
                                         .group_out = c->group_out,
                                         .residual = c->residual ? &residual : NULL,
                                         .fused = {.activation = c->activation},
                                         .out = &out};
    layers_try(test, c->name, call, refer, &desc, &out);
    test->arena = arena;
}

typedef struct depthwise_case {
    const char *name;
    uint32_t height, width, channels, multiplier; // outputs of each channel
    fp8mac_format_id out_format;
} depthwise_case;

static const depthwise_case depthwise_cases[] = {
    {"14 x 14 x 64, 3 x 3, depthwise", 14, 14, 64, 1, FP8MAC_E4M3FN},
    {"9 x 12 x 24, 3 x 3, depthwise", 9, 12, 24, 1, FP8MAC_E4M3FN},
    {"9 x 12 x 18, 3 x 3, depthwise", 9, 12, 18, 1, FP8MAC_E4M3FN},
    {"13 x 9 x 36, 3 x 3, depthwise, float32", 13, 9, 36, 1, FP8MAC_FP32},
    {"9 x 12 x 40 to 80, 3 x 3, depthwise, float16", 9, 12, 40, 2, FP8MAC_FP16},
};

// Groups of one channel are joined so that their outputs are whole beats.
static void run_depthwise(layers_test *test, const depthwise_case *c)
{
    enum { POINTS = 9 };
    const fp8rt_arena arena = test->arena;
    const uint32_t outputs = c->channels * c->multiplier;
    const fp8rt_caps *caps = &test->dev.caps;
    const uint32_t whole = c->multiplier == 1
                               ? fp8rt_channels_to_join(caps, c->out_format, c->channels)
                               : fp8rt_groups_to_join(caps, c->out_format, c->multiplier);
    const uint32_t count = whole < c->channels ? whole : c->channels;
    fp8rt_tensor x = layers_codes(test, c->height * c->width, c->channels, FP8MAC_E4M3FN);
    const fp8rt_weights narrow = layers_weights(test, outputs, POINTS);
    fp8rt_weights joined = narrow;
    joined.codes = layers_empty(test, outputs, POINTS * count, FP8MAC_E4M3FN);
    joined.codes.scale = narrow.codes.scale;
    const fp8rt_join_desc join = {.src = &narrow.codes,
                                  .points = POINTS,
                                  .group_in = 1,
                                  .group_out = c->multiplier,
                                  .joined = count,
                                  .dst = &joined.codes};
    layers_expect(test, "groups are joined", fp8rt_join_groups(&test->dev.caps, &join) == FP8RT_OK);
    fp8rt_tensor out = layers_empty(test, c->height * c->width, outputs, c->out_format);
    fp8rt_convolution_desc desc = {.x = &x,
                                   .height = c->height,
                                   .width = c->width,
                                   .window = SAME_3_X_3,
                                   .weights = &joined,
                                   .group_in = count,
                                   .group_out = count * c->multiplier,
                                   .out = &out};
    fp8rt_convolution_desc definition = desc;
    definition.weights = &narrow;
    definition.group_in = 1;
    definition.group_out = c->multiplier;
    x.scale = 0.0078125f;
    out.scale = c->out_format == FP8MAC_E4M3FN ? 64.0f : 1.0f;
    layers_try(test, c->name, call_pair, refer_pair, &(paired){&desc, &definition}, &out);
    test->arena = arena;
}

typedef struct pairs_case {
    const char *name;
    uint32_t height, width, channels;
    fp8rt_window window;
    fp8mac_format_id out_format;
} pairs_case;

static const pairs_case pairs_cases[] = {
    {"14 x 14 x 64, 3 x 3, pairs", 14, 14, 64, SAME_3_X_3, FP8MAC_E4M3FN},
    {"25 x 5 x 40, 3 x 3, pairs", 25, 5, 40, SAME_3_X_3, FP8MAC_E4M3FN},
    {"9 x 12 x 18, 5 x 3, pairs",
     9,
     12,
     18,
     {.kernel_h = 5, .kernel_w = 3, .pad_top = 2, .pad_bottom = 2, .pad_left = 1, .pad_right = 1},
     FP8MAC_E5M2},
    {"15 x 13 x 34, 3 x 4, stride 2 x 3, dilation 1 x 2, pairs",
     15,
     13,
     34,
     {.kernel_h = 3, .kernel_w = 4, .stride_y = 2, .stride_x = 3, .dilation_x = 2, .pad_top = 1},
     FP8MAC_E4M3FNUZ},
    // Two rows of A fill the buffer of an array that has one row
    {"3 x 37 x 24, 2 x 36, pairs", 3, 37, 24, {.kernel_h = 2, .kernel_w = 36}, FP8MAC_E4M3FN},
    {"2 x 40 x 24, 2 x 1, pairs", 2, 40, 24, {.kernel_h = 2, .pad_top = 1}, FP8MAC_E4M3FN},
};

// As commands that give two lines at once, beside the definition of the layer
static void run_pairs(layers_test *test, const pairs_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    const fp8rt_window *w = &c->window;
    const uint32_t points = or_one(w->kernel_h) * or_one(w->kernel_w), each = caps->cols / 2u;
    const uint32_t out_h = fp8rt_window_count(w->kernel_h, w->stride_y, w->dilation_y, c->height,
                                              w->pad_top + w->pad_bottom);
    const uint32_t out_w = fp8rt_window_count(w->kernel_w, w->stride_x, w->dilation_x, c->width,
                                              w->pad_left + w->pad_right);
    if (!fp8rt_takes_pairs(caps, c->channels, w, out_h)) {
        return;
    }
    fp8rt_tensor x = layers_codes(test, c->height * c->width, c->channels, FP8MAC_E4M3FN);
    const fp8rt_weights narrow = layers_weights(test, c->channels, points);
    fp8rt_weights packed = narrow;
    packed.codes = layers_empty(
        test, fp8rt_pairs_rows(c->channels),
        fp8rt_pairs_cols(caps, or_one(w->kernel_h), or_one(w->kernel_w), or_one(w->stride_y)),
        FP8MAC_E4M3FN);
    packed.codes.scale = narrow.codes.scale;
    const fp8rt_pairs_desc pairs = {.src = &narrow.codes,
                                    .kernel_h = w->kernel_h,
                                    .kernel_w = w->kernel_w,
                                    .stride_y = w->stride_y,
                                    .dst = &packed.codes};
    layers_expect(test, "lines are paired", fp8rt_pair_lines(caps, &pairs) == FP8RT_OK);
    fp8rt_tensor out = layers_empty(test, out_h * out_w, c->channels, c->out_format);
    fp8rt_convolution_desc desc = {.x = &x,
                                   .height = c->height,
                                   .width = c->width,
                                   .window = *w,
                                   .weights = &packed,
                                   .group_in = each,
                                   .group_out = each,
                                   .pairs = true,
                                   .out = &out};
    fp8rt_convolution_desc definition = desc;
    definition.weights = &narrow;
    definition.group_in = definition.group_out = 1;
    definition.pairs = false;
    x.scale = 0.0078125f;
    out.scale = c->out_format == FP8MAC_E4M3FN ? 64.0f : 256.0f;
    layers_try(test, c->name, call_pair, refer_pair, &(paired){&desc, &definition}, &out);
    test->arena = arena;
}

static fp8rt_status query(layers_test *test, const fp8rt_convolution_desc *desc)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_convolution(&run, desc);
}

// What layers with pairs must not have
static void refuse_pairs(layers_test *test)
{
    enum { CHANNELS = 32, SIDE = 6 };
    const fp8rt_caps *caps = &test->dev.caps;
    const fp8rt_window window = SAME_3_X_3;
    if (!fp8rt_takes_pairs(caps, CHANNELS, &window, SIDE)) {
        return;
    }
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_codes(test, SIDE * SIDE, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_weights weights =
        layers_weights(test, fp8rt_pairs_rows(CHANNELS), fp8rt_pairs_cols(caps, 3, 3, 1));
    fp8rt_tensor out = layers_empty(test, SIDE * SIDE, CHANNELS, FP8MAC_E4M3FN);
    fp8rt_convolution_desc desc = {.x = &x,
                                   .height = SIDE,
                                   .width = SIDE,
                                   .window = window,
                                   .weights = &weights,
                                   .group_in = caps->cols / 2u,
                                   .group_out = caps->cols / 2u,
                                   .pairs = true,
                                   .out = &out};
    layers_expect(test, "pairs", query(test, &desc) == FP8RT_OK);
    desc.residual = &x;
    layers_expect(test, "pairs and a residual", query(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    desc.residual = NULL;
    desc.fused.coding.stochastic = true;
    layers_expect(test, "pairs, rounded with random bits",
                  query(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    desc.fused.coding.stochastic = false;
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    out.scaling = &scaling;
    layers_expect(test, "pairs with a dynamic scale", query(test, &desc) == FP8RT_ERR_FORMAT);
    out.scaling = NULL;
    desc.window.dilation_y = 2;
    desc.window.pad_top = desc.window.pad_bottom = 2;
    layers_expect(test, "pairs of a dilated kernel", query(test, &desc) == FP8RT_ERR_IMAGE);
    desc.window = window;
    weights.codes.rows = CHANNELS;
    layers_expect(test, "weights that are not paired", query(test, &desc) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

// What the layer refuses. Each line changes what the line before has put right.
static void refusals(layers_test *test)
{
    fp8rt_tensor x = layers_codes(test, 64, 32, FP8MAC_E4M3FN);
    fp8rt_weights weights = layers_weights(test, 24, 9 * 32);
    fp8rt_tensor out = layers_empty(test, 64, 24, FP8MAC_E4M3FN);
    fp8rt_convolution_desc desc = {
        .x = &x, .height = 8, .width = 8, .window = SAME_3_X_3, .out = &out};
    layers_expect(test, "no weights", query(test, &desc) == FP8RT_ERR_NULL);
    desc.weights = &weights;
    layers_expect(test, "a convolution", query(test, &desc) == FP8RT_OK);
    desc.width = 9;
    layers_expect(test, "pixels that are not there", query(test, &desc) == FP8RT_ERR_SHAPE);
    desc.width = 8;
    desc.window.pad_right = 0;
    layers_expect(test, "outputs that are not there", query(test, &desc) == FP8RT_ERR_SHAPE);
    desc.window.pad_right = 1;
    desc.window.kernel_w = 11;
    layers_expect(test, "a kernel that does not fit", query(test, &desc) == FP8RT_ERR_SHAPE);
    desc.window.kernel_w = 3;
    desc.pixel_bytes = 31;
    layers_expect(test, "pixels that overlap", query(test, &desc) == FP8RT_ERR_STRIDE);
    desc.pixel_bytes = 0;
    desc.group_out = 12;
    layers_expect(test, "groups that differ", query(test, &desc) == FP8RT_ERR_SHAPE);
    desc.group_in = 16;
    weights.codes.cols = 9 * 16;
    layers_expect(test, "a group between beats", query(test, &desc) == FP8RT_ERR_ALIGNMENT);
}

// The last group of channels of an image, and D right behind the image. A beat before that they
// overlap.
static void end_of_image(layers_test *test)
{
    enum { SIDE = 4, GROUP = 16, PIXEL = 64, BYTES = SIDE * SIDE * PIXEL };
    const fp8rt_arena arena = test->arena;
    uint8_t *memory = layers_take(test, 2 * BYTES);
    fp8rt_gemm_desc desc = {.m = SIDE * SIDE,
                            .n = GROUP,
                            .k = GROUP,
                            .a = {.codes = memory + PIXEL - GROUP},
                            .b = {.codes = layers_take(test, GROUP * PIXEL)},
                            .image = {.height = SIDE,
                                      .width = SIDE,
                                      .channels = GROUP,
                                      .pixel_bytes = PIXEL,
                                      .out_w = SIDE},
                            .d = memory + BYTES,
                            .d_stride = PIXEL};
    fp8rt_gemm_plan plan;
    layers_expect(test, "D behind an image",
                  fp8rt_gemm_plan_make(&test->dev.caps, desc, &plan) == FP8RT_OK);
    desc.d = memory + BYTES - test->dev.caps.beat_bytes;
    layers_expect(test, "D within an image",
                  fp8rt_gemm_plan_make(&test->dev.caps, desc, &plan) == FP8RT_ERR_OVERLAP);
    test->arena = arena;
}

void layers_convolution(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    for (size_t i = 0; i < sizeof depthwise_cases / sizeof depthwise_cases[0]; i++) {
        run_depthwise(test, &depthwise_cases[i]);
    }
    for (size_t i = 0; i < sizeof pairs_cases / sizeof pairs_cases[0]; i++) {
        run_pairs(test, &pairs_cases[i]);
    }
    end_of_image(test);
    refuse_pairs(test);
    refusals(test);
}
