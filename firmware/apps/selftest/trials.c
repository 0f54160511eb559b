// SPDX-License-Identifier: Apache-2.0
#include "trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8mac/version.h"
#include "fp8rt/matrix.h"
#include "fp8rt/trial.h"

static uint32_t trial_count; // which gives each trial its seed, the same on chip and host

typedef struct named_trial {
    const char *name;
    fp8rt_trial trial;
} named_trial;

#define E4 FP8MAC_E4M3FN
#define E5 FP8MAC_E5M2
#define F4 FP8MAC_E4M3FNUZ
#define F5 FP8MAC_E5M2FNUZ

// With data of kind `codes`, almost every output of a long K is NaN, so these trials have a short
// K.
static const named_trial trials[] = {
    {"1x1x1", {.m = 1, .n = 1, .k = 1, .d_format = FP8MAC_FP32}},
    {"K of 1", {.m = 20, .n = 9, .k = 1, .d_format = FP8MAC_FP32, .data = FP8RT_DATA_WIDE}},
    {"ragged 17x13x16", {.m = 17, .n = 13, .k = 16, .d_format = FP8MAC_FP32}},
    {"ragged 5x32x3", {.m = 5, .n = 32, .k = 3, .d_format = FP8MAC_BF16, .data = FP8RT_DATA_WIDE}},
    {"one row", {.m = 1, .n = 70, .k = 33, .d_format = FP8MAC_FP16}},
    {"one column", {.m = 70, .n = 1, .k = 33, .d_format = FP8MAC_FP16}},
    {"64x64x64", {.m = 64, .n = 64, .k = 64, .d_format = FP8MAC_E4M3FN}},
    {"M larger than a command's",
     {.m = 140, .n = 7, .k = 20, .d_format = FP8MAC_E5M2, .data = FP8RT_DATA_WIDE}},
    {"N larger than a command's",
     {.m = 7, .n = 140, .k = 20, .d_format = FP8MAC_E4M3FNUZ, .data = FP8RT_DATA_WIDE}},
    {"M and N larger, panels turn", {.m = 135, .n = 150, .k = 9, .d_format = FP8MAC_E4M3FN}},
    {"chain over 64 x 64 outputs", {.m = 64, .n = 64, .k = 288, .d_format = FP8MAC_E4M3FN}},
    {"chains of ragged tiles",
     {.m = 77, .n = 85, .k = 523, .d_format = FP8MAC_FP16, .data = FP8RT_DATA_WIDE}},
    {"K fills the buffers", {.m = 5, .n = 20, .k = 2048, .d_format = FP8MAC_FP32}},
    {"deep K, D of bytes", {.m = 5, .n = 20, .k = 1100, .d_format = FP8MAC_E4M3FN}},
    {"K chain of two",
     {.m = 3, .n = 5, .k = 2053, .d_format = FP8MAC_FP32, .data = FP8RT_DATA_WIDE}},
    {"K chain of three, FP16",
     {.m = 2, .n = 1, .k = 4100, .acc_format = FP8MAC_ACC_FP16, .d_format = FP8MAC_FP32}},
    {"K chain over tiles", {.m = 17, .n = 18, .k = 2052, .d_format = FP8MAC_FP32}},
    {"FP16 accumulator overflows",
     {.m = 9,
      .n = 12,
      .k = 40,
      .acc_format = FP8MAC_ACC_FP16,
      .a.format = E5,
      .b.format = E5,
      .d_format = FP8MAC_FP32,
      .data = FP8RT_DATA_WIDE}},
    {"FP16 accumulator, exponents",
     {.m = 9,
      .n = 12,
      .k = 40,
      .acc_format = FP8MAC_ACC_FP16,
      .a.scale_exp = -9,
      .b.scale_exp = 3,
      .d_format = FP8MAC_FP16}},
    {"exponents +32, +32",
     {.m = 8, .n = 9, .k = 10, .a.scale_exp = 32, .b.scale_exp = 32, .d_format = FP8MAC_FP32}},
    {"exponents -32, -32",
     {.m = 8,
      .n = 9,
      .k = 10,
      .a.scale_exp = -32,
      .b.scale_exp = -32,
      .a.format = F5,
      .b.format = F5,
      .d_format = FP8MAC_FP32,
      .data = FP8RT_DATA_WIDE}},
    {"MX scales", {.m = 18, .n = 21, .k = 97, .mx = true, .d_format = FP8MAC_FP32}},
    {"MX scales, chains of ragged tiles",
     {.m = 77,
      .n = 85,
      .k = 1330,
      .mx = true,
      .a.format = E5,
      .b.format = F4,
      .d_format = FP8MAC_FP16,
      .data = FP8RT_DATA_WIDE}},
    {"MX scales, FP16 accumulator, one row",
     {.m = 1,
      .n = 70,
      .k = 2000,
      .mx = true,
      .acc_format = FP8MAC_ACC_FP16,
      .a.scale_exp = -9,
      .d_format = FP8MAC_FP32}},
    {"tensor scales",
     {.m = 18, .n = 21, .k = 31, .scales = FP8MAC_SCALE_TENSOR, .d_format = FP8MAC_BF16}},
    {"vector scales",
     {.m = 37, .n = 21, .k = 15, .scales = FP8MAC_SCALE_VECTOR, .d_format = FP8MAC_FP32}},
    {"vectors through the scratch",
     {.m = 70,
      .n = 90,
      .k = 5,
      .scales = FP8MAC_SCALE_VECTOR,
      .bias = true,
      .unaligned_vectors = true,
      .d_format = FP8MAC_E4M3FN}},
    {"bias", {.m = 6, .n = 35, .k = 12, .bias = true, .d_format = FP8MAC_FP16}},
    {"bias, relu",
     {.m = 19,
      .n = 35,
      .k = 12,
      .bias = true,
      .activation = FP8MAC_ACT_RELU,
      .d_format = FP8MAC_E4M3FN}},
    {"scales, bias, clamp",
     {.m = 19,
      .n = 35,
      .k = 12,
      .scales = FP8MAC_SCALE_VECTOR,
      .bias = true,
      .activation = FP8MAC_ACT_CLAMP,
      .d_format = FP8MAC_FP32}},
    {"relu keeps NaN",
     {.m = 24,
      .n = 24,
      .k = 2,
      .activation = FP8MAC_ACT_RELU,
      .a.format = E5,
      .b.format = E5,
      .d_format = FP8MAC_E5M2,
      .data = FP8RT_DATA_CODES}},
    {"clamp keeps NaN",
     {.m = 24,
      .n = 24,
      .k = 2,
      .activation = FP8MAC_ACT_CLAMP,
      .d_format = FP8MAC_BF16,
      .data = FP8RT_DATA_CODES}},
    {"D e4m3fn saturates",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = E4,
      .data = FP8RT_DATA_CODES}},
    {"D e4m3fn saturate_finite",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = E4,
      .overflow = FP8MAC_OVERFLOW_SATURATE_FINITE,
      .data = FP8RT_DATA_CODES}},
    {"D e4m3fnuz ieee",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = F4,
      .overflow = FP8MAC_OVERFLOW_IEEE,
      .data = FP8RT_DATA_CODES}},
    {"D e5m2 ieee",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = E5,
      .overflow = FP8MAC_OVERFLOW_IEEE,
      .data = FP8RT_DATA_CODES}},
    {"D e5m2 saturate_finite",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = E5,
      .overflow = FP8MAC_OVERFLOW_SATURATE_FINITE,
      .data = FP8RT_DATA_CODES}},
    {"D int8 saturates",
     {.m = 24,
      .n = 20,
      .k = 6,
      .scales = FP8MAC_SCALE_VECTOR,
      .bias = true,
      .d_format = FP8MAC_INT8,
      .data = FP8RT_DATA_CODES}},
    {"D e5m2fnuz saturates",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = F5,
      .data = FP8RT_DATA_CODES}},
    {"D e5m2fnuz wide",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = F5,
      .b.format = F5,
      .d_format = F5,
      .data = FP8RT_DATA_WIDE}},
    {"D float16 overflows",
     {.m = 24,
      .n = 20,
      .k = 6,
      .a.format = E5,
      .b.format = E5,
      .d_format = FP8MAC_FP16,
      .data = FP8RT_DATA_WIDE}},
};

static uint64_t macs_of(const fp8rt_trial *trial)
{
    return (uint64_t)trial->m * trial->n * trial->k;
}

// The counters must count every multiply-accumulate, and every cycle once.
static bool counters_are_right(const fp8rt_counters *c, uint64_t macs)
{
#define ADD_PART(field, meaning) +c->field
    uint64_t parts = UINT64_C(0) FP8RT_CYCLE_PARTS(ADD_PART);
#undef ADD_PART
    bool clocked = c->compute > 0 && c->idle < c->cycles;
    return c->macs == macs && parts == c->cycles && clocked == !fp8rt_app_is_host;
}

static void run_possible(fp8rt_device *dev, report *t, const char *name, fp8rt_trial trial)
{
    trial.seed = ++trial_count;
    fp8rt_trial_outcome outcome = fp8rt_trial_run(dev, &trial, fp8rt_app_arena());
    bool counted = counters_are_right(&outcome.result.counters, macs_of(&trial));
    report_count(t, fp8rt_trial_passed(&outcome) && counted, name);
    if (!fp8rt_trial_passed(&outcome) || !counted) {
        report_name(t, "GEMMs");
    }
    if (outcome.status != FP8RT_OK) {
        printf("     %s\n", fp8rt_status_string(outcome.status));
    } else if (outcome.differing != 0) {
        printf("     %" PRIu32 " outputs differ\n", outcome.differing);
    } else if (outcome.overwritten != 0) {
        printf("     %" PRIu32 " bytes beyond D\n", outcome.overwritten);
    } else if (!counted) {
        printf("     the counters are wrong\n");
    }
}

static void expect_refused(fp8rt_device *dev, report *t, const char *name, const fp8rt_trial *trial,
                           fp8rt_status expected)
{
    fp8rt_trial_outcome outcome = fp8rt_trial_run(dev, trial, fp8rt_app_arena());
    bool passed = outcome.status == expected;
    passed ? t->passed++ : t->failed++;
    printf("%s %s: refused\n", passed ? "ok  " : "FAIL", name);
}

// A format, accumulator or scaling exponent that the array's elements do not have must be refused,
// and so must MX scales. The trial then runs with what they have.
static void run_trial(fp8rt_device *dev, report *t, const char *name, fp8rt_trial trial)
{
    const fp8rt_element *element = &dev->caps.element;
    if (!fp8rt_element_takes(element, trial.a.format) ||
        !fp8rt_element_takes(element, trial.b.format)) {
        expect_refused(dev, t, name, &trial, FP8RT_ERR_FORMAT);
        if (!fp8rt_element_takes(element, trial.a.format)) {
            trial.a.format = fp8rt_element_format(element);
        }
        if (!fp8rt_element_takes(element, trial.b.format)) {
            trial.b.format = element->int8 ? FP8MAC_INT8 : F4;
        }
    }
    if (!fp8rt_element_has(element, trial.acc_format)) {
        expect_refused(dev, t, name, &trial, FP8RT_ERR_ACCUMULATOR);
        trial.acc_format = fp8rt_element_accumulator(element);
    }
    if (element->int8 && (trial.a.scale_exp != 0 || trial.b.scale_exp != 0)) {
        expect_refused(dev, t, name, &trial, FP8RT_ERR_SCALE_EXPONENT);
        trial.a.scale_exp = trial.b.scale_exp = 0;
    }
    if (trial.mx && (dev->caps.functions & FP8MAC_FUNCTION_MX) == 0) {
        expect_refused(dev, t, name, &trial, FP8RT_ERR_UNSUPPORTED);
        trial.mx = false;
    }
    run_possible(dev, t, name, trial);
}

// Every pair of operand formats with every code, into both accumulators. An array that lacks a
// format must refuse it. D has another format from pair to pair, or every format.
static void run_pairs(fp8rt_device *dev, report *t, bool all)
{
    static const fp8mac_format_id formats[] = {
        FP8MAC_E4M3FN, FP8MAC_E5M2,   FP8MAC_E4M3FNUZ, FP8MAC_E5M2FNUZ,
        FP8MAC_E3M2FN, FP8MAC_E2M3FN, FP8MAC_E2M1FN,   FP8MAC_INT8,
    };
    enum { FP8 = 4, ALL = sizeof formats / sizeof *formats };
    const unsigned pairs = ALL * (dev->caps.element.narrow ? ALL : FP8);
    const unsigned results = all ? FP8MAC_ARRAY_FORMAT_COUNT : 1;
    for (unsigned i = 0; i < 2 * pairs * results; i++) {
        const unsigned pair = i / results % pairs;
        const fp8mac_format_id a = formats[pair % ALL], b = formats[pair / ALL];
        const fp8mac_format_id usual =
            pair % 5 == 0 ? FP8MAC_FP32 : (fp8mac_format_id)((pair + pair / ALL) % 8);
        const fp8mac_format_id d = all ? (fp8mac_format_id)(i % results) : usual;
        const bool fp16 = i >= pairs * results;
        char name[72];
        snprintf(name, sizeof name, "every code, %s x %s to %s, D in %s",
                 fp8mac_format_get(a)->name, fp8mac_format_get(b)->name, fp16 ? "FP16" : "FP32",
                 fp8mac_format_get(d)->name);
        run_trial(dev, t, name,
                  (fp8rt_trial){.m = 17,
                                .n = 18,
                                .k = 5,
                                .a.format = a,
                                .b.format = b,
                                .acc_format = fp16 ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32,
                                .data = FP8RT_DATA_CODES,
                                .d_format = d});
    }
}

// A GEMM that keeps flags and counters adds its own to those of the GEMM before it.
static void run_kept(fp8rt_device *dev, report *t)
{
    const fp8rt_element *element = &dev->caps.element;
    const fp8mac_acc_format acc = fp8rt_element_accumulator(element);
    const fp8mac_format_id format = fp8rt_element_format(element);
    const fp8mac_flags flag = element->int8 ? FP8MAC_FLAG_SATURATED : FP8MAC_FLAG_NAN;
    const fp8rt_trial clean = {.m = 5,
                               .n = 6,
                               .k = 7,
                               .a.format = format,
                               .b.format = format,
                               .acc_format = acc,
                               .d_format = FP8MAC_FP32};
    const fp8rt_trial dirty = {.m = 9,
                               .n = 9,
                               .k = 64,
                               .a.format = format,
                               .b.format = format,
                               .acc_format = acc,
                               .data = FP8RT_DATA_CODES};
    fp8rt_arena arena = fp8rt_app_arena();
    fp8rt_trial_outcome outcome = fp8rt_trial_run(dev, &clean, arena);
    bool cleared = fp8rt_trial_passed(&outcome) && outcome.result.flags == 0;
    fp8rt_gemm_plan plan = outcome.plan;
    plan.desc.flags = FP8RT_GEMM_KEEP_FLAGS | FP8RT_GEMM_KEEP_COUNTERS;
    if (fp8rt_arena_alloc(&arena, 4096) != NULL) {
        outcome = fp8rt_trial_run(dev, &dirty, arena);
    }
    bool raised = fp8rt_trial_passed(&outcome) && (outcome.result.flags & flag) != 0;
    fp8rt_gemm_result result;
    bool ran = fp8rt_gemm_run(dev, &plan, NULL, 0, &result) == FP8RT_OK;
    bool kept =
        (result.flags & flag) != 0 && result.counters.macs == macs_of(&clean) + macs_of(&dirty);
    report_count(t, cleared && raised && ran && kept, "flags and counters over two GEMMs");
}

// ---- packing and quantisation -------------------------------------------------------------------

enum { PACK_ROWS = 5, PACK_K = 19, PACK_LD = 23 };

static bool pack_is_right(const fp8rt_device *dev, size_t row_stride, size_t k_stride)
{
    static _Alignas(64) uint8_t packed[PACK_ROWS * 64];
    static uint8_t src[PACK_LD * PACK_LD];
    uint32_t stride = fp8rt_packed_stride(&dev->caps, PACK_K);
    for (unsigned i = 0; i < sizeof src; i++) {
        src[i] = (uint8_t)(i * 7u + 3u);
    }
    fp8rt_operand_view view = {src + 1, PACK_ROWS, PACK_K, row_stride, k_stride};
    if (fp8rt_pack(&dev->caps, packed, view) != FP8RT_OK) {
        return false;
    }
    for (uint32_t r = 0; r < PACK_ROWS; r++) {
        for (uint32_t i = 0; i < stride; i++) {
            uint8_t want = i < PACK_K ? src[1 + r * row_stride + i * k_stride] : 0;
            if (packed[r * stride + i] != want) {
                return false;
            }
        }
    }
    return true;
}

// 2^-14, 2 and 7 times 64 are 2^-8, 128 and 448: exact in e4m3fn, and back.
static bool quantisation_is_right(void)
{
    static const float values[3] = {0x1p-14f, 2.0f, 7.0f};
    static const uint8_t codes[3] = {0x02, 0x70, 0x7e};
    uint8_t got[3] = {0};
    float back[3] = {0};
    fp8mac_flags flags = 0;
    bool quantised = fp8rt_quantize(E4, got, 3, values, 3, 1, 3, 64.0f, FP8MAC_OVERFLOW_SATURATE,
                                    &flags) == FP8RT_OK;
    bool dequantised = fp8rt_dequantize(back, 3, E4, got, 3, 1, 3, 0x1p-6f) == FP8RT_OK;
    return quantised && dequantised && flags == 0 && memcmp(got, codes, sizeof got) == 0 &&
           memcmp(back, values, sizeof back) == 0;
}

// Hardware and firmware are from the same release.
static bool release_is_right(const fp8rt_device *dev)
{
    return dev->caps.release_major == FP8MAC_VERSION_MAJOR &&
           dev->caps.release_minor == FP8MAC_VERSION_MINOR &&
           dev->caps.release_patch == FP8MAC_VERSION_PATCH;
}

void run_trials(fp8rt_device *dev, bool all_pairs, report *t)
{
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        run_trial(dev, t, trials[i].name, trials[i].trial);
    }
    run_pairs(dev, t, all_pairs);
    run_kept(dev, t);
    report_count(t, pack_is_right(dev, PACK_LD, 1), "packing, K contiguous");
    report_count(t, pack_is_right(dev, 1, PACK_LD), "packing, K strided");
    report_count(t, quantisation_is_right(), "quantising and back");
    report_count(t, release_is_right(dev), "release " FP8MAC_VERSION);
}
