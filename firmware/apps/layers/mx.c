// SPDX-License-Identifier: Apache-2.0
// MX from FP32, FP16 and BF16 to the output of a layer: scales and codes beside the model's recipe,
// and fully connected layers whose operands and outputs have MX scales.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "fp8mac/recipe_published.h"
#include "fp8rt/to_mx.h"

enum { ROWS = 5, COLS = 70, BLOCKS = 3 };

// ---- quantising ---------------------------------------------------------------------------------

typedef struct quantise_case {
    const char *name;
    fp8mac_format_id values_format, format;
    bool specials; // zeros, subnormal numbers, Inf and NaN
} quantise_case;

static const quantise_case quantise_cases[] = {
    {"float32 to e4m3fn", FP8MAC_FP32, FP8MAC_E4M3FN, false},
    {"float32 to e5m2, specials", FP8MAC_FP32, FP8MAC_E5M2, true},
    {"float32 to e5m2fnuz", FP8MAC_FP32, FP8MAC_E5M2FNUZ, false},
    {"float16 to e4m3fn, specials", FP8MAC_FP16, FP8MAC_E4M3FN, true},
    {"bfloat16 to e4m3fnuz, specials", FP8MAC_BF16, FP8MAC_E4M3FNUZ, true},
    {"float32 to e2m1fn", FP8MAC_FP32, FP8MAC_E2M1FN, false},
    {"float16 to e3m2fn, specials", FP8MAC_FP16, FP8MAC_E3M2FN, true},
};

// What the recipe makes of the values as FP32.
static bool is_recipe(const fp8rt_caps *caps, const fp8rt_mx_desc *desc)
{
    const fp8mac_format *from = fp8mac_format_get(desc->values_format);
    const uint32_t bytes = fp8mac_format_bytes(from);
    const uint32_t stride = fp8rt_packed_stride(caps, COLS * bytes);
    for (uint32_t row = 0; row < ROWS; row++) {
        float values[COLS];
        uint8_t codes[COLS], scales[BLOCKS];
        fp8mac_convert(fp8mac_format_get(FP8MAC_FP32), values, from,
                       (const uint8_t *)desc->values + (size_t)row * stride, COLS,
                       (fp8mac_convert_mode){0}, NULL);
        fp8mac_recipe_mx_quantize(fp8mac_format_get(desc->format), codes, scales, values, COLS,
                                  NULL);
        if (memcmp(codes, desc->codes + row * fp8rt_packed_stride(caps, COLS), COLS) != 0 ||
            memcmp(scales, desc->scales + row * fp8rt_packed_stride(caps, BLOCKS), BLOCKS) != 0) {
            return false;
        }
    }
    return true;
}

// Values of all magnitudes. Without specials the exponents are within 2^8 of each other.
static void *draw_values(layers_test *test, const quantise_case *c)
{
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(c->values_format));
    const uint32_t words = ROWS * fp8rt_packed_stride(&test->dev.caps, COLS * bytes) / 4;
    uint32_t *values = layers_take(test, words * 4);
    if (values != NULL && !c->specials) {
        fp8rt_random_floats(&test->random, true, (float *)values, words);
    }
    for (uint32_t i = 0; values != NULL && c->specials && i < words; i++) {
        // Numbers of 16 bits have Inf and NaN in some blocks alone.
        values[i] = fp8rt_random_next(&test->random) &
                    (bytes == 2 && i % 50 != 0 ? 0xbfffbfffu : UINT32_MAX);
    }
    return values;
}

// The codes and scales, whose hashes are compared. The host also compares them with the recipe.
static void report(layers_test *test, const char *name, const fp8rt_mx_desc *desc,
                   fp8rt_status status)
{
    fp8rt_tensor codes = {.data = desc->codes, .rows = ROWS, .cols = COLS};
    fp8rt_tensor scales = {.data = desc->scales, .rows = ROWS, .cols = BLOCKS};
    layers_expect(test, name,
                  status == FP8RT_OK && (!fp8rt_app_is_host || is_recipe(&test->dev.caps, desc)));
    layers_report(test, name, &codes);
    layers_report(test, "its scales", &scales);
}

static void quantise(layers_test *test, const quantise_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    const size_t codes_bytes = ROWS * fp8rt_packed_stride(caps, COLS);
    const size_t scales_bytes = ROWS * fp8rt_packed_stride(caps, BLOCKS);
    fp8rt_mx_desc desc = {.rows = ROWS,
                          .cols = COLS,
                          .values = draw_values(test, c),
                          .values_format = c->values_format,
                          .codes = layers_take(test, codes_bytes),
                          .format = c->format,
                          .scales = layers_take(test, scales_bytes)};
    void *scratch = layers_take(test, fp8rt_mx_scratch_bytes(ROWS));
    report(test, c->name, &desc, fp8rt_mx_quantize(caps, &desc, NULL));
    if (c->format <= FP8MAC_E5M2FNUZ) {
        memset(desc.codes, 0xa5, codes_bytes);
        memset(desc.scales, 0xa5, scales_bytes);
        report(test, c->name, &desc,
               fp8rt_mx_convert(&test->dev, &desc, scratch, fp8rt_mx_scratch_bytes(ROWS)));
    }
    test->arena = arena;
}

// Core cycles of a value, for a matrix of 16 x 256.
static void print_speed(layers_test *test)
{
    enum { TALL = 16, WIDE = 256 };
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    fp8rt_mx_desc desc = {.rows = TALL,
                          .cols = WIDE,
                          .values = layers_floats(test, true, TALL * WIDE),
                          .values_format = FP8MAC_FP32,
                          .codes = layers_take(test, TALL * WIDE),
                          .scales = layers_take(test, TALL * fp8rt_packed_stride(caps, 8))};
    void *scratch = layers_take(test, fp8rt_mx_scratch_bytes(TALL));
    const uint64_t start = fp8rt_app_cycles();
    bool good = fp8rt_mx_quantize(caps, &desc, NULL) == FP8RT_OK;
    const uint64_t middle = fp8rt_app_cycles();
    good = fp8rt_mx_convert(&test->dev, &desc, scratch, fp8rt_mx_scratch_bytes(TALL)) == FP8RT_OK &&
           good;
    const uint64_t end = fp8rt_app_cycles();
    layers_expect(test, "16 x 256 to MX", good);
    if (!fp8rt_app_is_host) {
        printf("     16 x 256 float32 to MX, core cycles a value: %" PRIu32 " on the core, %" PRIu32
               " with the accelerator\n",
               (uint32_t)(middle - start) / (TALL * WIDE),
               (uint32_t)(end - middle) / (TALL * WIDE));
    }
    test->arena = arena;
}

// ---- products -----------------------------------------------------------------------------------

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_linear(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_linear(reference, desc);
}

// A tensor with memory for MX scales.
static fp8rt_tensor empty_mx(layers_test *test, uint32_t rows, uint32_t cols,
                             fp8mac_format_id format)
{
    fp8rt_tensor tensor = layers_empty(test, rows, cols, format);
    tensor.mx = layers_take(test, fp8rt_tensor_mx_bytes(&test->dev.caps, &tensor));
    return tensor;
}

// Random float32 values, whose rows differ by up to 2^12, and the tensor that they become.
static fp8rt_tensor quantised(layers_test *test, uint32_t rows, uint32_t cols,
                              fp8mac_format_id format, const float **values)
{
    const fp8rt_caps *caps = &test->dev.caps;
    const uint32_t stride = fp8rt_packed_stride(caps, cols * sizeof(float)) / sizeof(float);
    fp8rt_tensor tensor = empty_mx(test, rows, cols, format);
    float *memory = layers_take(test, rows * stride * sizeof(float));
    fp8rt_random_floats(&test->random, true, memory, rows * stride);
    for (uint32_t i = 0; i < rows * stride; i++) {
        memory[i] *= fp8mac_recipe_power_of_two((int)(i / stride % 13) - 6);
    }
    const fp8rt_mx_desc desc = {.rows = rows,
                                .cols = cols,
                                .values = memory,
                                .values_format = FP8MAC_FP32,
                                .codes = tensor.data,
                                .format = format,
                                .scales = tensor.mx};
    layers_expect(test, "operand to MX", fp8rt_mx_quantize(caps, &desc, NULL) == FP8RT_OK);
    *values = memory;
    return tensor;
}

// The error of D beside the product of the float32 matrices, in double precision. The bound of an
// operand is that of fp8rt/mx.h: 2^-3 of it where the format saturates or has two bits of mantissa,
// and 2^-16 of the block's largest where it underflows.
static double bound_of(double value, double largest)
{
    return fabs(value) * 0.125 + largest * 0x1p-16;
}

static double largest_of(const float *block, uint32_t count)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)block[i]));
    }
    return largest;
}

static void compare_floats(layers_test *test, const char *name, const float *x, const float *w,
                           uint32_t k, const fp8rt_tensor *out)
{
    const fp8rt_caps *caps = &test->dev.caps;
    const uint32_t stride = fp8rt_packed_stride(caps, k * sizeof(float)) / sizeof(float);
    double signal = 0, noise = 0;
    uint32_t wrong = 0;
    for (uint32_t m = 0; m < out->rows; m++) {
        for (uint32_t n = 0; n < out->cols; n++) {
            double sum = 0, bound = 0;
            for (uint32_t i = 0; i < k; i++) {
                const float *a = x + m * stride, *b = w + n * stride;
                const uint32_t first = i & ~31u, count = k - first < 32 ? k - first : 32;
                const double ea = bound_of((double)a[i], largest_of(a + first, count));
                const double eb = bound_of((double)b[i], largest_of(b + first, count));
                sum += (double)a[i] * (double)b[i];
                bound += fabs((double)a[i]) * eb + fabs((double)b[i]) * ea + ea * eb;
            }
            const double error = fp8rt_reference_at(caps, out, m, n) - sum;
            wrong += !(fabs(error) <= bound * 1.001);
            signal += sum * sum;
            noise += error * error;
        }
    }
    const double decibels = 10 * log10(signal / noise);
    printf("     beside float32: %.1f dB, %" PRIu32 " outputs beyond the bound\n", decibels, wrong);
    layers_expect(test, name, wrong == 0 && decibels > 20);
}

typedef struct product_case {
    const char *name;
    uint32_t m, n, k;
    fp8mac_format_id x_format, w_format, out_format;
    bool mx_out;
} product_case;

static const product_case product_cases[] = {
    {"MX: 9 x 70 to 12, float32", 9, 12, 70, FP8MAC_E4M3FN, FP8MAC_E4M3FN, FP8MAC_FP32, false},
    {"MX: 16 x 128 to 48, e5m2 x e4m3fn", 16, 48, 128, FP8MAC_E5M2, FP8MAC_E4M3FN, FP8MAC_FP32,
     false},
    {"MX: 9 x 70 to 40, MX", 9, 40, 70, FP8MAC_E4M3FN, FP8MAC_E4M3FN, FP8MAC_E4M3FN, true},
    {"MX: 33 x 64 to 64, MX in e5m2", 33, 64, 64, FP8MAC_E4M3FN, FP8MAC_E4M3FN, FP8MAC_E5M2, true},
};

static void product(layers_test *test, const product_case *c)
{
    const fp8rt_arena arena = test->arena;
    const float *x_values, *w_values;
    const fp8rt_tensor x = quantised(test, c->m, c->k, c->x_format, &x_values);
    const fp8rt_weights weights = {.codes = quantised(test, c->n, c->k, c->w_format, &w_values)};
    fp8rt_tensor out = c->mx_out ? empty_mx(test, c->m, c->n, c->out_format)
                                 : layers_empty(test, c->m, c->n, c->out_format);
    const fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &out};
    layers_try(test, c->name, call, refer, &desc, &out);
    if (c->mx_out) {
        const fp8rt_tensor scales = {.data = out.mx,
                                     .rows = c->m,
                                     .cols = fp8rt_mx_blocks(c->n),
                                     .stride = fp8rt_tensor_mx_stride(&test->dev.caps, &out),
                                     .scale = 1.0f};
        layers_report(test, "its scales", &scales);
    } else if (fp8rt_app_is_host) {
        compare_floats(test, c->name, x_values, w_values, c->k, &out);
    }
    test->arena = arena;
}

// Two layers: the first one's output is the second one's operand as it is.
static void chain(layers_test *test)
{
    enum { M = 8, HIDDEN = 64, N = 24, K = 96 };
    const fp8rt_arena arena = test->arena;
    const float *values;
    const fp8rt_tensor x = quantised(test, M, K, FP8MAC_E4M3FN, &values);
    const fp8rt_weights first = {.codes = quantised(test, HIDDEN, K, FP8MAC_E4M3FN, &values)};
    const fp8rt_weights second = {.codes = quantised(test, N, HIDDEN, FP8MAC_E4M3FN, &values)};
    fp8rt_tensor hidden = empty_mx(test, M, HIDDEN, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, M, N, FP8MAC_FP32);
    const fp8rt_linear_desc one = {
        .x = &x, .weights = &first, .fused = {.activation = FP8MAC_ACT_RELU}, .out = &hidden};
    const fp8rt_linear_desc two = {.x = &hidden, .weights = &second, .out = &out};
    layers_try(test, "MX: 8 x 96 to 64, relu, MX", call, refer, &one, &hidden);
    layers_try(test, "MX: and from there to 24", call, refer, &two, &out);
    test->arena = arena;
}

// ---- the conversion as a layer ------------------------------------------------------------------

static fp8rt_status call_to_mx(fp8rt_run *run, const void *desc)
{
    return fp8rt_to_mx(run, desc);
}

// The same bytes as the core's own conversion, run and recorded. Some blocks have Inf and NaN.
static void to_mx(layers_test *test, const quantise_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    fp8rt_tensor out = empty_mx(test, ROWS, COLS, c->format);
    fp8rt_tensor want = empty_mx(test, ROWS, COLS, c->format);
    const fp8rt_tensor x = {
        .data = draw_values(test, c), .rows = ROWS, .cols = COLS, .format = c->values_format};
    const fp8rt_mx_desc core = {.rows = ROWS,
                                .cols = COLS,
                                .values = x.data,
                                .values_format = x.format,
                                .codes = want.data,
                                .format = c->format,
                                .scales = want.mx};
    const fp8rt_to_mx_desc desc = {.x = &x, .out = &out};
    const unsigned recorded = test->recorded;
    layers_try(test, c->name, call_to_mx, NULL, &desc, &out);
    layers_expect_recorded(test, c->name, recorded);
    bool same = fp8rt_mx_quantize(caps, &core, NULL) == FP8RT_OK;
    for (uint32_t row = 0; row < ROWS; row++) {
        const size_t codes = row * fp8rt_packed_stride(caps, COLS);
        const size_t scales = row * fp8rt_packed_stride(caps, BLOCKS);
        same = same &&
               memcmp((uint8_t *)out.data + codes, (uint8_t *)want.data + codes, COLS) == 0 &&
               memcmp(out.mx + scales, want.mx + scales, BLOCKS) == 0;
    }
    layers_expect(test, "the layer's bytes are the core's", same);
    test->arena = arena;
}

static fp8rt_status status_of(layers_test *test, const fp8rt_to_mx_desc *desc)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_to_mx(&run, desc);
}

static void to_mx_refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_empty(test, 4, 64, FP8MAC_FP32);
    fp8rt_tensor out = empty_mx(test, 4, 64, FP8MAC_E4M3FN);
    const fp8rt_to_mx_desc desc = {.x = &x, .out = &out};
    layers_expect(test, "to MX", status_of(test, &desc) == FP8RT_OK);
    x.format = FP8MAC_E4M3FN;
    layers_expect(test, "to MX from e4m3fn", status_of(test, &desc) == FP8RT_ERR_FORMAT);
    x.format = FP8MAC_FP32;
    x.scale = 2.0f;
    layers_expect(test, "to MX with a scale", status_of(test, &desc) == FP8RT_ERR_SCALE);
    x.scale = 1.0f;
    out.rows = 3;
    layers_expect(test, "to MX of fewer rows", status_of(test, &desc) == FP8RT_ERR_SHAPE);
    out.rows = 4;
    out.mx = NULL;
    layers_expect(test, "to MX without scales", status_of(test, &desc) == FP8RT_ERR_NULL);
    test->arena = arena;
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = empty_mx(test, 4, 64, FP8MAC_E4M3FN);
    fp8rt_weights weights = {.codes = empty_mx(test, 8, 64, FP8MAC_E4M3FN)};
    fp8rt_tensor out = empty_mx(test, 4, 8, FP8MAC_E4M3FN);
    fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &out};
    uint8_t *const mx = x.mx;
    layers_expect(test, "MX of all", layers_linear_status(test, &desc) == FP8RT_OK);
    x.mx = NULL;
    layers_expect(test, "MX of the weights alone",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    x.mx = mx;
    weights.codes.mx = NULL;
    layers_expect(test, "MX of x alone",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    weights.codes.mx = mx;
    x.mx = mx + 1;
    layers_expect(test, "MX between beats",
                  layers_linear_status(test, &desc) == FP8RT_ERR_ALIGNMENT);
    x.mx = mx;
    desc.fused.coding.table = 1;
    layers_expect(test, "MX and a table",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    desc.fused.coding.table = 0;
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    out.scaling = &scaling;
    layers_expect(test, "MX and a scaling",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    out.scaling = NULL;
    desc.residual = &out;
    layers_expect(test, "MX of a residual",
                  layers_linear_status(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    fp8rt_mx_desc quantise_desc = {.rows = 4,
                                   .cols = 64,
                                   .values = mx,
                                   .values_format = FP8MAC_E4M3FN,
                                   .codes = x.data,
                                   .scales = mx};
    layers_expect(test, "MX from e4m3fn",
                  fp8rt_mx_quantize(&test->dev.caps, &quantise_desc, NULL) == FP8RT_ERR_FORMAT);
    quantise_desc.values_format = FP8MAC_FP32;
    quantise_desc.values_stride = 252;
    layers_expect(test, "rows of MX that overlap",
                  fp8rt_mx_quantize(&test->dev.caps, &quantise_desc, NULL) == FP8RT_ERR_STRIDE);
    test->arena = arena;
}

void layers_mx(layers_test *test)
{
    for (size_t i = 0; i < sizeof quantise_cases / sizeof quantise_cases[0]; i++) {
        quantise(test, &quantise_cases[i]);
    }
    print_speed(test);
    if ((test->dev.caps.functions & FP8MAC_FUNCTION_MX) == 0) {
        printf("     this array has no MX\n");
        return;
    }
    for (size_t i = 0; i < sizeof product_cases / sizeof product_cases[0]; i++) {
        product(test, &product_cases[i]);
    }
    chain(test);
    refusals(test);
    for (size_t i = 0; i < sizeof quantise_cases / sizeof quantise_cases[0]; i++) {
        if (quantise_cases[i].format <= FP8MAC_E5M2FNUZ) {
            to_mx(test, &quantise_cases[i]);
        }
    }
    to_mx_refusals(test);
}
