// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/transformer.h"

#include "layer.h"

static fp8rt_status take(fp8rt_run *run, uint32_t rows, uint32_t cols, const fp8rt_between *between,
                         fp8rt_tensor *tensor)
{
    if ((unsigned)between->format > FP8MAC_E5M2FNUZ) {
        return FP8RT_ERR_FORMAT;
    }
    *tensor = fp8rt_layer_tensor(run, rows, cols, between->format);
    tensor->scale = between->scale;
    tensor->scaling = between->scaling;
    return tensor->data == NULL ? FP8RT_ERR_SCRATCH : FP8RT_OK;
}

static fp8rt_status multiply(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_weights *weights,
                             const fp8rt_fused *fused, fp8rt_tensor *out)
{
    fp8rt_linear_desc desc = {.x = x, .weights = weights, .out = out};
    if (fused != NULL) {
        desc.fused = *fused;
    }
    return fp8rt_linear(run, &desc);
}

// stream = stream + x * weights^T
static fp8rt_status add_to(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_weights *weights,
                           fp8rt_tensor *stream)
{
    const fp8rt_linear_desc desc = {.x = x, .weights = weights, .residual = stream, .out = stream};
    return fp8rt_linear(run, &desc);
}

static fp8rt_status normalise(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_block_norm *norm,
                              fp8rt_tensor *out)
{
    const fp8rt_norm_desc desc = {.x = x,
                                  .rms = norm->rms,
                                  .eps = norm->eps,
                                  .gamma = norm->gamma,
                                  .beta = norm->beta,
                                  .out = out};
    return fp8rt_normalise(run, &desc);
}

// ---- the two ends of a part ---------------------------------------------------------------------

// The stream as an operand of products
static fp8rt_status enter(fp8rt_run *run, const fp8rt_block_desc *desc,
                          const fp8rt_block_norm *norm, const fp8rt_between *between,
                          fp8rt_tensor *in)
{
    const fp8rt_status status = take(run, desc->x->rows, desc->x->cols, between, in);
    if (status != FP8RT_OK) {
        return status;
    }
    return desc->post_norm ? fp8rt_layer_convert(run, desc->x, NULL, in)
                           : normalise(run, desc->x, norm, in);
}

static fp8rt_status leave(fp8rt_run *run, const fp8rt_block_desc *desc,
                          const fp8rt_block_norm *norm)
{
    return desc->post_norm ? normalise(run, desc->x, norm, desc->x) : FP8RT_OK;
}

// ---- attention ----------------------------------------------------------------------------------

static fp8rt_status remember(fp8rt_run *run, const fp8rt_block_attention *attention,
                             const fp8rt_tensor *tokens)
{
    const fp8rt_projection_desc desc = {.tokens = tokens,
                                        .cache = attention->cache,
                                        .key = attention->key,
                                        .value = attention->value};
    return fp8rt_kv_project(run, &desc);
}

static fp8rt_status ask(fp8rt_run *run, const fp8rt_block_desc *desc,
                        const fp8rt_block_attention *attention, bool causal, const fp8rt_tensor *in)
{
    const uint32_t tokens = desc->x->rows, width = desc->x->cols;
    fp8rt_tensor asked, mixed;
    fp8rt_status status = take(run, tokens, width, &attention->asked, &asked);
    if (status == FP8RT_OK) {
        status = multiply(run, in, attention->query, NULL, &asked);
    }
    if (status == FP8RT_OK) {
        status = take(run, tokens, width, &attention->mixed, &mixed);
    }
    if (status == FP8RT_OK) {
        const fp8rt_attention_desc heads = {.query = &asked,
                                            .cache = attention->cache,
                                            .heads = desc->heads,
                                            .causal = causal,
                                            .value_bias = attention->value->bias,
                                            .out = &mixed};
        status = fp8rt_attention(run, &heads);
    }
    return status == FP8RT_OK ? add_to(run, &mixed, attention->output, desc->x) : status;
}

static fp8rt_status attend(fp8rt_run *run, const fp8rt_block_desc *desc,
                           const fp8rt_block_attention *attention, bool self)
{
    const size_t used = run->used;
    fp8rt_tensor in;
    fp8rt_status status = enter(run, desc, &attention->norm, &attention->in, &in);
    if (status == FP8RT_OK && self) {
        status = remember(run, attention, &in);
    }
    if (status == FP8RT_OK) {
        status = ask(run, desc, attention, self && desc->causal, &in);
    }
    if (status == FP8RT_OK) {
        status = leave(run, desc, &attention->norm);
    }
    run->used = used;
    return status;
}

// ---- feed-forward -------------------------------------------------------------------------------

static fp8rt_status feed_forward(fp8rt_run *run, const fp8rt_block_desc *desc)
{
    const fp8rt_block_feed_forward *f = &desc->feed_forward;
    fp8rt_tensor in, hidden;
    fp8rt_status status = enter(run, desc, &f->norm, &f->in, &in);
    if (status == FP8RT_OK) {
        status = take(run, desc->x->rows, f->up->codes.rows, &f->hidden, &hidden);
    }
    if (status == FP8RT_OK) {
        status = multiply(run, &in, f->up, &f->fused, &hidden);
    }
    if (status == FP8RT_OK) {
        status = add_to(run, &hidden, f->down, desc->x);
    }
    return status == FP8RT_OK ? leave(run, desc, &f->norm) : status;
}

// ---- block --------------------------------------------------------------------------------------

static bool is_whole(const fp8rt_block_attention *a)
{
    return a->query != NULL && a->key != NULL && a->value != NULL && a->output != NULL &&
           a->cache != NULL;
}

// The argument that does not fit x, or NULL
static const char *misfit(const fp8rt_block_desc *desc)
{
    const uint32_t width = desc->x->cols;
    return desc->heads == 0 || width % desc->heads != 0                    ? "desc->heads"
           : desc->self.cache->keys.cols != width                          ? "desc->self.cache"
           : desc->cross != NULL && desc->cross->cache->keys.cols != width ? "desc->cross->cache"
                                                                           : NULL;
}

static fp8rt_status check(fp8rt_run *run, const void *layer)
{
    const fp8rt_block_desc *desc = layer;
    if (desc == NULL || !is_whole(&desc->self) || (desc->cross != NULL && !is_whole(desc->cross)) ||
        desc->feed_forward.up == NULL || desc->feed_forward.down == NULL) {
        return FP8RT_ERR_NULL;
    }
    // Before a cache takes the tokens
    const char *name = desc->x == NULL ? NULL : misfit(desc);
    if (name != NULL) {
        return fp8rt_layer_fit(run, name);
    }
    return fp8rt_layer_check(run, desc->x, FP8MAC_FP16, FP8MAC_FP32);
}

static fp8rt_status compute(fp8rt_run *run, const void *layer)
{
    const fp8rt_block_desc *desc = layer;
    fp8rt_status status = attend(run, desc, &desc->self, true);
    if (status == FP8RT_OK && desc->cross != NULL) {
        status = attend(run, desc, desc->cross, false);
    }
    return status == FP8RT_OK ? feed_forward(run, desc) : status;
}

fp8rt_status fp8rt_transformer_block(fp8rt_run *run, const fp8rt_block_desc *desc)
{
    return fp8rt_layer(run, "transformer block", desc, check, compute);
}

fp8rt_status fp8rt_block_remember(fp8rt_run *run, const fp8rt_block_attention *attention,
                                  const fp8rt_tensor *tokens)
{
    fp8rt_scope scope;
    fp8rt_status status = fp8rt_layer_begin(run, "remember", &scope);
    if (status == FP8RT_OK && (attention == NULL || !is_whole(attention) || tokens == NULL)) {
        status = FP8RT_ERR_NULL;
    }
    if (status == FP8RT_OK) {
        status = remember(run, attention, tokens);
    }
    return fp8rt_layer_end(run, &scope, status);
}
