// SPDX-License-Identifier: Apache-2.0
// A network that is recorded: the bytes of its layers, errors and what follows, images that move.
#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/layers.h"
#include "fp8rt/network.h"

enum {
    SIDE = 8,
    PIXELS = SIDE * SIDE,
    CHANNELS = 16,
    CLASSES = 10,
    FAULT = 4, // the command that is spoiled, in some cases
};

// Two convolutions whose sum is averaged and classified. All memory is in one block, so that it can
// move.
typedef struct net {
    fp8rt_tensor x, first, second, sum, mean, classes;
    fp8rt_weights narrow, wide, last;
    uint8_t *block;
    size_t bytes;
} net;

typedef struct bench {
    layers_test *test;
    net net;
    void *scratch, *list;
    size_t scratch_bytes, list_bytes;
    uint8_t *want; // the block behind the layers
    fp8rt_network network;
} bench;

static fp8rt_status convolution(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_weights *weights,
                                fp8rt_tensor *out)
{
    const fp8rt_convolution_desc desc = {
        .x = x,
        .height = SIDE,
        .width = SIDE,
        .window = {3, 3, .pad_top = 1, .pad_bottom = 1, .pad_left = 1, .pad_right = 1},
        .weights = weights,
        .fused = {.activation = FP8MAC_ACT_RELU},
        .out = out};
    return fp8rt_convolution(run, &desc);
}

static fp8rt_status run_net(fp8rt_run *run, net *n)
{
    fp8rt_run_label(run, "conv1");
    convolution(run, &n->x, &n->narrow, &n->first);
    fp8rt_run_label(run, "conv2");
    convolution(run, &n->first, &n->wide, &n->second);
    const fp8rt_arithmetic_desc sum = {.x = &n->first, .y = &n->second, .out = &n->sum};
    fp8rt_add(run, &sum);
    fp8rt_run_label(run, "mean");
    const fp8rt_pooling_desc mean = {.x = &n->sum, .height = SIDE, .width = SIDE, .out = &n->mean};
    fp8rt_global_average(run, &mean);
    fp8rt_run_label(run, "classes");
    const fp8rt_linear_desc classes = {.x = &n->mean, .weights = &n->last, .out = &n->classes};
    return fp8rt_linear(run, &classes);
}

// ---- preparation --------------------------------------------------------------------------------

static void open_net(bench *b)
{
    layers_test *test = b->test;
    net *n = &b->net;
    n->block = layers_take(test, 0);
    n->x = layers_codes(test, PIXELS, 4, FP8MAC_E4M3FN);
    n->narrow = layers_weights(test, CHANNELS, 9 * 4);
    n->wide = layers_weights(test, CHANNELS, 9 * CHANNELS);
    n->last = layers_weights(test, CLASSES, CHANNELS);
    n->first = layers_empty(test, PIXELS, CHANNELS, FP8MAC_E4M3FN);
    n->second = layers_empty(test, PIXELS, CHANNELS, FP8MAC_E4M3FN);
    n->sum = layers_empty(test, PIXELS, CHANNELS, FP8MAC_E4M3FN);
    n->mean = layers_empty(test, 1, CHANNELS, FP8MAC_E4M3FN);
    n->classes = layers_empty(test, 1, CLASSES, FP8MAC_FP32);
    n->bytes = (size_t)((uint8_t *)layers_take(test, 0) - n->block);
}

enum { UNTOUCHED = 0x5a }; // also between the rows of outputs

static void clear_outputs(net *n)
{
    uint8_t *const from = n->first.data;
    memset(from, UNTOUCHED, (size_t)(n->block + n->bytes - from));
}

// The layers one by one. Their bytes are what every list gives.
static void prepare(bench *b)
{
    layers_test *test = b->test;
    open_net(b);
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a query", run_net(&run, &b->net) == FP8RT_OK);
    b->scratch_bytes = run.peak;
    b->list_bytes = run.record_bytes;
    b->scratch = layers_take(test, b->scratch_bytes);
    b->list = layers_take(test, b->list_bytes);
    b->want = layers_take(test, b->net.bytes);
    clear_outputs(&b->net);
    run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    layers_expect(test, "layers one by one", run_net(&run, &b->net) == FP8RT_OK);
    memcpy(b->want, b->net.block, b->net.bytes);
    clear_outputs(&b->net);
}

static fp8rt_status record_in(bench *b, const fp8rt_symbol *symbols, uint32_t count, size_t bytes)
{
    fp8rt_run run = fp8rt_run_on(&b->test->dev, b->scratch, b->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, bytes);
    recorder.symbols = symbols;
    recorder.symbol_count = count;
    run.recorder = &recorder;
    run_net(&run, &b->net);
    return fp8rt_network_record(&b->network, &run);
}

static bool right(bench *b)
{
    const bool same = memcmp(b->net.block, b->want, b->net.bytes) == 0;
    clear_outputs(&b->net);
    return same;
}

// ---- cases --------------------------------------------------------------------------------------

static void repeated(bench *b)
{
    layers_test *test = b->test;
    fp8rt_network_result result;
    layers_expect(test, "a recording", record_in(b, NULL, 0, b->list_bytes) == FP8RT_OK);
    layers_expect(test, "computes nothing", !right(b));
    for (unsigned i = 0; i < 3; i++) {
        layers_expect(test, "a run",
                      fp8rt_network_run(&b->network, &result) == FP8RT_OK &&
                          result.status == FP8RT_OK && result.command == FP8RT_NO_COMMAND);
        layers_expect(test, "gives the bytes of the layers", right(b));
    }
    if (!fp8rt_app_is_host) {
        printf("     list: %" PRIu32 " commands, accelerator %" PRIu32 " of %" PRIu32 " cycles\n",
               fp8rt_network_commands(&b->network), result.counters.cycles - result.counters.idle,
               result.counters.cycles);
    }
    static const char *const names[] = {"conv1", "conv2", "add", "mean", "classes"};
    bool named = fp8rt_network_commands(&b->network) == 5;
    for (unsigned i = 0; i < 5; i++) {
        named = named && strcmp(fp8rt_network_layer(&b->network, i), names[i]) == 0;
    }
    layers_expect(test, "commands have the names of layers", named);
}

// start and poll in place of run
static void polled(bench *b)
{
    layers_test *test = b->test;
    layers_expect(test, "a start", fp8rt_network_start(&b->network) == FP8RT_OK);
    layers_expect(test, "a second start", fp8rt_network_start(&b->network) == FP8RT_ERR_LATE);
    unsigned polls = 0;
    fp8rt_status status;
    do {
        status = fp8rt_network_poll(&b->network);
        polls++;
    } while (status == FP8RT_ERR_LATE && polls < 100000);
    layers_expect(test, "polls until the end", status == FP8RT_OK && polls > 1);
    layers_expect(test, "a wait behind it", fp8rt_network_wait(&b->network, NULL) == FP8RT_OK);
    layers_expect(test, "bytes of a list that is polled", right(b));
    layers_expect(test, "a wait for nothing", fp8rt_network_wait(&b->network, NULL) != FP8RT_OK);
}

static void profiled(bench *b)
{
    layers_test *test = b->test;
    fp8rt_profile_entry entries[8];
    fp8rt_profile profile = {.entries = entries, .capacity = 8, .clock = fp8rt_app_cycles};
    fp8rt_network_result result;
    layers_expect(test, "a profile",
                  fp8rt_network_profile(&b->network, &profile, &result) == FP8RT_OK);
    layers_expect(test, "bytes of a profile", right(b));
    layers_expect(test, "an entry for each layer",
                  profile.count == 5 && strcmp(entries[2].name, "add") == 0 &&
                      entries[2].commands == 1);
    uint64_t macs = 0;
    for (unsigned i = 0; i < profile.count; i++) {
        macs += entries[i].counters.macs;
    }
    layers_expect(test, "counters of a profile", macs == result.counters.macs && macs != 0);
    fp8rt_network_run(&b->network, NULL);
    layers_expect(test, "a run behind a profile", right(b));
}

// A scale vector's value is no scale: the accelerator finds that when it loads it.
static void failed(bench *b)
{
    layers_test *test = b->test;
    fp8rt_network_result result;
    float *value = (float *)(uintptr_t)b->net.last.row_scale;
    const float good = *value;
    *value = -1.0f;
    layers_expect(test, "a wrong scale",
                  fp8rt_network_run(&b->network, &result) == FP8RT_ERR_HW_SCALE);
    layers_expect(test, "command and layer that failed",
                  result.command == FAULT && strcmp(result.layer, "classes") == 0);
    *value = good;
    layers_expect(test, "the rest of the list", fp8rt_network_run(&b->network, NULL) == FP8RT_OK);
    layers_expect(test, "bytes of both parts", right(b));
    *value = -1.0f;
    layers_expect(test, "once more", fp8rt_network_run(&b->network, NULL) == FP8RT_ERR_HW_SCALE);
    layers_expect(test, "the next start begins there", fp8rt_network_next(&b->network) == FAULT);
    *value = good;
    clear_outputs(&b->net);
    fp8rt_network_abandon(&b->network);
    layers_expect(test, "or with the first command", fp8rt_network_next(&b->network) == 0);
    layers_expect(test, "from the beginning", fp8rt_network_run(&b->network, NULL) == FP8RT_OK);
    layers_expect(test, "bytes of a list that was abandoned", right(b));
    fp8rt_network_start(&b->network);
    const fp8rt_status reset = fp8rt_device_reset(&test->dev);
    layers_expect(test, "a reset of the device", reset == FP8RT_OK);
    layers_expect(test, "a list that a reset has dropped",
                  fp8rt_network_wait(&b->network, NULL) == FP8RT_ERR_HW_DROPPED);
    fp8rt_network_abandon(&b->network);
    layers_expect(test, "a run behind a reset", fp8rt_network_run(&b->network, NULL) == FP8RT_OK);
    layers_expect(test, "bytes behind a reset", right(b));
}

static void refused(bench *b)
{
    layers_test *test = b->test;
    for (size_t bytes = 0; bytes < b->list_bytes / 2; bytes += 36) {
        layers_expect(test, "too little memory", record_in(b, NULL, 0, bytes) == FP8RT_ERR_SCRATCH);
    }
    fp8rt_run run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    layers_expect(test, "no recorder", fp8rt_network_record(&b->network, &run) == FP8RT_ERR_NULL);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    run.recorder = &recorder;
    layers_expect(test, "no command", fp8rt_network_record(&b->network, &run) == FP8RT_ERR_SHAPE);
    layers_expect(test, "no network", fp8rt_network_start(&b->network) == FP8RT_ERR_NULL);
    recorder = fp8rt_recorder_in((uint8_t *)b->list + 4, b->list_bytes - 4);
    run.recorder = &recorder;
    layers_expect(test, "a list between beats",
                  fp8rt_network_record(&b->network, &run) == FP8RT_ERR_ALIGNMENT);
    fp8rt_scaling dynamic = {.kind = FP8RT_SCALING_DYNAMIC};
    fp8rt_tensor scaled = b->net.first;
    scaled.scaling = &dynamic;
    recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    run = fp8rt_run_on(&test->dev, layers_take(test, 4 * PIXELS * CHANNELS), 4 * PIXELS * CHANNELS);
    run.recorder = &recorder;
    convolution(&run, &b->net.x, &b->net.narrow, &scaled);
    layers_expect(test, "a scale that depends on data",
                  fp8rt_network_record(&b->network, &run) == FP8RT_ERR_UNSUPPORTED &&
                      strcmp(run.failed, "convolution") == 0);
}

// A call between two commands on the same memory: repeated once too often, it gives other bytes.
static fp8rt_status run_in_place(fp8rt_run *run, net *n)
{
    const fp8rt_pooling_desc mean = {.x = &n->x, .height = SIDE, .width = SIDE, .out = &n->mean};
    const fp8rt_arithmetic_desc twice = {.x = &n->mean, .y = &n->mean, .out = &n->mean};
    const fp8rt_linear_desc classes = {.x = &n->mean, .weights = &n->last, .out = &n->classes};
    fp8rt_global_average(run, &mean);
    fp8rt_add(run, &twice);
    return fp8rt_linear(run, &classes);
}

static void in_place(bench *b)
{
    layers_test *test = b->test;
    fp8rt_network_result result;
    fp8rt_profile_entry entries[4];
    fp8rt_profile profile = {.entries = entries, .capacity = 4};
    const fp8rt_tensor x = b->net.x;
    b->net.x = b->net.first; // as many channels as the classes' weights have
    fp8rt_random_codes(&test->random, FP8RT_DATA_WIDE, FP8MAC_E4M3FN, x.data, 1);
    memset(b->net.first.data, 0x38, PIXELS * CHANNELS);
    fp8rt_run run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    layers_expect(test, "layers in place", run_in_place(&run, &b->net) == FP8RT_OK);
    memcpy(b->want, b->net.classes.data, CLASSES * sizeof(float));
    run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    run.recorder = &recorder;
    run_in_place(&run, &b->net);
    layers_expect(test, "a recording in place",
                  fp8rt_network_record(&b->network, &run) == FP8RT_OK);
    layers_expect(test, "a profile in place",
                  fp8rt_network_profile(&b->network, &profile, &result) == FP8RT_OK &&
                      memcmp(b->want, b->net.classes.data, CLASSES * sizeof(float)) == 0);
    memset(b->net.classes.data, 0, CLASSES * sizeof(float));
    layers_expect(test, "a run in place",
                  fp8rt_network_run(&b->network, &result) == FP8RT_OK &&
                      memcmp(b->want, b->net.classes.data, CLASSES * sizeof(float)) == 0);
    b->net.x = x;
}

// Three layers multiply other rows by the same weights: the last command finds them in the buffers,
// unless a start begins with it. So does the second one, if the first one is one tile. On a narrow
// bus it is not: small tiles make its load short.
enum { ROWS = 4, SAME = 3, LAST = SAME - 1 };

// Whether so many beats are the weights once or twice
static bool are_weights(const fp8rt_caps *caps, uint32_t beats)
{
    const uint32_t once = CLASSES * ((CHANNELS + caps->beat_bytes - 1u) / caps->beat_bytes);
    return beats == LAST * once || (caps->beat_bytes < CHANNELS && beats == once);
}

static fp8rt_status run_same_weights(fp8rt_run *run, const fp8rt_weights *weights,
                                     const fp8rt_tensor *x, fp8rt_tensor *out)
{
    for (unsigned i = 0; i < SAME; i++) {
        const fp8rt_linear_desc desc = {.x = &x[i], .weights = weights, .out = &out[i]};
        fp8rt_linear(run, &desc);
    }
    return run->status;
}

static void same_weights(bench *b)
{
    layers_test *test = b->test;
    enum { BYTES = ROWS * CLASSES * sizeof(float) };
    fp8rt_tensor x[SAME], out[SAME];
    fp8rt_weights weights = b->net.last;
    weights.row_scale = NULL; // a list takes vectors of one side
    for (unsigned i = 0; i < SAME; i++) {
        x[i] = layers_codes(test, ROWS, CHANNELS, FP8MAC_E4M3FN);
        x[i].scale = 1.0f;
        x[i].row_scale = (float *)(uintptr_t)layers_floats(test, false, ROWS);
        out[i] = layers_empty(test, ROWS, CLASSES, FP8MAC_FP32);
        memset(out[i].data, 0, BYTES); // also between the rows
    }
    fp8rt_run run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    layers_expect(test, "layers with the same weights",
                  run_same_weights(&run, &weights, x, out) == FP8RT_OK);
    uint8_t *const want = layers_take(test, BYTES);
    memcpy(want, out[LAST].data, BYTES);
    run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    run.recorder = &recorder;
    run_same_weights(&run, &weights, x, out);
    layers_expect(test, "a recording of them",
                  fp8rt_network_record(&b->network, &run) == FP8RT_OK &&
                      fp8rt_network_commands(&b->network) == SAME);
    fp8rt_network_result list, alone, rest;
    fp8rt_profile_entry entries[SAME];
    fp8rt_profile profile = {.entries = entries, .capacity = SAME};
    memset(out[LAST].data, 0, BYTES);
    layers_expect(test, "all in a profile",
                  fp8rt_network_profile(&b->network, &profile, &alone) == FP8RT_OK &&
                      memcmp(want, out[LAST].data, BYTES) == 0);
    memset(out[LAST].data, 0, BYTES);
    layers_expect(test, "all in a list",
                  fp8rt_network_run(&b->network, &list) == FP8RT_OK &&
                      memcmp(want, out[LAST].data, BYTES) == 0);
    layers_expect(
        test, "the list reads no weights that are there",
        are_weights(&test->dev.caps, alone.counters.read_beats - list.counters.read_beats));
    const float good = x[LAST].row_scale[0];
    x[LAST].row_scale[0] = -1.0f;
    layers_expect(test, "the last one fails",
                  fp8rt_network_run(&b->network, &rest) == FP8RT_ERR_HW_SCALE &&
                      rest.command == LAST);
    x[LAST].row_scale[0] = good;
    memset(out[LAST].data, 0, BYTES);
    layers_expect(test, "and is repeated",
                  fp8rt_network_run(&b->network, &rest) == FP8RT_OK &&
                      memcmp(want, out[LAST].data, BYTES) == 0);
    layers_expect(test, "which reads the weights",
                  rest.counters.read_beats == entries[LAST].counters.read_beats);
    layers_expect(test, "then the list is as before",
                  fp8rt_network_run(&b->network, &rest) == FP8RT_OK &&
                      rest.counters.read_beats == list.counters.read_beats);
}

// What others do while a network runs takes nothing from it.
static void shared(bench *b)
{
    layers_test *test = b->test;
    fp8rt_network_result result;
    fp8rt_network other = b->network;
    float *value = (float *)(uintptr_t)b->net.last.row_scale;
    const float good = *value;
    *value = -1.0f;
    fp8rt_network_start(&b->network);
    layers_expect(test, "another network", fp8rt_network_start(&other) == FP8RT_ERR_LATE);
    fp8rt_status status;
    do {
        status = fp8rt_network_poll(&b->network);
    } while (status == FP8RT_ERR_LATE);
    layers_expect(test, "a list that has failed", status == FP8RT_ERR_HW_SCALE);
    fp8rt_run run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    const fp8rt_arithmetic_desc sum = {.x = &b->net.mean, .y = &b->net.mean, .out = &b->net.mean};
    layers_expect(test, "a layer behind it", fp8rt_add(&run, &sum) == FP8RT_ERR_HW_SCALE);
    layers_expect(test, "its error is still there",
                  fp8rt_network_wait(&b->network, &result) == FP8RT_ERR_HW_SCALE);
    layers_expect(test, "nothing was started",
                  fp8rt_network_wait(&b->network, &result) == FP8RT_ERR_HW_DROPPED &&
                      result.status == FP8RT_ERR_HW_DROPPED);
    *value = good;
    fp8rt_network_abandon(&b->network);
    run = fp8rt_run_on(&test->dev, b->scratch, b->scratch_bytes);
    layers_expect(test, "a layer", fp8rt_add(&run, &sum) == FP8RT_OK);
}

// ---- images -------------------------------------------------------------------------------------

// Two layers without a part of the core, so that their image has no calls
static fp8rt_status run_plain(fp8rt_run *run, net *n)
{
    fp8rt_run_label(run, "conv1");
    convolution(run, &n->x, &n->narrow, &n->first);
    fp8rt_run_label(run, "conv2");
    return convolution(run, &n->first, &n->wide, &n->second);
}

static size_t x_bytes(const bench *b)
{
    return fp8rt_tensor_bytes(&b->test->dev.caps, &b->net.x);
}

static size_t save(bench *b, uint32_t *image, size_t bytes)
{
    const fp8rt_symbol symbols[] = {{"x", b->net.x.data, x_bytes(b)},
                                    {"all", b->net.block, b->net.bytes}};
    fp8rt_run run = fp8rt_run_on(&b->test->dev, b->scratch, b->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    recorder.symbols = symbols;
    recorder.symbol_count = 2;
    run.recorder = &recorder;
    run_plain(&run, &b->net);
    layers_expect(b->test, "a recording with symbols",
                  fp8rt_network_record(&b->network, &run) == FP8RT_OK);
    clear_outputs(&b->net);
    fp8rt_network_run(&b->network, NULL);
    memcpy(b->want, b->net.block, b->net.bytes);
    return fp8rt_network_save(&b->network, image, bytes);
}

static bool same_outputs(const bench *b, const uint8_t *block)
{
    const size_t from = (size_t)((uint8_t *)b->net.first.data - b->net.block);
    const size_t to = (size_t)((uint8_t *)b->net.sum.data - b->net.block);
    return memcmp(block + from, b->want + from, to - from) == 0;
}

static fp8rt_status record_with(bench *b, const fp8rt_symbol *symbols, uint32_t count)
{
    fp8rt_run run = fp8rt_run_on(&b->test->dev, b->scratch, b->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(b->list, b->list_bytes);
    recorder.symbols = symbols;
    recorder.symbol_count = count;
    run.recorder = &recorder;
    run_plain(&run, &b->net);
    return fp8rt_network_record(&b->network, &run);
}

static void wrong_symbols(bench *b)
{
    static char names[FP8RT_NETWORK_SYMBOLS + 1][2];
    fp8rt_symbol symbols[FP8RT_NETWORK_SYMBOLS + 1];
    for (uint32_t i = 0; i <= FP8RT_NETWORK_SYMBOLS; i++) {
        names[i][0] = (char)('a' + i);
        symbols[i] = (fp8rt_symbol){names[i], b->net.block, b->net.bytes};
    }
    layers_test *test = b->test;
    layers_expect(test, "too many symbols",
                  record_with(b, symbols, FP8RT_NETWORK_SYMBOLS + 1) == FP8RT_ERR_SHAPE);
    symbols[1].name = "a";
    layers_expect(test, "two symbols of a name", record_with(b, symbols, 2) == FP8RT_ERR_SHAPE);
    symbols[0].name = NULL;
    layers_expect(test, "a symbol without a name", record_with(b, symbols, 1) == FP8RT_ERR_NULL);
    symbols[0] = (fp8rt_symbol){"x", b->net.x.data, 1};
    layers_expect(test, "a symbol smaller than its operand",
                  record_with(b, symbols, 1) == FP8RT_ERR_SHAPE);
    symbols[0] = (fp8rt_symbol){"x", (uint8_t *)b->net.block + 1, b->net.bytes - 1};
    layers_expect(test, "a symbol that begins between beats",
                  record_with(b, symbols, 1) == FP8RT_ERR_ALIGNMENT);
}

// With a hash that is right: fp8rt/network_format.h
static bool refuses_word(bench *b, uint32_t *image, size_t bytes, uint32_t word, uint32_t bits)
{
    fp8rt_network other;
    const uint32_t good = image[word], hash = image[FP8RT_IMAGE_WORD_HASH];
    image[word] ^= bits;
    uint32_t wrong = UINT32_C(2166136261);
    for (uint32_t i = 0; i < bytes / 4; i++) {
        wrong = i == FP8RT_IMAGE_WORD_HASH ? wrong : (wrong ^ image[i]) * UINT32_C(16777619);
    }
    image[FP8RT_IMAGE_WORD_HASH] = wrong;
    const fp8rt_status status = fp8rt_network_open(&other, &b->test->dev, image, bytes);
    image[word] = good;
    image[FP8RT_IMAGE_WORD_HASH] = hash;
    return status == FP8RT_ERR_PLAN;
}

static void hostile(bench *b, uint32_t *image, size_t bytes)
{
    layers_test *test = b->test;
    const uint32_t submit = FP8RT_IMAGE_HEADER + 19, mode = FP8RT_IMAGE_HEADER + 11,
                   note = FP8RT_IMAGE_HEADER + image[FP8RT_IMAGE_WORD_LIST];
    uint32_t relocation = note; // the first one, behind the note of the first layer
    relocation += fp8rt_note_words(image[note]);
    layers_expect(test, "another tag", refuses_word(b, image, bytes, submit, 0x8000));
    layers_expect(test, "a pause in an image", refuses_word(b, image, bytes, submit, 1u << 17));
    layers_expect(test, "no more commands", refuses_word(b, image, bytes, submit, 1u << 16));
    layers_expect(test, "a record in an image", refuses_word(b, image, bytes, mode, 1u << 24));
    layers_expect(test, "another length", refuses_word(b, image, bytes, mode, 1u << 25));
    layers_expect(test, "a relocation of another word",
                  refuses_word(b, image, bytes, relocation, 1));
    layers_expect(test, "a relocation that is missing",
                  refuses_word(b, image, bytes, relocation, UINT32_C(0x20000000)));
    layers_expect(test, "a symbol that is not there",
                  refuses_word(b, image, bytes, relocation, 5u << 22));
}

// Every word that differs is found: by the hash, or by what it says.
static void damaged(bench *b, uint32_t *image, size_t bytes)
{
    fp8rt_network other;
    bool found = true;
    for (size_t i = 0; i < bytes / 4 && !(fp8rt_app_is_host == false && i > 20); i++) {
        image[i] ^= 1u << i % 32u;
        const bool minor = i == 1 && i % 32u < 16u; // a later minor version is read
        found = found && (minor || fp8rt_network_open(&other, &b->test->dev, image, bytes) ==
                                       FP8RT_ERR_PLAN);
        image[i] ^= 1u << i % 32u;
    }
    layers_expect(b->test, "an image with a bit changed", found);
    found = true;
    for (size_t less = 4; less < bytes; less += 4) {
        found = found &&
                fp8rt_network_open(&other, &b->test->dev, image, bytes - less) == FP8RT_ERR_PLAN;
    }
    layers_expect(b->test, "an image without its end", found);
}

// The image runs elsewhere: another place of the list, of the input and of all other memory.
static void moved(bench *b)
{
    layers_test *test = b->test;
    uint32_t *image = layers_take(test, b->list_bytes);
    const size_t bytes = save(b, image, b->list_bytes);
    layers_expect(test, "an image", bytes != 0 && bytes <= b->list_bytes);
    const fp8rt_tensor words = {
        .data = image, .rows = 1, .cols = (uint32_t)(bytes / 4), .format = FP8MAC_FP32, .scale = 1};
    layers_report(test, "an image, the same on host and chip", &words);
    damaged(b, image, bytes);
    hostile(b, image, bytes);
    fp8rt_network other;
    layers_expect(test, "an image is opened",
                  fp8rt_network_open(&other, &test->dev, image, bytes) == FP8RT_OK);
    layers_expect(test, "symbols without addresses", fp8rt_network_start(&other) == FP8RT_ERR_PLAN);
    uint8_t *block = layers_take(test, b->net.bytes), *x = layers_take(test, x_bytes(b));
    memset(block, UNTOUCHED, b->net.bytes);
    const size_t weights = (size_t)((uint8_t *)b->net.first.data - b->net.block);
    memcpy(block, b->net.block, weights);
    memcpy(x, b->net.x.data, x_bytes(b));
    layers_expect(test, "a symbol that is too small",
                  fp8rt_network_bind(&other, "all", block, b->net.bytes - 1) == FP8RT_ERR_SHAPE);
    layers_expect(test, "no such symbol",
                  fp8rt_network_bind(&other, "y", block, b->net.bytes) == FP8RT_ERR_SHAPE);
    layers_expect(test, "a symbol between beats",
                  fp8rt_network_bind(&other, "x", x + 1, x_bytes(b)) == FP8RT_ERR_ALIGNMENT);
    layers_expect(test, "addresses",
                  fp8rt_network_bind(&other, "all", block, b->net.bytes) == FP8RT_OK &&
                      fp8rt_network_bind(&other, "x", x, x_bytes(b)) == FP8RT_OK);
    layers_expect(test, "a run elsewhere", fp8rt_network_run(&other, NULL) == FP8RT_OK);
    layers_expect(test, "bytes elsewhere", same_outputs(b, block));
    memset(block + weights, UNTOUCHED, b->net.bytes - weights);
    fp8rt_network_bind(&other, "x", b->net.x.data, x_bytes(b));
    fp8rt_network_run(&other, NULL);
    layers_expect(test, "bytes of an input at another address", same_outputs(b, block));
    layers_expect(test, "the image of a list with calls",
                  record_in(b, NULL, 0, b->list_bytes) == FP8RT_OK &&
                      fp8rt_network_save(&b->network, image, bytes) == 0);
    wrong_symbols(b);
}

// ---- variables ----------------------------------------------------------------------------------

static fp8rt_network recorded_for(bench *b, void *list, uint8_t *x)
{
    b->net.x.data = x;
    b->list = list;
    layers_expect(b->test, "a recording for a variable",
                  record_in(b, NULL, 0, b->list_bytes) == FP8RT_OK);
    return b->network;
}

static void refused_variables(bench *b, fp8rt_network *network, const fp8rt_network *next,
                              fp8rt_variable *place, void *list)
{
    layers_test *test = b->test;
    uint32_t words[2];
    fp8rt_variable other;
    layers_expect(test, "a variable without memory",
                  fp8rt_network_vary(network, next, &other, words, 0) == FP8RT_ERR_SCRATCH &&
                      other.count == place->count);
    layers_expect(test, "a variable of nothing",
                  fp8rt_network_vary(NULL, next, &other, words, 8) == FP8RT_ERR_NULL &&
                      fp8rt_network_vary(network, next, NULL, words, 8) == FP8RT_ERR_NULL &&
                      fp8rt_network_vary(network, next, &other, NULL, 8) == FP8RT_ERR_NULL &&
                      fp8rt_network_set(network, NULL, 1) == FP8RT_ERR_NULL);
    b->net.classes.format = FP8MAC_FP16;
    const fp8rt_network formats = recorded_for(b, list, b->net.x.data);
    b->net.classes.format = FP8MAC_FP32;
    layers_expect(test, "a variable that changes a format",
                  fp8rt_network_vary(network, &formats, &other, words, 8) == FP8RT_ERR_PLAN);
    layers_expect(test, "a start", fp8rt_network_start(network) == FP8RT_OK);
    layers_expect(test, "a variable of a list that runs",
                  fp8rt_network_set(network, place, 1) == FP8RT_ERR_LATE);
    fp8rt_network_wait(network, NULL);
}

// The input is one of three, and the third is the one whose results are known.
static void varied(bench *b)
{
    layers_test *test = b->test;
    const size_t bytes = x_bytes(b);
    uint8_t *const own = b->net.x.data, *const inputs = layers_take(test, 3 * bytes);
    void *const lists[] = {b->list, layers_take(test, b->list_bytes),
                           layers_take(test, b->list_bytes)};
    memset(inputs, 0, 2 * bytes);
    memcpy(inputs + 2 * bytes, own, bytes);
    fp8rt_network network = recorded_for(b, lists[0], inputs);
    const fp8rt_network next = recorded_for(b, lists[1], inputs + bytes);
    fp8rt_variable place;
    uint32_t words[8];
    layers_expect(test, "a variable",
                  fp8rt_network_vary(&network, &next, &place, words, sizeof words) == FP8RT_OK &&
                      place.count != 0);
    layers_expect(test, "a value", fp8rt_network_set(&network, &place, 2) == FP8RT_OK);
    layers_expect(test, "a run of a value", fp8rt_network_run(&network, NULL) == FP8RT_OK);
    layers_expect(test, "bytes of the third input", right(b));
    fp8rt_network_set(&network, &place, 0);
    layers_expect(test, "a run of 0", fp8rt_network_run(&network, NULL) == FP8RT_OK);
    layers_expect(test, "other bytes of the first input", !right(b));
    refused_variables(b, &network, &next, &place, lists[2]);
    b->list = lists[0];
    b->net.x.data = own;
}

void layers_network(layers_test *test)
{
    static bench b;
    b = (bench){.test = test};
    prepare(&b);
    repeated(&b);
    polled(&b);
    profiled(&b);
    failed(&b);
    shared(&b);
    refused(&b);
    varied(&b);
    moved(&b);
    in_place(&b);
    same_weights(&b);
}
