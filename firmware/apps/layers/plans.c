// SPDX-License-Identifier: Apache-2.0
// Plans that are kept from run to run: the same bytes as without them, whatever changes between two
// runs.
#include "cases.h"

#include <string.h>

#include "fp8rt/layers.h"

enum {
    SIDE = 48,    // the most columns of an operand
    ROWS = 12,    // the most rows of an output, which has at most 20 columns
    STRIDE = 128, // bytes of an output's row, at most
    FIELDS = 3,   // tensors of which a layer chooses
    CHANGES = 12,
    HOST_CHANGES = 600,
    MEMORY = 16384,
    SCRATCH = 8192,
};

// A network of one layer of each kind of command, and what it is made of. A choice is a field.
typedef struct network {
    fp8rt_tensor x[FIELDS], weights[FIELDS], residual[FIELDS], out[FIELDS];
    float *vectors[FIELDS]; // the last is between beats
    fp8rt_scaling dynamic, statics;
    // The choices
    uint32_t m, n, k;
    uint32_t x_at, weights_at, residual_at, out_at, bias, row_scale; // FIELDS: none
    uint32_t x_stride, out_stride;
    fp8mac_format_id x_format, out_format;
    uint32_t x_scale, out_scale, residual_scale, activation, stochastic, seed, scaling, misaligned;
    bool fp16; // accumulators, where the array has them
} network;

static const float scales[] = {1.0f, 0.3f, 0.0078125f, 3.0f};

static fp8rt_tensor chosen(const fp8rt_tensor *of, uint32_t rows, uint32_t cols, uint32_t format,
                           float scale)
{
    fp8rt_tensor t = *of;
    t.rows = rows;
    t.cols = cols;
    t.format = (fp8mac_format_id)format;
    t.scale = scale;
    return t;
}

// A product, a sum and a convolution over the same tensors. They write three outputs.
static fp8rt_status run_network(fp8rt_run *run, network *net)
{
    fp8rt_tensor x =
        chosen(&net->x[net->x_at], net->m, net->k, net->x_format, scales[net->x_scale]);
    const fp8rt_weights weights = {
        .codes = chosen(&net->weights[net->weights_at], net->n, net->k, FP8MAC_E4M3FN, 0.25f),
        .bias = net->bias < FIELDS ? net->vectors[net->bias] : NULL,
        .row_scale = net->row_scale < FIELDS ? net->vectors[net->row_scale] : NULL,
    };
    const fp8rt_tensor residual = chosen(&net->residual[net->residual_at & 1u], net->m, net->n,
                                         FP8MAC_E4M3FN, scales[net->residual_scale]);
    fp8rt_tensor out[3];
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = chosen(&net->out[(net->out_at + i) % FIELDS], net->m, net->n, net->out_format,
                        scales[net->out_scale]);
        out[i].stride = net->out_stride;
        out[i].scaling = net->scaling == 0   ? NULL
                         : net->scaling == 1 ? &net->statics
                                             : &net->dynamic;
    }
    x.stride = net->x_stride;
    x.data = (uint8_t *)x.data + net->misaligned;
    const fp8rt_fused fused = {
        .activation = (fp8mac_activation)net->activation,
        .clamp_lo = -2.0f,
        .clamp_hi = 5.0f,
        .coding = {.stochastic = net->stochastic != 0, .seed = net->seed},
    };
    if (net->fp16 && fp8rt_element_has(&run->dev->caps.element, FP8MAC_ACC_FP16)) {
        run->acc_format = FP8MAC_ACC_FP16;
    }
    const fp8rt_linear_desc linear = {.x = &x,
                                      .weights = &weights,
                                      .residual = net->residual_at < FIELDS ? &residual : NULL,
                                      .fused = fused,
                                      .out = &out[0]};
    fp8rt_linear(run, &linear);
    const fp8rt_arithmetic_desc sum = {.x = &out[0],
                                       .y = &residual,
                                       .factor = scales[net->x_scale],
                                       .fused = fused,
                                       .out = &out[1]};
    fp8rt_add(run, &sum);
    const fp8rt_convolution_desc convolution = {.x = &x,
                                                .width = net->m,
                                                .weights = &weights,
                                                .residual = linear.residual,
                                                .fused = fused,
                                                .out = &out[2]};
    return fp8rt_convolution(run, &convolution);
}

// ---- what changes -------------------------------------------------------------------------------

static uint32_t below(layers_test *test, uint32_t count)
{
    return fp8rt_random_next(&test->random) % count;
}

static void start(network *net)
{
    net->m = net->n = net->k = 8;
    net->residual_at = net->bias = net->row_scale = FIELDS;
    net->out_scale = 3;
    net->x_stride = net->out_stride = 0;
}

static void change(layers_test *test, network *net)
{
    switch (below(test, 21)) {
    case 0: net->m = 1 + below(test, ROWS); break;
    case 1: net->n = 1 + below(test, 20); break;
    case 2: net->k = 1 + below(test, SIDE); break;
    case 3: net->x_at = below(test, FIELDS); break;
    case 4: net->weights_at = below(test, FIELDS); break;
    case 5: net->residual_at = below(test, FIELDS + 1); break;
    case 6: net->out_at = below(test, FIELDS); break;
    case 7: net->bias = below(test, FIELDS + 1); break;
    case 8: net->row_scale = below(test, FIELDS + 1); break;
    case 9: net->x_stride = below(test, 2) * 64; break;
    case 10: net->out_stride = below(test, 2) * STRIDE; break;
    case 11: net->x_format = (fp8mac_format_id)below(test, 4); break;
    case 12: net->out_format = (fp8mac_format_id)below(test, 7); break;
    case 13: net->x_scale = below(test, 4); break;
    case 14: net->out_scale = below(test, 4); break;
    case 15: net->residual_scale = below(test, 4); break;
    case 16: net->activation = below(test, 3); break;
    case 17:
        net->stochastic = below(test, 2);
        net->seed = below(test, 3);
        break;
    case 18: net->scaling = below(test, 3); break;
    case 19: fp8rt_random_floats(&test->random, false, net->vectors[below(test, FIELDS)], 9); break;
    default:
        net->misaligned = below(test, 8) == 0 ? 1 : 0;
        net->fp16 = below(test, 2) != 0;
        break;
    }
}

// ---- two runs -----------------------------------------------------------------------------------

typedef struct bench {
    network net;
    fp8rt_plans plans;
    void *scratch[2]; // of runs in turn
    uint32_t runs;
    uint8_t *before; // the outputs of the run without plans
} bench;

static void draw(layers_test *test, bench *b)
{
    network *net = &b->net;
    for (uint32_t i = 0; i < FIELDS; i++) {
        net->x[i] = layers_codes(test, SIDE, SIDE, FP8MAC_E4M3FN);
        net->weights[i] = layers_codes(test, SIDE, SIDE, FP8MAC_E4M3FN);
        net->residual[i] = layers_codes(test, SIDE, SIDE, FP8MAC_E4M3FN);
        net->out[i].data = layers_take(test, ROWS * STRIDE);
        net->vectors[i] = layers_take(test, (SIDE + 1) * sizeof(float));
        fp8rt_random_floats(&test->random, false, net->vectors[i], SIDE + 1);
        net->vectors[i] += i == FIELDS - 1;
    }
    net->dynamic.kind = FP8RT_SCALING_DYNAMIC;
    start(net);
    b->scratch[0] = layers_take(test, SCRATCH);
    b->scratch[1] = layers_take(test, SCRATCH);
    b->before = layers_take(test, FIELDS * ROWS * STRIDE);
}

static fp8rt_run begin(layers_test *test, bench *b, fp8rt_plans *plans)
{
    fp8rt_run run = fp8rt_run_on(&test->dev, b->scratch[b->runs++ & 1u], SCRATCH);
    run.plans = plans;
    return run;
}

static fp8rt_status run_once(layers_test *test, bench *b, fp8rt_plans *plans)
{
    fp8rt_run run = begin(test, b, plans);
    memset(run.scratch, 0, 256); // where vectors are copied
    for (uint32_t i = 0; i < FIELDS; i++) {
        memset(b->net.out[i].data, 0x5a, ROWS * STRIDE);
    }
    return run_network(&run, &b->net);
}

// Whether a run with plans has the status and the bytes of one without.
static bool agree(layers_test *test, bench *b)
{
    const fp8rt_status status = run_once(test, b, NULL);
    for (uint32_t i = 0; i < FIELDS; i++) {
        memcpy(b->before + i * ROWS * STRIDE, b->net.out[i].data, ROWS * STRIDE);
    }
    bool right = run_once(test, b, &b->plans) == status;
    for (uint32_t i = 0; i < FIELDS; i++) {
        right =
            right && memcmp(b->before + i * ROWS * STRIDE, b->net.out[i].data, ROWS * STRIDE) == 0;
    }
    return right;
}

static fp8rt_run query(layers_test *test, bench *b)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    run_network(&run, &b->net);
    return run;
}

static void keep_in(layers_test *test, bench *b, size_t bytes)
{
    b->plans = fp8rt_plans_in(layers_take(test, bytes), bytes);
}

// ---- cases --------------------------------------------------------------------------------------

static void repeated(layers_test *test, bench *b)
{
    start(&b->net);
    keep_in(test, b, query(test, b).plan_bytes);
    layers_expect(test, "plans for three commands", b->plans.capacity == 3);
    layers_expect(test, "a first run", agree(test, b) && b->plans.reused == 0);
    layers_expect(test, "a repeated run", agree(test, b) && agree(test, b));
    layers_expect(test, "its plans are kept", b->plans.commands == 9 && b->plans.reused == 6);
    b->net.x_scale = 1;
    layers_expect(test, "other scales", agree(test, b) && b->plans.reused == 9);
    b->net.misaligned = 1;
    layers_expect(test, "an operand between beats", agree(test, b));
    b->net.misaligned = 0;
    b->net.m = 9;
    for (uint32_t i = 0; i < 4; i++) {
        layers_expect(test, "a row more", agree(test, b));
    }
    const uint32_t reused = b->plans.reused;
    layers_expect(test, "its new plans are kept", agree(test, b) && b->plans.reused == reused + 3);
}

// The product of two scales is 0 in FP32, which is found each time.
static void refused(layers_test *test, bench *b)
{
    start(&b->net);
    keep_in(test, b, MEMORY);
    layers_expect(test, "before a wrong scale", agree(test, b));
    fp8rt_tensor x = chosen(&b->net.x[0], 8, 8, FP8MAC_E4M3FN, 1.0f);
    fp8rt_tensor codes = chosen(&b->net.weights[0], 8, 8, FP8MAC_E4M3FN, 1.0f);
    fp8rt_tensor out = chosen(&b->net.out[0], 8, 8, FP8MAC_FP32, 1.0f);
    const fp8rt_weights weights = {.codes = codes};
    const fp8rt_linear_desc desc = {.x = &x, .weights = &weights, .out = &out};
    static const float smalls[] = {0.5f, 0x1p-120f, 0x1p-120f, 0.5f};
    for (uint32_t i = 0; i < 4; i++) {
        fp8rt_weights small = weights;
        small.codes.scale = x.scale = smalls[i];
        fp8rt_linear_desc again = desc;
        again.weights = &small;
        fp8rt_run run = begin(test, b, &b->plans);
        const fp8rt_status wanted = i == 1 || i == 2 ? FP8RT_ERR_SCALE : FP8RT_OK;
        layers_expect(test, "a product of scales that is 0", fp8rt_linear(&run, &again) == wanted);
    }
}

static void too_little(layers_test *test, bench *b)
{
    start(&b->net);
    const size_t bytes = query(test, b).plan_bytes;
    keep_in(test, b, bytes - bytes / 3);
    bool right = agree(test, b);
    for (uint32_t i = 0; i < 3; i++) {
        right = agree(test, b) && right;
    }
    layers_expect(test, "memory for two of three plans",
                  right && b->plans.capacity == 2 && b->plans.reused == 6);
    keep_in(test, b, 40);
    layers_expect(test, "memory for no plan", agree(test, b) && b->plans.capacity == 0);
    b->plans = fp8rt_plans_in(NULL, 1000);
    layers_expect(test, "no memory", agree(test, b) && b->plans.capacity == 0);
}

// Two sums with the same descriptor share a plan, far apart among others. Each other one is kept
// for itself.
static fp8rt_status run_shared(fp8rt_run *run, network *net)
{
    enum { SUMS = 90 };
    fp8rt_tensor x = chosen(&net->x[0], 4, 4, FP8MAC_E4M3FN, 1.0f);
    fp8rt_tensor y = chosen(&net->residual[0], 4, 4, FP8MAC_E4M3FN, 1.0f);
    fp8rt_tensor out = chosen(&net->out[0], 4, 4, FP8MAC_FP32, 1.0f);
    const fp8rt_arithmetic_desc sum = {.x = &x, .y = &y, .out = &out};
    for (uint32_t i = 0; i < SUMS; i++) {
        const bool is_shared = i == 0 || i == SUMS - 2;
        x.data = (uint8_t *)net->x[0].data + (is_shared ? 0 : (i % 24u + 1u) * 64u);
        out.data = (uint8_t *)net->out[0].data + (is_shared ? 0 : i / 24u * 64u);
        fp8rt_add(run, &sum);
    }
    return run->status;
}

static void shared(layers_test *test, bench *b)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a query of 90 sums", run_shared(&run, &b->net) == FP8RT_OK);
    keep_in(test, b, run.plan_bytes);
    for (uint32_t i = 1; i <= 4; i++) {
        run = begin(test, b, &b->plans);
        layers_expect(test, "two layers share a plan",
                      run_shared(&run, &b->net) == FP8RT_OK && b->plans.count == 89 &&
                          b->plans.reused == 90 * i - 89);
    }
}

// As many other commands as it takes make room, and the first ones are planned anew.
static void replaced(layers_test *test, bench *b)
{
    start(&b->net);
    keep_in(test, b, query(test, b).plan_bytes);
    for (uint32_t m = 8; m <= ROWS; m++) {
        b->net.m = m;
        for (uint32_t i = 0; i < 5; i++) {
            layers_expect(test, "plans that make room", agree(test, b));
        }
        const uint32_t reused = b->plans.reused;
        layers_expect(test, "plans that have found room",
                      agree(test, b) && b->plans.reused == reused + 3 && b->plans.count == 3);
    }
}

// One change before each run. The hash of the last outputs is the same on host and chip.
static void changed(layers_test *test, bench *b)
{
    start(&b->net);
    keep_in(test, b, MEMORY);
    const uint32_t count = fp8rt_app_is_host ? HOST_CHANGES : CHANGES;
    for (uint32_t i = 0; i < count; i++) {
        change(test, &b->net);
        layers_expect(test, "a change between two runs", agree(test, b));
        if (i == CHANGES - 1) {
            const fp8rt_tensor all = chosen(&b->net.out[0], ROWS, STRIDE / 4, FP8MAC_FP32, 1.0f);
            layers_report(test, "changes between runs", &all);
        }
    }
    layers_expect(test, "plans are kept among changes", b->plans.reused > b->plans.commands / 8);
}

void layers_plans(layers_test *test)
{
    static bench b;
    draw(test, &b);
    repeated(test, &b);
    refused(test, &b);
    too_little(test, &b);
    shared(test, &b);
    replaced(test, &b);
    changed(test, &b);
}
