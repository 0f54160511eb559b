// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/attention.h"

#include "exponential.h"
#include "root.h"

// ---- the cache ----------------------------------------------------------------------------------

static fp8rt_status check_cache(fp8rt_run *run, const fp8rt_kv_cache *cache)
{
    if (cache == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, &cache->keys);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_fp8(run, &cache->values);
    }
    return status == FP8RT_OK &&
                   (cache->keys.rows != cache->values.cols ||
                    cache->keys.cols != cache->values.rows || cache->length > cache->keys.rows)
               ? FP8RT_ERR_SHAPE
               : status;
}

static fp8rt_status check_part(fp8rt_run *run, const fp8rt_tensor *part, const fp8rt_tensor *whole)
{
    const fp8rt_status status = fp8rt_layer_check_fp8(run, part);
    if (status == FP8RT_OK && part->format != whole->format) {
        return FP8RT_ERR_FORMAT;
    }
    return status == FP8RT_OK && fp8rt_fp32_bits(fp8rt_layer_scale(part->scale)) !=
                                     fp8rt_fp32_bits(fp8rt_layer_scale(whole->scale))
               ? FP8RT_ERR_SCALE
               : status;
}

static fp8rt_status check_append(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                 const fp8rt_tensor *keys, const fp8rt_tensor *values)
{
    fp8rt_status status = check_cache(run, cache);
    if (status == FP8RT_OK) {
        status = check_part(run, keys, &cache->keys);
    }
    if (status == FP8RT_OK) {
        status = check_part(run, values, &cache->values);
    }
    return status == FP8RT_OK &&
                   (keys->cols != cache->keys.cols || values->cols != cache->keys.cols ||
                    keys->rows != values->rows || keys->rows > cache->keys.rows - cache->length)
               ? FP8RT_ERR_SHAPE
               : status;
}

static void append_keys(const fp8rt_caps *caps, const fp8rt_kv_cache *cache,
                        const fp8rt_tensor *keys)
{
    const uint32_t from = fp8rt_tensor_stride(caps, keys);
    const uint32_t to = fp8rt_tensor_stride(caps, &cache->keys);
    uint8_t *dst = (uint8_t *)cache->keys.data + (size_t)cache->length * to;
    for (uint32_t token = 0; token < keys->rows; token++, dst += to) {
        memcpy(dst, (const uint8_t *)keys->data + (size_t)token * from, keys->cols);
    }
}

static void append_values(const fp8rt_caps *caps, const fp8rt_kv_cache *cache,
                          const fp8rt_tensor *values)
{
    const uint32_t from = fp8rt_tensor_stride(caps, values);
    const uint32_t to = fp8rt_tensor_stride(caps, &cache->values);
    for (uint32_t token = 0; token < values->rows; token++) {
        const uint8_t *row = (const uint8_t *)values->data + (size_t)token * from;
        uint8_t *dst = (uint8_t *)cache->values.data + cache->length + token;
        for (uint32_t i = 0; i < values->cols; i++, dst += to) {
            *dst = row[i];
        }
    }
}

fp8rt_status fp8rt_kv_append(fp8rt_run *run, fp8rt_kv_cache *cache, const fp8rt_tensor *keys,
                             const fp8rt_tensor *values)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "kv append", &scope);
    if (status == FP8RT_OK) {
        status = check_append(run, cache, keys, values);
    }
    if (status == FP8RT_OK && fp8rt_layer_computes(run)) {
        append_keys(&run->dev->caps, cache, keys);
        append_values(&run->dev->caps, cache, values);
        cache->length += keys->rows;
    }
    return fp8rt_layer_end(run, &scope, status);
}

// ---- attention ----------------------------------------------------------------------------------

// What all heads use in turn. The tensors have a place for a cache that is full.
typedef struct heads {
    uint32_t size, keys;
    float factor;
    float *origin;    // the bias of the scores: that of words of logarithms
    float *row_scale; // 1 / sum of each token
    fp8rt_tensor scores, weights;
    fp8rt_tensor context; // of all heads: `out`, or FP32 values from which it is made
    // Heads that are not whole beats: copies of a head's columns. context_part is FP32.
    bool copied;
    fp8rt_tensor query_part, keys_part, context_part;
} heads;

static fp8rt_status check_tensors(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    if (desc == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->query);
    if (status == FP8RT_OK) {
        status = check_cache(run, desc->cache);
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
    const uint32_t width = desc->cache->keys.cols, tokens = desc->query->rows;
    const uint32_t length = run->query ? desc->cache->keys.rows : desc->cache->length;
    return desc->query->cols != width || desc->out->cols != width || desc->out->rows != tokens ||
                   desc->heads == 0 || width % desc->heads != 0 || length == 0 ||
                   (desc->causal && tokens > length)
               ? FP8RT_ERR_SHAPE
               : FP8RT_OK;
}

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
    h->query_part = fp8rt_layer_tensor(run, query->rows, h->size, query->format);
    h->query_part.scale = query->scale;
    h->keys_part = fp8rt_layer_tensor(run, keys->rows, h->size, keys->format);
    h->keys_part.scale = keys->scale;
    h->context_part = fp8rt_layer_tensor(run, query->rows, h->size, FP8MAC_FP32);
    return h->query_part.data != NULL && h->keys_part.data != NULL && h->context_part.data != NULL;
}

static fp8rt_status prepare(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h)
{
    const uint32_t tokens = desc->query->rows, capacity = desc->cache->keys.rows;
    h->keys = run->query ? capacity : desc->cache->length;
    h->size = desc->query->cols / desc->heads;
    h->copied = desc->heads > 1 && (h->size & (run->dev->caps.beat_bytes - 1u)) != 0;
    h->factor = desc->factor > 0.0f ? desc->factor : fp8rt_inverse_root((float)h->size);
    h->origin = fp8rt_layer_take(run, capacity * sizeof(float));
    h->row_scale = fp8rt_layer_take(run, tokens * sizeof(float));
    h->scores = fp8rt_layer_tensor(run, tokens, capacity, FP8MAC_FP32);
    h->weights = fp8rt_layer_tensor(run, tokens, capacity, desc->cache->values.format);
    h->context = context_of(run, desc, h->copied);
    if ((h->copied && !take_copies(run, desc, h)) || h->origin == NULL || h->row_scale == NULL ||
        h->scores.data == NULL || h->weights.data == NULL || h->context.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    h->scores.stride = fp8rt_tensor_stride(&run->dev->caps, &h->scores);
    h->weights.stride = fp8rt_tensor_stride(&run->dev->caps, &h->weights);
    h->scores.cols = h->weights.cols = h->keys;
    for (uint32_t i = 0; i < h->keys && fp8rt_layer_computes(run); i++) {
        h->origin[i] = FP8RT_FIXED_OFFSET;
    }
    return FP8RT_OK;
}

// Columns of a tensor that belong to a head
static fp8rt_tensor columns(const fp8rt_run *run, const fp8rt_tensor *tensor, uint32_t head,
                            uint32_t size)
{
    return fp8rt_tensor_part(run, tensor, 0, tensor->rows, 1, head * size, size);
}

static void copy_rows(fp8rt_run *run, const fp8rt_tensor *from, uint32_t rows,
                      const fp8rt_tensor *to)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const size_t bytes = (size_t)from->cols * fp8mac_format_bytes(fp8mac_format_get(from->format));
    for (uint32_t row = 0; row < rows && fp8rt_layer_computes(run); row++) {
        memcpy(fp8rt_tensor_row(caps, to, row), fp8rt_tensor_row(caps, from, row), bytes);
    }
}

// The columns of a head as an operand: those of the tensor, or `copy` with their codes
static fp8rt_tensor operand(fp8rt_run *run, const heads *h, const fp8rt_tensor *tensor,
                            uint32_t rows, uint32_t head, const fp8rt_tensor *copy)
{
    const fp8rt_tensor part = columns(run, tensor, head, h->size);
    if (!h->copied) {
        return part;
    }
    copy_rows(run, &part, rows, copy);
    return *copy;
}

// scores = words of factor * Q K^T
static fp8rt_status score(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h, uint32_t head)
{
    const fp8rt_tensor query =
        operand(run, h, desc->query, desc->query->rows, head, &h->query_part);
    const fp8rt_fused clamp = fp8rt_fixed_clamp(FP8RT_LOG_LIMIT);
    fp8rt_weights keys = {.codes =
                              operand(run, h, &desc->cache->keys, h->keys, head, &h->keys_part),
                          .bias = h->origin};
    keys.codes.rows = h->keys;
    keys.codes.scale = fp8rt_layer_scale(keys.codes.scale) * (h->factor * FP8RT_LOG_FACTOR);
    const fp8rt_product product = {.x = &query, .weights = &keys, .fused = &clamp};
    return fp8rt_layer_gemm(run, &product, &h->scores);
}

// context = weights * V / sum
static fp8rt_status mix(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h, uint32_t head)
{
    const fp8rt_tensor *all = &desc->cache->values;
    const fp8rt_tensor part = columns(run, &h->context, head, h->size);
    fp8rt_tensor out = h->copied ? h->context_part : part;
    fp8rt_weights values = {
        .codes = fp8rt_tensor_part(run, all, head * h->size, h->size, 1, 0, h->keys)};
    values.codes.scale = fp8rt_layer_scale(all->scale) * fp8rt_exponential_unit(h->weights.format);
    const fp8rt_product product = {.x = &h->weights, .weights = &values, .x_scale = h->row_scale};
    const fp8rt_status status = fp8rt_layer_gemm(run, &product, &out);
    if (status == FP8RT_OK && h->copied) {
        copy_rows(run, &out, out.rows, &part);
    }
    return status;
}

static fp8rt_status attend(fp8rt_run *run, const fp8rt_attention_desc *desc, heads *h,
                           uint32_t head)
{
    const fp8rt_status status = score(run, desc, h, head);
    if (status != FP8RT_OK) {
        return status;
    }
    if (fp8rt_layer_computes(run)) {
        const fp8rt_exponential exponential = {
            .seen = desc->causal ? h->keys - desc->query->rows + 1u : h->keys,
            .causal = desc->causal};
        fp8rt_exponential_rows(&run->dev->caps, &exponential, &h->scores, &h->weights,
                               h->row_scale);
    }
    return mix(run, desc, h, head);
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_attention_desc *desc = layer;
    heads h;
    fp8rt_status status = prepare(run, desc, &h);
    for (uint32_t head = 0; head < desc->heads && status == FP8RT_OK; head++) {
        status = attend(run, desc, &h, head);
    }
    if (status != FP8RT_OK || h.context.data == desc->out->data) {
        return status;
    }
    return fp8rt_layer_convert(run, &h.context, NULL, desc->out);
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_attention_desc *desc = layer;
    const fp8rt_status status = check_tensors(run, desc);
    return status == FP8RT_OK ? check_sizes(run, desc) : status;
}

fp8rt_status fp8rt_attention(fp8rt_run *run, const fp8rt_attention_desc *desc)
{
    return fp8rt_layer(run, "attention", desc, check, compute);
}
