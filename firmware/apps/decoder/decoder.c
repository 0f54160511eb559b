// SPDX-License-Identifier: Apache-2.0
//: A decoder block that takes one token, as a recorded list, with weights from a seed:
//: cycles of the token.
//: PROFILE=1    the layers run one by one: cycles, products, bytes; on the host the error of each
//
// Width 256, 8 heads, 1,024 hidden values, and a cache of 256 tokens that the new one makes full.
// Weights and cache are random codes, so the result means nothing, and cycles do not depend on
// them. The list gives the bytes of the layers run one by one. On the host each layer is compared
// with double precision: its error is at most half a step between the largest codes of its output.
// The last line is the count of tests.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/layers.h"
#include "fp8rt/network.h"
#include "fp8rt/reference_profile.h"
#include "fp8rt/trial.h"

enum { WIDTH = 256, HEADS = 8, HIDDEN = 1024, CAPACITY = 256, SEED = 1, RUNS = 3, LAYERS = 32 };
#define SCALE 0.03125f  // of all FP8 tensors between layers
#define LARGEST_STEP 32 // between codes of e4m3fn

typedef struct program {
    fp8rt_device dev;
    fp8rt_arena arena;
    fp8rt_random random;
    unsigned passed, failed;
    fp8rt_weights query, key, value, output, up, down;
    fp8rt_kv_cache cache;
    fp8rt_tensor x;
    float *gamma, *start;
    float want[WIDTH];
    fp8rt_profile_entry entries[LAYERS];
    fp8rt_profile profile; // of the layers one by one
} program;

static void expect(program *p, const char *name, bool good)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? p->passed++ : p->failed++;
}

static void *take(program *p, size_t bytes)
{
    void *memory = fp8rt_arena_alloc(&p->arena, bytes);
    expect(p, "memory", memory != NULL);
    return memory;
}

static fp8rt_tensor codes(program *p, uint32_t rows, uint32_t cols, float scale)
{
    fp8rt_tensor t = {.rows = rows, .cols = cols, .format = FP8MAC_E4M3FN, .scale = scale};
    const size_t bytes = fp8rt_tensor_bytes(&p->dev.caps, &t);
    t.data = take(p, bytes);
    fp8rt_random_codes(&p->random, FP8RT_DATA_WIDE, FP8MAC_E4M3FN, t.data, bytes);
    return t;
}

static fp8rt_weights weights(program *p, uint32_t rows, uint32_t cols)
{
    return (fp8rt_weights){.codes = codes(p, rows, cols, 0.00048828125f)};
}

// Numbers in (-1, 1), or in (0.5, 1.5): no tensor of the block saturates.
static float *floats(program *p, bool is_signed)
{
    float *values = take(p, WIDTH * sizeof *values);
    fp8rt_random_floats(&p->random, is_signed, values, WIDTH);
    for (unsigned i = 0; i < WIDTH; i++) {
        const float x = values[i], size = x < 0 ? -x : x;
        values[i] = x / (1.0f + size) + (is_signed ? 0.0f : 0.5f);
    }
    return values;
}

static void open_block(program *p)
{
    p->query = weights(p, WIDTH, WIDTH);
    p->key = weights(p, WIDTH, WIDTH);
    p->value = weights(p, WIDTH, WIDTH);
    p->output = weights(p, WIDTH, WIDTH);
    p->up = weights(p, HIDDEN, WIDTH);
    p->down = weights(p, WIDTH, HIDDEN);
    p->cache.keys = codes(p, CAPACITY, WIDTH, SCALE);
    p->cache.values = codes(p, WIDTH, CAPACITY, SCALE);
    p->cache.group = codes(p, p->dev.caps.beat_bytes, WIDTH, 1.0f);
    p->gamma = floats(p, false);
    p->start = floats(p, true);
    p->x = (fp8rt_tensor){.data = take(p, WIDTH * sizeof(float)),
                          .rows = 1,
                          .cols = WIDTH,
                          .format = FP8MAC_FP32,
                          .scale = 1.0f};
}

// The last token that the cache has room for
static fp8rt_status run_block(program *p, fp8rt_run *run)
{
    const fp8rt_between between = {.format = FP8MAC_E4M3FN, .scale = SCALE};
    const fp8rt_block_norm norm = {.rms = true, .eps = 1e-5f, .gamma = p->gamma};
    const fp8rt_block_desc block = {.x = &p->x,
                                    .heads = HEADS,
                                    .causal = true,
                                    .self = {.norm = norm,
                                             .query = &p->query,
                                             .key = &p->key,
                                             .value = &p->value,
                                             .output = &p->output,
                                             .cache = &p->cache,
                                             .in = between,
                                             .asked = between,
                                             .mixed = between},
                                    .feed_forward = {.norm = norm,
                                                     .up = &p->up,
                                                     .down = &p->down,
                                                     .fused = {.activation = FP8MAC_ACT_RELU},
                                                     .in = between,
                                                     .hidden = between}};
    p->cache.length = CAPACITY - 1;
    memcpy(p->x.data, p->start, WIDTH * sizeof(float));
    return fp8rt_transformer_block(run, &block);
}

// The layers one by one, and on the host the error of each
static fp8rt_status run_layers(program *p, fp8rt_run *run)
{
    fp8rt_reference_observer references = fp8rt_reference_observer_on(p->arena);
    p->profile = (fp8rt_profile){.entries = p->entries,
                                 .capacity = LAYERS,
                                 .clock = fp8rt_app_cycles,
                                 .observer = fp8rt_app_is_host ? &references.observer : NULL};
    run->profile = &p->profile;
    const fp8rt_status status = run_block(p, run);
    unsigned compared = 0;
    for (uint32_t i = 0; i < p->profile.count && i < LAYERS; i++) {
        const fp8rt_profile_entry *entry = &p->entries[i];
        compared += entry->compared;
        expect(p, entry->name, !entry->compared || entry->error <= SCALE * LARGEST_STEP / 2);
    }
    expect(p, "layers are compared", !fp8rt_app_is_host || compared == 7);
    p->profile.observer = NULL;
    return status;
}

static fp8rt_status record(program *p, fp8rt_network *network)
{
    fp8rt_run query = fp8rt_run_query(&p->dev);
    expect(p, "a query", run_block(p, &query) == FP8RT_OK);
    void *scratch = take(p, query.peak), *list = take(p, query.record_bytes);
    fp8rt_run run = fp8rt_run_on(&p->dev, scratch, query.peak);
    expect(p, "layers one by one", run_layers(p, &run) == FP8RT_OK);
    memcpy(p->want, p->x.data, sizeof p->want);
    expect(p, "a result", memcmp(p->want, p->start, sizeof p->want) != 0);
    run = fp8rt_run_on(&p->dev, scratch, query.peak);
    fp8rt_recorder recorder = fp8rt_recorder_in(list, query.record_bytes);
    run.recorder = &recorder;
    run_block(p, &run);
    return fp8rt_network_record(network, &run);
}

// FNV-1a: host and chip give the same.
static uint32_t hash_of(const fp8rt_tensor *x)
{
    const uint8_t *byte = x->data;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < WIDTH * sizeof(float); i++) {
        hash = (hash ^ byte[i]) * 16777619u;
    }
    return hash;
}

static void run_list(program *p, fp8rt_network *network)
{
    fp8rt_network_result result;
    for (unsigned i = 0; i < RUNS; i++) {
        memcpy(p->x.data, p->start, WIDTH * sizeof(float));
        expect(p, "a run", fp8rt_network_run(network, &result) == FP8RT_OK);
        expect(p, "the layers' result", memcmp(p->x.data, p->want, sizeof p->want) == 0);
    }
    printf("decoder: hash %08" PRIx32 ", %" PRIu32 " commands", hash_of(&p->x),
           fp8rt_network_commands(network));
    if (!fp8rt_app_is_host) {
        printf(", %" PRIu32 " cycles a token", result.counters.cycles);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static program p;
    fp8rt_network network;
    const bool prints = argc == 2 && strcmp(argv[1], "PROFILE=1") == 0;
    if (argc > 1 && !prints) {
        printf("%s is not an option of decoder: its only option is PROFILE=1.\n", argv[1]);
        return 2;
    }
    const fp8rt_status status = fp8rt_device_open(&p.dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        printf("decoder: %s\n", fp8rt_status_string(status));
        return 1;
    }
    p.arena = fp8rt_app_arena();
    p.random = fp8rt_random_seed(SEED);
    open_block(&p);
    const bool recorded = record(&p, &network) == FP8RT_OK;
    expect(&p, "a recording", recorded);
    if (prints) {
        fp8rt_app_print_profile(&p.dev.caps, &p.profile);
    }
    if (recorded) {
        run_list(&p, &network);
    }
    printf("%u passed, %u failed\n", p.passed, p.failed);
    return p.failed == 0 ? 0 : 1;
}
