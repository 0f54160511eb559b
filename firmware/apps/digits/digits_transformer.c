// SPDX-License-Identifier: Apache-2.0
// The transformer: one encoder block (pre-norm). A token is a line of the image with the lines above and
// below it. The stream is FP32, other activations are FP8 with static scales of the training images.
//
//   stream = linear(token) + position                       8 tokens x 32, FP32
//   stream = stream + output(attention(norm(stream)))       2 heads of 32
//   stream = stream + down(ReLU(up(norm(stream))))          64 hidden units
//   classes = linear(stream of all tokens)                  256 to 10
//
// All layers but the attention compute a batch at once. So these are the layers of
// fp8rt_transformer_block, which takes one sequence, called one by one.
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
    fp8rt_tensor stream, norm1, query, key, value, mixed, norm2, hidden, features, classes;
    fp8rt_kv_cache cache; // of one image
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

static bool allocate_cache(digits_layered *net)
{
    tensors.cache.keys = digits_activations(net, TOKENS, INNER, data->key_amax);
    tensors.cache.values = digits_activations(net, INNER, TOKENS, data->value_amax);
    return tensors.cache.keys.data != NULL && tensors.cache.values.data != NULL;
}

static bool allocate(digits_layered *net, uint32_t batch)
{
    const uint32_t rows = batch * TOKENS;
    tensors.stream = digits_tensor(net, rows, WIDTH, FP8MAC_FP32);
    tensors.norm1 = digits_activations(net, rows, WIDTH, data->norm1_amax);
    tensors.query = digits_activations(net, rows, INNER, data->query_amax);
    tensors.key = digits_activations(net, rows, INNER, data->key_amax);
    tensors.value = digits_activations(net, rows, INNER, data->value_amax);
    tensors.mixed = digits_activations(net, rows, INNER, data->mixed_amax);
    tensors.norm2 = digits_activations(net, rows, WIDTH, data->norm2_amax);
    tensors.hidden = digits_activations(net, rows, HIDDEN, data->hidden_amax);
    tensors.features = digits_activations(net, rows, WIDTH, data->stream_amax);
    tensors.classes = digits_tensor(net, batch, DIGITS_CLASSES, FP8MAC_FP32);
    return allocate_positions(net, batch) && allocate_cache(net);
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

// stream = stream + x * weights^T + bias
static fp8rt_status add_to_stream(digits_layered *net, const fp8rt_tensor *x,
                                  const fp8rt_weights *weights)
{
    const fp8rt_linear_desc desc = {
        .x = x, .weights = weights, .residual = &tensors.stream, .out = &tensors.stream};
    return fp8rt_linear(&net->run, &desc);
}

static fp8rt_status normalise(digits_layered *net, const float *gamma, const float *beta,
                              fp8rt_tensor *out)
{
    const fp8rt_norm_desc desc = {
        .x = &tensors.stream, .eps = eps, .gamma = gamma, .beta = beta, .out = out};
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
    return normalise(net, data->norm1_gamma, data->norm1_beta, &tensors.norm1);
}

static fp8rt_status query(digits_layered *net)
{
    return multiply(net, &tensors.norm1, &data->query, FP8MAC_ACT_NONE, &tensors.query);
}

static fp8rt_status key(digits_layered *net)
{
    return multiply(net, &tensors.norm1, &data->key, FP8MAC_ACT_NONE, &tensors.key);
}

static fp8rt_status value(digits_layered *net)
{
    return multiply(net, &tensors.norm1, &data->value, FP8MAC_ACT_NONE, &tensors.value);
}

// The tokens of one image
static fp8rt_tensor tokens_of(const fp8rt_tensor *t, uint32_t image)
{
    fp8rt_tensor part = *t;
    part.data = (uint8_t *)t->data + (size_t)image * TOKENS * t->stride;
    part.rows = TOKENS;
    return part;
}

static fp8rt_status attend(digits_layered *net)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < net->number && status == FP8RT_OK; i++) {
        const fp8rt_tensor asked = tokens_of(&tensors.query, i), keys = tokens_of(&tensors.key, i);
        const fp8rt_tensor values = tokens_of(&tensors.value, i);
        fp8rt_tensor mixed = tokens_of(&tensors.mixed, i);
        const fp8rt_attention_desc desc = {
            .query = &asked, .cache = &tensors.cache, .heads = HEADS, .out = &mixed};
        tensors.cache.length = 0;
        status = fp8rt_kv_append(&net->run, &tensors.cache, &keys, &values);
        if (status == FP8RT_OK) {
            status = fp8rt_attention(&net->run, &desc);
        }
        digits_layered_collect(net);
    }
    return status;
}

static fp8rt_status output(digits_layered *net)
{
    return add_to_stream(net, &tensors.mixed, &data->output);
}

static fp8rt_status norm2(digits_layered *net)
{
    return normalise(net, data->norm2_gamma, data->norm2_beta, &tensors.norm2);
}

static fp8rt_status up(digits_layered *net)
{
    return multiply(net, &tensors.norm2, &data->up, FP8MAC_ACT_RELU, &tensors.hidden);
}

static fp8rt_status down(digits_layered *net)
{
    return add_to_stream(net, &tensors.hidden, &data->down);
}

static fp8rt_status convert(digits_layered *net)
{
    const fp8rt_arithmetic_desc desc = {.x = &tensors.stream, .out = &tensors.features};
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
    {"value", TOKENS, value, &tensors.value},
    {"attention", TOKENS, attend, &tensors.mixed},
    {"output", TOKENS, output, &tensors.stream},
    {"norm2", TOKENS, norm2, &tensors.norm2},
    {"up", TOKENS, up, &tensors.hidden},
    {"down", TOKENS, down, &tensors.stream},
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
