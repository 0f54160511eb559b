// SPDX-License-Identifier: Apache-2.0
#include "refusals.h"

#include <stdio.h>

enum { BEAT = 32, M = 3, N = 20 };

static _Alignas(BEAT) float x[M * 32], d[M * 32], vector[32];
static _Alignas(BEAT) uint8_t scales[M * BEAT];
static const float one = 1.0f, negative = -1.0f, large = 3e38f;

// A good descriptor with one change
typedef struct refusal {
    const char *name;
    fp8rt_status status;
    fp8rt_rows_desc desc;
} refusal;

#define GOOD(op, ...)                                                                              \
    {.operation = FP8MAC_ROWS_##op,                                                                \
     .m = M,                                                                                       \
     .n = N,                                                                                       \
     .x = x,                                                                                       \
     .x_format = FP8MAC_FP32,                                                                      \
     .d = d,                                                                                       \
     __VA_ARGS__}

#define MX(...) GOOD(QUANTISE_MX, .scales = scales, __VA_ARGS__)

static const refusal refusals[] = {
    {"no such operation",
     FP8RT_ERR_UNSUPPORTED,
     {.operation = (fp8mac_rows_operation)FP8MAC_ROWS_OPERATIONS, .m = M, .n = N, .x = x, .d = d}},
    {"factor of a norm", FP8RT_ERR_UNSUPPORTED, GOOD(LAYER_NORM, .eps = 1, .factor = &one)},
    {"mask of a norm", FP8RT_ERR_UNSUPPORTED, GOOD(RMS_NORM, .eps = 1, .seen = 3)},
    {"causal norm", FP8RT_ERR_UNSUPPORTED, GOOD(LAYER_NORM, .eps = 1, .causal = true)},
    {"beta of an RMS norm", FP8RT_ERR_UNSUPPORTED, GOOD(RMS_NORM, .eps = 1, .beta = vector)},
    {"factor of a quantisation", FP8RT_ERR_UNSUPPORTED, GOOD(QUANTISE, .factor = &one)},
    {"mask of a quantisation", FP8RT_ERR_UNSUPPORTED, GOOD(QUANTISE, .seen = 3)},
    {"mask of MX", FP8RT_ERR_UNSUPPORTED, MX(.seen = 3)},
    {"factor of MX", FP8RT_ERR_UNSUPPORTED, MX(.factor = &one)},
    {"scale of MX", FP8RT_ERR_UNSUPPORTED, MX(.scale_d = &one)},
    {"activation of MX", FP8RT_ERR_UNSUPPORTED, MX(.activation = FP8MAC_ACT_RELU)},
    {"overflow of MX", FP8RT_ERR_UNSUPPORTED, MX(.overflow = FP8MAC_OVERFLOW_IEEE)},
    {"table of MX", FP8RT_ERR_UNSUPPORTED, MX(.coding = {.table = 1})},
    {"format of MX", FP8RT_ERR_FORMAT, MX(.d_format = FP8MAC_INT8)},
    {"MX without scales", FP8RT_ERR_NULL, GOOD(QUANTISE_MX, .d_format = FP8MAC_E4M3FN)},
    {"scales of a quantisation", FP8RT_ERR_UNSUPPORTED, GOOD(QUANTISE, .scales = scales)},
    {"alignment of MX scales", FP8RT_ERR_ALIGNMENT, MX(.scales_stride = 33)},
    {"MX scales in X", FP8RT_ERR_OVERLAP, GOOD(QUANTISE_MX, .scales = (uint8_t *)x)},
    {"MX scales in D", FP8RT_ERR_OVERLAP, GOOD(QUANTISE_MX, .scales = (uint8_t *)d)},
    {"mask of a tanh", FP8RT_ERR_UNSUPPORTED, GOOD(TANH, .seen = 3)},
    {"causal sigmoid", FP8RT_ERR_UNSUPPORTED, GOOD(SIGMOID, .causal = true)},
    {"gamma of a softmax", FP8RT_ERR_UNSUPPORTED, GOOD(SOFTMAX, .gamma = vector)},
    {"eps of a sum", FP8RT_ERR_UNSUPPORTED, GOOD(SUM, .eps = 1)},
    {"factor of an argmax", FP8RT_ERR_UNSUPPORTED, GOOD(ARGMAX, .factor = &one)},
    {"format of an argmax", FP8RT_ERR_UNSUPPORTED, GOOD(ARGMAX, .d_format = FP8MAC_FP32)},
    {"scale of an argmax", FP8RT_ERR_UNSUPPORTED, GOOD(ARGMAX, .scale_d = &one)},
    {"stochastic", FP8RT_ERR_UNSUPPORTED, GOOD(SOFTMAX, .coding = {.stochastic = true})},
    {"no such table", FP8RT_ERR_UNSUPPORTED, GOOD(SOFTMAX, .coding = {.table = 3})},
    {"a table of FP32", FP8RT_ERR_FORMAT,
     GOOD(SOFTMAX, .d_format = FP8MAC_FP32, .coding = {.table = 1})},
    {"no x", FP8RT_ERR_NULL, {.operation = FP8MAC_ROWS_SUM, .m = M, .n = N, .d = d}},
    {"no d", FP8RT_ERR_NULL, {.operation = FP8MAC_ROWS_SUM, .m = M, .n = N, .x = x}},
    {"no rows", FP8RT_ERR_SHAPE, {.operation = FP8MAC_ROWS_SUM, .n = N, .x = x, .d = d}},
    {"no columns", FP8RT_ERR_SHAPE, {.operation = FP8MAC_ROWS_SUM, .m = M, .x = x, .d = d}},
    {"more columns than 2^24",
     FP8RT_ERR_SHAPE,
     {.operation = FP8MAC_ROWS_SUM, .m = M, .n = FP8MAC_ROWS_MAX_COLS + 1, .x = x, .d = d}},
    {"a mask of more columns", FP8RT_ERR_SHAPE, GOOD(SOFTMAX, .seen = N + 1)},
    {"format of D", FP8RT_ERR_FORMAT, GOOD(SUM, .d_format = FP8MAC_E3M2FN)},
    {"overflow", FP8RT_ERR_OVERFLOW_MODE, GOOD(SUM, .overflow = (fp8mac_overflow)FP8MAC_OVERFLOWS)},
    {"stride of X", FP8RT_ERR_STRIDE, GOOD(SUM, .x_stride = 64)},
    {"stride of D", FP8RT_ERR_STRIDE, GOOD(SOFTMAX, .d_format = FP8MAC_FP32, .d_stride = 64)},
    {"alignment of X", FP8RT_ERR_ALIGNMENT, GOOD(SUM, .x_stride = 84)},
    {"alignment of gamma", FP8RT_ERR_ALIGNMENT, GOOD(RMS_NORM, .eps = 1, .gamma = vector + 1)},
    {"alignment of beta", FP8RT_ERR_ALIGNMENT, GOOD(LAYER_NORM, .eps = 1, .beta = vector + 1)},
    {"D over gamma", FP8RT_ERR_OVERLAP, GOOD(RMS_NORM, .eps = 1, .gamma = d)},
    {"X over D in another format",
     FP8RT_ERR_OVERLAP,
     {.operation = FP8MAC_ROWS_SOFTMAX, .m = M, .n = N, .x = d, .x_format = FP8MAC_FP32, .d = d}},
    {"a sum in place",
     FP8RT_ERR_OVERLAP,
     {.operation = FP8MAC_ROWS_SUM,
      .m = M,
      .n = N,
      .x = d,
      .x_format = FP8MAC_FP32,
      .d = d,
      .d_format = FP8MAC_FP32}},
    {"half words one behind the other", FP8RT_ERR_ALIGNMENT,
     GOOD(SUM, .d_format = FP8MAC_FP16, .d_stride = 4)},
    {"words one behind the other, between beats",
     FP8RT_ERR_ALIGNMENT,
     {.operation = FP8MAC_ROWS_SUM,
      .m = M,
      .n = N,
      .x = x,
      .x_format = FP8MAC_FP32,
      .d = d + 1,
      .d_format = FP8MAC_FP32,
      .d_stride = FP8RT_ROWS_DENSE}},
    {"a negative factor", FP8RT_ERR_SCALE, GOOD(SUM, .factor = &negative)},
    {"factor times log2(e)", FP8RT_ERR_SCALE, GOOD(SOFTMAX, .factor = &large)},
    {"a negative eps", FP8RT_ERR_SCALE, GOOD(RMS_NORM, .eps = -1)},
    {"a negative scale", FP8RT_ERR_SCALE, GOOD(SUM, .scale_d = &negative)},
    {"activation", FP8RT_ERR_ACTIVATION, GOOD(SUM, .activation = 7)},
    {"clamp", FP8RT_ERR_ACTIVATION,
     GOOD(SUM, .activation = FP8MAC_ACT_CLAMP, .clamp_lo = 1, .clamp_hi = -1)},
    {"flags", FP8RT_ERR_FLAGS, GOOD(SUM, .flags = 8)},
};

static void count(const char *name, bool good, unsigned *passed, unsigned *failed)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? ++*passed : ++*failed;
}

void rows_refusals(fp8rt_device *dev, unsigned *passed, unsigned *failed)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        fp8rt_gemm_result result;
        const fp8rt_status status = fp8rt_rows(dev, r->desc, &result);
        count(r->name, status == r->status && result.status == status, passed, failed);
    }
    const fp8rt_rows_desc good = GOOD(SUM, .factor = &one);
    count("none", fp8rt_rows(dev, good, NULL) == FP8RT_OK, passed, failed);
    fp8rt_device other = *dev;
    other.caps.functions &= ~(uint32_t)FP8MAC_FUNCTION_ROWS;
    count("no row commands", fp8rt_rows(&other, good, NULL) == FP8RT_ERR_UNSUPPORTED, passed,
          failed);
    other.stamp = 0;
    count("not open", fp8rt_rows(&other, good, NULL) == FP8RT_ERR_NOT_OPEN, passed, failed);
}
