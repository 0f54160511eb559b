// SPDX-License-Identifier: Apache-2.0
// A block of a transformer: self-attention, cross-attention if there is one, and a feed-forward
// network, each added to a stream of values. Without `causal` it is an encoder's, with it a
// decoder's:
//
//   pre-norm    x = x + attention(norm(x))      x = x + feed_forward(norm(x))
//   post-norm   x = norm(x + attention(x))      x = norm(x + feed_forward(x))
//
// The stream is FP32 or FP16, the operands of products are FP8. The error of a block is that of its
// layers, one after the other: linear.h, attention.h, normalise.h.
//
// A block with static scales and heads of whole beats is recorded as a list that needs nothing of
// the core (fp8rt/network.h), where the accelerator has row commands and the cache's length is
// whole beats.
//
//   fp8rt_block_desc block = {.x = &x, .heads = 2, .self = {...}, .feed_forward = {...}, ...};
//   status = fp8rt_transformer_block(&run, &block);
#ifndef FP8RT_TRANSFORMER_H
#define FP8RT_TRANSFORMER_H

#include "fp8rt/attention.h"
#include "fp8rt/linear.h"
#include "fp8rt/normalise.h"

#ifdef __cplusplus
extern "C" {
#endif

// A tensor between the layers of a block: it lies in the scratch, its scaling is the caller's.
typedef struct fp8rt_between {
    fp8mac_format_id format; // FP8
    float scale;             // as fp8rt_tensor
    fp8rt_scaling *scaling;  // as fp8rt_tensor
} fp8rt_between;

// A norm before or behind a part of a block, as fp8rt_norm_desc.
typedef struct fp8rt_block_norm {
    bool rms;
    float eps;
    const float *gamma, *beta;
} fp8rt_block_norm;

typedef struct fp8rt_block_attention {
    fp8rt_block_norm norm;
    const fp8rt_weights *query, *key, *value, *output; // each width x width
    // Keys and values: of the tokens so far, to which a block appends those of x (self), or those
    // that fp8rt_block_remember has appended (cross). An encoder sets its length to 0 before each
    // call.
    fp8rt_kv_cache *cache;
    fp8rt_between in, asked, mixed; // of the products: normalised x, queries, sums of values
} fp8rt_block_attention;

typedef struct fp8rt_block_feed_forward {
    fp8rt_block_norm norm;
    const fp8rt_weights *up, *down; // hidden x width, width x hidden
    // Of `up`: ReLU, or a table for GELU or SiLU (fp8rt_fused). `hidden` is then that of the codes
    // in the table.
    fp8rt_fused fused;
    fp8rt_between in, hidden;
} fp8rt_block_feed_forward;

typedef struct fp8rt_block_desc {
    fp8rt_tensor *x; // tokens x width, FP32, FP16 or BF16: input and output
    uint32_t heads;
    bool causal; // of the self-attention
    bool post_norm;
    fp8rt_block_attention self;
    const fp8rt_block_attention *cross; // NULL: none
    fp8rt_block_feed_forward feed_forward;
} fp8rt_block_desc;

// A query does not change the lengths of caches. Statuses are those of the layers; those that a
// query returns were found before anything was written.
fp8rt_status fp8rt_transformer_block(fp8rt_run *run, const fp8rt_block_desc *desc);

// Appends keys and values of `tokens`, an encoder's output in FP8, to the cache of a
// cross-attention.
fp8rt_status fp8rt_block_remember(fp8rt_run *run, const fp8rt_block_attention *attention,
                                  const fp8rt_tensor *tokens);

#ifdef __cplusplus
}
#endif
#endif
