// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention with several heads and a key-value cache:
//
//   out = softmax(factor * Q K^T) V        for each head, over its columns of Q, K, V and out
//
// With one token at a time the same call is a decoder's step; without `causal` it is an encoder's,
// or the cross-attention of a decoder. Several sequences of as many tokens, each with its own
// cache, are one call.
//
// Commands: two products for each head of each sequence, and one softmax for all of them; with
// `causal` and more than one token, one for each head of each sequence. One more, if the scale of
// `out` is not static. The core computes nothing where the accelerator has row commands, but copies
// heads that are not whole beats.
//
// Error of an output, besides the rounding of Q, K, V and out: let d be the largest error of a
// score, that of its sum (linear.h) times factor, and m the mantissa bits of the weights' format,
// which is V's. With weights w that sum up to 1, the error is at most
//
//   sum of w |v| * (2^-(m+1) + 2^-14 + 2 d) + keys * 2^-18 * max |v| + that of the second sum
#ifndef FP8RT_ATTENTION_H
#define FP8RT_ATTENTION_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// The keys and values of tokens. The caller owns it. A cache of more than one sequence is several
// caches.
typedef struct fp8rt_kv_cache {
    fp8rt_tensor keys;   // capacity x width, FP8 with a static scale
    fp8rt_tensor values; // width x capacity, likewise: each token is a column
    uint32_t length;     // tokens in it; 0 at the start
    // Of a steady cache, NULL data otherwise: as many rows as a beat has bytes, of the tokens that
    // values are made of. Its scale is not used.
    fp8rt_tensor group;
} fp8rt_kv_cache;

// A steady cache gives one token more the same commands at each length, but for addresses and for
// how many columns the softmax sees: fp8rt_network_vary makes one recorded list of them. The core
// copies nothing then.
// - Values are made again for all tokens of the last beat of columns, from their copies in `group`.
// - Attention of one token reads the whole cache. What lies behind `length` has a weight of 0, so
//   these codes must be numbers: the caller sets keys, values and group to 0 at the start.
// - Its capacity is whole beats. fp8rt_kv_project appends to it, and fp8rt_kv_append refuses it
//   with FP8RT_ERR_UNSUPPORTED. FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT: `group` is not as the tokens.

// Appends tokens: keys and values are tokens x width, with the formats and scales of the cache.
// Values are transposed by the core, in about 6 cycles each. A query does not change the length; a
// recording does, and its list always appends at the length that it was recorded with.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (also: more than the capacity), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE
// (not that of the cache), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE: nothing was written.
fp8rt_status fp8rt_kv_append(fp8rt_run *run, fp8rt_kv_cache *cache, const fp8rt_tensor *keys,
                             const fp8rt_tensor *values);

// Keys and values as products of tokens with weights:
//
//   keys = tokens * key^T + bias of key        values = tokens * value^T
//
// Values have no bias here: fp8rt_attention adds it, as value_bias, to the sums of values.
typedef struct fp8rt_projection_desc {
    const fp8rt_tensor
        *tokens; // (sequences * tokens) x any, FP8: the tokens of a sequence follow each other
    fp8rt_kv_cache *cache;    // of each sequence, in an array
    uint32_t sequences;       // 0: 1
    const fp8rt_weights *key; // width x columns of tokens; NULL: the keys are in the caches already
    const fp8rt_weights *value; // likewise, not NULL. Its bias is not used
} fp8rt_projection_desc;

// Appends to each cache the tokens of its sequence: one product for keys and one for values, which
// are written where they stay. Values at a length that is not whole beats are transposed by the
// core instead, as fp8rt_kv_append does. Queries and recordings as there. FP8RT_ERR_UNSUPPORTED: a
// cache has a scale that is not static. Others as fp8rt_kv_append and fp8rt_linear; a cache that is
// refused leaves all of them as they were.
fp8rt_status fp8rt_kv_project(fp8rt_run *run, const fp8rt_projection_desc *desc);

typedef struct fp8rt_attention_desc {
    const fp8rt_tensor
        *query; // (sequences * tokens) x width, FP8: the tokens of a sequence follow each other
    // Of each sequence, in an array; their sizes, lengths and the formats of their values are equal
    const fp8rt_kv_cache *cache;
    uint32_t sequences; // 0: 1
    // width = heads * size. The core copies the columns of several heads whose size is not whole
    // beats, and the results of each.
    uint32_t heads;
    float factor;            // finite, > 0; 0: 1 / sqrt(size)
    bool causal;             // the last token sees all of the cache, each one before it a key less
    const float *value_bias; // width numbers, added to each token's sum of values; NULL: 0
    fp8rt_tensor *out;       // as query, of any format; may have the data of `query`
} fp8rt_attention_desc;

// The scratch does not depend on the cache's length, so one query is good for all steps.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (also: heads, an empty cache, more tokens than it has if causal,
// caches that differ), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE,
// FP8RT_ERR_SCRATCH: nothing was written. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_attention(fp8rt_run *run, const fp8rt_attention_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
