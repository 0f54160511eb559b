// SPDX-License-Identifier: Apache-2.0
#include "tokens_net.h"

#include <stdio.h>

#include "fp8rt/embedding.h"

static const float eps = 1e-5f;

// ---- memory -------------------------------------------------------------------------------------

static fp8rt_tensor tensor(const tokens_net *net, fp8rt_arena *arena, uint32_t rows, uint32_t cols,
                           fp8mac_format_id format, float scale)
{
    fp8rt_tensor t = {.rows = rows, .cols = cols, .format = format, .scale = scale};
    t.stride = fp8rt_tensor_stride(&net->dev->caps, &t);
    t.data = fp8rt_arena_alloc(arena, fp8rt_tensor_bytes(&net->dev->caps, &t));
    return t;
}

static bool allocate_caches(tokens_net *net, fp8rt_arena *arena)
{
    bool enough = true;
    for (int i = 0; i < TOKENS_LAYERS; i++) {
        const tokens_layer *layer = &tokens_data.layers[i];
        fp8rt_kv_cache *cache = &net->caches[i];
        cache->keys =
            tensor(net, arena, TOKENS_CONTEXT, TOKENS_WIDTH, FP8MAC_E4M3FN, layer->keys_scale);
        cache->values =
            tensor(net, arena, TOKENS_WIDTH, TOKENS_CONTEXT, FP8MAC_E4M3FN, layer->values_scale);
        enough = enough && cache->keys.data != NULL && cache->values.data != NULL;
        net->cache_bytes += fp8rt_tensor_bytes(&net->dev->caps, &cache->keys) +
                            fp8rt_tensor_bytes(&net->dev->caps, &cache->values);
    }
    return enough;
}

static bool allocate(tokens_net *net, fp8rt_arena *arena)
{
    net->stream = tensor(net, arena, TOKENS_CONTEXT, TOKENS_WIDTH, FP8MAC_FP32, 1.0f);
    net->last =
        tensor(net, arena, TOKENS_CONTEXT, TOKENS_WIDTH, FP8MAC_E4M3FN, tokens_data.last_scale);
    net->logits = tensor(net, arena, TOKENS_CONTEXT, TOKENS_WORDS, FP8MAC_FP32, 1.0f);
    return allocate_caches(net, arena) && net->stream.data != NULL && net->last.data != NULL &&
           net->logits.data != NULL;
}

void tokens_reset(tokens_net *net)
{
    net->length = 0;
    for (int i = 0; i < TOKENS_LAYERS; i++) {
        net->caches[i].length = 0;
    }
}

// ---- layers -------------------------------------------------------------------------------------

static fp8rt_between between(float scale)
{
    return (fp8rt_between){.format = FP8MAC_E4M3FN, .scale = scale};
}

static fp8rt_status run_block(fp8rt_run *run, const tokens_layer *layer, fp8rt_kv_cache *cache,
                              fp8rt_tensor *stream)
{
    const fp8rt_block_desc block = {
        .x = stream,
        .heads = TOKENS_HEADS,
        .causal = true,
        .self = {.norm = {.rms = true, .eps = eps, .gamma = layer->norm1},
                 .query = &layer->query,
                 .key = &layer->key,
                 .value = &layer->value,
                 .output = &layer->output,
                 .cache = cache,
                 .in = between(layer->in1_scale),
                 .asked = between(layer->asked_scale),
                 .mixed = between(layer->mixed_scale)},
        .feed_forward = {.norm = {.rms = true, .eps = eps, .gamma = layer->norm2},
                         .up = &layer->up,
                         .down = &layer->down,
                         .fused = {.activation = FP8MAC_ACT_RELU},
                         .in = between(layer->in2_scale),
                         .hidden = between(layer->hidden_scale)},
    };
    return fp8rt_transformer_block(run, &block);
}

// Rows of a tensor from `first` on
static fp8rt_tensor rows_of(const fp8rt_tensor *t, uint32_t first, uint32_t rows)
{
    fp8rt_tensor part = *t;
    part.data = (uint8_t *)t->data + (size_t)first * t->stride;
    part.rows = rows;
    return part;
}

static void score(tokens_net *net, fp8rt_run *run, uint32_t first, uint32_t count)
{
    fp8rt_tensor x = rows_of(&net->stream, first, count), last = rows_of(&net->last, 0, count),
                 logits = rows_of(&net->logits, 0, count);
    const fp8rt_norm_desc norm = {
        .x = &x, .rms = true, .eps = eps, .gamma = tokens_data.norm, .out = &last};
    const fp8rt_linear_desc words = {.x = &last, .weights = &tokens_data.words, .out = &logits};
    fp8rt_normalise(run, &norm);
    fp8rt_linear(run, &words);
}

// A run that has failed stays failed, so its status is asked once.
static fp8rt_status run_layers(tokens_net *net, fp8rt_run *run, const uint32_t *tokens,
                               uint32_t count, bool all)
{
    fp8rt_tensor stream = rows_of(&net->stream, 0, count);
    const fp8rt_embedding_desc embedding = {.table = &tokens_data.embed,
                                            .indices = tokens,
                                            .positions = &tokens_data.position,
                                            .first = net->length,
                                            .out = &stream};
    fp8rt_embedding(run, &embedding);
    for (int i = 0; i < TOKENS_LAYERS; i++) {
        run_block(run, &tokens_data.layers[i], &net->caches[i], &stream);
    }
    score(net, run, all ? 0 : count - 1u, all ? count : 1u);
    return run->status;
}

// ---- the network --------------------------------------------------------------------------------

bool tokens_open(tokens_net *net, fp8rt_device *dev, fp8rt_arena *arena)
{
    static const uint32_t tokens[TOKENS_CONTEXT];
    char text[120];
    *net = (tokens_net){.dev = dev};
    if (!allocate(net, arena)) {
        printf("tokens: there is not enough memory\n");
        return false;
    }
    fp8rt_run run = fp8rt_run_query(dev);
    if (run_layers(net, &run, tokens, TOKENS_CONTEXT, true) != FP8RT_OK) {
        printf("tokens: %s\n", fp8rt_run_message(&run, text, sizeof text));
        return false;
    }
    net->scratch_bytes = run.peak;
    net->scratch = fp8rt_arena_alloc(arena, run.peak);
    void *plans = fp8rt_arena_alloc(arena, run.plan_bytes);
    net->plans = fp8rt_plans_in(plans, plans == NULL ? 0 : run.plan_bytes);
    return net->scratch != NULL;
}

fp8rt_status tokens_add(tokens_net *net, const uint32_t *tokens, uint32_t count, bool all)
{
    if (count == 0 || count > TOKENS_CONTEXT - net->length) {
        return FP8RT_ERR_SHAPE;
    }
    fp8rt_run run = fp8rt_run_on(net->dev, net->scratch, net->scratch_bytes);
    run.plans = &net->plans;
    const fp8rt_status status = run_layers(net, &run, tokens, count, all);
    net->length += status == FP8RT_OK ? count : 0;
    return status;
}

const float *tokens_logits(const tokens_net *net, uint32_t row)
{
    return (const float *)(const void *)((const uint8_t *)net->logits.data +
                                         (size_t)row * net->logits.stride);
}
