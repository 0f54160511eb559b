// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/transformer.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/embedding.h"
#include "fp8rt/network.h"
#include "fp8rt/reference_transformer.h"

// ---- embedding ----------------------------------------------------------------------------------

static fp8rt_status call_embedding(fp8rt_run *run, const void *desc)
{
    return fp8rt_embedding(run, desc);
}

static void refer_embedding(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_embedding(reference, desc);
}

static void run_embedding(layers_test *test, const char *name, bool positions,
                          fp8mac_format_id format)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor table = layers_codes(test, 50, 40, FP8MAC_E4M3FN);
    const fp8rt_tensor position_codes = layers_codes(test, 20, 40, FP8MAC_E5M2);
    fp8rt_tensor out = layers_empty(test, 12, 40, format);
    uint32_t indices[12];
    for (uint32_t i = 0; i < out.rows; i++) {
        indices[i] = fp8rt_random_next(&test->random) % table.rows;
    }
    fp8rt_embedding_desc desc = {.table = &table,
                                 .indices = indices,
                                 .positions = positions ? &position_codes : NULL,
                                 .first = 8,
                                 .out = &out};
    layers_try(test, name, call_embedding, refer_embedding, &desc, &out);
    indices[5] = table.rows;
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "an index beyond the table",
                  fp8rt_embedding(&run, &desc) == FP8RT_ERR_SHAPE);
    desc.positions = &position_codes;
    desc.first = 9;
    run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a position beyond its table",
                  fp8rt_embedding(&run, &desc) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

// ---- blocks -------------------------------------------------------------------------------------

enum { TOKENS = 12, WIDTH = 32, HEADS = 2, HIDDEN = 64, MEMORY = 9, CAPACITY = 16 };

typedef struct block {
    fp8rt_tensor x, memory;
    fp8rt_weights weights[10];
    fp8rt_kv_cache caches[2];
    fp8rt_scaling scaling; // dynamic, of every tensor between the layers
    fp8rt_block_attention cross;
    fp8rt_block_desc desc;
    uint8_t *before; // x's codes
    uint32_t length; // of the first cache, before the tokens
} block;

static fp8rt_kv_cache cache(layers_test *test)
{
    fp8rt_kv_cache c = {.keys = layers_empty(test, CAPACITY, WIDTH, FP8MAC_E4M3FN),
                        .values = layers_empty(test, WIDTH, CAPACITY, FP8MAC_E4M3FN)};
    c.keys.scale = c.values.scale = 0.03125f;
    return c;
}

// 0.75 up to 1.25: norms and biases as trained networks have them. Larger ones make scores of which
// one key takes all, and values beyond the caches' range.
static const float *near_one(layers_test *test, uint32_t count)
{
    float *values = layers_take(test, count * sizeof(float));
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (float)(192u + (fp8rt_random_next(&test->random) & 127u)) / 256.0f;
    }
    return values;
}

static fp8rt_block_norm norm(layers_test *test, bool rms)
{
    return (fp8rt_block_norm){.rms = rms,
                              .eps = 1e-5f,
                              .gamma = near_one(test, WIDTH),
                              .beta = rms ? NULL : near_one(test, WIDTH)};
}

static fp8rt_block_attention attention(layers_test *test, block *b, unsigned first, bool rms)
{
    const fp8rt_between dynamic = {.scaling = &b->scaling};
    return (fp8rt_block_attention){.norm = norm(test, rms),
                                   .query = &b->weights[first],
                                   .key = &b->weights[first + 1],
                                   .value = &b->weights[first + 2],
                                   .output = &b->weights[first + 3],
                                   .cache = &b->caches[first / 4],
                                   .in = dynamic,
                                   .asked = dynamic,
                                   .mixed = dynamic};
}

static void draw(layers_test *test, block *b, bool rms)
{
    const fp8rt_between dynamic = {.scaling = &b->scaling};
    b->scaling.kind = FP8RT_SCALING_DYNAMIC;
    b->x = layers_codes(test, TOKENS, WIDTH, FP8MAC_FP32);
    b->memory = layers_codes(test, MEMORY, WIDTH, FP8MAC_E4M3FN);
    b->memory.scale = 0.0078125f;
    for (unsigned i = 0; i < 10; i++) {
        b->weights[i] = layers_weights(test, i == 8 ? HIDDEN : WIDTH, i == 9 ? HIDDEN : WIDTH);
        b->weights[i].codes.scale = 0x1p-11f;
        b->weights[i].row_scale = NULL;
        b->weights[i].bias = near_one(test, b->weights[i].codes.rows);
    }
    b->caches[0] = cache(test);
    b->caches[1] = cache(test);
    b->cross = attention(test, b, 4, rms);
    b->desc.x = &b->x;
    b->desc.heads = HEADS;
    b->desc.self = attention(test, b, 0, rms);
    b->desc.feed_forward = (fp8rt_block_feed_forward){.norm = norm(test, rms),
                                                      .up = &b->weights[8],
                                                      .down = &b->weights[9],
                                                      .fused = {.activation = FP8MAC_ACT_RELU},
                                                      .in = dynamic,
                                                      .hidden = dynamic};
    b->before = layers_take(test, fp8rt_tensor_bytes(&test->dev.caps, &b->x));
    memcpy(b->before, b->x.data, fp8rt_tensor_bytes(&test->dev.caps, &b->x));
}

static fp8rt_status call_block(fp8rt_run *run, const void *context)
{
    const block *b = context;
    b->desc.self.cache->length = b->length;
    if (b->desc.cross != NULL) {
        b->desc.cross->cache->length = 0;
        fp8rt_block_remember(run, b->desc.cross, &b->memory);
    }
    return fp8rt_transformer_block(run, &b->desc);
}

static void refer_block(fp8rt_reference *reference, const void *context)
{
    const block *b = context;
    fp8rt_reference_block(reference, &b->desc, b->before,
                          b->desc.cross == NULL ? NULL : &b->memory);
}

static void run_block(layers_test *test, const char *name, bool causal, bool post_norm, bool rms,
                      bool cross)
{
    const fp8rt_arena arena = test->arena;
    block b = {.desc = {.causal = causal, .post_norm = post_norm}};
    draw(test, &b, rms);
    b.desc.cross = cross ? &b.cross : NULL;
    layers_try(test, name, call_block, refer_block, &b, &b.x);
    test->arena = arena;
}

static void make_static(block *b)
{
    b->scaling.kind = FP8RT_SCALING_STATIC;
    b->desc.self.in.scale = b->desc.feed_forward.in.scale = 0.0625f;
    b->desc.self.asked.scale = b->desc.self.mixed.scale = 0.03125f;
    b->desc.feed_forward.hidden.scale = 0.03125f;
}

static void make_steady(layers_test *test, fp8rt_kv_cache *c, fp8mac_format_id format)
{
    c->group = layers_empty(test, test->dev.caps.beat_bytes, WIDTH, format);
    memset(c->keys.data, 0, fp8rt_tensor_bytes(&test->dev.caps, &c->keys));
    memset(c->values.data, 0, fp8rt_tensor_bytes(&test->dev.caps, &c->values));
    memset(c->group.data, 0, fp8rt_tensor_bytes(&test->dev.caps, &c->group));
}

// A decoder computes the same whether the tokens come at once or one by one, if scales are static.
// Steady: those that come one by one go to such a cache.
static void one_by_one(layers_test *test, bool steady)
{
    const fp8rt_arena arena = test->arena;
    block b = {.desc = {.causal = true}};
    draw(test, &b, false);
    make_static(&b);
    layers_try(test, "decoder, static scales", call_block, NULL, &b, &b.x);
    const size_t bytes = fp8rt_tensor_bytes(&test->dev.caps, &b.x);
    uint8_t *whole = layers_take(test, bytes);
    memcpy(whole, b.x.data, bytes);
    memcpy(b.x.data, b.before, bytes);
    const fp8rt_tensor all = b.x;
    b.x.rows = 1;
    if (steady) {
        make_steady(test, &b.caches[0], b.desc.self.in.format);
    }
    for (uint32_t token = 0; token < TOKENS; token++) {
        b.length = token;
        layers_try(test, "  a token", call_block, NULL, &b, &b.x);
        b.x.data = (uint8_t *)b.x.data + fp8rt_tensor_bytes(&test->dev.caps, &b.x);
    }
    layers_expect(test, "tokens one by one", memcmp(all.data, whole, bytes) == 0);
    test->arena = arena;
}

// A block in `memory`, scratch included, as an image
typedef struct moving {
    layers_test *test;
    block b;
    uint8_t *memory;
    size_t bytes, scratch_bytes, list_bytes;
    void *scratch;
} moving;

static void draw_moving(moving *m)
{
    m->memory = layers_take(m->test, 0);
    draw(m->test, &m->b, false);
    make_static(&m->b);
    fp8rt_run run = fp8rt_run_query(&m->test->dev);
    layers_expect(m->test, "a query of a block", call_block(&run, &m->b) == FP8RT_OK);
    m->scratch_bytes = run.peak;
    m->list_bytes = run.record_bytes;
    m->scratch = layers_take(m->test, m->scratch_bytes);
    m->bytes = (size_t)((uint8_t *)layers_take(m->test, 0) - m->memory);
}

static size_t save_block(moving *m, fp8rt_network *network, void *list, void *image)
{
    const fp8rt_symbol symbol = {"all", m->memory, m->bytes};
    fp8rt_run run = fp8rt_run_on(&m->test->dev, m->scratch, m->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(list, m->list_bytes);
    recorder.symbols = &symbol;
    recorder.symbol_count = 1;
    run.recorder = &recorder;
    call_block(&run, &m->b);
    layers_expect(m->test, "a block is recorded", fp8rt_network_record(network, &run) == FP8RT_OK);
    return fp8rt_network_save(network, image, m->list_bytes);
}

// A whole block, norms and attention included, runs as an image on other memory: with the bytes of
// the layers, and without the core.
static void moved(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    static moving m;
    m = (moving){.test = test, .b.desc.causal = true};
    fp8rt_network network;
    fp8rt_network_result result;
    draw_moving(&m);
    void *list = layers_take(test, m.list_bytes), *image = layers_take(test, m.list_bytes);
    uint8_t *other = layers_take(test, m.bytes);
    const size_t bytes = save_block(&m, &network, list, image),
                 x = (size_t)((uint8_t *)m.b.x.data - m.memory);
    memcpy(other, m.memory, m.bytes);
    fp8rt_run run = fp8rt_run_on(&test->dev, m.scratch, m.scratch_bytes);
    layers_expect(test, "the layers of a block", call_block(&run, &m.b) == FP8RT_OK);
    const bool copies = test->dev.caps.beat_bytes > WIDTH / HEADS; // heads between beats
    if (copies || (test->dev.caps.functions & FP8MAC_FUNCTION_ROWS) == 0) {
        layers_expect(test, "an image with parts of the core", bytes == 0);
    } else {
        layers_expect(test, "an image of a block",
                      bytes != 0 &&
                          fp8rt_network_open(&network, &test->dev, image, bytes) == FP8RT_OK &&
                          fp8rt_network_bind(&network, "all", other, m.bytes) == FP8RT_OK &&
                          fp8rt_network_run(&network, &result) == FP8RT_OK);
        layers_expect(test, "bytes of a block elsewhere",
                      memcmp(other + x, m.b.x.data, fp8rt_tensor_bytes(&test->dev.caps, &m.b.x)) ==
                          0);
    }
    test->arena = arena;
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    block b = {0};
    draw(test, &b, false);
    fp8rt_run run = fp8rt_run_query(&test->dev);
    b.x.format = FP8MAC_E4M3FN;
    layers_expect(test, "a stream in FP8",
                  fp8rt_transformer_block(&run, &b.desc) == FP8RT_ERR_FORMAT);
    b.x.format = FP8MAC_FP32;
    run = fp8rt_run_query(&test->dev);
    b.desc.self.cache = NULL;
    layers_expect(test, "no cache", fp8rt_transformer_block(&run, &b.desc) == FP8RT_ERR_NULL);
    run = fp8rt_run_query(&test->dev);
    b.desc.self.cache = &b.caches[0];
    b.desc.heads = 3;
    layers_expect(test, "three heads", fp8rt_transformer_block(&run, &b.desc) == FP8RT_ERR_SHAPE);
    test->arena = arena;
}

void layers_transformer(layers_test *test)
{
    run_embedding(test, "embedding, 12 of 50 x 40", false, FP8MAC_E4M3FN);
    run_embedding(test, "embedding with positions, float32", true, FP8MAC_FP32);
    run_block(test, "encoder block, pre-norm", false, false, false, false);
    run_block(test, "encoder block, post-norm", false, true, false, false);
    run_block(test, "decoder block, RMS pre-norm, cross-attention", true, false, true, true);
    one_by_one(test, false);
    if (CAPACITY % test->dev.caps.beat_bytes == 0) {
        one_by_one(test, true);
    }
    moved(test);
    refusals(test);
}
