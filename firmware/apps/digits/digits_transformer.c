// SPDX-License-Identifier: Apache-2.0
// The transformer: one encoder block (pre-norm). A token is a line of the image with the lines
// above and below it. The stream is FP32, other activations are FP8 with static scales of the
// training images.
//
//   stream = linear(token) + position                       8 tokens x 32, FP32
//   stream = stream + output(attention(norm(stream)))       2 heads of 32
//   stream = stream + down(ReLU(up(norm(stream))))          64 hidden units
//   classes = linear(stream of all tokens)                  256 to 10
//
// All layers compute a batch at once. So these are the layers of fp8rt_transformer_block, which
// takes one sequence, called one by one. Each has an output of its own, so that all can be checked
// behind a list.
#include "digits_transformer.h"

#include <string.h>

#include "fp8rt/arithmetic.h"
#include "fp8rt/attention.h"
#include "fp8rt/convolution.h"
#include "fp8rt/linear.h"
#include "fp8rt/normalise.h"

enum {
    TOKENS = DIGITS_SIDE,
    LINES = 3, // of a token
    WIDTH = 32,
    HEADS = 2,
    INNER = 64, // of all heads
    HIDDEN = 64,
};

static const float eps = 1e-5f;
static const digits_transformer *const data = &digits_transformer_data;

static struct {
    fp8rt_tensor positions; // for each image of the batch
    fp8rt_tensor stream, norm1, query, key, value, mixed, attended, norm2, hidden, fed, features,
        classes;            // value: that of each image, a column for each token
    fp8rt_kv_cache *caches; // of each image: parts of key and value
} tensors;

// ---- memory -------------------------------------------------------------------------------------

static bool allocate_positions(digits_layered *net, uint32_t batch)
{
    tensors.positions = digits_tensor(net, batch * TOKENS, WIDTH, FP8MAC_FP32);
    if (tensors.positions.data == NULL) {
        return false;
    }
    const size_t bytes = TOKENS * WIDTH * sizeof(float);
    for (uint32_t i = 0; i < batch; i++) {
        memcpy((uint8_t *)tensors.positions.data + i * bytes, data->positions, bytes);
    }
    return true;
}

static fp8rt_tensor rows_of(const fp8rt_tensor *t, uint32_t first, uint32_t rows)
{
    fp8rt_tensor part = *t;
    part.data = (uint8_t *)t->data + (size_t)first * t->stride;
    part.rows = rows;
    return part;
}

static bool allocate_caches(digits_layered *net, uint32_t batch)
{
    tensors.key = digits_activations(net, batch * TOKENS, INNER, data->key_amax);
    tensors.value = digits_activations(net, batch * INNER, TOKENS, data->value_amax);
    tensors.caches = fp8rt_arena_alloc(&net->session->arena, batch * sizeof *tensors.caches);
    if (tensors.key.data == NULL || tensors.value.data == NULL || tensors.caches == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < batch; i++) {
        tensors.caches[i] = (fp8rt_kv_cache){.keys = rows_of(&tensors.key, i * TOKENS, TOKENS),
                                             .values = rows_of(&tensors.value, i * INNER, INNER)};
    }
    return true;
}

static bool allocate(digits_layered *net, uint32_t batch)
{
    const uint32_t rows = batch * TOKENS;
    tensors.stream = digits_tensor(net, rows, WIDTH, FP8MAC_FP32);
    tensors.norm1 = digits_activations(net, rows, WIDTH, data->norm1_amax);
    tensors.query = digits_activations(net, rows, INNER, data->query_amax);
    tensors.mixed = digits_activations(net, rows, INNER, data->mixed_amax);
    tensors.attended = digits_tensor(net, rows, WIDTH, FP8MAC_FP32);
    tensors.norm2 = digits_activations(net, rows, WIDTH, data->norm2_amax);
    tensors.hidden = digits_activations(net, rows, HIDDEN, data->hidden_amax);
    tensors.fed = digits_tensor(net, rows, WIDTH, FP8MAC_FP32);
    tensors.features = digits_activations(net, rows, WIDTH, data->stream_amax);
    tensors.classes = digits_tensor(net, batch, DIGITS_CLASSES, FP8MAC_FP32);
    return allocate_positions(net, batch) && allocate_caches(net, batch);
}

// ---- layers -------------------------------------------------------------------------------------

static fp8rt_status multiply(digits_layered *net, const fp8rt_tensor *x,
                             const fp8rt_weights *weights, fp8mac_activation activation,
                             fp8rt_tensor *out)
{
    const fp8rt_linear_desc desc = {
        .x = x, .weights = weights, .fused = {.activation = activation}, .out = out};
    return fp8rt_linear(&net->run, &desc);
}

// out = stream + x * weights^T + bias
static fp8rt_status add_to(digits_layered *net, const fp8rt_tensor *stream, const fp8rt_tensor *x,
                           const fp8rt_weights *weights, fp8rt_tensor *out)
{
    const fp8rt_linear_desc desc = {.x = x, .weights = weights, .residual = stream, .out = out};
    return fp8rt_linear(&net->run, &desc);
}

static fp8rt_status normalise(digits_layered *net, const fp8rt_tensor *x, const float *gamma,
                              const float *beta, fp8rt_tensor *out)
{
    const fp8rt_norm_desc desc = {.x = x, .eps = eps, .gamma = gamma, .beta = beta, .out = out};
    return fp8rt_normalise(&net->run, &desc);
}

// An image is a signal of 64 pixels, and a token sees three lines of it: one command for the batch.
static fp8rt_status embed(digits_layered *net)
{
    fp8rt_tensor positions = tensors.positions;
    positions.rows = tensors.stream.rows;
    const fp8rt_convolution_desc desc = {
        .x = &net->images,
        .images = net->number,
        .width = DIGITS_PIXELS,
        .pixel_bytes = 1,
        .window = {.kernel_w = LINES * DIGITS_SIDE,
                   .stride_x = DIGITS_SIDE,
                   .pad_left = DIGITS_SIDE,
                   .pad_right = DIGITS_SIDE},
        .weights = &data->embed,
        .residual = &positions,
        .out = &tensors.stream,
    };
    return fp8rt_convolution(&net->run, &desc);
}

static fp8rt_status norm1(digits_layered *net)
{
    return normalise(net, &tensors.stream, data->norm1_gamma, data->norm1_beta, &tensors.norm1);
}

static fp8rt_status query(digits_layered *net)
{
    return multiply(net, &tensors.norm1, &data->query, FP8MAC_ACT_NONE, &tensors.query);
}

static fp8rt_status key(digits_layered *net)
{
    return multiply(net, &tensors.norm1, &data->key, FP8MAC_ACT_NONE, &tensors.key);
}

// The keys are in the caches.
static fp8rt_status value(digits_layered *net)
{
    const fp8rt_projection_desc desc = {.tokens = &tensors.norm1,
                                        .cache = tensors.caches,
                                        .sequences = net->number,
                                        .value = &data->value};
    for (uint32_t i = 0; i < net->number; i++) {
        tensors.caches[i].length = 0;
    }
    return fp8rt_kv_project(&net->run, &desc);
}

static fp8rt_status attend(digits_layered *net)
{
    const fp8rt_attention_desc desc = {.query = &tensors.query,
                                       .cache = tensors.caches,
                                       .sequences = net->number,
                                       .heads = HEADS,
                                       .value_bias = data->value.bias,
                                       .out = &tensors.mixed};
    return fp8rt_attention(&net->run, &desc);
}

static fp8rt_status output(digits_layered *net)
{
    return add_to(net, &tensors.stream, &tensors.mixed, &data->output, &tensors.attended);
}

static fp8rt_status norm2(digits_layered *net)
{
    return normalise(net, &tensors.attended, data->norm2_gamma, data->norm2_beta, &tensors.norm2);
}

static fp8rt_status up(digits_layered *net)
{
    return multiply(net, &tensors.norm2, &data->up, FP8MAC_ACT_RELU, &tensors.hidden);
}

static fp8rt_status down(digits_layered *net)
{
    return add_to(net, &tensors.attended, &tensors.hidden, &data->down, &tensors.fed);
}

static fp8rt_status convert(digits_layered *net)
{
    const fp8rt_arithmetic_desc desc = {.x = &tensors.fed, .out = &tensors.features};
    return fp8rt_add(&net->run, &desc);
}

// The tokens of an image follow each other without gaps: they are one row.
static fp8rt_status classes(digits_layered *net)
{
    fp8rt_tensor features = tensors.features;
    features.rows = net->number;
    features.cols = features.stride = TOKENS * WIDTH;
    return multiply(net, &features, &data->classes, FP8MAC_ACT_NONE, &tensors.classes);
}

// ---- the network --------------------------------------------------------------------------------

static const digits_step steps[DIGITS_TRANSFORMER_LAYERS] = {
    {"embed", TOKENS, embed, &tensors.stream},
    {"norm1", TOKENS, norm1, &tensors.norm1},
    {"query", TOKENS, query, &tensors.query},
    {"key", TOKENS, key, &tensors.key},
    {"value", INNER, value, &tensors.value},
    {"attention", TOKENS, attend, &tensors.mixed},
    {"output", TOKENS, output, &tensors.attended},
    {"norm2", TOKENS, norm2, &tensors.norm2},
    {"up", TOKENS, up, &tensors.hidden},
    {"down", TOKENS, down, &tensors.fed},
    {"convert", TOKENS, convert, &tensors.features},
    {"classes", 1, classes, &tensors.classes},
};

static const digits_sequence sequence = {
    .steps = steps,
    .count = DIGITS_TRANSFORMER_LAYERS,
    .float32 = &digits_transformer_data.float32,
    .hashes = digits_transformer_hashes,
    .most = 0.75f,
    .allocate = allocate,
};

const digits_net digits_transformer_net = DIGITS_LAYERED_NET("transformer", &sequence);
