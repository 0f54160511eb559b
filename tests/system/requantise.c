// SPDX-License-Identifier: Apache-2.0
// GEMMs of an accelerator that requantises, of several tiles, beside fp8mac_int8_gemm of the golden
// model; and what such an accelerator and others refuse. The test runs it with FP8RT_REQUANTISE=1.
#define _POSIX_C_SOURCE 200112L // setenv
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/fp8rt.h"

enum { MOST = 300, DEPTH = 2048, BEAT = 16 };

static _Alignas(64) int8_t a[MOST * DEPTH], b[MOST * DEPTH];
static _Alignas(64) int32_t d[MOST * MOST], expected[MOST * MOST], bias[MOST];
static _Alignas(64) fp8mac_int_scale scales[MOST];
static uint32_t state = 1;
static unsigned passed, failed;
static fp8rt_device device;

static void check(const char *name, bool right)
{
    right ? passed++ : failed++;
    if (!right) {
        printf("FAILED %s\n", name);
    }
}

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof a; i++) {
        a[i] = (int8_t)draw();
        b[i] = (int8_t)draw();
    }
    for (size_t i = 0; i < MOST; i++) {
        bias[i] = (int32_t)draw() / 1024;
        scales[i] = (fp8mac_int_scale){(int32_t)(draw() >> 2 | 1u << 30), -(int32_t)(draw() % 14u)};
    }
}

static fp8rt_gemm_desc desc_of(uint32_t m, uint32_t n, uint32_t k)
{
    return (fp8rt_gemm_desc){
        .m = m,
        .n = n,
        .k = k,
        .a = {.codes = a, .format = FP8MAC_INT8, .stride = DEPTH},
        .b = {.codes = b, .format = FP8MAC_INT8, .stride = DEPTH},
        .acc_format = FP8MAC_ACC_INT32,
        .requantise = {.scales = scales, .bias = bias, .zero_point = -7, .lo = -100, .hi = 90},
        .d = d,
        .d_stride = MOST * sizeof *d,
        .d_format = FP8MAC_INT8,
    };
}

// `sums`: D is INT32
static void compare(uint32_t m, uint32_t n, uint32_t k, bool sums)
{
    char name[64];
    fp8rt_gemm_desc desc = desc_of(m, n, k);
    if (sums) {
        desc.requantise.scales = NULL;
        desc.d_format = FP8MAC_FP32;
    }
    const fp8mac_int8_gemm_desc own = {
        .m = m,
        .n = n,
        .k = k,
        .a = a,
        .b = b,
        .lda = DEPTH,
        .ldb = DEPTH,
        .bias = bias,
        .scales = scales,
        .scale_per_column = true,
        .to = {-7, -100, 90},
        .sums = sums,
        .d = expected,
        .ldd = sums ? MOST : MOST * sizeof *d,
    };
    memset(d, 0x55, sizeof d);
    memset(expected, 0x55, sizeof expected);
    const fp8rt_status status = fp8rt_gemm(&device, desc, NULL, 0, NULL);
    const bool model = fp8mac_int8_gemm(&own) == FP8MAC_OK;
    snprintf(name, sizeof name, "%u x %u x %u %s: %s", (unsigned)m, (unsigned)n, (unsigned)k,
             sums ? "INT32" : "INT8", fp8rt_status_string(status));
    check(name, status == FP8RT_OK && model && memcmp(d, expected, sizeof d) == 0);
}

static void refuse(const char *name, fp8rt_gemm_desc desc, fp8rt_status want)
{
    memset(d, 0x55, sizeof d);
    memset(expected, 0x55, sizeof expected);
    const fp8rt_status status = fp8rt_gemm(&device, desc, NULL, 0, NULL);
    check(name, status == want && memcmp(d, expected, sizeof d) == 0);
}

static void check_refusals(void)
{
    static const float one = 1.0f, floats[MOST] = {1.0f};
    const fp8rt_gemm_desc good = desc_of(4, 4, 16);
    fp8rt_gemm_desc bad;
    bad = good, bad.a.scale = (fp8mac_scale){FP8MAC_SCALE_TENSOR, &one};
    refuse("a scale of A", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.b.scale = (fp8mac_scale){FP8MAC_SCALE_VECTOR, floats};
    refuse("scales of B", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.scale_d = &one;
    refuse("a scale of D", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.bias = floats;
    refuse("a bias of floats", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.activation = FP8MAC_ACT_RELU;
    refuse("ReLU", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.beta = 1.0f, bad.c = expected, bad.c_format = FP8MAC_INT8;
    refuse("C", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.coding.table = 1;
    refuse("a table of codes", bad, FP8RT_ERR_UNSUPPORTED);
    bad = good, bad.d_format = FP8MAC_FP16;
    refuse("D in FP16", bad, FP8RT_ERR_FORMAT);
    bad = good, bad.d_format = FP8MAC_FP32;
    refuse("INT32 with scales", bad, FP8RT_ERR_SCALE);
    bad = good, bad.requantise.scales = NULL;
    refuse("INT8 without scales", bad, FP8RT_ERR_NULL);
    bad = good, bad.requantise.lo = 1, bad.requantise.hi = 0;
    refuse("lo above hi", bad, FP8RT_ERR_ACTIVATION);
    bad = good, bad.requantise.scales = scales + 1;
    refuse("scales between beats", bad, FP8RT_ERR_ALIGNMENT);
    bad = good, bad.requantise.bias = bias + 1;
    refuse("a bias between beats", bad, FP8RT_ERR_ALIGNMENT);
    bad = good, bad.d = scales, bad.d_stride = BEAT;
    check("D over the scales", fp8rt_gemm(&device, bad, NULL, 0, NULL) == FP8RT_ERR_OVERLAP);
    const fp8mac_int_scale kept = scales[3];
    scales[3].shift = 31;
    refuse("a shift of 31", good, FP8RT_ERR_HW_SCALE);
    scales[3] = (fp8mac_int_scale){-1, 0};
    refuse("a negative multiplier", good, FP8RT_ERR_HW_SCALE);
    scales[3] = kept;
}

// Layers that finish in FP32, and an accelerator that does
static void check_others(void)
{
    const fp8rt_tensor x = {.data = a, .rows = 4, .cols = 16, .format = FP8MAC_INT8};
    fp8rt_tensor out = {.data = d, .rows = 4, .cols = 4, .format = FP8MAC_INT8};
    const fp8rt_weights weights = {
        .codes = {.data = b, .rows = 4, .cols = 16, .format = FP8MAC_INT8}};
    const fp8rt_linear_desc linear = {.x = &x, .weights = &weights, .out = &out};
    const fp8rt_int_linear_desc whole = {
        .x = &x,
        .weights = &weights.codes,
        .finish = {.scales = scales, .bias = bias, .lo = -128, .hi = 127},
        .out = &out};
    fp8rt_run run = fp8rt_run_query(&device);
    check("a layer of FP32", fp8rt_linear(&run, &linear) == FP8RT_ERR_UNSUPPORTED);
    run = fp8rt_run_query(&device);
    check("an integer layer", fp8rt_int_linear(&run, &whole) == FP8RT_OK);
    setenv("FP8RT_REQUANTISE", "0", 1);
    check("another accelerator", fp8rt_device_open(&device, &fp8rt_app_port) == FP8RT_OK);
    refuse("integers there", desc_of(4, 4, 16), FP8RT_ERR_UNSUPPORTED);
    run = fp8rt_run_query(&device);
    check("their layer there", fp8rt_int_linear(&run, &whole) == FP8RT_ERR_UNSUPPORTED);
    setenv("FP8RT_REQUANTISE", "2", 1);
    check("2", fp8rt_device_open(&device, &fp8rt_app_port) == FP8RT_ERR_NO_DEVICE);
    setenv("FP8RT_REQUANTISE", "1", 1);
    setenv("FP8RT_ELEMENT", "block", 1);
    check("FP8", fp8rt_device_open(&device, &fp8rt_app_port) == FP8RT_ERR_NO_DEVICE);
}

int main(void)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},    {4, 4, 16},     {5, 7, 33},   {130, 20, 64},
                                        {20, 300, 9}, {140, 150, 70}, {3, 5, 2048}, {40, 36, 2000}};
    fill();
    check("the device", fp8rt_device_open(&device, &fp8rt_app_port) == FP8RT_OK &&
                            (device.caps.functions & FP8MAC_FUNCTION_REQUANTISE) != 0);
    for (size_t i = 0; failed == 0 && i < sizeof sizes / sizeof *sizes; i++) {
        compare(sizes[i][0], sizes[i][1], sizes[i][2], false);
        compare(sizes[i][0], sizes[i][1], sizes[i][2], true);
    }
    if (failed == 0) {
        check_refusals();
        check_others();
    }
    printf("%u passed, %u failed\n", passed, failed);
    return passed == 0 || failed != 0;
}
