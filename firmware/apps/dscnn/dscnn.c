// SPDX-License-Identifier: Apache-2.0
//: DS-CNN-S for keyword spotting as a recorded network, with weights from a seed: cycles of a
//: frame.
//: PROFILE=   cycles of each layer run alone, as text or csv (none)
//
// The network of MLPerf Tiny (Zhang et al., "Hello Edge", 2017): 49 frames of 10 coefficients
// become 12 classes. Lines of the images are along time here, because a line of 25 pixels has more
// whole groups of rows than one of 5. Codes of weights are random, so the classes mean nothing, and
// cycles do not depend on them. The list gives the bytes of the layers run one by one. The last
// line is the count of tests.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/layers.h"
#include "fp8rt/network.h"
#include "fp8rt/trial.h"

enum {
    FRAMES = 49,
    COEFFICIENTS = 10,
    WIDTH = 25, // of the images behind the first convolution
    HEIGHT = 5,
    PIXELS = WIDTH * HEIGHT,
    CHANNELS = 64,
    CLASSES = 12,
    BLOCKS = 4, // a depthwise convolution and one of 1 x 1 each
    KERNEL1_H = 4,
    KERNEL1_W = 10,
    KERNEL = 3, // and as wide, of the depthwise convolutions
    SEED = 1,
    RUNS = 3,
};

typedef struct dscnn {
    fp8rt_tensor x, first, mean, classes;
    struct {
        fp8rt_weights depthwise, pointwise;
        fp8rt_tensor between, out;
    } blocks[BLOCKS];
    fp8rt_weights convolution, linear;
    const void *ones;
    uint32_t joined; // channels of a group of the depthwise convolutions
    bool pairs;      // which give two output lines at once
} dscnn;

typedef struct program {
    fp8rt_device dev;
    fp8rt_arena arena;
    fp8rt_random random;
    unsigned passed, failed;
    dscnn net;
} program;

static void expect(program *p, const char *name, bool good)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? p->passed++ : p->failed++;
}

// ---- the network --------------------------------------------------------------------------------

static const fp8rt_window same = {KERNEL,          KERNEL,        .pad_top = 1,
                                  .pad_bottom = 1, .pad_left = 1, .pad_right = 1};

static void depthwise(fp8rt_run *run, const dscnn *n, const fp8rt_tensor *x,
                      const fp8rt_weights *weights, fp8rt_tensor *out)
{
    const fp8rt_convolution_desc desc = {.x = x,
                                         .height = HEIGHT,
                                         .width = WIDTH,
                                         .window = same,
                                         .weights = weights,
                                         .group_in = n->joined,
                                         .group_out = n->joined,
                                         .pairs = n->pairs,
                                         .fused = {.activation = FP8MAC_ACT_RELU},
                                         .out = out};
    fp8rt_convolution(run, &desc);
}

static void pointwise(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_weights *weights,
                      fp8rt_tensor *out)
{
    const fp8rt_linear_desc desc = {
        .x = x, .weights = weights, .fused = {.activation = FP8MAC_ACT_RELU}, .out = out};
    fp8rt_linear(run, &desc);
}

// A status of the run stays, so the last one is that of all layers.
static fp8rt_pooling_desc mean_of(dscnn *n)
{
    return (fp8rt_pooling_desc){.x = &n->blocks[BLOCKS - 1].out,
                                .height = HEIGHT,
                                .width = WIDTH,
                                .ones = n->ones,
                                .out = &n->mean};
}

static fp8rt_status run_net(fp8rt_run *run, dscnn *n)
{
    static const char *const names[BLOCKS][2] = {
        {"dw1", "pw1"}, {"dw2", "pw2"}, {"dw3", "pw3"}, {"dw4", "pw4"}};
    const fp8rt_convolution_desc first = {.x = &n->x,
                                          .height = COEFFICIENTS,
                                          .width = FRAMES,
                                          .pixel_bytes = 1,
                                          .window = {KERNEL1_H, KERNEL1_W, .stride_y = 2,
                                                     .stride_x = 2, .pad_top = 1, .pad_bottom = 1,
                                                     .pad_left = 4, .pad_right = 5},
                                          .weights = &n->convolution,
                                          .fused = {.activation = FP8MAC_ACT_RELU},
                                          .out = &n->first};
    fp8rt_run_label(run, "conv");
    fp8rt_convolution(run, &first);
    const fp8rt_tensor *x = &n->first;
    for (unsigned i = 0; i < BLOCKS; i++) {
        fp8rt_run_label(run, names[i][0]);
        depthwise(run, n, x, &n->blocks[i].depthwise, &n->blocks[i].between);
        fp8rt_run_label(run, names[i][1]);
        pointwise(run, &n->blocks[i].between, &n->blocks[i].pointwise, &n->blocks[i].out);
        x = &n->blocks[i].out;
    }
    fp8rt_run_label(run, "mean");
    const fp8rt_pooling_desc mean = mean_of(n);
    fp8rt_global_average(run, &mean);
    fp8rt_run_label(run, "classes");
    const fp8rt_linear_desc classes = {.x = &n->mean, .weights = &n->linear, .out = &n->classes};
    return fp8rt_linear(run, &classes);
}

// ---- its data -----------------------------------------------------------------------------------

static void *take(program *p, size_t bytes)
{
    void *memory = fp8rt_arena_alloc(&p->arena, bytes);
    expect(p, "memory", memory != NULL);
    return memory;
}

static fp8rt_tensor tensor_of(program *p, uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    fp8rt_tensor tensor = {.rows = rows, .cols = cols, .format = format, .scale = 1.0f};
    tensor.data = take(p, fp8rt_tensor_bytes(&p->dev.caps, &tensor));
    return tensor;
}

static fp8rt_tensor codes_of(program *p, uint32_t rows, uint32_t cols)
{
    fp8rt_tensor tensor = tensor_of(p, rows, cols, FP8MAC_E4M3FN);
    fp8rt_random_codes(&p->random, FP8RT_DATA_WIDE, FP8MAC_E4M3FN, tensor.data,
                       fp8rt_tensor_bytes(&p->dev.caps, &tensor));
    return tensor;
}

static const float *floats_of(program *p, bool is_signed, uint32_t count)
{
    float *values = take(p, count * sizeof(float));
    fp8rt_random_floats(&p->random, is_signed, values, count);
    return values;
}

// As batch norms give them: a scale and a bias for each output channel
static fp8rt_weights weights_of(program *p, uint32_t rows, uint32_t cols)
{
    fp8rt_weights weights = {.codes = codes_of(p, rows, cols)};
    weights.codes.scale = 0.0625f;
    weights.row_scale = floats_of(p, false, rows);
    weights.bias = floats_of(p, true, rows);
    return weights;
}

static fp8rt_weights depthwise_weights(program *p)
{
    const fp8rt_weights narrow = weights_of(p, CHANNELS, KERNEL * KERNEL);
    fp8rt_weights joined = narrow;
    if (p->net.pairs) {
        joined.codes = tensor_of(p, fp8rt_pairs_rows(CHANNELS),
                                 fp8rt_pairs_cols(&p->dev.caps, KERNEL, KERNEL, 1), FP8MAC_E4M3FN);
        joined.codes.scale = narrow.codes.scale;
        const fp8rt_pairs_desc pairs = {
            .src = &narrow.codes, .kernel_h = KERNEL, .kernel_w = KERNEL, .dst = &joined.codes};
        expect(p, "lines are paired", fp8rt_pair_lines(&p->dev.caps, &pairs) == FP8RT_OK);
        return joined;
    }
    joined.codes = tensor_of(p, CHANNELS, KERNEL * KERNEL * p->net.joined, FP8MAC_E4M3FN);
    joined.codes.scale = narrow.codes.scale;
    const fp8rt_join_desc join = {.src = &narrow.codes,
                                  .points = KERNEL * KERNEL,
                                  .group_in = 1,
                                  .group_out = 1,
                                  .joined = p->net.joined,
                                  .dst = &joined.codes};
    expect(p, "groups are joined", fp8rt_join_groups(&p->dev.caps, &join) == FP8RT_OK);
    return joined;
}

// One value of a pixel follows the other: the image is a line of bytes.
static fp8rt_tensor frames(program *p)
{
    const uint32_t bytes = (FRAMES * COEFFICIENTS + 63u) & ~63u;
    fp8rt_tensor x = {.data = take(p, bytes),
                      .rows = FRAMES * COEFFICIENTS,
                      .cols = 1,
                      .format = FP8MAC_E4M3FN,
                      .scale = 1.0f};
    fp8rt_random_codes(&p->random, FP8RT_DATA_WIDE, FP8MAC_E4M3FN, x.data, bytes);
    return x;
}

static const void *ones_of(program *p)
{
    const fp8rt_run run = fp8rt_run_query(&p->dev);
    const fp8rt_pooling_desc mean = mean_of(&p->net);
    void *codes = take(p, fp8rt_global_average_ones(&run, &mean, NULL));
    fp8rt_global_average_ones(&run, &mean, codes);
    return codes;
}

static void open_net(program *p)
{
    dscnn *n = &p->net;
    n->pairs = fp8rt_takes_pairs(&p->dev.caps, CHANNELS, &same, HEIGHT);
    n->joined = n->pairs ? p->dev.caps.cols / 2u
                         : fp8rt_channels_to_join(&p->dev.caps, FP8MAC_E4M3FN, CHANNELS);
    n->x = frames(p);
    n->convolution = weights_of(p, CHANNELS, KERNEL1_H * KERNEL1_W);
    n->first = tensor_of(p, PIXELS, CHANNELS, FP8MAC_E4M3FN);
    for (unsigned i = 0; i < BLOCKS; i++) {
        n->blocks[i].depthwise = depthwise_weights(p);
        n->blocks[i].pointwise = weights_of(p, CHANNELS, CHANNELS);
        n->blocks[i].between = tensor_of(p, PIXELS, CHANNELS, FP8MAC_E4M3FN);
        n->blocks[i].out = tensor_of(p, PIXELS, CHANNELS, FP8MAC_E4M3FN);
    }
    n->linear = weights_of(p, CLASSES, CHANNELS);
    n->mean = tensor_of(p, 1, CHANNELS, FP8MAC_E4M3FN);
    n->ones = ones_of(p);
    n->classes = tensor_of(p, 1, CLASSES, FP8MAC_FP32);
}

// ---- the program --------------------------------------------------------------------------------

static fp8rt_network network;

// The layers one by one, whose classes are copied to `want`; then the list.
static bool record(program *p, float want[CLASSES])
{
    char message[160];
    fp8rt_run query = fp8rt_run_query(&p->dev);
    fp8rt_status status = run_net(&query, &p->net);
    if (status != FP8RT_OK) {
        printf("%s\n", fp8rt_run_message(&query, message, sizeof message));
        return false;
    }
    void *scratch = take(p, query.peak), *list = take(p, query.record_bytes);
    fp8rt_run run = fp8rt_run_on(&p->dev, scratch, query.peak);
    expect(p, "layers one by one", run_net(&run, &p->net) == FP8RT_OK);
    memcpy(want, p->net.classes.data, CLASSES * sizeof *want);
    run = fp8rt_run_on(&p->dev, scratch, query.peak);
    fp8rt_recorder recorder = fp8rt_recorder_in(list, query.record_bytes);
    run.recorder = &recorder;
    run_net(&run, &p->net);
    status = fp8rt_network_record(&network, &run);
    if (status != FP8RT_OK) {
        printf("%s\n", fp8rt_run_message(&run, message, sizeof message));
    }
    return status == FP8RT_OK;
}

// FNV-1a of the classes: host and chip give the same.
static uint32_t hash_of(const fp8rt_tensor *classes)
{
    const uint8_t *byte = classes->data;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < CLASSES * sizeof(float); i++) {
        hash = (hash ^ byte[i]) * 16777619u;
    }
    return hash;
}

static void run_list(program *p, const float want[CLASSES])
{
    fp8rt_network_result result;
    for (unsigned i = 0; i < RUNS; i++) {
        memset(p->net.classes.data, 0x5a, CLASSES * sizeof *want);
        expect(p, "a run", fp8rt_network_run(&network, &result) == FP8RT_OK);
        expect(p, "classes of the layers",
               memcmp(p->net.classes.data, want, CLASSES * sizeof *want) == 0);
    }
    printf("dscnn: hash %08" PRIx32 ", %" PRIu32 " commands", hash_of(&p->net.classes),
           fp8rt_network_commands(&network));
    if (!fp8rt_app_is_host) {
        printf(", %" PRIu32 " cycles a frame", result.counters.cycles);
    }
    printf("\n");
}

static void profile_list(program *p, const char *form)
{
    enum { LAYERS = 2 + 2 * BLOCKS + 1 };
    static fp8rt_profile_entry entries[LAYERS];
    fp8rt_profile profile = {.entries = entries, .capacity = LAYERS, .clock = fp8rt_app_cycles};
    fp8rt_network_result result;
    expect(p, "a profile", fp8rt_network_profile(&network, &profile, &result) == FP8RT_OK);
    if (strcmp(form, "csv") == 0) {
        fp8rt_app_print_profile_csv(&p->dev.caps, &profile);
    } else {
        fp8rt_app_print_profile(&p->dev.caps, &profile);
    }
}

int main(int argc, char **argv)
{
    static program p;
    const fp8rt_status status = fp8rt_device_open(&p.dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        printf("dscnn: %s\n", fp8rt_status_string(status));
        return 1;
    }
    p.arena = fp8rt_app_arena();
    p.random = fp8rt_random_seed(SEED);
    float want[CLASSES];
    open_net(&p);
    const bool recorded = record(&p, want);
    expect(&p, "a recording", recorded);
    if (recorded) {
        run_list(&p, want);
        const char *form = fp8rt_app_option(argc, argv, "PROFILE");
        if (form != NULL) {
            profile_list(&p, form);
        }
    }
    printf("%u passed, %u failed\n", p.passed, p.failed);
    return p.failed == 0 ? 0 : 1;
}
