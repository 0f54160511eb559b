// SPDX-License-Identifier: Apache-2.0
// A small language model: a decoder of five blocks that gives a score to each of 512 pieces of
// words. model.py is the same network in float32.
#ifndef TOKENS_NET_H
#define TOKENS_NET_H

#include "fp8rt/app.h"
#include "fp8rt/network.h"
#include "fp8rt/transformer.h"

enum {
    TOKENS_LAYERS = 5,
    TOKENS_WIDTH = 128,
    TOKENS_HEADS = 4,
    TOKENS_HIDDEN = 512,
    TOKENS_CONTEXT = 128, // tokens that the network sees
    TOKENS_WORDS = 512,
    TOKENS_VARIED = 64, // words of the list that change from token to token, at most
};

typedef struct tokens_layer {
    fp8rt_weights query, key, value, output, up, down;
    const float *norm1, *norm2;
    float in1_scale, asked_scale, keys_scale, values_scale, mixed_scale, in2_scale, hidden_scale;
} tokens_layer;

typedef struct tokens_model {
    uint32_t parameters;
    fp8rt_tensor embed, position; // of words and places, float16
    tokens_layer layers[TOKENS_LAYERS];
    const float *norm; // behind the last block
    float last_scale;
    fp8rt_weights words; // the same vectors as embed
    const char *const *pieces;
    const uint16_t *test; // text that the network has not learned from
    uint32_t test_tokens;
} tokens_model;

extern const tokens_model tokens_data;

// One token as a list of commands, and what changes from token to token
typedef struct tokens_step {
    bool recorded; // false: the accelerator has no row commands, say
    fp8rt_network network;
    fp8rt_variable word, place, beat; // of the table; within a beat of columns of the cache; beats
} tokens_step;

typedef struct tokens_net {
    fp8rt_device *dev;
    fp8rt_tensor stream, last, logits;
    fp8rt_kv_cache caches[TOKENS_LAYERS];
    uint32_t length; // tokens that the caches have
    uint8_t *scratch;
    size_t scratch_bytes, cache_bytes;
    fp8rt_plans plans; // of commands
    tokens_step step;
    fp8rt_counters counters; // of the last token that was added alone
} tokens_net;

// Takes all memory from the arena. False: there is not enough, or a layer refuses its sizes
// (printed).
bool tokens_open(tokens_net *net, fp8rt_device *dev, fp8rt_arena *arena);
// No list, and caches that are not steady, from now on: the same scores by other commands.
void tokens_plain(tokens_net *net);
// Forgets all tokens.
void tokens_reset(tokens_net *net);
// One token alone runs the recorded list. Adds tokens, TOKENS_CONTEXT at most with those before.
// net->logits then has a row for each of them, or if `all` is false one row, for the last one.
fp8rt_status tokens_add(tokens_net *net, const uint32_t *tokens, uint32_t count, bool all);
// The scores of the pieces behind a token of the last call.
const float *tokens_logits(const tokens_net *net, uint32_t row);

#endif
