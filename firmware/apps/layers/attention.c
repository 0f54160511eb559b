// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/attention.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/reference_attention.h"

// ---- softmax ------------------------------------------------------------------------------------

static fp8rt_status call_softmax(fp8rt_run *run, const void *desc)
{
    return fp8rt_softmax(run, desc);
}

static void refer_softmax(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_softmax(reference, desc);
}

typedef struct softmax_case {
    const char *name;
    uint32_t rows, cols, seen;
    bool causal;
    float factor;
    fp8mac_format_id x_format, out_format;
    bool scaling; // a static one
} softmax_case;

static const softmax_case softmax_cases[] = {
    {.name = "softmax, 16 x 64, float32", .rows = 16, .cols = 64, .x_format = FP8MAC_FP32},
    {.name = "softmax, 16 x 64, normalised",
     .rows = 16,
     .cols = 64,
     .x_format = FP8MAC_FP32,
     .factor = 0.03125f,
     .scaling = true},
    {.name = "softmax, 20 x 20, causal, e5m2",
     .rows = 20,
     .cols = 20,
     .seen = 1,
     .causal = true,
     .x_format = FP8MAC_FP32,
     .out_format = FP8MAC_E5M2,
     .factor = 0.125f},
    {.name = "softmax, 5 x 1100 of e4m3fn to e4m3fnuz, normalised",
     .rows = 5,
     .cols = 1100,
     .x_format = FP8MAC_E4M3FN,
     .out_format = FP8MAC_E4M3FNUZ,
     .factor = 0.03125f},
};

static void run_softmax(layers_test *test, const softmax_case *c)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, c->rows, c->cols, c->x_format);
    fp8rt_tensor out = layers_empty(test, c->rows, c->cols, c->out_format);
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_STATIC};
    out.scaling = c->scaling ? &scaling : NULL;
    const fp8rt_softmax_desc desc = {
        .x = &x, .factor = c->factor, .seen = c->seen, .causal = c->causal, .out = &out};
    const unsigned before = test->recorded;
    layers_try(test, c->name, call_softmax, refer_softmax, &desc, &out);
    layers_expect_recorded(test, "a softmax is recorded", before);
    scaling.kind = FP8RT_SCALING_DYNAMIC;
    out.scaling = &scaling;
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a softmax with a dynamic scale",
                  fp8rt_softmax(&run, &desc) == FP8RT_ERR_UNSUPPORTED);
    test->arena = arena;
}

// ---- attention ----------------------------------------------------------------------------------

// Tokens go into the cache in two parts; the last `tokens` of them ask.
typedef struct attention_case {
    const char *name;
    uint32_t tokens, keys, capacity, heads, size;
    uint32_t sequences; // 0: 1
    bool causal, bias;
    fp8rt_scaling_kind scaling;
    fp8mac_format_id format, out_format;
} attention_case;

static const attention_case attention_cases[] = {
    {.name = "attention, 16 of 16 keys, 2 heads of 16",
     .tokens = 16,
     .keys = 16,
     .capacity = 16,
     .heads = 2,
     .size = 16,
     .out_format = FP8MAC_FP32},
    {.name = "attention, 16 of 64 keys, 4 heads of 32, causal",
     .tokens = 16,
     .keys = 64,
     .capacity = 64,
     .heads = 4,
     .size = 32,
     .causal = true,
     .out_format = FP8MAC_FP32},
    {.name = "attention, 1 of 77 keys, 2 heads of 16, causal",
     .tokens = 1,
     .keys = 77,
     .capacity = 100,
     .heads = 2,
     .size = 16,
     .causal = true,
     .out_format = FP8MAC_FP32},
    {.name = "attention, 9 of 33 keys, e5m2, dynamic",
     .tokens = 9,
     .keys = 33,
     .capacity = 40,
     .heads = 3,
     .size = 16,
     .format = FP8MAC_E5M2,
     .scaling = FP8RT_SCALING_DYNAMIC},
    {.name = "attention, 7 of 21 keys, 5 heads of 6, causal",
     .tokens = 7,
     .keys = 21,
     .capacity = 24,
     .heads = 5,
     .size = 6,
     .causal = true,
     .out_format = FP8MAC_FP32},
    {.name = "attention, 3 sequences of 8 keys, 2 heads of 32",
     .tokens = 8,
     .keys = 8,
     .capacity = 8,
     .heads = 2,
     .size = 32,
     .sequences = 3,
     .bias = true},
    {.name = "attention, 2 sequences, 5 of 9 keys, causal",
     .tokens = 5,
     .keys = 9,
     .capacity = 16,
     .heads = 2,
     .size = 16,
     .sequences = 2,
     .causal = true,
     .bias = true,
     .out_format = FP8MAC_FP32},
    {.name = "attention, 9 of 33 keys, 4 heads of 8, dynamic",
     .tokens = 9,
     .keys = 33,
     .capacity = 40,
     .heads = 4,
     .size = 8,
     .scaling = FP8RT_SCALING_DYNAMIC},
};

typedef struct attention {
    fp8rt_tensor query, keys, values, out; // of all sequences
    fp8rt_kv_cache caches[3];
    uint32_t sequences;
    fp8rt_scaling scaling;
    fp8rt_attention_desc desc;
} attention;

static void draw_cache(layers_test *test, const attention_case *c, float scale,
                       fp8rt_kv_cache *cache)
{
    const uint32_t width = c->heads * c->size;
    cache->keys = layers_empty(test, c->capacity, width, c->format);
    cache->values = layers_empty(test, width, c->capacity, c->format);
    cache->keys.scale = cache->values.scale = scale;
}

// Scores of all magnitudes up to some tens.
static void draw(layers_test *test, const attention_case *c, attention *a)
{
    const uint32_t width = c->heads * c->size;
    const float scale = c->format == FP8MAC_E5M2 ? 0x1p-13f : 0x1p-7f;
    a->sequences = c->sequences == 0 ? 1 : c->sequences;
    a->query = layers_codes(test, a->sequences * c->tokens, width, c->format);
    a->keys = layers_codes(test, a->sequences * c->keys, width, c->format);
    a->values = layers_codes(test, a->sequences * c->keys, width, c->format);
    a->out = layers_empty(test, a->query.rows, width, c->out_format);
    a->query.scale = a->keys.scale = a->values.scale = scale;
    for (uint32_t i = 0; i < a->sequences; i++) {
        draw_cache(test, c, scale, &a->caches[i]);
    }
    a->scaling.kind = c->scaling;
    a->out.scaling = c->scaling == FP8RT_SCALING_STATIC ? NULL : &a->scaling;
    a->desc =
        (fp8rt_attention_desc){.query = &a->query,
                               .cache = a->caches,
                               .sequences = c->sequences,
                               .heads = c->heads,
                               .causal = c->causal,
                               .value_bias = c->bias ? layers_floats(test, true, width) : NULL,
                               .out = &a->out};
}

static fp8rt_tensor rows_of(const fp8rt_caps *caps, const fp8rt_tensor *tensor, uint32_t first,
                            uint32_t rows)
{
    fp8rt_tensor part = *tensor;
    part.data = (uint8_t *)tensor->data + (size_t)first * fp8rt_tensor_stride(caps, tensor);
    part.rows = rows;
    return part;
}

static fp8rt_status append(fp8rt_run *run, attention *a, uint32_t sequence, uint32_t first,
                           uint32_t rows)
{
    const fp8rt_caps *caps = &run->dev->caps;
    const uint32_t from = sequence * (a->keys.rows / a->sequences) + first;
    const fp8rt_tensor keys = rows_of(caps, &a->keys, from, rows);
    const fp8rt_tensor values = rows_of(caps, &a->values, from, rows);
    return fp8rt_kv_append(run, &a->caches[sequence], &keys, &values);
}

static fp8rt_status call_attention(fp8rt_run *run, const void *context)
{
    attention *a = (attention *)(uintptr_t)context;
    const uint32_t keys = a->keys.rows / a->sequences, half = keys / 2u;
    for (uint32_t i = 0; i < a->sequences; i++) {
        a->caches[i].length = 0;
        append(run, a, i, 0, half);
        append(run, a, i, half, keys - half);
    }
    return fp8rt_attention(run, &a->desc);
}

static void refer_attention(fp8rt_reference *reference, const void *context)
{
    fp8rt_reference_attention(reference, &((const attention *)context)->desc);
}

static void run_attention(layers_test *test, const attention_case *c)
{
    const fp8rt_arena arena = test->arena;
    attention a = {0};
    draw(test, c, &a);
    const unsigned before = test->recorded;
    layers_try(test, c->name, call_attention, refer_attention, &a, &a.out);
    if (c->scaling == FP8RT_SCALING_STATIC) {
        layers_expect_recorded(test, "an attention is recorded", before);
    }
    layers_expect(test, "the cache's length", a.caches[0].length == c->keys);
    test->arena = arena;
}

// ---- what is refused ----------------------------------------------------------------------------

static fp8rt_status query(layers_test *test, const attention *a)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_attention(&run, &a->desc);
}

static fp8rt_status query_append(layers_test *test, attention *a)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_kv_append(&run, &a->caches[0], &a->keys, &a->values);
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    attention a = {0};
    draw(test, &attention_cases[0], &a);
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "an empty cache", fp8rt_attention(&run, &a.desc) == FP8RT_ERR_SHAPE);
    a.desc.heads = 3;
    layers_expect(test, "three heads of 32 columns", query(test, &a) == FP8RT_ERR_SHAPE);
    a.desc.heads = 2;
    a.desc.factor = -1.0f;
    layers_expect(test, "a negative factor", query(test, &a) == FP8RT_ERR_SCALE);
    a.caches[0].length = 1;
    layers_expect(test, "more than the capacity", query_append(test, &a) == FP8RT_ERR_SHAPE);
    a.caches[0].length = 0;
    a.keys.scale = 0.5f;
    layers_expect(test, "keys of another scale", query_append(test, &a) == FP8RT_ERR_SCALE);
    a.desc.factor = 0.0f;
    a.desc.sequences = 3;
    a.caches[1] = a.caches[2] = a.caches[0];
    layers_expect(test, "16 tokens of 3 sequences", query(test, &a) == FP8RT_ERR_SHAPE);
    a.desc.sequences = 2;
    layers_expect(test, "two sequences", query(test, &a) == FP8RT_OK);
    a.caches[1].length = 1;
    layers_expect(test, "sequences of different lengths", query(test, &a) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

// ---- projections --------------------------------------------------------------------------------

enum { PARTS = 3, PROJECTED = 40, WIDTH = 32, INPUTS = 24, SEQUENCES = 2 };

typedef struct projection {
    fp8rt_tensor tokens, keys, values; // of a part
    fp8rt_weights key, value, plain;   // plain: value without bias
    fp8rt_kv_cache caches[SEQUENCES], wanted[SEQUENCES];
} projection;

static fp8rt_kv_cache empty_cache(layers_test *test)
{
    fp8rt_kv_cache c = {.keys = layers_empty(test, PROJECTED, WIDTH, FP8MAC_E4M3FN),
                        .values = layers_empty(test, WIDTH, PROJECTED, FP8MAC_E4M3FN)};
    memset(c.keys.data, 0, fp8rt_tensor_bytes(&test->dev.caps, &c.keys));
    memset(c.values.data, 0, fp8rt_tensor_bytes(&test->dev.caps, &c.values));
    c.keys.scale = 2.0f;
    c.values.scale = 4.0f;
    return c;
}

// The tokens of each sequence by two products and fp8rt_kv_append
static fp8rt_status append_projected(fp8rt_run *run, projection *p)
{
    const uint32_t rows = p->tokens.rows / SEQUENCES;
    const fp8rt_linear_desc keys = {.x = &p->tokens, .weights = &p->key, .out = &p->keys},
                            values = {.x = &p->tokens, .weights = &p->plain, .out = &p->values};
    fp8rt_linear(run, &keys);
    fp8rt_linear(run, &values);
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        const fp8rt_tensor own_keys = rows_of(&run->dev->caps, &p->keys, i * rows, rows),
                           own_values = rows_of(&run->dev->caps, &p->values, i * rows, rows);
        fp8rt_kv_append(run, &p->wanted[i], &own_keys, &own_values);
    }
    return run->status;
}

static bool same_caches(const fp8rt_caps *caps, const projection *p)
{
    bool same = true;
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        const fp8rt_kv_cache *x = &p->caches[i], *y = &p->wanted[i];
        same = same && x->length == y->length &&
               memcmp(x->keys.data, y->keys.data, fp8rt_tensor_bytes(caps, &x->keys)) == 0 &&
               memcmp(x->values.data, y->values.data, fp8rt_tensor_bytes(caps, &x->values)) == 0;
    }
    return same;
}

static void draw_projection(layers_test *test, projection *p)
{
    p->key = layers_weights(test, WIDTH, INPUTS);
    p->value = p->plain = layers_weights(test, WIDTH, INPUTS);
    p->plain.bias = NULL;
    p->keys = layers_empty(test, SEQUENCES * PROJECTED, WIDTH, FP8MAC_E4M3FN);
    p->values = layers_empty(test, SEQUENCES * PROJECTED, WIDTH, FP8MAC_E4M3FN);
    p->keys.scale = 2.0f;
    p->values.scale = 4.0f;
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        p->caches[i] = empty_cache(test);
        p->wanted[i] = empty_cache(test);
    }
}

// At lengths of whole beats and between them: 0, 32, 37
static void projections(layers_test *test)
{
    static const uint32_t tokens[PARTS] = {32, 5, 3};
    const fp8rt_arena arena = test->arena;
    projection p;
    draw_projection(test, &p);
    for (uint32_t part = 0; part < PARTS; part++) {
        p.tokens = layers_codes(test, SEQUENCES * tokens[part], INPUTS, FP8MAC_E4M3FN);
        p.tokens.scale = 0.125f;
        p.keys.rows = p.values.rows = p.tokens.rows;
        const fp8rt_projection_desc desc = {.tokens = &p.tokens,
                                            .cache = p.caches,
                                            .sequences = SEQUENCES,
                                            .key = &p.key,
                                            .value = &p.value};
        fp8rt_arena rest = test->arena;
        fp8rt_run run = fp8rt_run_on(&test->dev, fp8rt_arena_alloc(&rest, 65536), 65536);
        layers_expect(test, "a projection", fp8rt_kv_project(&run, &desc) == FP8RT_OK);
        layers_expect(test, "products that are appended", append_projected(&run, &p) == FP8RT_OK);
        layers_expect(test, "the same caches", same_caches(&test->dev.caps, &p));
    }
    fp8rt_run run = fp8rt_run_query(&test->dev);
    const fp8rt_projection_desc full = {
        .tokens = &p.tokens, .cache = p.caches, .sequences = SEQUENCES, .value = &p.value};
    layers_expect(test, "a full cache", fp8rt_kv_project(&run, &full) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

void layers_attention(layers_test *test)
{
    for (size_t i = 0; i < sizeof softmax_cases / sizeof softmax_cases[0]; i++) {
        run_softmax(test, &softmax_cases[i]);
    }
    for (size_t i = 0; i < sizeof attention_cases / sizeof attention_cases[0]; i++) {
        run_attention(test, &attention_cases[i]);
    }
    projections(test);
    refusals(test);
}
