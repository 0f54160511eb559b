// SPDX-License-Identifier: Apache-2.0
//: Convolutions that read their image in place, beside the same GEMMs with gathered operands.
//
// For each layer the core gathers the operand of the GEMM (im2col) by the definition in
// fp8mac/image.h. The accelerator computes the layer from the image, and the GEMM from the gathered
// operand. Outputs, amax and flags of both are compared with the golden model's GEMM. The last line
// is the count of tests.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/matrix.h"
#include "fp8rt/trial.h"

static fp8rt_device dev;

typedef struct layer {
    const char *name;
    fp8rt_image image;
    uint32_t kernel_h, out_h, n;
} layer;

// clang-format off
// The second one is a quarter of a layer of 56 x 56: the host's golden model takes its time.
static const layer layers[] = {
    {"28 x 28 x 8 to 16, 3 x 3",
     {.height = 28, .width = 28, .channels = 8, .out_w = 28, .kernel_w = 3, .pad_top = 1, .pad_left = 1},
     .kernel_h = 3, .out_h = 28, .n = 16},
    {"14 x 56 x 64 to 64, 3 x 3",
     {.height = 14, .width = 56, .channels = 64, .out_w = 56, .kernel_w = 3, .pad_top = 1, .pad_left = 1},
     .kernel_h = 3, .out_h = 14, .n = 64},
    {"13 x 11 x 5 to 9, 3 x 2, stride 2, dilation 2",
     {.height = 13, .width = 11, .channels = 5, .out_w = 6, .kernel_w = 2, .stride_y = 2,
      .stride_x = 2, .dilation_y = 2, .dilation_x = 2, .pad_top = 2, .pad_left = 1},
     .kernel_h = 3, .out_h = 7, .n = 9},
    {"20 x 20 x 16 to 24, 1 x 1, stride 2",
     {.height = 20, .width = 20, .channels = 16, .out_w = 10, .stride_y = 2, .stride_x = 2},
     .kernel_h = 1, .out_h = 10, .n = 24},
    {"200 samples x 3 to 10, 7, stride 2",
     {.height = 1, .width = 200, .channels = 3, .out_w = 100, .kernel_w = 7, .stride_x = 2, .pad_left = 3},
     .kernel_h = 1, .out_h = 1, .n = 10},
    {"10 x 10, 4 of 12 channels, to 8, 3 x 3",
     {.height = 10, .width = 10, .channels = 4, .pixel_bytes = 12, .out_w = 8, .kernel_w = 3},
     .kernel_h = 3, .out_h = 8, .n = 8},
};
// clang-format on

// ---- the operand as a matrix --------------------------------------------------------------------

static const uint8_t *pixel_at(const fp8rt_gemm_desc *desc, int32_t y, int32_t x)
{
    const fp8rt_image *image = &desc->image;
    if (y < 0 || y >= (int32_t)image->height || x < 0 || x >= (int32_t)image->width) {
        return NULL;
    }
    return (const uint8_t *)desc->a.codes + (uint32_t)y * desc->a.stride +
           (uint32_t)x * image->pixel_bytes;
}

// The row of output pixel (oy, ox)
static void gather_row(const fp8rt_gemm_desc *desc, uint32_t oy, uint32_t ox, uint8_t *row)
{
    const fp8rt_image *image = &desc->image;
    const uint32_t kernel_h = desc->k / (image->kernel_w * image->channels);
    for (uint32_t ky = 0; ky < kernel_h; ky++) {
        const int32_t y =
            (int32_t)(oy * image->stride_y + ky * image->dilation_y) - (int32_t)image->pad_top;
        for (uint32_t kx = 0; kx < image->kernel_w; kx++, row += image->channels) {
            const int32_t x =
                (int32_t)(ox * image->stride_x + kx * image->dilation_x) - (int32_t)image->pad_left;
            const uint8_t *pixel = pixel_at(desc, y, x);
            if (pixel == NULL) {
                memset(row, 0, image->channels);
            } else {
                memcpy(row, pixel, image->channels);
            }
        }
    }
}

static void gather(const fp8rt_gemm_desc *desc, uint32_t stride, uint8_t *matrix)
{
    for (uint32_t oy = 0; oy * desc->image.out_w < desc->m; oy++) {
        for (uint32_t ox = 0; ox < desc->image.out_w; ox++, matrix += stride) {
            gather_row(desc, oy, ox, matrix);
        }
    }
}

// ---- one layer ----------------------------------------------------------------------------------

static uint8_t *codes(fp8rt_arena *arena, fp8rt_random *random, size_t bytes)
{
    uint8_t *memory = fp8rt_arena_alloc(arena, (bytes + 3u) & ~(size_t)3);
    if (memory != NULL) {
        fp8rt_random_codes(random, FP8RT_DATA_WIDE, FP8MAC_E4M3FN, memory,
                           (bytes + 3u) & ~(size_t)3);
    }
    return memory;
}

// Runs the descriptor and compares D with the golden model's GEMM of `matrix`.
static bool run(const fp8rt_gemm_desc *desc, const fp8rt_gemm_desc *matrix, uint32_t *cycles,
                uint32_t *beats)
{
    fp8rt_gemm_plan plan, checked;
    fp8rt_gemm_result result;
    fp8rt_gemm_desc golden = *matrix;
    golden.d = desc->d;
    fp8rt_status status = fp8rt_gemm_plan_make(&dev.caps, *desc, &plan);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm_plan_make(&dev.caps, golden, &checked);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_gemm_run(&dev, &plan, NULL, 0, &result);
    }
    if (status != FP8RT_OK) {
        printf("%s\n", fp8rt_status_string(status));
        return false;
    }
    *cycles = result.counters.cycles - result.counters.idle;
    *beats = result.counters.read_beats;
    return fp8rt_check_gemm(&dev.caps, &checked, &result) == 0;
}

static bool try_layer(const layer *l, fp8rt_arena arena, uint32_t seed)
{
    fp8rt_random random = fp8rt_random_seed(seed);
    const uint32_t pixel = l->image.pixel_bytes == 0 ? l->image.channels : l->image.pixel_bytes;
    const uint32_t kernel_w = l->image.kernel_w == 0 ? 1 : l->image.kernel_w;
    fp8rt_gemm_desc desc = {.m = l->out_h * l->image.out_w,
                            .n = l->n,
                            .k = l->kernel_h * kernel_w * l->image.channels,
                            .a.format = fp8rt_element_format(&dev.caps.element),
                            .b.format = fp8rt_element_format(&dev.caps.element),
                            .acc_format = fp8rt_element_accumulator(&dev.caps.element),
                            .image = l->image};
    const size_t d_bytes = fp8rt_packed_bytes(&dev.caps, desc.m, desc.n);
    desc.a.codes = codes(&arena, &random, l->image.height * l->image.width * pixel);
    desc.b.codes = codes(&arena, &random, fp8rt_packed_bytes(&dev.caps, desc.n, desc.k));
    desc.d = fp8rt_arena_alloc(&arena, d_bytes);
    fp8rt_gemm_desc matrix = desc;
    matrix.image = (fp8rt_image){0};
    uint8_t *operand = fp8rt_arena_alloc(&arena, fp8rt_packed_bytes(&dev.caps, desc.m, desc.k));
    matrix.a.codes = operand;
    matrix.d = fp8rt_arena_alloc(&arena, d_bytes);
    if (matrix.d == NULL || matrix.a.codes == NULL || desc.a.codes == NULL ||
        desc.b.codes == NULL) {
        printf("%s: does not fit in memory\n", l->name);
        return false;
    }
    // The plan fills in what the layer leaves at 0.
    fp8rt_gemm_plan plan;
    if (fp8rt_gemm_plan_make(&dev.caps, desc, &plan) != FP8RT_OK) {
        return false;
    }
    const uint64_t start = fp8rt_app_cycles();
    gather(&plan.desc, fp8rt_packed_stride(&dev.caps, desc.k), operand);
    const uint64_t gathered = fp8rt_app_cycles() - start;
    uint32_t cycles = 0, beats = 0, matrix_cycles = 0, matrix_beats = 0;
    const bool good = run(&matrix, &matrix, &matrix_cycles, &matrix_beats) &&
                      run(&desc, &matrix, &cycles, &beats);
    printf("%s %s\n", good ? "ok  " : "FAIL", l->name);
    if (good && !fp8rt_app_is_host) {
        char text[21];
        printf("     in place      %9" PRIu32 " cycles, %7" PRIu32 " beats read\n", cycles, beats);
        printf("     as a GEMM     %9" PRIu32 " cycles, %7" PRIu32 " beats read\n", matrix_cycles,
               matrix_beats);
        printf("     gathering     %9s cycles of the core, before that GEMM\n",
               fp8rt_app_decimal(gathered, text));
    }
    return good;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        printf("convolution: %s\n", fp8rt_status_string(status));
        return 1;
    }
    if ((dev.caps.functions & FP8MAC_FUNCTION_CONV_A) == 0) {
        printf("convolution: this accelerator cannot read images; build one with IMAGES=1\n");
        return 1;
    }
    for (uint32_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        try_layer(&layers[i], fp8rt_app_arena(), i + 1u) ? passed++ : failed++;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
