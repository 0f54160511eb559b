// SPDX-License-Identifier: Apache-2.0
#include "kv_cache.h"

#include "layer.h"
#include "plans.h"
#include "record.h"

fp8rt_status fp8rt_kv_check(fp8rt_run *run, const fp8rt_kv_cache *cache)
{
    if (cache == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, &cache->keys);
    if (status == FP8RT_OK) {
        status = fp8rt_layer_check_fp8(run, &cache->values);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    const char *misfit = !fp8rt_tensor_is(&cache->values, cache->keys.cols, cache->keys.rows)
                             ? "&cache->values"
                         : cache->length > cache->keys.rows ? "cache->length"
                                                            : NULL;
    return fp8rt_layer_fit(run, misfit);
}

static fp8rt_status check_part(fp8rt_run *run, const fp8rt_tensor *part, const fp8rt_tensor *whole,
                               const char *name)
{
    const fp8rt_status status =
        fp8rt_layer_check_named(run, part, FP8MAC_E4M3FN, FP8MAC_E5M2FNUZ, name);
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
    fp8rt_status status = fp8rt_kv_check(run, cache);
    if (status == FP8RT_OK && fp8rt_kv_is_steady(cache)) {
        status = FP8RT_ERR_UNSUPPORTED;
    }
    if (status == FP8RT_OK) {
        status = check_part(run, keys, &cache->keys, "keys");
    }
    if (status == FP8RT_OK) {
        status = check_part(run, values, &cache->values, "values");
    }
    if (status != FP8RT_OK) {
        return status;
    }
    const bool fits =
        keys->cols == cache->keys.cols && keys->rows <= cache->keys.rows - cache->length;
    return fp8rt_layer_fit(run, !fits                               ? "keys"
                                : !fp8rt_tensor_is_as(values, keys) ? "values"
                                                                    : NULL);
}

// Rows that the core copies, as they are or, of codes of a byte, as columns
typedef struct copy {
    const uint8_t *from;
    uint8_t *to;
    uint32_t rows, bytes, from_stride, to_stride;
} copy;

static void copy_rows(void *context)
{
    const copy *c = context;
    for (uint32_t row = 0; row < c->rows; row++) {
        memcpy(c->to + (size_t)row * c->to_stride, c->from + (size_t)row * c->from_stride,
               c->bytes);
    }
}

static void transpose(void *context)
{
    const copy *c = context;
    for (uint32_t row = 0; row < c->rows; row++) {
        const uint8_t *from = c->from + (size_t)row * c->from_stride;
        uint8_t *to = c->to + row;
        for (uint32_t i = 0; i < c->bytes; i++, to += c->to_stride) {
            *to = from[i];
        }
    }
}

static fp8rt_status copy_by(fp8rt_run *run, fp8rt_core_function *function, const fp8rt_tensor *from,
                            uint32_t rows, const fp8rt_tensor *to)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const copy c = {.from = from->data,
                    .to = to->data,
                    .rows = rows,
                    .bytes = from->cols * fp8mac_format_bytes(fp8mac_format_get(from->format)),
                    .from_stride = fp8rt_tensor_stride(caps, from),
                    .to_stride = fp8rt_tensor_stride(caps, to)};
    return fp8rt_layer_core(run, function, &c, sizeof c);
}

fp8rt_status fp8rt_copy_rows(fp8rt_run *run, const fp8rt_tensor *from, uint32_t rows,
                             const fp8rt_tensor *to)
{
    return copy_by(run, copy_rows, from, rows, to);
}

// `first` is the byte of the cache with which the copy begins.
static fp8rt_status append(fp8rt_run *run, fp8rt_core_function *function, const fp8rt_tensor *from,
                           const fp8rt_tensor *cache, size_t first)
{
    fp8rt_tensor to = *cache;
    to.data = (uint8_t *)cache->data + first;
    return copy_by(run, function, from, from->rows, &to);
}

static fp8rt_status append_keys(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                const fp8rt_tensor *keys)
{
    const size_t row = fp8rt_tensor_stride(&run->dev->caps, &cache->keys);
    return append(run, copy_rows, keys, &cache->keys, cache->length * row);
}

static fp8rt_status append_values(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                  const fp8rt_tensor *values)
{
    return append(run, transpose, values, &cache->values, cache->length);
}

fp8rt_status fp8rt_kv_append(fp8rt_run *run, fp8rt_kv_cache *cache, const fp8rt_tensor *keys,
                             const fp8rt_tensor *values)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "kv append", &scope);
    if (status == FP8RT_OK) {
        status = check_append(run, cache, keys, values);
    }
    if (status == FP8RT_OK) {
        status = append_keys(run, cache, keys);
    }
    if (status == FP8RT_OK) {
        status = append_values(run, cache, values);
    }
    if (status == FP8RT_OK && !run->query) {
        cache->length += keys->rows;
    }
    return fp8rt_layer_end(run, &scope, status);
}

// ---- projections --------------------------------------------------------------------------------

static fp8rt_status check_room(fp8rt_run *run, const fp8rt_kv_cache *cache, uint32_t tokens,
                               uint32_t width)
{
    const fp8rt_status status = fp8rt_kv_check(run, cache);
    if (status == FP8RT_OK && (fp8rt_layer_scaling(&cache->keys) != FP8RT_SCALING_STATIC ||
                               fp8rt_layer_scaling(&cache->values) != FP8RT_SCALING_STATIC)) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    if (status != FP8RT_OK) {
        return status;
    }
    return fp8rt_layer_fit(run, cache->keys.cols != width                   ? "&cache->keys"
                                : tokens > cache->keys.rows - cache->length ? "desc->tokens"
                                                                            : NULL);
}

static fp8rt_status check_weights(fp8rt_run *run, const fp8rt_projection_desc *desc)
{
    const fp8rt_tensor *x = desc->tokens;
    const fp8rt_weights *key = desc->key, *value = desc->value;
    fp8rt_status status = fp8rt_layer_check_weights(run, desc->value, x->cols);
    if (status == FP8RT_OK && key != NULL) {
        status = fp8rt_layer_check_weights(run, desc->key, x->cols);
    }
    return status == FP8RT_OK && key != NULL && key->codes.rows != value->codes.rows
               ? fp8rt_layer_fit(run, "desc->key")
               : status;
}

// Of a steady cache
static fp8rt_status check_group(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                const fp8rt_tensor *tokens)
{
    const uint32_t beat = run->dev->caps.beat_bytes;
    const fp8rt_tensor *group = &cache->group;
    if (!fp8rt_kv_is_steady(cache)) {
        return FP8RT_OK;
    }
    const fp8rt_status status = fp8rt_layer_check_fp8(run, &cache->group);
    if (status != FP8RT_OK) {
        return status;
    }
    if (group->format != tokens->format) {
        return FP8RT_ERR_FORMAT;
    }
    return fp8rt_layer_fit(run, !fp8rt_tensor_is(group, beat, tokens->cols) ? "&cache->group"
                                : (cache->values.cols & (beat - 1u)) != 0   ? "&cache->values"
                                                                            : NULL);
}

static uint32_t sequences_of(const fp8rt_projection_desc *desc)
{
    return desc->sequences == 0 ? 1 : desc->sequences;
}

static fp8rt_status check_projection(fp8rt_run *run, const void *layer)
{
    const fp8rt_projection_desc *desc = layer;
    if (desc == NULL || desc->cache == NULL) {
        return FP8RT_ERR_NULL;
    }
    fp8rt_status status = fp8rt_layer_check_fp8(run, desc->tokens);
    if (status == FP8RT_OK) {
        status = check_weights(run, desc);
    }
    if (status != FP8RT_OK) {
        return status;
    }
    const uint32_t sequences = sequences_of(desc), tokens = desc->tokens->rows / sequences;
    status =
        fp8rt_layer_fit(run, tokens * sequences != desc->tokens->rows ? "desc->sequences" : NULL);
    for (uint32_t i = 0; i < sequences && status == FP8RT_OK; i++) {
        status = check_room(run, &desc->cache[i], tokens, desc->value->codes.rows);
        if (status == FP8RT_OK) {
            status = check_group(run, &desc->cache[i], desc->tokens);
        }
    }
    return status;
}

// Rows of the cache are keys, so the product goes there.
static fp8rt_status project_keys(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                 const fp8rt_tensor *tokens, const fp8rt_weights *weights)
{
    const fp8rt_product product = {.x = tokens, .weights = weights};
    fp8rt_tensor out =
        fp8rt_tensor_part(run, &cache->keys, cache->length, tokens->rows, 1, 0, cache->keys.cols);
    return fp8rt_layer_gemm(run, &product, &out);
}

// Columns of the cache are values. The product is transposed by exchanging its operands: the same
// sums, rounded in the same way. `first` is the column of the first token.
static fp8rt_status project_transposed(fp8rt_run *run, const fp8rt_tensor *all,
                                       const fp8rt_tensor *tokens, const fp8rt_weights *weights,
                                       uint32_t first)
{
    const float *rows = weights->row_scale;
    const fp8rt_tensor *x = &weights->codes;
    fp8rt_weights columns = {.codes = *tokens};
    fp8rt_tensor out = fp8rt_tensor_part(run, all, 0, all->rows, 1, first, tokens->rows);
    if (rows != NULL) { // it takes the place of x's scale
        columns.codes.scale =
            fp8rt_plans_product(run, fp8rt_layer_scale(tokens->scale), fp8rt_layer_scale(x->scale));
    }
    const fp8rt_product product = {.x = x, .weights = &columns, .x_scale = rows};
    return fp8rt_layer_gemm(run, &product, &out);
}

// The scratch does not depend on the length.
static fp8rt_status project_values(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                   const fp8rt_tensor *tokens, const fp8rt_weights *weights)
{
    const fp8rt_tensor *all = &cache->values;
    const bool aligned = (cache->length & (run->dev->caps.beat_bytes - 1u)) == 0;
    fp8rt_tensor values = fp8rt_layer_tensor(run, tokens->rows, all->rows, all->format);
    if (values.data == NULL) {
        return FP8RT_ERR_SCRATCH;
    }
    if (aligned || run->query) {
        return project_transposed(run, all, tokens, weights, aligned ? cache->length : 0);
    }
    const fp8rt_weights plain = {.codes = weights->codes, .row_scale = weights->row_scale};
    const fp8rt_product product = {.x = tokens, .weights = &plain};
    values.scale = all->scale;
    const fp8rt_status status = fp8rt_layer_gemm(run, &product, &values);
    return status == FP8RT_OK ? append_values(run, cache, &values) : status;
}

// Copies to `group` those tokens that share the last one's beat of columns.
static fp8rt_status keep_group(fp8rt_run *run, const fp8rt_kv_cache *cache,
                               const fp8rt_tensor *tokens)
{
    const uint32_t mask = run->dev->caps.beat_bytes - 1u, end = cache->length + tokens->rows;
    const uint32_t beat = (end - 1u) & ~mask, first = beat > cache->length ? beat : cache->length;
    fp8rt_tensor x = fp8rt_tensor_part(run, tokens, first - cache->length, end - first, 1, 0,
                                       tokens->cols),
                 to = fp8rt_tensor_part(run, &cache->group, first & mask, end - first, 1, 0,
                                        tokens->cols);
    x.scale = to.scale = 1.0f;
    x.scaling = to.scaling = NULL;
    return fp8rt_layer_convert(run, &x, NULL, &to);
}

// The values of all tokens in the beat of columns of the one that is appended
static fp8rt_status project_group(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                  const fp8rt_tensor *token, const fp8rt_weights *weights)
{
    fp8rt_tensor tokens = cache->group;
    tokens.scale = token->scale;
    return project_transposed(run, &cache->values, &tokens, weights,
                              cache->length & ~(run->dev->caps.beat_bytes - 1u));
}

static fp8rt_status append_projected(fp8rt_run *run, const fp8rt_kv_cache *cache,
                                     const fp8rt_tensor *tokens, const fp8rt_weights *weights)
{
    if (!fp8rt_kv_is_steady(cache)) {
        return project_values(run, cache, tokens, weights);
    }
    const fp8rt_status status = keep_group(run, cache, tokens);
    if (status != FP8RT_OK || tokens->rows > 1) {
        return status == FP8RT_OK ? project_values(run, cache, tokens, weights) : status;
    }
    return project_group(run, cache, tokens, weights);
}

static fp8rt_status project(fp8rt_run *run, const void *layer)
{
    const fp8rt_projection_desc *desc = layer;
    const uint32_t sequences = sequences_of(desc), rows = desc->tokens->rows / sequences;
    fp8rt_status status = FP8RT_OK;
    for (uint32_t i = 0; i < sequences && status == FP8RT_OK; i++) {
        fp8rt_kv_cache *cache = &desc->cache[i];
        const size_t used = run->used;
        const fp8rt_tensor tokens =
            fp8rt_tensor_part(run, desc->tokens, i * rows, rows, 1, 0, desc->tokens->cols);
        if (desc->key != NULL) {
            status = project_keys(run, cache, &tokens, desc->key);
        }
        if (status == FP8RT_OK) {
            status = append_projected(run, cache, &tokens, desc->value);
        }
        cache->length += status == FP8RT_OK && !run->query ? rows : 0;
        run->used = used;
    }
    return status;
}

fp8rt_status fp8rt_kv_project(fp8rt_run *run, const fp8rt_projection_desc *desc)
{
    return fp8rt_layer(run, "kv project", desc, check_projection, project);
}
