// SPDX-License-Identifier: Apache-2.0
// Weights and a batch norm become FP8 weights: their values beside the formula in double precision.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "fp8rt/weights.h"

enum { ROWS = 12, COLS = 37 };

typedef struct norm_case {
    const char *name;
    fp8mac_format_id format;
    bool bias, norm;
} norm_case;

static const norm_case cases[] = {
    {"weights alone", FP8MAC_E4M3FN, false, false},
    {"weights and bias, e5m2", FP8MAC_E5M2, true, false},
    {"batch norm", FP8MAC_E4M3FN, false, true},
    {"bias and batch norm, e4m3fnuz", FP8MAC_E4M3FNUZ, true, true},
};

static bool row_is_right(const fp8rt_caps *caps, const fp8rt_quantize_desc *desc,
                         const fp8rt_weights *weights, uint32_t row)
{
    const fp8rt_batch_norm *norm = desc->norm;
    const double factor =
        norm == NULL
            ? 1.0
            : (double)norm->gamma[row] / sqrt((double)norm->variance[row] + (double)norm->epsilon);
    const double unit = desc->codes.format == FP8MAC_E5M2 ? 0.125 : 0.0625;
    double largest = 0;
    for (uint32_t i = 0; i < COLS; i++) {
        largest = fmax(largest, fabs((double)desc->values[row * COLS + i] * factor));
    }
    for (uint32_t i = 0; i < COLS; i++) {
        const double value = (double)desc->values[row * COLS + i] * factor;
        const double got =
            fp8rt_reference_at(caps, &weights->codes, row, i) * (double)weights->row_scale[row];
        const double bound = fmax(fabs(value) * unit, largest * 0x1p-18) * 1.000001;
        if (!(fabs(got - value) <= bound)) {
            return false;
        }
    }
    return true;
}

static bool bias_is_right(const fp8rt_quantize_desc *desc, uint32_t row)
{
    const fp8rt_batch_norm *norm = desc->norm;
    if (desc->folded_bias == NULL) {
        return true;
    }
    const double bias = desc->bias == NULL ? 0.0 : (double)desc->bias[row];
    const double factor =
        norm == NULL
            ? 1.0
            : (double)norm->gamma[row] / sqrt((double)norm->variance[row] + (double)norm->epsilon);
    const double mean = norm == NULL ? 0.0 : (double)norm->mean[row];
    const double beta = norm == NULL ? 0.0 : (double)norm->beta[row];
    const double want = (bias - mean) * factor + beta;
    const double size = (fabs(bias) + fabs(mean)) * fabs(factor) + fabs(beta);
    return fabs((double)desc->folded_bias[row] - want) <= size * 0x1p-21;
}

static void run_case(layers_test *test, const norm_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_caps *caps = &test->dev.caps;
    float *values = layers_take(test, ROWS * COLS * sizeof(float));
    fp8rt_random_floats(&test->random, true, values, ROWS * COLS);
    memset(values + 5 * COLS, 0, COLS * sizeof(float));
    const fp8rt_batch_norm norm = {.gamma = layers_floats(test, true, ROWS),
                                   .beta = layers_floats(test, true, ROWS),
                                   .mean = layers_floats(test, true, ROWS),
                                   .variance = layers_floats(test, false, ROWS),
                                   .epsilon = 0.001f};
    const fp8rt_quantize_desc desc = {
        .values = values,
        .bias = c->bias ? layers_floats(test, true, ROWS) : NULL,
        .norm = c->norm ? &norm : NULL,
        .codes = layers_empty(test, ROWS, COLS, c->format),
        .row_scale = layers_take(test, ROWS * sizeof(float)),
        .folded_bias = c->bias || c->norm ? layers_take(test, ROWS * sizeof(float)) : NULL};
    fp8rt_weights weights;
    const uint64_t start = fp8rt_app_cycles();
    bool good = fp8rt_quantize_weights(caps, &desc, &weights) == FP8RT_OK;
    const uint32_t cycles = (uint32_t)(fp8rt_app_cycles() - start);
    for (uint32_t row = 0; row < ROWS && good; row++) {
        good = row_is_right(caps, &desc, &weights, row) && bias_is_right(&desc, row);
    }
    layers_expect(test, c->name, good);
    if (good) {
        layers_report(test, c->name, &weights.codes);
    }
    if (!fp8rt_app_is_host) {
        printf("     core %u cycles, %u weights\n", (unsigned)cycles, ROWS * COLS);
    }
    test->arena = arena;
}

static void refusals(layers_test *test)
{
    const fp8rt_caps *caps = &test->dev.caps;
    float values[4] = {1.0f, INFINITY, 2.0f, 3.0f}, scales[2];
    fp8rt_weights weights;
    fp8rt_quantize_desc desc = {
        .values = values, .codes = layers_empty(test, 2, 2, FP8MAC_E4M3FN), .row_scale = scales};
    layers_expect(test, "a weight of Inf",
                  fp8rt_quantize_weights(caps, &desc, &weights) == FP8RT_ERR_SCALE);
    desc.codes.format = FP8MAC_FP16;
    layers_expect(test, "weights in float16",
                  fp8rt_quantize_weights(caps, &desc, &weights) == FP8RT_ERR_FORMAT);
    desc.codes.format = FP8MAC_E4M3FN;
    desc.bias = scales;
    layers_expect(test, "no place for a bias",
                  fp8rt_quantize_weights(caps, &desc, &weights) == FP8RT_ERR_NULL);
}

void layers_batch_norm(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run_case(test, &cases[i]);
    }
    refusals(test);
}
