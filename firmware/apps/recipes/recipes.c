// SPDX-License-Identifier: Apache-2.0
//: Scaling recipes on outputs whose range drifts: overflow, underflow and error of each, as a
//: table.
//: DRIFT=      one drift alone: steady, ramp, jump, outliers or decay (all)
//: RECIPE=     one recipe alone, by its name in the table (all)
//: STEPS=      tensors of each drift, at most 200 (chip: 4, host: 64)
//: LIST=1      lines of CSV, one for each step and recipe, which plot.py draws
//
// In each step the accelerator computes a GEMM in FP32. A recipe then chooses a scale, and the
// accelerator writes the same outputs in FP8. The core compares the two. Every recipe sees the same
// tensors, and the same calibration before the first step. Host and chip print the same text.
//
// Exit status: 0; 1 if the runtime reports an error; 2 for an argument that is not possible.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"
#include "series.h"
#include "tally.h"

enum { OUTPUTS = SERIES_ROWS * SERIES_COLS, MOST_STEPS = 200 };

typedef struct options {
    const char *drift, *recipe;
    int32_t steps;
    bool list;
} options;

// A recipe over the steps of a drift.
typedef struct course {
    rules_state state;
    tally all;
    int64_t decibels; // sum over the steps
    int32_t worst;
} course;

typedef struct bench {
    series series;
    options options;
    rules_state calibrated[RULES_COUNT]; // the states before the first step of any drift
    course courses[RULES_COUNT];
    uint32_t tensors, checksum;
} bench;

// ---- arguments ----------------------------------------------------------------------------------

static bool parse_steps(const char *text, int32_t *steps)
{
    int32_t value = 0;
    if (text == NULL) {
        return true;
    }
    for (; *text >= '0' && *text <= '9' && value <= MOST_STEPS; text++) {
        value = value * 10 + (*text - '0');
    }
    *steps = value;
    if (*text != '\0' || value < 1 || value > MOST_STEPS) {
        printf("STEPS: choose a number from 1 to %d.\n", MOST_STEPS);
        return false;
    }
    return true;
}

// The names that an option may have, by index.
typedef const char *name_at(uint32_t index);

static const char *drift_at(uint32_t index)
{
    return series_drifts[index].name;
}

static const char *recipe_at(uint32_t index)
{
    return rules_all[index].name;
}

static bool knows(const char *key, const char *value, name_at *name, uint32_t names)
{
    for (uint32_t i = 0; i < names; i++) {
        if (value == NULL || strcmp(value, name(i)) == 0) {
            return true;
        }
    }
    printf("%s=%s is not possible: choose from", key, value);
    for (uint32_t i = 0; i < names; i++) {
        printf(" %s", name(i));
    }
    printf(".\n");
    return false;
}

static bool knows_key(const char *argument)
{
    static const char *const keys[] = {"DRIFT=", "RECIPE=", "STEPS=", "LIST="};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strncmp(argument, keys[i], strlen(keys[i])) == 0) {
            return true;
        }
    }
    printf("%s is not an option of recipes: choose from DRIFT=, RECIPE=, STEPS= and LIST=1.\n",
           argument);
    return false;
}

static bool parse_options(int argc, char **argv, options *options)
{
    for (int i = 1; i < argc; i++) {
        if (!knows_key(argv[i])) {
            return false;
        }
    }
    const char *list = fp8rt_app_option(argc, argv, "LIST");
    options->drift = fp8rt_app_option(argc, argv, "DRIFT");
    options->recipe = fp8rt_app_option(argc, argv, "RECIPE");
    options->steps = fp8rt_app_is_host ? 64 : 4;
    options->list = list != NULL && strcmp(list, "1") == 0;
    if (list != NULL && !options->list) {
        printf("LIST=%s is not possible: choose 1.\n", list);
        return false;
    }
    return parse_steps(fp8rt_app_option(argc, argv, "STEPS"), &options->steps) &&
           knows("DRIFT", options->drift, drift_at, series_drift_count) &&
           knows("RECIPE", options->recipe, recipe_at, RULES_COUNT);
}

static bool is_chosen(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

// ---- one tensor ---------------------------------------------------------------------------------

static void set_scales(const series *s, const rules_state *state)
{
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        s->scales[row] = state->scale;
    }
}

// Quantises the output by a recipe. `values` is what the accelerator knows of it in FP32.
static fp8rt_status quantise(series *s, rules_state *state, const fp8rt_gemm_result *values)
{
    const rules_rule *rule = state->rule;
    const rules_observed observed = {.amax = values->amax, .nonfinite = values->amax_nonfinite};
    if (rule->kind == RULES_BLOCKS) {
        return series_blocks(s, rule->format);
    }
    if (rule->kind == RULES_ITSELF) {
        rules_next(state, &observed);
        set_scales(s, state);
        return series_convert(s, rule->format, rule->overflow);
    }
    fp8rt_gemm_result result;
    set_scales(s, state);
    return series_codes(s, rule->format, rule->overflow, &state->scale, &result);
}

static tally count(const series *s, fp8mac_format_id format, float amax)
{
    tally t = {0};
    for (uint32_t row = 0; row < SERIES_ROWS; row++) {
        tally_add(&t, format, s->t + row * SERIES_COLS, s->codes + row * SERIES_COLS, SERIES_COLS,
                  s->scales[row], amax);
    }
    return t;
}

// FNV-1a
static uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t bytes_count)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < bytes_count; i++) {
        hash = (hash ^ byte[i]) * 16777619u;
    }
    return hash;
}

// ---- courses ------------------------------------------------------------------------------------

static void add(course *c, const tally *t)
{
    const int32_t decibels = tally_decibels(t);
    c->all.outputs += t->outputs;
    c->all.overflow += t->overflow;
    c->all.zero += t->zero;
    c->all.subnormal += t->subnormal;
    c->decibels += decibels;
    c->worst = decibels < c->worst ? decibels : c->worst;
}

// The largest number that the codes of row 0 have.
static float reach(const bench *b, const rules_state *state)
{
    return state->fp8_max * fp8mac_recipe_inverse(b->series.scales[0]);
}

static void list(const bench *b, const char *drift, int32_t step, const rules_state *state,
                 float amax, const tally *t)
{
    printf("csv,%s,%" PRId32 ",%s,%.6g,%.6g,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
           ",%" PRId32 "\n",
           drift, step, state->rule->name, (double)amax, (double)reach(b, state), t->outputs,
           t->overflow, t->zero, t->subnormal, tally_decibels(t));
}

static fp8rt_status run_recipe(bench *b, const series_drift *drift, int32_t step, course *c,
                               const fp8rt_gemm_result *values)
{
    series *s = &b->series;
    const fp8rt_status status = quantise(s, &c->state, values);
    if (status != FP8RT_OK) {
        return status;
    }
    const tally t = count(s, c->state.rule->format, values->amax);
    add(c, &t);
    b->tensors++;
    b->checksum = hash_bytes(b->checksum, s->codes, OUTPUTS);
    b->checksum = hash_bytes(b->checksum, s->scales, SERIES_ROWS * sizeof(float));
    if (b->options.list) {
        list(b, drift->name, step, &c->state, values->amax, &t);
    }
    if (c->state.rule->kind == RULES_BEFORE) {
        const rules_observed observed = {.amax = values->amax,
                                         .nonfinite = values->amax_nonfinite,
                                         .saturated = t.overflow,
                                         .outputs = t.outputs};
        rules_next(&c->state, &observed);
    }
    return FP8RT_OK;
}

static fp8rt_status run_step(bench *b, const series_drift *drift, int32_t step)
{
    fp8rt_gemm_result values;
    series_draw(&b->series, drift, step, b->options.steps);
    fp8rt_status status = series_values(&b->series, &values);
    for (uint32_t i = 0; i < RULES_COUNT && status == FP8RT_OK; i++) {
        if (is_chosen(b->options.recipe, rules_all[i].name)) {
            status = run_recipe(b, drift, step, &b->courses[i], &values);
        }
    }
    return status;
}

static fp8rt_status calibrate(bench *b)
{
    fp8rt_gemm_result values;
    series_draw(&b->series, &series_drifts[0], SERIES_CALIBRATION, b->options.steps);
    const fp8rt_status status = series_values(&b->series, &values);
    for (uint32_t i = 0; i < RULES_COUNT && status == FP8RT_OK; i++) {
        if (is_chosen(b->options.recipe, rules_all[i].name)) {
            rules_begin(&b->calibrated[i], &rules_all[i], b->series.t, OUTPUTS, values.amax);
        }
    }
    return status;
}

// ---- table --------------------------------------------------------------------------------------

// A share in hundredths of a per cent.
static void print_share(uint32_t part, uint32_t all)
{
    const uint32_t share = (uint32_t)(((uint64_t)part * 10000 + all / 2) / all);
    printf(" %4" PRIu32 ".%02" PRIu32, share / 100, share % 100);
}

// Hundredths, to one decimal.
static void print_decibels(int32_t hundredths)
{
    const int32_t tenths = (hundredths + (hundredths < 0 ? -5 : 5)) / 10;
    const int32_t magnitude = tenths < 0 ? -tenths : tenths;
    char text[16];
    snprintf(text, sizeof text, "%s%" PRId32 ".%" PRId32, tenths < 0 ? "-" : "", magnitude / 10,
             magnitude % 10);
    printf(" %7s", text);
}

static void print_course(const bench *b, const course *c)
{
    printf("  %-18s %-7s", c->state.rule->name, fp8mac_format_get(c->state.rule->format)->name);
    print_share(c->all.overflow, c->all.outputs);
    print_share(c->all.zero, c->all.outputs);
    print_share(c->all.subnormal, c->all.outputs);
    print_decibels((int32_t)(c->decibels / b->options.steps));
    print_decibels(c->worst);
    printf("\n");
}

static fp8rt_status run_drift(bench *b, const series_drift *drift)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < RULES_COUNT; i++) {
        b->courses[i] = (course){.worst = TALLY_CLEAN};
        rules_copy(&b->courses[i].state, &b->calibrated[i]);
    }
    for (int32_t step = 0; step < b->options.steps && status == FP8RT_OK; step++) {
        status = run_step(b, drift, step);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    printf("%s: %s, %" PRId32 " steps\n"
           "  recipe             format  overf %%  zero %% subnm %%  dB mean   worst\n",
           drift->name, drift->meaning, b->options.steps);
    for (uint32_t i = 0; i < RULES_COUNT; i++) {
        if (is_chosen(b->options.recipe, rules_all[i].name)) {
            print_course(b, &b->courses[i]);
        }
    }
    return FP8RT_OK;
}

static fp8rt_status run(bench *b)
{
    fp8rt_status status = calibrate(b);
    if (b->options.list) {
        printf("csv,drift,step,recipe,amax,reach,outputs,overflow,zero,subnormal,sqnr_cdb\n");
    }
    for (uint32_t i = 0; i < series_drift_count && status == FP8RT_OK; i++) {
        if (is_chosen(b->options.drift, series_drifts[i].name)) {
            status = run_drift(b, &series_drifts[i]);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    static fp8rt_device dev;
    static bench b;
    fp8rt_arena arena = fp8rt_app_arena();
    if (!parse_options(argc, argv, &b.options)) {
        return 2;
    }
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        status = series_open(&b.series, &dev, &arena);
    }
    if (status == FP8RT_OK) {
        status = run(&b);
    }
    if (status != FP8RT_OK) {
        printf("recipes: %s\n", fp8rt_status_string(status));
        return 1;
    }
    printf("recipes: tensors=%" PRIu32 " checksum=%08" PRIx32 "\n", b.tensors, b.checksum);
    return 0;
}
