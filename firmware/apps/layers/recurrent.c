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
    fp8rt_tensor x, hidden, state, out, both;
    fp8rt_weights input, recurrent;
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

static float *state_row(const layers_test *test, const net *n, uint32_t row)
{
    return (float *)n->state.data + row * fp8rt_tensor_stride(&test->dev.caps, &n->state) / 4u;
}

// Cells of an LSTM have all magnitudes up to hundreds, h of a GRU up to 1.
static fp8rt_tensor states(layers_test *test, const net *n)
{
    fp8rt_tensor state = layers_empty(test, n->batch, n->units, FP8MAC_FP32);
    const net with = {.state = state};
    for (uint32_t row = 0; row < n->batch; row++) {
        for (uint32_t u = 0; u < n->units; u++) {
            const int32_t bits = (int32_t)fp8rt_random_next(&test->random);
            state_row(test, &with, row)[u] =
                (float)(n->gru ? bits >> 12 : bits >> (bits & 15)) * 0x1p-20f;
        }
    }
    return state;
}

// The state without what is between its rows
static const float *state_before(layers_test *test, const net *n)
{
    float *to = layers_take(test, n->batch * n->units * sizeof(float));
    for (uint32_t row = 0; row < n->batch; row++) {
        memcpy(to + row * n->units, state_row(test, n, row), n->units * sizeof(float));
    }
    return to;
}

// Gates have all magnitudes from hundredths to hundreds.
static void draw(layers_test *test, net *n)
{
    const uint32_t gates = (n->gru ? 3 : 4) * n->units, rows = n->steps * n->batch;
    n->x = layers_codes(test, rows, n->inputs, FP8MAC_E4M3FN);
    n->x.scale = 0x1p-6f;
    n->hidden = layers_codes(test, n->batch, n->units, FP8MAC_E4M3FN);
    n->hidden.scale = 0x1p-9f;
    n->out = layers_empty(test, rows, n->units, FP8MAC_FP32);
    n->both = layers_empty(test, n->batch, 2 * n->units, FP8MAC_FP32);
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
                                     .state = &n->state,
                                     .out = &n->out};
    n->step = (fp8rt_reference_step){
        .gru = n->gru,
        .desc = &n->desc,
        .hidden = copy(test, n->hidden.data, fp8rt_tensor_bytes(&test->dev.caps, &n->hidden)),
        .state = state_before(test, n),
    };
}

static fp8rt_status run_net(fp8rt_run *run, const net *n)
{
    return n->gru ? fp8rt_gru(run, &n->desc) : fp8rt_lstm(run, &n->desc);
}

// ---- one step beside the reference --------------------------------------------------------------

// Pairs of h and state
static void join(const fp8rt_caps *caps, const void *context)
{
    const net *n = context;
    for (uint32_t row = 0; row < n->batch; row++) {
        float *to = (float *)n->both.data + row * fp8rt_tensor_stride(caps, &n->both) / sizeof *to;
        const float *h =
            (float *)n->out.data + row * fp8rt_tensor_stride(caps, &n->out) / sizeof *h;
        memcpy(to, h, n->units * sizeof *to);
        memcpy(to + n->units,
               (float *)n->state.data + row * fp8rt_tensor_stride(caps, &n->state) / sizeof *to,
               n->units * sizeof *to);
    }
}

static fp8rt_status call(fp8rt_run *run, const void *context)
{
    return run_net(run, context);
}

static void refer(fp8rt_reference *reference, const void *context)
{
    const net *n = context;
    fp8rt_reference_recurrent(reference, &n->step);
}

static void single_step(layers_test *test, const char *name, net n)
{
    const fp8rt_arena arena = test->arena;
    n.steps = 1;
    draw(test, &n);
    const unsigned before = test->recorded;
    test->finish = join;
    layers_try(test, name, call, refer, &n, &n.both);
    test->finish = NULL;
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

static void sequence(layers_test *test, const char *name, net n)
{
    const fp8rt_arena arena = test->arena;
    draw(test, &n);
    layers_try(test, name, call, NULL, &n, &n.out);
    const size_t bytes = fp8rt_tensor_bytes(&test->dev.caps, &n.out);
    const void *whole = copy(test, n.out.data, bytes);
    memcpy(n.hidden.data, n.step.hidden, fp8rt_tensor_bytes(&test->dev.caps, &n.hidden));
    for (uint32_t row = 0; row < n.batch; row++) {
        memcpy(state_row(test, &n, row), n.step.state + row * n.units, n.units * sizeof(float));
    }
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
    n.desc.state = &n.state;
    n.hidden.scaling = &scaling;
    layers_expect(test, "a dynamic scale of h", query(test, &n) == FP8RT_ERR_UNSUPPORTED);
    scaling.kind = FP8RT_SCALING_STATIC;
    layers_expect(test, "a static scaling of h", query(test, &n) == FP8RT_OK);
    n.hidden.scaling = NULL;
    n.state.scale = 2.0f;
    layers_expect(test, "a scale of the state", query(test, &n) == FP8RT_ERR_SCALE);
    n.state.scale = 0.0f;
    n.state.format = FP8MAC_FP16;
    layers_expect(test, "a state in FP16", query(test, &n) == FP8RT_ERR_FORMAT);
    n.state.format = FP8MAC_FP32;
    n.state.cols--;
    layers_expect(test, "columns of the state", query(test, &n) == FP8RT_ERR_SHAPE);
    n.state.cols++;
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
