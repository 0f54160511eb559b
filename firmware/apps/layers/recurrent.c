// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/recurrent.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/reference_recurrent.h"

// Tensors of one case. `both` is h in FP32 beside the state.
typedef struct net {
    bool gru;
    bool scaled;    // weights with a scale for each row, and no bias
    bool unaligned; // the recurrent bias lies between beats
    uint32_t inputs, units, batch, steps;
    fp8rt_tensor x, hidden, out, both;
    fp8rt_weights input, recurrent;
    int32_t *state;
    fp8rt_recurrent_desc desc;
    fp8rt_reference_step step;
} net;

static fp8rt_weights weights(layers_test *test, const net *n, uint32_t rows, uint32_t cols,
                             float scale)
{
    fp8rt_weights w = {.codes = layers_codes(test, rows, cols, FP8MAC_E4M3FN)};
    w.codes.scale = scale;
    if (n->scaled) {
        w.row_scale = layers_floats(test, false, rows);
    } else {
        w.bias = layers_floats(test, true, rows);
    }
    return w;
}

static void *copy(layers_test *test, const void *from, size_t bytes)
{
    void *to = layers_take(test, bytes);
    memcpy(to, from, bytes);
    return to;
}

static const float *between_beats(layers_test *test, const float *from, uint32_t count)
{
    float *to = (float *)layers_take(test, (count + 1) * sizeof(float)) + 1;
    memcpy(to, from, count * sizeof(float));
    return to;
}

static int32_t *states(layers_test *test, const net *n)
{
    const uint32_t count = n->batch * n->units;
    int32_t *state = layers_take(test, count * sizeof(int32_t));
    for (uint32_t i = 0; i < count; i++) {
        const int32_t bits = (int32_t)fp8rt_random_next(&test->random);
        state[i] = n->gru ? bits >> 12 : bits >> (bits & 15);
    }
    return state;
}

// Not among the memory that the layer and its recording leave alike, because the case itself writes it.
static _Alignas(64) uint8_t both[1280];

// Gates have all magnitudes from hundredths to hundreds.
static void draw(layers_test *test, net *n)
{
    const uint32_t gates = (n->gru ? 3 : 4) * n->units, rows = n->steps * n->batch;
    n->x = layers_codes(test, rows, n->inputs, FP8MAC_E4M3FN);
    n->x.scale = 0x1p-6f;
    n->hidden = layers_codes(test, n->batch, n->units, FP8MAC_E4M3FN);
    n->hidden.scale = 0x1p-9f;
    n->out = layers_empty(test, rows, n->units, FP8MAC_FP32);
    n->both = (fp8rt_tensor){
        .rows = n->batch, .cols = 2 * n->units, .format = FP8MAC_FP32, .data = both, .scale = 1.0f};
    layers_expect(test, "memory for states",
                  fp8rt_tensor_bytes(&test->dev.caps, &n->both) <= sizeof both);
    n->input = weights(test, n, gates, n->inputs, 0x1p-6f);
    n->recurrent = weights(test, n, gates, n->units, 0x1p-5f);
    if (n->unaligned) {
        n->recurrent.bias = between_beats(test, n->recurrent.bias, gates);
    }
    n->state = states(test, n);
    n->desc = (fp8rt_recurrent_desc){.x = &n->x,
                                     .input = &n->input,
                                     .recurrent = &n->recurrent,
                                     .batch = n->batch,
                                     .hidden = &n->hidden,
                                     .state = n->state,
                                     .out = &n->out};
    n->step = (fp8rt_reference_step){
        .gru = n->gru,
        .desc = &n->desc,
        .hidden = copy(test, n->hidden.data, fp8rt_tensor_bytes(&test->dev.caps, &n->hidden)),
        .state = copy(test, n->state, n->batch * n->units * sizeof(int32_t)),
    };
}

static fp8rt_status run_net(fp8rt_run *run, const net *n)
{
    return n->gru ? fp8rt_gru(run, &n->desc) : fp8rt_lstm(run, &n->desc);
}

// ---- one step beside the reference --------------------------------------------------------------

// The row-th pair of h and state, when the layer has run
static void join(const fp8rt_caps *caps, const net *n, uint32_t row)
{
    uint8_t *to = (uint8_t *)n->both.data + (size_t)row * fp8rt_tensor_stride(caps, &n->both);
    const uint8_t *h = (uint8_t *)n->out.data + (size_t)row * fp8rt_tensor_stride(caps, &n->out);
    memcpy(to, h, n->units * sizeof(float));
    for (uint32_t u = 0; u < n->units; u++) {
        const float state = (float)n->state[row * n->units + u] * 0x1p-20f;
        memcpy(to + (n->units + u) * sizeof(float), &state, sizeof state);
    }
}

static fp8rt_status call(fp8rt_run *run, const void *context)
{
    const net *n = context;
    const fp8rt_status status = run_net(run, n);
    for (uint32_t row = 0;
         row < n->batch && !run->query && run->recorder == NULL && status == FP8RT_OK; row++) {
        join(&run->dev->caps, n, row);
    }
    return status;
}

static void refer(fp8rt_reference *reference, const void *context)
{
    const net *n = context;
    fp8rt_reference_recurrent(reference, &n->step);
}

static void single_step(layers_test *test, const char *name, net n)
{
    const fp8rt_arena arena = test->arena;
    const unsigned before = test->recorded;
    n.steps = 1;
    draw(test, &n);
    layers_try(test, name, call, refer, &n, &n.both);
    layers_expect_recorded(test, "a step is recorded", before);
    test->arena = arena;
}

// ---- a sequence, and the same in calls of one step ----------------------------------------------

static fp8rt_status call_steps(fp8rt_run *run, const void *context)
{
    net n = *(const net *)context;
    fp8rt_tensor x = n.x, out = n.out;
    x.rows = out.rows = n.batch;
    n.desc.x = &x;
    n.desc.out = &out;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t step = 0; step < n.steps && status == FP8RT_OK; step++) {
        status = run_net(run, &n);
        x.data = (uint8_t *)x.data + fp8rt_tensor_bytes(&run->dev->caps, &x);
        out.data = (uint8_t *)out.data + fp8rt_tensor_bytes(&run->dev->caps, &out);
    }
    return status;
}

static fp8rt_status call_sequence(fp8rt_run *run, const void *context)
{
    return run_net(run, context);
}

static void sequence(layers_test *test, const char *name, net n)
{
    const fp8rt_arena arena = test->arena;
    draw(test, &n);
    const unsigned before = test->recorded;
    layers_try(test, name, call_sequence, NULL, &n, &n.out);
    layers_expect_recorded(test, "steps are recorded", before);
    const size_t bytes = fp8rt_tensor_bytes(&test->dev.caps, &n.out);
    const void *whole = copy(test, n.out.data, bytes);
    memcpy(n.hidden.data, n.step.hidden, fp8rt_tensor_bytes(&test->dev.caps, &n.hidden));
    memcpy(n.state, n.step.state, n.batch * n.units * sizeof(int32_t));
    layers_try(test, "  the same in steps", call_steps, NULL, &n, &n.out);
    layers_expect(test, "a sequence is its steps", memcmp(whole, n.out.data, bytes) == 0);
    test->arena = arena;
}

// ---- what is refused ----------------------------------------------------------------------------

static fp8rt_status query(layers_test *test, const net *n)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return run_net(&run, n);
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    net n = {.inputs = 16, .units = 16, .batch = 2, .steps = 3};
    draw(test, &n);
    n.desc.batch = 4;
    layers_expect(test, "rows of x that are no steps", query(test, &n) == FP8RT_ERR_SHAPE);
    n.desc.batch = 2;
    n.gru = true;
    layers_expect(test, "weights of four gates", query(test, &n) == FP8RT_ERR_SHAPE);
    n.gru = false;
    n.desc.state = NULL;
    layers_expect(test, "no state", query(test, &n) == FP8RT_ERR_NULL);
    n.desc.state = n.state;
    n.hidden.scaling = &scaling;
    layers_expect(test, "a dynamic scale of h", query(test, &n) == FP8RT_ERR_UNSUPPORTED);
    scaling.kind = FP8RT_SCALING_STATIC;
    layers_expect(test, "a static scaling of h", query(test, &n) == FP8RT_OK);
    n.hidden.scaling = NULL;
    n.out.cols--;
    layers_expect(test, "columns of out", query(test, &n) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

void layers_recurrent(layers_test *test)
{
    single_step(test, "lstm, 1 x 24 to 32", (net){.inputs = 24, .units = 32, .batch = 1});
    single_step(test, "lstm, 1 x 128 to 128", (net){.inputs = 128, .units = 128, .batch = 1});
    single_step(test, "lstm, 3 x 20 to 17", (net){.inputs = 20, .units = 17, .batch = 3});
    single_step(test, "lstm, 1 x 16 to 16, bias between beats",
                (net){.unaligned = true, .inputs = 16, .units = 16, .batch = 1});
    single_step(test, "gru, 1 x 16 to 16, bias between beats",
                (net){.gru = true, .unaligned = true, .inputs = 16, .units = 16, .batch = 1});
    single_step(test, "lstm, 2 x 32 to 16, scales of rows",
                (net){.scaled = true, .inputs = 32, .units = 16, .batch = 2});
    single_step(test, "gru, 2 x 32 to 16, scales of rows",
                (net){.gru = true, .scaled = true, .inputs = 32, .units = 16, .batch = 2});
    single_step(test, "gru, 1 x 24 to 32",
                (net){.gru = true, .inputs = 24, .units = 32, .batch = 1});
    single_step(test, "gru, 3 x 20 to 17",
                (net){.gru = true, .inputs = 20, .units = 17, .batch = 3});
    sequence(test, "lstm, 5 steps of 2 x 20 to 24",
             (net){.inputs = 20, .units = 24, .batch = 2, .steps = 5});
    sequence(test, "gru, 5 steps of 2 x 20 to 24",
             (net){.gru = true, .inputs = 20, .units = 24, .batch = 2, .steps = 5});
    refusals(test);
}
