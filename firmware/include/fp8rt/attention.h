// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention with several heads and a key-value cache:
//
//   out = softmax(factor * Q K^T) V        for each head, over its columns of Q, K, V and out
//
// The accelerator multiplies. The core turns scores into FP8 weights (softmax.h), and the second GEMM
// divides by their sum, as the scale of its rows. With one token at a time the same call is a decoder's
// step; without `causal` it is an encoder's, or the cross-attention of a decoder.
//
// Cycles of the core: for each head two commands, 44 for each weight that is seen, and 500 for each token;
// with an output whose scale is not static, one command more for all heads. Sixteen tokens of four heads
// of 32 on 64 keys, causal: 285,000, of which the accelerator works 3,300.
//
// Error of an output, besides the rounding of Q, K, V and out: let d be the largest error of a score,
// that of its sum (linear.h) times factor, and m the mantissa bits of the weights' format, which is V's.
// With weights w that sum up to 1, the error is at most
//
//   sum of w |v| * (2^-(m+1) + 2^-9 + 2 d) + keys * 2^-18 * max |v| + that of the second sum (linear.h)
#ifndef FP8RT_ATTENTION_H
#define FP8RT_ATTENTION_H

#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// The keys and values of tokens. The caller owns it. A cache of more than one sequence is several caches.
typedef struct fp8rt_kv_cache {
    fp8rt_tensor keys;   // capacity x width, FP8 with a static scale
    fp8rt_tensor values; // width x capacity, likewise: each token is a column
    uint32_t length;     // tokens in it; 0 at the start
} fp8rt_kv_cache;

// Appends tokens: keys and values are tokens x width, with the formats and scales of the cache. Values
// are transposed by the core, in about 6 cycles each. A query does not change the length.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (also: more than the capacity), FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (not
// that of the cache), FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE: nothing was written.
fp8rt_status fp8rt_kv_append(fp8rt_run *run, fp8rt_kv_cache *cache, const fp8rt_tensor *keys,
                             const fp8rt_tensor *values);

typedef struct fp8rt_attention_desc {
    const fp8rt_tensor *query; // tokens x width, FP8
    const fp8rt_kv_cache *cache;
    // width = heads * size. The core copies the columns of several heads whose size is not whole
    // beats, and the results of each.
    uint32_t heads;
    float factor;      // finite, > 0; 0: 1 / sqrt(size)
    bool causal;       // the last token sees all of the cache, each one before it a key less
    fp8rt_tensor *out; // tokens x width of any format; may have the data of `query`
} fp8rt_attention_desc;

// The scratch does not depend on the cache's length, so one query is good for all steps.
// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE (also: heads, an empty cache, more tokens than it has if causal),
// FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT, FP8RT_ERR_STRIDE, FP8RT_ERR_SCRATCH: nothing
// was written. Others as fp8rt_gemm_run.
fp8rt_status fp8rt_attention(fp8rt_run *run, const fp8rt_attention_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
