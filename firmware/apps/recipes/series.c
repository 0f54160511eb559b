// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include "fp8mac/recipe.h"

enum {
    QUARTERS = 4,       // of a binade
    ROW_SPREAD = 5,     // quarters from row to row
    JUMP = 24,          // 2^6
    OUTLIER = 32,       // 2^8
    OUTLIER_EVERY = 8,  // steps
    OUTLIER_FIRST = 3,  // step
    SEED_OF_WEIGHTS = 1 // those of the steps follow
};

// ---- drifts -------------------------------------------------------------------------------------

static int32_t level_steady(int32_t step, int32_t steps)
{
    (void)step, (void)steps;
    return 0;
}

static int32_t level_ramp(int32_t step, int32_t steps)
{
    (void)steps;
    return step;
}

static int32_t level_decay(int32_t step, int32_t steps)
{
    (void)steps;
    return -step;
}

static int32_t level_jump(int32_t step, int32_t steps)
{
    return step >= steps / 2 ? JUMP : 0;
}

static int32_t outlier_none(int32_t step)
{
    (void)step;
    return 0;
}

static int32_t outlier_some(int32_t step)
{
    return step % OUTLIER_EVERY == OUTLIER_FIRST ? OUTLIER : 0;
}

const series_drift series_drifts[] = {
    {"steady", "the range stays", level_steady, outlier_none},
    {"ramp", "x 2^(1/4) in each step", level_ramp, outlier_none},
    {"jump", "x 64 at half of the steps", level_jump, outlier_none},
    {"outliers", "one row x 256 in every eighth step", level_steady, outlier_some},
    {"decay", "x 2^(-1/4) in each step", level_decay, outlier_none},
};
const uint32_t series_drift_count = sizeof series_drifts / sizeof series_drifts[0];

static float gain_of(int32_t quarters)
{
    static const float fractions[QUARTERS] = {1.0f, 0x1.306fep+0f, 0x1.6a09e6p+0f, 0x1.ae89fap+0f};
    const int32_t fraction = quarters & (QUARTERS - 1);
    return fractions[fraction] * fp8mac_recipe_power_of_two((quarters - fraction) / QUARTERS);
}

// ---- data ---------------------------------------------------------------------------------------

static void *take(fp8rt_arena *arena, size_t bytes, bool *enough)
{
    void *memory = fp8rt_arena_alloc(arena, bytes);
    *enough = *enough && memory != NULL;
    return memory;
}

fp8rt_status series_open(series *s, fp8rt_device *dev, fp8rt_arena *arena)
{
    enum { OUTPUTS = SERIES_ROWS * SERIES_COLS };
    bool enough = true;
    *s = (series){.dev = dev,
                  .a = take(arena, SERIES_ROWS * SERIES_K, &enough),
                  .b = take(arena, SERIES_COLS * SERIES_K, &enough),
                  .gains = take(arena, SERIES_ROWS * sizeof(float), &enough),
                  .t = take(arena, OUTPUTS * sizeof(float), &enough),
                  .codes = take(arena, OUTPUTS, &enough),
                  .scales = take(arena, SERIES_ROWS * sizeof(float), &enough),
                  .mx = take(arena, SERIES_ROWS * dev->caps.beat_bytes, &enough)};
    if (!enough) {
        return FP8RT_ERR_SCRATCH;
    }
    fp8rt_random random = fp8rt_random_seed(SEED_OF_WEIGHTS);
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, FP8MAC_E4M3FN, s->b, SERIES_COLS * SERIES_K);
    return FP8RT_OK;
}

void series_draw(series *s, const series_drift *drift, int32_t step, int32_t steps)
{
    const bool drifts = step != SERIES_CALIBRATION;
    const int32_t level = drifts ? drift->level(step, steps) : 0;
    const int32_t outlier = drifts ? drift->outlier(step) : 0;
    const int32_t outlier_row = step / OUTLIER_EVERY % SERIES_ROWS;
    fp8rt_random random = fp8rt_random_seed((uint32_t)(step + 2 + SEED_OF_WEIGHTS));
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, FP8MAC_E4M3FN, s->a, SERIES_ROWS * SERIES_K);
    for (int32_t row = 0; row < SERIES_ROWS; row++) {
        s->gains[row] = gain_of(level - ROW_SPREAD * row + (row == outlier_row ? outlier : 0));
    }
}

// ---- commands -----------------------------------------------------------------------------------

static fp8rt_status multiply(series *s, fp8rt_gemm_desc desc, fp8rt_gemm_result *result)
{
    desc.m = SERIES_ROWS;
    desc.n = SERIES_COLS;
    desc.k = SERIES_K;
    desc.a.codes = s->a;
    desc.b.codes = s->b;
    desc.acc_format = fp8rt_element_accumulator(&s->dev->caps.element);
    desc.a.scale = (fp8mac_scale){.mode = FP8MAC_SCALE_VECTOR, .values = s->gains};
    return fp8rt_gemm(s->dev, desc, NULL, 0, result);
}

fp8rt_status series_values(series *s, fp8rt_gemm_result *result)
{
    return multiply(s, (fp8rt_gemm_desc){.d = s->t, .d_format = FP8MAC_FP32}, result);
}

fp8rt_status series_codes(series *s, fp8mac_format_id format, fp8mac_overflow overflow,
                          const float *scale, fp8rt_gemm_result *result)
{
    const fp8rt_gemm_desc desc = {
        .d = s->codes, .d_format = format, .overflow = overflow, .scale_d = scale};
    return multiply(s, desc, result);
}

fp8rt_status series_blocks(series *s, fp8mac_format_id format)
{
    const fp8rt_mx_desc desc = {.rows = SERIES_ROWS,
                                .cols = SERIES_COLS,
                                .values = s->t,
                                .values_format = FP8MAC_FP32,
                                .codes = s->codes,
                                .format = format,
                                .scales = s->mx};
    const fp8rt_status status =
        fp8rt_mx_convert(s->dev, &desc, s->scales, fp8rt_mx_scratch_bytes(SERIES_ROWS));
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        s->scales[row] = fp8mac_recipe_power_of_two(127 - s->mx[row * s->dev->caps.beat_bytes]);
    }
    return status;
}

fp8rt_status series_convert(series *s, fp8mac_format_id format, fp8mac_overflow overflow)
{
    const fp8rt_elementwise_desc desc = {
        .operation = FP8RT_OPERATION_ADD,
        .m = SERIES_ROWS,
        .n = SERIES_COLS,
        .x = s->t,
        .x_format = FP8MAC_FP32,
        .scale_x = {.mode = FP8MAC_SCALE_VECTOR, .values = s->scales},
        .d = s->codes,
        .d_format = format,
        .overflow = overflow,
    };
    return fp8rt_elementwise(s->dev, desc, NULL);
}
