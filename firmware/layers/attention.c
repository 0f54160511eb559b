// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/attention.h"

#include "kv_cache.h"
#include "record.h"
#include "root.h"
#include "softmax.h"

// What the heads of all sequences use. The tensors have a place for caches that are full.
typedef struct heads {
    uint32_t sequences, tokens; // tokens of each
    uint32_t size, keys;
    uint32_t seen; // of the keys, by the softmax of one token; 0: all
    float factor;
    // A block of rows for each head of each sequence: factors of Q K^T, and their softmax
    fp8rt_tensor scores, weights;
    fp8rt_tensor context; // of all heads: `out`, or FP32 values from which it is made
    // Heads that are not whole beats: copies of a head's columns. context_part is FP32.
    bool copied;
    fp8rt_tensor query_part, keys_part, context_part;
} heads;

// The head of a sequence that is computed
typedef struct place {
    uint32_t sequence, head;
} place;

// ---- checks -------------------------------------------------------------------------------------

static uint32_t sequences_of(const fp8rt_attention_desc *desc)
{
    return desc->sequences == 0 ? 1 : desc->sequences;
}

static fp8rt_status check_caches(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    fp8rt_status status = desc->cache == NULL ? FP8RT_ERR_NULL : FP8RT_OK;
    for (uint32_t i = 0; i < sequences_of(desc) && status == FP8RT_OK; i++) {
        const fp8rt_kv_cache *cache = &desc->cache[i], *first = desc->cache;
        status = fp8rt_kv_check(run, cache);
        if (status == FP8RT_OK &&
            (cache->keys.rows != first->keys.rows || cache->keys.cols != first->keys.cols ||
             cache->length != first->length ||
             fp8rt_kv_is_steady(cache) != fp8rt_kv_is_steady(first))) {
            status = fp8rt_layer_fit(run, "desc->cache");
        }
        if (status == FP8RT_OK && cache->values.format != first->values.format) {
            status = FP8RT_ERR_FORMAT;
        }
    }
    return status;
}

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->query);
    if (status == FP8RT_OK) {
        status = check_caches(run, desc);
    }
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_any(run, desc->out);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    return fp8rt_fp32_is_scale(fp8rt_fp32_bits(fp8rt_layer_scale(desc->factor))) ? FP8RT_OK
                                                                                 : FP8RT_ERR_SCALE;
}

static fp8rt_status check_sizes(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    const uint32_t width = desc->cache->keys.cols, rows = desc->query->rows;
    const uint32_t sequences = sequences_of(desc), tokens = rows / sequences;
    const uint32_t length = run->query ? desc->cache->keys.rows : desc->cache->length;
    const char *misfit =
        desc->query->cols != width                 ? "desc->query"
        : !fp8rt_tensor_is(desc->out, rows, width) ? "desc->out"
        : rows % sequences != 0                    ? "desc->sequences"
        : desc->heads == 0 || width % desc->heads != 0 || (uint64_t)rows * desc->heads > UINT32_MAX
            ? "desc->heads"
        : length == 0 || (desc->causal && tokens > length) ? "desc->cache"
                                                           : NULL;
    return fp8rt_layer_fit(run, misfit);
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_attention_desc *desc = layer;
    const fp8rt_status status = check_tensors(run, desc);
    return status == FP8RT_OK ? check_sizes(run, desc) : status;
}

// ---- memory -------------------------------------------------------------------------------------

// Heads of an output whose scale follows from all of them cannot be written one by one.
static fp8rt_tensor context_of(fp8rt_run *run, const fp8rt_attention_desc *desc, bool copied)
{
    const bool direct = fp8rt_layer_scaling(desc->out) == FP8RT_SCALING_STATIC && !copied &&
                        desc->out->data != desc->query->data;
    return direct ? *desc->out
                  : fp8rt_layer_tensor(run, desc->out->rows, desc->out->cols, FP8MAC_FP32);
}

static bool take_copies(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h)
{
    const fp8rt_tensor *query = desc->query, *keys = &desc->cache->keys;
    h->query_part = fp8rt_layer_tensor(run, h->tokens, h->size, query->format);
    h->keys_part = fp8rt_layer_tensor(run, keys->rows, h->size, keys->format);
    h->context_part = fp8rt_layer_tensor(run, h->tokens, h->size, FP8MAC_FP32);
    return h->query_part.data != NULL && h->keys_part.data != NULL && h->context_part.data != NULL;
}

static fp8rt_status prepare(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h)
{
    const uint32_t rows = desc->query->rows * desc->heads, capacity = desc->cache->keys.rows;
    h->sequences = sequences_of(desc);
    h->tokens = desc->query->rows / h->sequences;
    const bool steady = fp8rt_kv_is_steady(desc->cache) && h->tokens == 1;
    h->keys = run->query || steady ? capacity : desc->cache->length;
    h->seen = steady ? desc->cache->length : 0;
    h->size = desc->query->cols / desc->heads;
    h->copied = desc->heads > 1 && (h->size & (run->dev->caps.beat_bytes - 1u)) != 0;
    h->factor = desc->factor > 0.0f ? desc->factor : fp8rt_inverse_root((float)h->size);
    h->scores = fp8rt_layer_tensor(run, rows, capacity, FP8MAC_FP32);
    h->weights = fp8rt_layer_tensor(run, rows, capacity, desc->cache->values.format);
    h->weights.scale = fp8rt_softmax_unit(h->weights.format);
    h->context = context_of(run, desc, h->copied);
    if ((h->copied && !take_copies(run, desc, h)) || h->scores.data == NULL ||
        h->weights.data == NULL || h->context.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    h->scores.stride = fp8rt_tensor_stride(&run->dev->caps, &h->scores);
    h->weights.stride = fp8rt_tensor_stride(&run->dev->caps, &h->weights);
    h->scores.cols = h->weights.cols = h->keys;
    return FP8RT_OK;
}

// ---- parts --------------------------------------------------------------------------------------

// The tokens of a sequence, and a head's columns of them
static fp8rt_tensor part_of(const fp8rt_run *run, const heads *h, const fp8rt_tensor *tensor,
                            place at)
{
    return fp8rt_tensor_part(run, tensor, at.sequence * h->tokens, h->tokens, 1, at.head * h->size,
                             h->size);
}

// The block of a head
static fp8rt_tensor block_of(const fp8rt_run *run, const fp8rt_attention_desc *desc, const heads *h,
                             const fp8rt_tensor *tensor, place at)
{
    const uint32_t block = at.sequence * desc->heads + at.head;
    return fp8rt_tensor_part(run, tensor, block * h->tokens, h->tokens, 1, 0, h->keys);
}

// The columns of a head as an operand: `part` itself, or `copied` with its codes
static fp8rt_status as_operand(fp8rt_run *run, const heads *h, fp8rt_tensor *part,
                               const fp8rt_tensor *copied)
{
    if (!h->copied) {
        return FP8RT_OK;
    }
    const fp8rt_status status = fp8rt_copy_rows(run, part, part->rows, copied);
    part->data = copied->data;
    part->stride = copied->stride;
    return status;
}

// ---- attention ----------------------------------------------------------------------------------

// scores = Q K^T of a head
static fp8rt_status score(fp8rt_run *run, const fp8rt_attention_desc *desc, const heads *h,
                          place at)
{
    const fp8rt_tensor *all = &desc->cache[at.sequence].keys;
    fp8rt_tensor query = part_of(run, h, desc->query, at),
                 out = block_of(run, desc, h, &h->scores, at);
    fp8rt_weights keys = {
        .codes = fp8rt_tensor_part(run, all, 0, h->keys, 1, at.head * h->size, h->size)};
    fp8rt_status status = as_operand(run, h, &query, &h->query_part);
    if (status == FP8RT_OK) {
        status = as_operand(run, h, &keys.codes, &h->keys_part);
    }
    const fp8rt_product product = {.x = &query, .weights = &keys};
    return status == FP8RT_OK ? fp8rt_layer_gemm(run, &product, &out) : status;
}

// context = weights * V of a head
static fp8rt_status mix(fp8rt_run *run, const fp8rt_attention_desc *desc, const heads *h, place at)
{
    const fp8rt_tensor *all = &desc->cache[at.sequence].values;
    const uint32_t first = at.head * h->size;
    const fp8rt_tensor part = part_of(run, h, &h->context, at),
                       weights = block_of(run, desc, h, &h->weights, at);
    fp8rt_tensor out = h->copied ? h->context_part : part;
    const fp8rt_weights values = {
        .codes = fp8rt_tensor_part(run, all, first, h->size, 1, 0, h->keys),
        .bias = desc->value_bias == NULL ? NULL : desc->value_bias + first};
    const fp8rt_product product = {.x = &weights, .weights = &values};
    const fp8rt_status status = fp8rt_layer_gemm(run, &product, &out);
    return status == FP8RT_OK && h->copied ? fp8rt_copy_rows(run, &out, out.rows, &part) : status;
}

static fp8rt_status weigh(fp8rt_run *run, const heads *h, uint32_t seen, bool causal,
                          const fp8rt_tensor *scores, fp8rt_tensor *weights)
{
    const fp8rt_row_operation softmax = {.operation = FP8MAC_ROWS_SOFTMAX,
                                         .x = scores,
                                         .factor = h->factor,
                                         .seen = seen,
                                         .causal = causal};
    return fp8rt_layer_rows(run, &softmax, weights);
}

// weights = softmax of scores. The mask of a causal attention is that of the tokens of one head:
// each has a command then.
static fp8rt_status weigh_all(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h)
{
    fp8rt_status status = FP8RT_OK;
    if (!desc->causal || h->tokens == 1) {
        return weigh(run, h, h->seen, false, &h->scores, &h->weights);
    }
    for (uint32_t i = 0; i < h->sequences * desc->heads && status == FP8RT_OK; i++) {
        const place at = {i / desc->heads, i % desc->heads};
        const fp8rt_tensor scores = block_of(run, desc, h, &h->scores, at);
        fp8rt_tensor weights = block_of(run, desc, h, &h->weights, at);
        status = weigh(run, h, h->keys - h->tokens + 1u, true, &scores, &weights);
    }
    return status;
}

typedef fp8rt_status of_head(fp8rt_run *run, const fp8rt_attention_desc *desc, const heads *h,
                             place at);

static fp8rt_status for_all(fp8rt_run *run, const fp8rt_attention_desc *desc, const heads *h,
                            of_head *function)
{
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < h->sequences * desc->heads && status == FP8RT_OK; i++) {
        status = function(run, desc, h, (place){i / desc->heads, i % desc->heads});
    }
    return status;
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_attention_desc *desc = layer;
    heads h;
    fp8rt_status status = prepare(run, desc, &h);
    if (status == FP8RT_OK) {
        status = for_all(run, desc, &h, score);
    }
    if (status == FP8RT_OK) {
        status = weigh_all(run, desc, &h);
    }
    if (status == FP8RT_OK) {
        status = for_all(run, desc, &h, mix);
    }
    if (status != FP8RT_OK || h.context.data == desc->out->data) {
        return status;
    }
    return fp8rt_layer_convert(run, &h.context, NULL, desc->out);
}

fp8rt_status fp8rt_attention(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    return fp8rt_layer(run, "attention", desc, check, compute);
}
