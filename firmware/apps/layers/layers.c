// SPDX-License-Identifier: Apache-2.0
//: Layers of networks on data of all magnitudes: cycles on the chip, error on the host.
//: FAMILY=    one family alone, such as convolution; cases.h lists them (all)
//: PROFILE=   the profile of every case, as text or csv (none)
//: CORE=1     norms and softmax run on the core, as if the accelerator had no row commands
//
// Host and chip print the same hashes. The host compares every output with a reference in double
// precision, and the profile's errors with those. The last line is the count of tests.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "fp8rt/arithmetic.h"
#include "fp8rt/network.h"
#include "fp8rt/reference_profile.h"

// A layer's entry of the profile counts the layers that it calls, if they have entries.
enum { LAYERS_OF_A_CASE = 64 };

typedef struct family {
    const char *name;
    void (*run)(layers_test *test);
} family;

#define LAYERS_ENTRY(name) {#name, layers_##name},
// clang-format off
static const family families[] = {LAYERS_FAMILIES(LAYERS_ENTRY)};
// clang-format on
#undef LAYERS_ENTRY

// ---- operands -----------------------------------------------------------------------------------

void *layers_take(layers_test *test, size_t bytes)
{
    void *memory = fp8rt_arena_alloc(&test->arena, bytes);
    if (memory == NULL) {
        printf("FAIL out of memory\n");
        test->failed++;
    }
    return memory;
}

fp8rt_tensor layers_empty(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    fp8rt_tensor tensor = {.rows = rows, .cols = cols, .format = format, .scale = 1.0f};
    tensor.data = layers_take(test, fp8rt_tensor_bytes(&test->dev.caps, &tensor));
    return tensor;
}

fp8rt_tensor layers_codes(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    fp8rt_tensor tensor = layers_empty(test, rows, cols, format);
    const size_t bytes = fp8rt_tensor_bytes(&test->dev.caps, &tensor);
    if (tensor.data == NULL) {
        return tensor;
    }
    if (format == FP8MAC_FP32) {
        fp8rt_random_floats(&test->random, true, tensor.data, bytes / sizeof(float));
    } else {
        fp8rt_random_codes(&test->random, FP8RT_DATA_WIDE, format, tensor.data, bytes);
    }
    return tensor;
}

const float *layers_floats(layers_test *test, bool is_signed, uint32_t count)
{
    float *values = layers_take(test, count * sizeof(float));
    if (values != NULL) {
        fp8rt_random_floats(&test->random, is_signed, values, count);
    }
    return values;
}

fp8rt_weights layers_weights(layers_test *test, uint32_t rows, uint32_t cols)
{
    fp8rt_weights weights = {.codes = layers_codes(test, rows, cols, FP8MAC_E4M3FN)};
    weights.codes.scale = 0.0625f;
    weights.row_scale = layers_floats(test, false, rows);
    weights.bias = layers_floats(test, true, rows);
    return weights;
}

// ---- a case -------------------------------------------------------------------------------------

void layers_expect(layers_test *test, const char *name, bool good)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? test->passed++ : test->failed++;
}

// FNV-1a of the rows' codes and the scale.
static uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * 16777619u;
    }
    return hash;
}

static uint32_t hash_of(const fp8rt_caps *caps, const fp8rt_tensor *out)
{
    const uint32_t bytes = out->cols * fp8mac_format_bytes(fp8mac_format_get(out->format));
    const uint32_t stride = fp8rt_tensor_stride(caps, out);
    uint32_t hash = hash_bytes(2166136261u, &out->scale, sizeof out->scale);
    for (uint32_t row = 0; row < out->rows; row++) {
        hash = hash_bytes(hash, (const uint8_t *)out->data + (size_t)row * stride, bytes);
    }
    return hash;
}

void layers_report(const layers_test *test, const char *name, const fp8rt_tensor *out)
{
    printf("ok   %-52s hash %08" PRIx32 "\n", name, hash_of(&test->dev.caps, out));
}

enum { MESSAGE = 160 };

// The layer, with the scratch that it asks for. Prints why it fails.
static void finish(const layers_test *test, const void *desc)
{
    if (test->finish != NULL) {
        test->finish(&test->dev.caps, desc);
    }
}

static fp8rt_status run_layer(layers_test *test, layers_call *call, const void *desc,
                              fp8rt_profile *profile)
{
    fp8rt_run query = fp8rt_run_query(&test->dev);
    char message[MESSAGE];
    fp8rt_status status = call(&query, desc);
    if (status != FP8RT_OK) {
        printf("%s\n", fp8rt_run_message(&query, message, sizeof message));
        return status;
    }
    fp8rt_arena arena = test->arena;
    void *scratch = fp8rt_arena_alloc(&arena, query.peak);
    fp8rt_run run = fp8rt_run_on(&test->dev, scratch, query.peak);
    static fp8rt_reference_observer references;
    references = fp8rt_reference_observer_on(arena);
    profile->observer = fp8rt_app_is_host ? &references.observer : NULL;
    run.profile = profile;
    status = call(&run, desc);
    profile->observer = NULL;
    if (status != FP8RT_OK) {
        printf("%s\n", fp8rt_run_message(&run, message, sizeof message));
    }
    if (status == FP8RT_OK && run.peak != query.peak) {
        printf("FAIL the run took %zu bytes of scratch, the query said %zu\n", run.peak,
               query.peak);
        return FP8RT_ERR_SCRATCH;
    }
    return status;
}

// ---- the same layer, recorded -------------------------------------------------------------------

// All memory of a family's cases so far, but for scratch
typedef struct snapshot {
    uint8_t *from, *copy;
    size_t bytes;
} snapshot;

enum {
    MOST_BYTES_ON_CHIP = 65536, // whose copies take the core too long
    RECORDED_ONE = 512,         // memory for one command more
};

static snapshot take_snapshot(fp8rt_arena *arena, const uint8_t *end)
{
    snapshot s = {.from = fp8rt_app_arena().next};
    s.bytes = (size_t)(end - s.from);
    if (fp8rt_app_is_host || s.bytes <= MOST_BYTES_ON_CHIP) {
        s.copy = fp8rt_arena_alloc(arena, s.bytes);
    }
    if (s.copy != NULL) {
        memcpy(s.copy, s.from, s.bytes);
    }
    return s;
}

// A list has one command at least: where the core computes all of a layer, one more follows it.
static void add_command(fp8rt_run *run, float *value)
{
    fp8rt_tensor one = {.data = value, .rows = 1, .cols = 1, .format = FP8MAC_FP32};
    if (run->recorder->calls && run->recorder->commands == 0) {
        fp8rt_add(run, &(fp8rt_arithmetic_desc){.x = &one, .out = &one});
    }
}

static fp8rt_status record(layers_test *test, layers_call *call, const void *desc,
                           fp8rt_arena *arena, fp8rt_network *network)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    fp8rt_status status = call(&run, desc);
    if (status != FP8RT_OK) { // a cache that is full now
        return FP8RT_ERR_UNSUPPORTED;
    }
    const size_t scratch_bytes = run.peak, bytes = run.record_bytes + RECORDED_ONE;
    void *scratch = fp8rt_arena_alloc(arena, scratch_bytes);
    float *value = fp8rt_arena_alloc(arena, sizeof *value);
    fp8rt_recorder recorder = fp8rt_recorder_in(fp8rt_arena_alloc(arena, bytes), bytes);
    run = fp8rt_run_on(&test->dev, scratch, scratch_bytes);
    run.recorder = &recorder;
    call(&run, desc);
    *value = 1.0f;
    add_command(&run, value);
    status = fp8rt_network_record(network, &run);
    if (status == FP8RT_ERR_UNSUPPORTED) {
        char message[MESSAGE];
        printf("     not recorded: %s\n", fp8rt_run_message(&run, message, sizeof message));
    }
    return status;
}

// Runs the layer as a list on the memory that it had before. Both give the same memory. Layers that
// cannot be recorded have changed nothing.
static void try_recorded(layers_test *test, const char *name, layers_call *call, const void *desc,
                         const snapshot *before)
{
    fp8rt_arena arena = test->arena;
    const snapshot after = take_snapshot(&arena, before->from + before->bytes);
    fp8rt_network network;
    fp8rt_network_result result = {.status = FP8RT_OK};
    if (before->copy == NULL || after.copy == NULL) {
        return;
    }
    memcpy(before->from, before->copy, before->bytes);
    fp8rt_status status = record(test, call, desc, &arena, &network);
    const bool recorded = status == FP8RT_OK;
    const bool untouched = memcmp(before->from, before->copy, before->bytes) == 0;
    if (recorded) {
        status = fp8rt_network_run(&network, &result);
        finish(test, desc);
    }
    const bool same = memcmp(after.from, after.copy, after.bytes) == 0;
    if (!untouched ||
        (recorded ? status != FP8RT_OK || !same
                  : status != FP8RT_ERR_UNSUPPORTED && status != FP8RT_ERR_ALIGNMENT)) {
        printf("FAIL %s, recorded: %s%s\n", name, fp8rt_status_string(status),
               recorded && !same ? ", other bytes" : "");
        test->failed++;
    } else {
        test->passed++;
    }
    test->recorded += recorded;
    test->paused += recorded && network.calls;
    test->refused += !recorded;
    if (recorded && !fp8rt_app_is_host) {
        printf("     recorded: %" PRIu32 " commands, accelerator %" PRIu32 " cycles\n",
               fp8rt_network_commands(&network), result.counters.cycles - result.counters.idle);
    }
    memcpy(after.from, after.copy, after.bytes);
}

fp8rt_status layers_linear_status(layers_test *test, const fp8rt_linear_desc *desc)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_linear(&run, desc);
}

void layers_expect_recorded(layers_test *test, const char *name, unsigned before)
{
    if (fp8rt_app_is_host) { // the chip leaves out what is too large
        layers_expect(test, name, test->recorded == before + 1u);
    }
}

// ---- what a case prints -------------------------------------------------------------------------

// Of all layers that the case calls itself.
static void print_cycles(const fp8rt_profile *profile)
{
    uint32_t all = 0, busy = 0, commands = 0;
    for (uint32_t i = 0; i < profile->count && i < profile->capacity; i++) {
        const fp8rt_profile_entry *entry = &profile->entries[i];
        if (entry->depth == 0) {
            all += entry->core_cycles;
            busy += entry->counters.cycles - entry->counters.idle;
            commands += entry->commands;
        }
    }
    printf("     core %" PRIu32 ", accelerator %" PRIu32 " cycles, %" PRIu32 " commands\n",
           all - busy, busy, commands);
}

// Layers that the references of a profile leave out; see fp8rt/reference_profile.h.
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"lstm",       "gru",       "transposed_convolution", "move",
                                        "reciprocal", "logarithm", "transformer block"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        found = found || strcmp(name, names[i]) == 0;
    }
    return found;
}

// The layer that writes the case's output: the last that the case calls itself
static const fp8rt_profile_entry *last_layer(const fp8rt_profile *profile)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < profile->count && i < profile->capacity; i++) {
        last = profile->entries[i].depth == 0 ? i : last;
    }
    return &profile->entries[last];
}

static bool profile_agrees(const fp8rt_profile_entry *entry, double error, bool table)
{
    const bool expected = !is_left_out(entry->name) && !table;
    return entry->compared == expected && (!expected || entry->error == (float)error);
}

static bool compare(layers_test *test, layers_reference *call, const void *desc,
                    const fp8rt_tensor *out, const fp8rt_profile_entry *entry)
{
    fp8rt_reference reference = fp8rt_reference_of(&test->dev.caps, out, test->arena);
    if (reference.values == NULL) {
        return false;
    }
    call(&reference, desc);
    const fp8rt_deviation d = fp8rt_reference_compare(&reference, out);
    printf("     error %.3g of %.3g allowed there, largest value %.3g; %" PRIu32 " of %" PRIu32
           " outputs wrong\n",
           d.error, d.bound, d.amax, d.wrong, out->rows * out->cols);
    layers_expect(test, "error in the profile", profile_agrees(entry, d.error, test->table));
    return d.wrong == 0;
}

static void print_profile(const layers_test *test, const fp8rt_profile *profile)
{
    if (test->profile != NULL && strcmp(test->profile, "csv") == 0) {
        fp8rt_app_print_profile_csv(&test->dev.caps, profile);
    } else if (test->profile != NULL) {
        fp8rt_app_print_profile(&test->dev.caps, profile);
    }
}

void layers_try(layers_test *test, const char *name, layers_call *call, layers_reference *reference,
                const void *desc, fp8rt_tensor *out)
{
    static fp8rt_profile_entry entries[LAYERS_OF_A_CASE];
    fp8rt_profile profile = {
        .entries = entries, .capacity = LAYERS_OF_A_CASE, .clock = fp8rt_app_cycles};
    const fp8rt_arena arena = test->arena; // as the case has left it
    const snapshot before = take_snapshot(&test->arena, arena.next);
    const fp8rt_status status = run_layer(test, call, desc, &profile);
    bool good = status == FP8RT_OK;
    if (good) {
        finish(test, desc);
        try_recorded(test, name, call, desc, &before);
    }
    test->arena = arena;
    if (!good) {
        printf("FAIL %s\n", name);
    } else {
        layers_report(test, name, out);
        if (!fp8rt_app_is_host) {
            print_cycles(&profile);
        } else if (reference != NULL) {
            good = compare(test, reference, desc, out, last_layer(&profile));
        }
        print_profile(test, &profile);
    }
    good ? test->passed++ : test->failed++;
}

// Of a family's data: they do not depend on the other families.
static uint32_t seed_of(const char *name)
{
    return hash_bytes(2166136261u, name, strlen(name));
}

int main(int argc, char **argv)
{
    static layers_test test;
    const char *only = fp8rt_app_option(argc, argv, "FAMILY");
    test.profile = fp8rt_app_option(argc, argv, "PROFILE");
    if (fp8rt_device_open(&test.dev, &fp8rt_app_port) != FP8RT_OK) {
        printf("layers: no accelerator\n");
        return 1;
    }
    const char *core = fp8rt_app_option(argc, argv, "CORE");
    if (core != NULL && strcmp(core, "1") == 0) {
        test.dev.caps.functions &= ~(uint32_t)FP8MAC_FUNCTION_ROWS;
    }
    if (test.dev.caps.element.int8) {
        printf("layers: this array has INT8 elements, and the layers need FP8\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (only == NULL || strcmp(only, families[i].name) == 0) {
            test.arena = fp8rt_app_arena();
            test.random = fp8rt_random_seed(seed_of(families[i].name));
            printf("%s\n", families[i].name);
            families[i].run(&test);
        }
    }
    printf("%u layers were recorded, %u refused\n", test.recorded, test.refused);
    printf("%u passed, %u failed\n", test.passed, test.failed);
    return test.failed == 0 && test.passed > 0 ? 0 : 1;
}
