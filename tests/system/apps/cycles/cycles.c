// SPDX-License-Identifier: Apache-2.0
// Core cycles of conversions, of planned runs and of layers, and the accelerator's of a list, which
// sim/bench/results.json records. The converted values are compared with the model's.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/arithmetic.h"
#include "fp8rt/fp8rt.h"
#include "fp8rt/linear.h"
#include "fp8rt/network.h"
#include "fp8rt/trial.h"

enum { COUNT = 128, SIDE = 8, ROW = 64 };

static fp8rt_device dev;
static unsigned passed, failed;
static float values[COUNT], back[COUNT], expected_back[COUNT];
static uint8_t codes[COUNT], expected[COUNT];

static uint32_t clock_cycles; // from one reading of the clock to the next

static uint32_t since(uint64_t start)
{
    return (uint32_t)(fp8rt_app_cycles() - start) - clock_cycles;
}

static void count(bool right, const char *name, uint32_t cycles)
{
    right = right && (fp8rt_app_is_host || cycles > 0);
    if (right) {
        passed++;
    } else {
        failed++;
    }
    printf("%s %-44s %4" PRIu32 " cycles\n", right ? "ok  " : "FAIL", name, cycles);
}

// ---- conversions --------------------------------------------------------------------------------

static void convert(fp8mac_format_id id, float scale, const char *kind)
{
    const fp8mac_format *format = fp8mac_format_get(id);
    char name[64];
    fp8mac_flags flags = 0, wanted = 0;
    uint64_t start = fp8rt_app_cycles();
    bool right = fp8rt_quantize(id, codes, COUNT, values, COUNT, 1, COUNT, scale,
                                FP8MAC_OVERFLOW_SATURATE, &flags) == FP8RT_OK;
    uint32_t cycles = since(start) / COUNT;
    fp8mac_quantize(format, expected, values, COUNT, scale, (fp8mac_convert_mode){0}, &wanted);
    right = right && flags == wanted && memcmp(codes, expected, COUNT) == 0;
    snprintf(name, sizeof name, "a value to %s, %s", format->name, kind);
    count(right, name, cycles);

    start = fp8rt_app_cycles();
    right = fp8rt_dequantize(back, COUNT, id, codes, COUNT, 1, COUNT, scale) == FP8RT_OK;
    cycles = since(start) / COUNT;
    fp8mac_dequantize(expected_back, format, codes, COUNT, scale);
    snprintf(name, sizeof name, "a value from %s, %s", format->name, kind);
    count(right && memcmp(back, expected_back, sizeof back) == 0, name, cycles);
}

static void run_conversions(void)
{
    static const char *const kinds[] = {"near 1", "all magnitudes"};
    fp8rt_random random = fp8rt_random_seed(3);
    for (unsigned wide = 0; wide < 2; wide++) {
        fp8rt_random_floats(&random, true, values, COUNT);
        for (unsigned i = 0; wide && i < COUNT; i++) {
            const uint32_t bits = fp8rt_random_next(&random);
            memcpy(&values[i], &bits, sizeof bits);
        }
        for (unsigned id = 0; id < 4; id++) {
            char kind[64];
            snprintf(kind, sizeof kind, "scale 0.3, %s", kinds[wide]);
            convert((fp8mac_format_id)id, 0.3f, kind);
            snprintf(kind, sizeof kind, "scale 4, %s", kinds[wide]);
            convert((fp8mac_format_id)id, 4.0f, kind);
        }
    }
}

// ---- planned runs -------------------------------------------------------------------------------

static _Alignas(64) uint8_t a[SIDE * ROW], b[SIDE * ROW], d[SIDE * ROW];

static uint32_t timed_run(fp8rt_gemm_plan *plan, fp8rt_gemm_result *result, bool *right)
{
    const uint64_t start = fp8rt_app_cycles();
    *right = fp8rt_gemm_run(&dev, plan, NULL, 0, result) == FP8RT_OK && *right;
    return since(start);
}

// Each is done twice. The second time, everything has been used before.
static void run_planned(const char *kind, const float *scale)
{
    fp8rt_gemm_desc desc = {.m = SIDE,
                            .n = SIDE,
                            .k = SIDE,
                            .a.codes = a,
                            .b.codes = b,
                            .d = d,
                            .a.stride = ROW,
                            .b.stride = ROW,
                            .d_stride = ROW,
                            .acc_format = fp8rt_element_accumulator(&dev.caps.element)};
    fp8rt_gemm_plan plan;
    fp8rt_gemm_result result;
    uint32_t with_result = 0, alone = 0, begin = 0, end = 0, move = 0, make = 0;
    bool right = true;
    if (scale != NULL) {
        desc.a.scale = desc.b.scale = (fp8mac_scale){FP8MAC_SCALE_TENSOR, scale};
        desc.scale_d = scale;
    }
    for (unsigned i = 0; i < 2; i++) {
        uint16_t tag;
        uint64_t start = fp8rt_app_cycles();
        right = fp8rt_gemm_plan_make(&dev.caps, desc, &plan) == FP8RT_OK && right;
        make = since(start);
        with_result = timed_run(&plan, &result, &right);
        const uint32_t busy = result.counters.cycles - result.counters.idle;
        with_result -= busy;
        alone = timed_run(&plan, NULL, &right) - busy;

        start = fp8rt_app_cycles();
        right = fp8rt_gemm_begin(&dev, &plan, NULL, 0, &tag) == FP8RT_OK && right;
        begin = since(start);
        while (!fp8rt_device_is_done(&dev, tag)) {
        }
        start = fp8rt_app_cycles();
        right = fp8rt_gemm_end(&dev, tag, NULL) == FP8RT_OK && right;
        end = since(start);

        start = fp8rt_app_cycles();
        right = fp8rt_gemm_plan_move(&dev, &plan, b, a, d) == FP8RT_OK && right;
        move = since(start);
    }
    printf("%s:\n", kind);
    count(right, "plan, 8 x 8 x 8", make);
    count(right, "planned run, less the accelerator", alone);
    count(right, "planned run with a result, likewise", with_result);
    count(right, "begin", begin);
    count(right, "end", end);
    count(right, "other matrices for a plan", move);
}

// ---- layers -------------------------------------------------------------------------------------

// A linear layer and a sum of 8 x 8 with scales and a bias, less the cycles of the accelerator
static fp8rt_tensor x = {.data = a, .rows = SIDE, .cols = SIDE, .scale = 0.3f},
                    y = {.data = d, .rows = SIDE, .cols = SIDE, .scale = 0.7f};
static fp8rt_weights weights = {.codes = {.data = b, .rows = SIDE, .cols = SIDE, .scale = 0.9f},
                                .bias = values};

static uint32_t timed_layer(fp8rt_run *run, bool sum, bool *right)
{
    const fp8rt_linear_desc linear = {.x = &x, .weights = &weights, .out = &y};
    const fp8rt_arithmetic_desc arithmetic = {.x = &x, .y = &weights.codes, .out = &y};
    const uint64_t start = fp8rt_app_cycles();
    const fp8rt_status status = sum ? fp8rt_add(run, &arithmetic) : fp8rt_linear(run, &linear);
    const uint32_t cycles = since(start);
    const fp8rt_counters counters = fp8rt_device_counters(&dev);
    *right = status == FP8RT_OK && *right;
    return cycles - (counters.cycles - counters.idle);
}

// Without plans, then two runs that make and one that finds its plans. All twice, as above.
static void run_layers(bool sum, const char *name)
{
    static _Alignas(64) uint8_t memory[2048];
    static _Alignas(64) uint8_t scratch[256];
    char text[64];
    uint32_t without = 0, first = 0, again = 0;
    bool right = true;
    weights.codes.format = x.format = y.format = fp8rt_element_format(&dev.caps.element);
    for (unsigned i = 0; i < 2; i++) {
        fp8rt_plans plans = fp8rt_plans_in(memory, sizeof memory);
        fp8rt_run run = fp8rt_run_on(&dev, scratch, sizeof scratch);
        without = timed_layer(&run, sum, &right);
        run.plans = &plans;
        first = timed_layer(&run, sum, &right);
        timed_layer(&run, sum, &right);
        again = timed_layer(&run, sum, &right);
        right = right && plans.commands == 3 && plans.reused == 2;
    }
    snprintf(text, sizeof text, "%s, 8 x 8", name);
    count(right, text, without);
    snprintf(text, sizeof text, "%s, its plan is kept", name);
    count(right, text, first);
    snprintf(text, sizeof text, "%s, with a plan", name);
    count(right, text, again);
}

// A linear layer as a recorded list of one command: fp8rt_network_run, less the accelerator
static void run_list(void)
{
    static _Alignas(64) uint8_t memory[2048];
    static _Alignas(64) uint8_t scratch[256];
    const fp8rt_linear_desc linear = {.x = &x, .weights = &weights, .out = &y};
    fp8rt_recorder recorder = fp8rt_recorder_in(memory, sizeof memory);
    fp8rt_run run = fp8rt_run_on(&dev, scratch, sizeof scratch);
    fp8rt_network network;
    fp8rt_network_result result;
    run.recorder = &recorder;
    bool right =
        fp8rt_linear(&run, &linear) == FP8RT_OK && fp8rt_network_record(&network, &run) == FP8RT_OK;
    uint32_t cycles = 0, alone = 0;
    for (unsigned i = 0; i < 2 && right; i++) {
        uint64_t start = fp8rt_app_cycles();
        right = fp8rt_network_run(&network, &result) == FP8RT_OK;
        const uint32_t busy = result.counters.cycles - result.counters.idle;
        cycles = since(start) - busy;
        start = fp8rt_app_cycles();
        right = fp8rt_network_run(&network, NULL) == FP8RT_OK && right;
        alone = since(start) - busy;
    }
    count(right, "recorded list, less the accelerator", alone);
    count(right, "recorded list with a result, likewise", cycles);
}

// Products of 32 x 32 x 32 that do not depend on each other, as a list: cycles of the accelerator.
// D is that of one product alone.
enum { PRODUCTS = 64, EDGE = 32 };

static void run_products(void)
{
    static _Alignas(64) uint8_t memory[24576], scratch[256];
    static _Alignas(64) uint8_t left[EDGE][EDGE], right[EDGE][EDGE], out[PRODUCTS + 1][EDGE][EDGE];
    const fp8mac_format_id format = fp8rt_element_format(&dev.caps.element);
    fp8rt_tensor in = {.data = left, .rows = EDGE, .cols = EDGE, .format = format, .scale = 0.3f};
    const fp8rt_weights of = {
        .codes = {.data = right, .rows = EDGE, .cols = EDGE, .format = format, .scale = 0.9f}};
    fp8rt_recorder recorder = fp8rt_recorder_in(memory, sizeof memory);
    fp8rt_run run = fp8rt_run_on(&dev, scratch, sizeof scratch);
    fp8rt_network network;
    fp8rt_network_result result = {.status = FP8RT_OK};
    for (unsigned i = 0; i < EDGE * EDGE; i++) {
        left[i / EDGE][i % EDGE] = (uint8_t)(i * 37u % 113u);
        right[i / EDGE][i % EDGE] = (uint8_t)(i * 53u % 109u);
    }
    bool good = true;
    for (unsigned i = 0; i <= PRODUCTS; i++) {
        fp8rt_tensor to = {
            .data = out[i], .rows = EDGE, .cols = EDGE, .format = format, .scale = 60.0f};
        const fp8rt_linear_desc linear = {.x = &in, .weights = &of, .out = &to};
        run.recorder = i == 0 ? NULL : &recorder;
        good = good && fp8rt_linear(&run, &linear) == FP8RT_OK;
    }
    good = good && fp8rt_network_record(&network, &run) == FP8RT_OK &&
           fp8rt_network_run(&network, &result) == FP8RT_OK;
    for (unsigned i = 1; i <= PRODUCTS; i++) {
        good = good && memcmp(out[i], out[0], sizeof out[0]) == 0;
    }
    count(good, "list of 64 x 32 x 32 x 32, the accelerator",
          result.counters.cycles - result.counters.idle);
}

int main(void)
{
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        printf("cycles: %s\n", fp8rt_status_string(status));
    } else {
        for (unsigned i = 0; i < 2; i++) {
            clock_cycles = 0;
            clock_cycles = since(fp8rt_app_cycles());
        }
        run_conversions();
        static const float scale = 0.5f;
        run_planned("without scales", NULL);
        run_planned("with three single scales", &scale);
        printf("layers:\n");
        run_layers(false, "linear");
        run_layers(true, "sum");
        run_list();
        run_products();
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
