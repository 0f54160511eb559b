// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

typedef struct transposed_case {
    const char *name;
    uint32_t images, height, width, out_height, out_width, channels, out_channels;
    uint32_t kernel_h, kernel_w, stride_y, stride_x, pad_top, pad_left;
    fp8mac_format_id out_format;
    fp8rt_scaling_kind scaling;
} transposed_case;

static const transposed_case cases[] = {
    {"8 x 8 x 32 to 16 x 16 x 16, 2 x 2, stride 2", 1, 8, 8, 16, 16, 32, 16, 2, 2, 2, 2, 0, 0,
     FP8MAC_E4M3FN, FP8RT_SCALING_STATIC},
    {"2 of 5 x 6 x 12 to 10 x 12 x 20, 4 x 4, stride 2, dynamic", 2, 5, 6, 10, 12, 12, 20, 4, 4, 2,
     2, 1, 1, FP8MAC_E4M3FN, FP8RT_SCALING_DYNAMIC},
    {"5 x 7 x 9 to 10 x 20 x 7, 3 x 5, stride 2 and 3, float32", 1, 5, 7, 10, 20, 9, 7, 3, 5, 2, 3,
     1, 1, FP8MAC_FP32, FP8RT_SCALING_STATIC},
    {"3 signals of 20 x 16 to 80 x 24, 8, stride 4", 3, 1, 20, 1, 80, 16, 24, 1, 8, 1, 4, 0, 2,
     FP8MAC_FP16, FP8RT_SCALING_STATIC},
    {"4 x 4 x 8 to 7 x 8 x 16, 2 x 2, stride 2, pad 1", 1, 4, 4, 7, 8, 8, 16, 2, 2, 2, 2, 1, 0,
     FP8MAC_FP32, FP8RT_SCALING_STATIC},
};

// What runs, and the weights before they were divided into sub-grids
typedef struct context {
    fp8rt_transposed_desc desc;
    const fp8rt_tensor *kernel;
} context;

static fp8rt_status call(fp8rt_run *run, const void *context_)
{
    return fp8rt_transposed_convolution(run, &((const context *)context_)->desc);
}

// The input coordinate that kernel position `k` brings to output coordinate `o`; -1: none.
static int32_t source(uint32_t o, uint32_t k, uint32_t padding, uint32_t stride, uint32_t size)
{
    const int32_t at = (int32_t)(o + padding) - (int32_t)k;
    return at < 0 || at % (int32_t)stride != 0 || at / (int32_t)stride >= (int32_t)size
               ? -1
               : at / (int32_t)stride;
}

// All positions of a sub-grid's kernel count for the bound, in blocks of 32 products. The largest
// operands of the tensors stand in for those of a block.
static void refer_output(fp8rt_reference *reference, const context *c, uint32_t row, uint32_t n,
                         double amax)
{
    const fp8rt_transposed_desc *d = &c->desc;
    const fp8rt_caps *caps = reference->caps;
    const uint32_t per_image = d->out_height * d->out_width;
    const uint32_t image = row / per_image, oy = row % per_image / d->out_width;
    const uint32_t ox = row % d->out_width, channels = d->x->cols;
    double sum = 0;
    for (uint32_t k = 0; k < d->kernel_h * d->kernel_w; k++) {
        const int32_t y = source(oy, k / d->kernel_w, d->pad_top, d->stride_y, d->height);
        const int32_t x = source(ox, k % d->kernel_w, d->pad_left, d->stride_x, d->width);
        for (uint32_t i = 0; i < channels && y >= 0 && x >= 0; i++) {
            const uint32_t pixel = (image * d->height + (uint32_t)y) * d->width + (uint32_t)x;
            sum += fp8rt_reference_at(caps, d->x, pixel, i) *
                   fp8rt_reference_at(caps, c->kernel, n, k * channels + i);
        }
    }
    const double scale = (double)d->weights->row_scale[n], bias = (double)d->weights->bias[n];
    const size_t position = (size_t)row * d->out->cols + n;
    const uint32_t blocks = fp8rt_subgrid_points(d) * channels / caps->block + 1u;
    reference->values[position] = sum * scale + bias;
    reference->bounds[position] =
        scale * amax * blocks / 8192.0 + (bias < 0 ? -bias : bias) / 2097152.0;
}

static void refer(fp8rt_reference *reference, const void *context_)
{
    const context *c = context_;
    const fp8rt_transposed_desc *d = &c->desc;
    const double amax = 448.0 * 448.0 * (double)d->x->scale * (double)c->kernel->scale;
    for (uint32_t row = 0; row < d->out->rows; row++) {
        for (uint32_t n = 0; n < d->out->cols; n++) {
            refer_output(reference, c, row, n, amax);
        }
    }
}

static void run_case(layers_test *test, const transposed_case *t)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = t->scaling};
    fp8rt_tensor x =
        layers_codes(test, t->images * t->height * t->width, t->channels, FP8MAC_E4M3FN);
    const fp8rt_weights whole =
        layers_weights(test, t->out_channels, t->kernel_h * t->kernel_w * t->channels);
    fp8rt_weights divided = whole;
    fp8rt_tensor out = layers_empty(test, t->images * t->out_height * t->out_width, t->out_channels,
                                    t->out_format);
    context c = {.desc = {.x = &x,
                          .images = t->images,
                          .height = t->height,
                          .width = t->width,
                          .out_height = t->out_height,
                          .out_width = t->out_width,
                          .kernel_h = t->kernel_h,
                          .kernel_w = t->kernel_w,
                          .stride_y = t->stride_y,
                          .stride_x = t->stride_x,
                          .pad_top = t->pad_top,
                          .pad_left = t->pad_left,
                          .weights = &divided,
                          .out = &out},
                 .kernel = &whole.codes};
    divided.codes = layers_empty(test, t->stride_y * t->stride_x * t->out_channels,
                                 fp8rt_subgrid_points(&c.desc) * t->channels, FP8MAC_E4M3FN);
    divided.codes.scale = whole.codes.scale;
    x.scale = 0.0078125f;
    out.scaling = &scaling;
    out.scale = t->out_format == FP8MAC_E4M3FN && t->scaling == FP8RT_SCALING_STATIC ? 64.0f : 1.0f;
    layers_expect(test, "the kernel is divided into sub-grids",
                  fp8rt_split_kernel(&test->dev.caps, &c.desc, &whole.codes, &divided.codes) ==
                      FP8RT_OK);
    const unsigned before = test->recorded;
    layers_try(test, t->name, call, refer, &c, &out);
    if (t->scaling == FP8RT_SCALING_STATIC) {
        layers_expect_recorded(test, "a transposed convolution is recorded", before);
    }
    test->arena = arena;
}

void layers_transposed(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
}
