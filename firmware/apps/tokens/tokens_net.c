// SPDX-License-Identifier: Apache-2.0
#include "tokens_net.h"

#include <stdio.h>
#include <string.h>

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

// Codes that were never written have no weight, but they must be numbers. False: no memory.
static bool clear(tokens_net *net, const fp8rt_tensor *t)
{
    const size_t bytes = fp8rt_tensor_bytes(&net->dev->caps, t);
    if (t->data != NULL) {
        memset(t->data, 0, bytes);
        net->cache_bytes += bytes;
    }
    return t->data != NULL;
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
        cache->group =
            tensor(net, arena, net->dev->caps.beat_bytes, TOKENS_WIDTH, FP8MAC_E4M3FN, 1.0f);
        enough = enough && clear(net, &cache->keys) && clear(net, &cache->values) &&
                 clear(net, &cache->group);
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

// ---- one token as a list ------------------------------------------------------------------------

static void set_length(tokens_net *net, uint32_t length)
{
    net->length = length;
    for (int i = 0; i < TOKENS_LAYERS; i++) {
        net->caches[i].length = length;
    }
}

// The layers for a token at a place
static fp8rt_status record(tokens_net *net, fp8rt_arena *arena, size_t bytes, uint32_t length,
                           uint32_t token, fp8rt_network *network)
{
    fp8rt_run run = fp8rt_run_on(net->dev, net->scratch, net->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(fp8rt_arena_alloc(arena, bytes), bytes);
    run.recorder = &recorder;
    set_length(net, length);
    run_layers(net, &run, &token, 1, false);
    set_length(net, 0);
    return fp8rt_network_record(network, &run);
}

// `rest` is free again behind it.
static fp8rt_status vary(tokens_net *net, fp8rt_arena rest, size_t bytes, uint32_t length,
                         uint32_t token, fp8rt_variable *variable, uint32_t *words)
{
    fp8rt_network next;
    const fp8rt_status status = record(net, &rest, bytes, length, token, &next);
    return status == FP8RT_OK ? fp8rt_network_vary(&net->step.network, &next, variable, words,
                                                   TOKENS_VARIED * 2u * sizeof *words)
                              : status;
}

static void record_step(tokens_net *net, fp8rt_arena *arena)
{
    static const uint32_t token;
    static uint32_t words[3][TOKENS_VARIED * 2];
    tokens_step *step = &net->step;
    fp8rt_run query = fp8rt_run_query(net->dev);
    fp8rt_status status = run_layers(net, &query, &token, 1, false);
    const size_t bytes = query.record_bytes;
    if (status == FP8RT_OK) {
        status = record(net, arena, bytes, 0, 0, &step->network);
    }
    if (status == FP8RT_OK) {
        status = vary(net, *arena, bytes, 0, 1, &step->word, words[0]);
    }
    if (status == FP8RT_OK) {
        status = vary(net, *arena, bytes, 1, 0, &step->place, words[1]);
    }
    if (status == FP8RT_OK) {
        status = vary(net, *arena, bytes, net->dev->caps.beat_bytes, 0, &step->beat, words[2]);
    }
    step->recorded = status == FP8RT_OK;
}

static fp8rt_status run_step(tokens_net *net, uint32_t token)
{
    const uint32_t beat = net->dev->caps.beat_bytes;
    tokens_step *step = &net->step;
    fp8rt_network_result result;
    fp8rt_network_set(&step->network, &step->word, token);
    fp8rt_network_set(&step->network, &step->place, net->length % beat);
    fp8rt_network_set(&step->network, &step->beat, net->length / beat);
    const fp8rt_status status = fp8rt_network_run(&step->network, &result);
    net->counters = result.counters;
    return status;
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
    if (net->scratch == NULL) {
        return false;
    }
    record_step(net, arena);
    void *plans = fp8rt_arena_alloc(arena, run.plan_bytes);
    net->plans = fp8rt_plans_in(plans, plans == NULL ? 0 : run.plan_bytes);
    return true;
}

void tokens_plain(tokens_net *net)
{
    net->step.recorded = false;
    for (int i = 0; i < TOKENS_LAYERS; i++) {
        net->caches[i].group.data = NULL;
    }
}

void tokens_reset(tokens_net *net)
{
    set_length(net, 0);
}

static fp8rt_status run_alone(tokens_net *net, const uint32_t *tokens, uint32_t count, bool all)
{
    fp8rt_run run = fp8rt_run_on(net->dev, net->scratch, net->scratch_bytes);
    run.plans = &net->plans;
    return run_layers(net, &run, tokens, count, all);
}

fp8rt_status tokens_add(tokens_net *net, const uint32_t *tokens, uint32_t count, bool all)
{
    if (count == 0 || count > TOKENS_CONTEXT - net->length || tokens[0] >= TOKENS_WORDS) {
        return FP8RT_ERR_SHAPE;
    }
    const fp8rt_status status = net->step.recorded && count == 1
                                    ? run_step(net, tokens[0])
                                    : run_alone(net, tokens, count, all);
    set_length(net, net->length + (status == FP8RT_OK ? count : 0));
    return status;
}

const float *tokens_logits(const tokens_net *net, uint32_t row)
{
    return (const float *)(const void *)((const uint8_t *)net->logits.data +
                                         (size_t)row * net->logits.stride);
}
