// SPDX-License-Identifier: Apache-2.0
// A layer names the argument whose size does not fit, and the next layer that succeeds clears the
// name.
#include <stdio.h>
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/layers.h"

enum { ROWS = 16, COLS = 32, UNITS = 16, TOKENS = 4, CAPACITY = 32 };

typedef fp8rt_status layer_call(fp8rt_run *run, const void *desc);

// A layer whose descriptor is right
typedef struct subject {
    layer_call *call;
    const void *desc;
    const char *layer;
} subject;

#define CALL(function, type)                                                                       \
    static fp8rt_status call_##function(fp8rt_run *run, const void *desc)                          \
    {                                                                                              \
        return fp8rt_##function(run, (const type *)desc);                                          \
    }
CALL(linear, fp8rt_linear_desc)
CALL(to_mx, fp8rt_to_mx_desc)
CALL(convolution, fp8rt_convolution_desc)
CALL(transposed_convolution, fp8rt_transposed_desc)
CALL(add, fp8rt_arithmetic_desc)
CALL(max_pool, fp8rt_pooling_desc)
CALL(average_pool, fp8rt_pooling_desc)
CALL(global_average, fp8rt_pooling_desc)
CALL(nonlinear, fp8rt_nonlinear_desc)
CALL(normalise, fp8rt_norm_desc)
CALL(softmax, fp8rt_softmax_desc)
CALL(reduce, fp8rt_reduce_desc)
CALL(reciprocal, fp8rt_reciprocal_desc)
CALL(gru, fp8rt_recurrent_desc)
CALL(attention, fp8rt_attention_desc)
CALL(kv_project, fp8rt_projection_desc)
CALL(transformer_block, fp8rt_block_desc)
CALL(embedding, fp8rt_embedding_desc)
CALL(move, fp8rt_move_desc)
CALL(int_linear, fp8rt_int_linear_desc)
CALL(int_convolution, fp8rt_int_convolution_desc)
CALL(int_add, fp8rt_int_add_desc)
CALL(int_average_pool, fp8rt_int_pool_desc)
CALL(int_pad, fp8rt_int_pad_desc)
CALL(int_softmax, fp8rt_int_softmax_desc)

static fp8rt_device device;
static fp8rt_arena arena;
static unsigned passed, failed, named;

static void expect(const char *name, bool good)
{
    if (!good) {
        printf("FAIL %s\n", name);
    }
    good ? passed++ : failed++;
}

static bool is_message(const fp8rt_run *run, const char *layer, const char *name)
{
    char got[160], wanted[160];
    snprintf(wanted, sizeof wanted, "%s: %s: %s", layer, name,
             fp8rt_status_string(FP8RT_ERR_SHAPE));
    return strcmp(fp8rt_run_message(run, got, sizeof got), wanted) == 0;
}

// With `value` in the field the layer names `name`. With what the field had before, it
// succeeds and names nothing.
static void try(const subject *s, uint32_t *field, uint32_t value, const char *name)
{
    const uint32_t before = *field;
    fp8rt_run run = fp8rt_run_query(&device);
    *field = value;
    const bool refused = s->call(&run, s->desc) == FP8RT_ERR_SHAPE && run.wrong != NULL &&
                         strcmp(run.wrong, name) == 0 && is_message(&run, s->layer, name);
    const char *const got = run.wrong;
    *field = before;
    run.status = FP8RT_OK;
    run.failed = NULL;
    const fp8rt_status status = s->call(&run, s->desc);
    if (!refused || status != FP8RT_OK || run.wrong != NULL) {
        printf("%s: %s: the name is %s, then the status %d\n", s->layer, name,
               got == NULL ? "none" : got, status);
    }
    expect("the argument that does not fit", refused);
    expect("no name once all fits", status == FP8RT_OK && run.wrong == NULL);
    named++;
}

static fp8rt_tensor tensor(uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    fp8rt_tensor t = {.rows = rows, .cols = cols, .format = format, .scale = 1.0f};
    t.data = fp8rt_arena_alloc(&arena, fp8rt_tensor_bytes(&device.caps, &t));
    return t;
}

static fp8rt_weights weights_of(uint32_t rows, uint32_t cols)
{
    return (fp8rt_weights){.codes = tensor(rows, cols, FP8MAC_E4M3FN)};
}

static void products(void)
{
    fp8rt_tensor x = tensor(ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = tensor(ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor residual = tensor(ROWS, COLS, FP8MAC_FP16);
    fp8rt_weights weights = weights_of(COLS, COLS);
    const fp8rt_linear_desc linear = {
        .x = &x, .weights = &weights, .residual = &residual, .out = &out};
    const subject l = {call_linear, &linear, "linear"};
    try(&l, &weights.codes.cols, COLS - 1, "desc->weights");
    try(&l, &out.cols, COLS - 1, "desc->out");
    try(&l, &out.rows, ROWS + 1, "desc->out");
    try(&l, &residual.rows, ROWS + 1, "desc->residual");
    fp8rt_convolution_desc convolution = {
        .x = &x, .height = 4, .width = 4, .weights = &weights, .residual = &residual, .out = &out};
    const subject c = {call_convolution, &convolution, "convolution"};
    try(&c, &x.rows, ROWS - 1, "desc->x");
    try(&c, &convolution.window.kernel_h, 5, "desc->window");
    try(&c, &convolution.window.kernel_w, 3, "desc->weights");
    try(&c, &out.rows, ROWS - 1, "desc->out");
    try(&c, &out.cols, COLS - 1, "desc->out");
    try(&c, &convolution.group_out, COLS / 2, "desc->group_out");
    try(&c, &residual.cols, COLS + 1, "desc->residual");
    fp8rt_tensor wide = tensor(4 * ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_weights kernel = weights_of(4 * COLS, COLS);
    fp8rt_transposed_desc transposed = {.x = &x,
                                        .height = 4,
                                        .width = 4,
                                        .out_height = 8,
                                        .out_width = 8,
                                        .kernel_h = 2,
                                        .kernel_w = 2,
                                        .stride_y = 2,
                                        .stride_x = 2,
                                        .weights = &kernel,
                                        .out = &wide};
    const subject t = {call_transposed_convolution, &transposed, "transposed_convolution"};
    try(&t, &x.rows, ROWS + 1, "desc->x");
    try(&t, &transposed.out_width, 7, "desc->out");
    try(&t, &kernel.codes.rows, 2 * COLS, "desc->weights");
    try(&t, &kernel.codes.cols, COLS - 1, "desc->weights");
}

static void elements(void)
{
    fp8rt_tensor x = tensor(ROWS, COLS, FP8MAC_FP32);
    fp8rt_tensor y = tensor(ROWS, COLS, FP8MAC_FP16);
    fp8rt_tensor out = tensor(ROWS, COLS, FP8MAC_FP32);
    fp8rt_tensor column = tensor(ROWS, 1, FP8MAC_FP32);
    const fp8rt_arithmetic_desc arithmetic = {.x = &x, .y = &y, .out = &out};
    const subject a = {call_add, &arithmetic, "add"};
    try(&a, &y.cols, COLS - 1, "desc->y");
    try(&a, &out.cols, COLS - 1, "desc->out");
    const fp8rt_nonlinear_desc nonlinear = {.x = &x, .out = &out};
    try(&(subject){call_nonlinear, &nonlinear, "nonlinear"}, &out.rows, 1, "desc->out");
    const fp8rt_norm_desc norm = {.x = &x, .eps = 1e-5f, .out = &out};
    try(&(subject){call_normalise, &norm, "normalise"}, &out.rows, 1, "desc->out");
    fp8rt_softmax_desc softmax = {.x = &x, .out = &out};
    const subject s = {call_softmax, &softmax, "softmax"};
    try(&s, &softmax.seen, COLS + 1, "desc->seen");
    try(&s, &out.cols, COLS - 1, "desc->out");
    const fp8rt_reduce_desc reduce = {FP8MAC_ROWS_SUM, &x, &column};
    const subject r = {call_reduce, &reduce, "reduce"};
    try(&r, &column.cols, 2, "desc->out");
    try(&r, &x.cols, FP8MAC_ROWS_MAX_COLS + 1, "desc->x");
    const fp8rt_reciprocal_desc reciprocal = {.x = &x, .out = &out};
    try(&(subject){call_reciprocal, &reciprocal, "reciprocal"}, &out.rows, 1, "desc->out");
    if ((device.caps.functions & FP8MAC_FUNCTION_MX) != 0) {
        fp8rt_tensor mx = tensor(ROWS, COLS, FP8MAC_E4M3FN);
        mx.mx = fp8rt_arena_alloc(&arena, fp8rt_tensor_mx_bytes(&device.caps, &mx));
        const fp8rt_to_mx_desc to_mx = {.x = &x, .out = &mx};
        try(&(subject){call_to_mx, &to_mx, "to_mx"}, &mx.cols, COLS - 1, "desc->out");
    }
    const uint32_t indices[ROWS] = {1, 2, 3};
    fp8rt_embedding_desc embedding = {
        .table = &x, .indices = indices, .out = &out, .positions = &y};
    const subject e = {call_embedding, &embedding, "embedding"};
    try(&e, &out.cols, COLS - 1, "desc->out");
    try(&e, &y.rows, ROWS - 1, "desc->positions");
    try(&e, &embedding.first, 1, "desc->first");
    const fp8rt_move_desc move = {
        .x = &x, .axis = {{ROWS, {1, 0}, {1, 0}}, {COLS, {0, 1}, {0, 1}}}, .out = &out};
    const subject m = {call_move, &move, "move"};
    try(&m, &x.rows, ROWS - 1, "desc->x");
    try(&m, &out.cols, COLS - 1, "desc->out");
}

// An index that no table has is found where the layer runs, and not by a query.
static void indices(void)
{
    const uint32_t beyond[1] = {ROWS};
    fp8rt_tensor table = tensor(ROWS, COLS, FP8MAC_FP32);
    fp8rt_tensor out = tensor(1, COLS, FP8MAC_FP32);
    const fp8rt_embedding_desc desc = {.table = &table, .indices = beyond, .out = &out};
    fp8rt_run run = fp8rt_run_on(&device, NULL, 0);
    fp8rt_embedding(&run, &desc);
    expect("an index beyond the table", is_message(&run, "embedding", "desc->indices"));
}

static void pools(void)
{
    fp8rt_tensor x = tensor(ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = tensor(ROWS / 4, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor one = tensor(1, COLS, FP8MAC_E4M3FN);
    fp8rt_pooling_desc desc = {
        .x = &x,
        .height = 4,
        .width = 4,
        .window = {.kernel_h = 2, .kernel_w = 2, .stride_y = 2, .stride_x = 2},
        .out = &out};
    const subject max = {call_max_pool, &desc, "max_pool"};
    const subject average = {call_average_pool, &desc, "average_pool"};
    try(&max, &desc.images, 2, "desc->x");
    try(&max, &desc.window.kernel_h, 5, "desc->window");
    try(&max, &desc.window.stride_x, 1, "desc->out");
    try(&average, &x.rows, ROWS - 1, "desc->x");
    try(&average, &out.cols, COLS - 1, "desc->out");
    desc.out = &one;
    const subject global = {call_global_average, &desc, "global_average"};
    try(&global, &x.rows, ROWS + 1, "desc->x");
    try(&global, &one.rows, 2, "desc->out");
}

static void recurrent(void)
{
    fp8rt_tensor state = tensor(2, UNITS, FP8MAC_FP32);
    fp8rt_tensor x = tensor(2 * TOKENS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor hidden = tensor(2, UNITS, FP8MAC_E4M3FN);
    fp8rt_tensor out = tensor(2 * TOKENS, UNITS, FP8MAC_E4M3FN);
    fp8rt_weights input = weights_of(3 * UNITS, COLS);
    fp8rt_weights own = weights_of(3 * UNITS, UNITS);
    const fp8rt_recurrent_desc desc = {.x = &x,
                                       .input = &input,
                                       .recurrent = &own,
                                       .batch = 2,
                                       .hidden = &hidden,
                                       .state = &state,
                                       .out = &out};
    const subject s = {call_gru, &desc, "gru"};
    try(&s, &x.rows, 2 * TOKENS - 1, "desc->x");
    try(&s, &hidden.rows, 1, "desc->hidden");
    try(&s, &state.cols, UNITS - 1, "desc->state");
    try(&s, &input.codes.cols, COLS - 1, "desc->input");
    try(&s, &input.codes.rows, 4 * UNITS, "desc->input");
    try(&s, &own.codes.rows, 4 * UNITS, "desc->recurrent");
    try(&s, &out.rows, 1, "desc->out");
}

static fp8rt_kv_cache cache_of(uint32_t length)
{
    return (fp8rt_kv_cache){.keys = tensor(CAPACITY, COLS, FP8MAC_E4M3FN),
                            .values = tensor(COLS, CAPACITY, FP8MAC_E4M3FN),
                            .length = length};
}

static void attentions(void)
{
    fp8rt_kv_cache caches[3] = {cache_of(TOKENS), cache_of(TOKENS), cache_of(TOKENS)};
    fp8rt_tensor query = tensor(2 * TOKENS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = tensor(2 * TOKENS, COLS, FP8MAC_E4M3FN);
    fp8rt_attention_desc desc = {
        .query = &query, .cache = caches, .sequences = 2, .heads = 2, .out = &out};
    const subject s = {call_attention, &desc, "attention"};
    try(&s, &query.cols, COLS - 1, "desc->query");
    try(&s, &out.rows, TOKENS, "desc->out");
    try(&s, &desc.heads, 3, "desc->heads");
    try(&s, &desc.heads, 0, "desc->heads");
    try(&s, &caches[1].length, 1, "desc->cache");
    try(&s, &caches[0].length, CAPACITY + 1, "cache->length");
    try(&s, &caches[0].values.cols, CAPACITY - 1, "&cache->values");
    desc.sequences = 1;
    try(&s, &desc.sequences, 3, "desc->sequences");
}

typedef struct appended {
    fp8rt_kv_cache *cache;
    const fp8rt_tensor *keys, *values;
} appended;

static fp8rt_status call_append(fp8rt_run *run, const void *desc)
{
    const appended *a = desc;
    return fp8rt_kv_append(run, a->cache, a->keys, a->values);
}

static void caches(void)
{
    fp8rt_kv_cache cache = cache_of(0);
    fp8rt_tensor keys = tensor(TOKENS, COLS, FP8MAC_E4M3FN), values = keys;
    const subject a = {call_append, &(appended){&cache, &keys, &values}, "kv append"};
    try(&a, &keys.cols, COLS - 1, "keys");
    try(&a, &values.rows, TOKENS - 1, "values");
    try(&a, &cache.length, CAPACITY - 1, "keys");
    fp8rt_weights key = weights_of(COLS, COLS), value = key;
    fp8rt_projection_desc desc = {.tokens = &keys, .cache = &cache, .key = &key, .value = &value};
    const subject p = {call_kv_project, &desc, "kv project"};
    try(&p, &key.codes.cols, COLS - 1, "desc->key");
    try(&p, &key.codes.rows, COLS - 1, "desc->key");
    try(&p, &desc.sequences, 3, "desc->sequences");
    try(&p, &cache.length, CAPACITY - 1, "desc->tokens");
    cache.keys.cols = cache.values.rows = COLS / 2;
    fp8rt_run run = fp8rt_run_query(&device);
    fp8rt_kv_project(&run, &desc);
    expect("a cache of other columns", is_message(&run, "kv project", "&cache->keys"));
    cache = cache_of(0);
    cache.group = tensor(device.caps.beat_bytes, COLS, FP8MAC_E4M3FN);
    try(&p, &cache.group.rows, 1, "&cache->group");
}

static void blocks(void)
{
    fp8rt_tensor x = tensor(TOKENS, COLS, FP8MAC_FP32);
    fp8rt_kv_cache cache = cache_of(0), other = cache_of(TOKENS);
    const fp8rt_weights square = weights_of(COLS, COLS);
    const fp8rt_between codes = {.format = FP8MAC_E4M3FN, .scale = 1.0f};
    const fp8rt_block_attention self = {.norm = {.eps = 1e-5f},
                                        .in = codes,
                                        .query = &square,
                                        .key = &square,
                                        .value = &square,
                                        .output = &square,
                                        .cache = &cache,
                                        .asked = codes,
                                        .mixed = codes};
    fp8rt_block_attention cross = self;
    cross.cache = &other;
    fp8rt_block_desc desc = {
        .x = &x,
        .heads = 2,
        .self = self,
        .cross = &cross,
        .feed_forward = {
            .norm = {.eps = 1e-5f}, .in = codes, .up = &square, .hidden = codes, .down = &square}};
    const subject s = {call_transformer_block, &desc, "transformer block"};
    try(&s, &desc.heads, 3, "desc->heads");
    try(&s, &cache.keys.cols, COLS - 1, "desc->self.cache");
    try(&s, &other.keys.cols, COLS - 1, "desc->cross->cache");
}

static void integers(void)
{
    static const int32_t bias[COLS];
    static const fp8mac_int_scale scales[COLS];
    const fp8rt_caps caps = device.caps;
    device.caps.functions |= FP8MAC_FUNCTION_REQUANTISE;
    fp8rt_element_make(FP8MAC_ELEMENT_INT8, caps.lanes, 0, &device.caps.element);
    fp8rt_tensor x = tensor(ROWS, COLS, FP8MAC_INT8);
    fp8rt_tensor y = tensor(ROWS, COLS, FP8MAC_INT8);
    fp8rt_tensor out = tensor(ROWS, COLS, FP8MAC_INT8);
    fp8rt_tensor weights = tensor(COLS, COLS, FP8MAC_INT8);
    const fp8rt_int_finish finish = {.scales = scales, .bias = bias, .lo = -128, .hi = 127};
    const fp8rt_int_linear_desc linear = {&x, &weights, finish, &out};
    const subject l = {call_int_linear, &linear, "int_linear"};
    try(&l, &weights.cols, COLS - 1, "desc->weights");
    try(&l, &out.rows, ROWS - 1, "desc->out");
    fp8rt_int_convolution_desc convolution = {
        .x = &x, .height = 4, .width = 4, .weights = &weights, .finish = finish, .out = &out};
    const subject c = {call_int_convolution, &convolution, "int_convolution"};
    try(&c, &convolution.height, 5, "desc->x");
    try(&c, &convolution.window.kernel_w, 2, "desc->weights");
    try(&c, &out.cols, COLS - 1, "desc->out");
    const fp8rt_int_add_desc add = {.x = &x, .y = &y, .out = &out};
    const subject a = {call_int_add, &add, "int_add"};
    try(&a, &y.rows, ROWS - 1, "desc->y");
    try(&a, &out.rows, ROWS - 1, "desc->out");
    fp8rt_int_pool_desc pool = {.x = &x, .height = 4, .width = 4, .hi = 1, .out = &out};
    const subject p = {call_int_average_pool, &pool, "int_average_pool"};
    try(&p, &pool.height, 3, "desc->x");
    try(&p, &pool.window.kernel_w, 5, "desc->window");
    try(&p, &out.cols, COLS - 1, "desc->out");
    const fp8rt_int_pad_desc pad = {.x = &x, .height = 4, .width = 4, .out = &out};
    const subject e = {call_int_pad, &pad, "int_pad"};
    try(&e, &x.rows, ROWS - 1, "desc->x");
    try(&e, &out.rows, ROWS - 1, "desc->out");
    const fp8rt_int_softmax_desc softmax = {.x = &x, .out = &out};
    const subject s = {call_int_softmax, &softmax, "int_softmax"};
    try(&s, &out.rows, ROWS - 1, "desc->out");
    try(&s, &x.cols, 4096, "desc->x");
    device.caps = caps;
}

static bool is(const char *got, const char *wanted)
{
    return got == NULL ? wanted == NULL : wanted != NULL && strcmp(got, wanted) == 0;
}

// Functions without a run say the name when they are asked.
static void preparations(void)
{
    const fp8rt_caps *caps = &device.caps;
    fp8rt_tensor src = tensor(COLS, 9, FP8MAC_E4M3FN);
    fp8rt_tensor dst = tensor(COLS, 9 * 16, FP8MAC_E4M3FN);
    fp8rt_join_desc join = {
        .src = &src, .points = 9, .group_in = 1, .group_out = 1, .joined = 16, .dst = &dst};
    expect("joined groups", is(fp8rt_join_misfit(&join), NULL));
    join.joined = 0;
    expect("no joined groups", is(fp8rt_join_misfit(&join), "desc->joined"));
    join.joined = 8;
    expect("fewer codes of a row", is(fp8rt_join_misfit(&join), "desc->dst"));
    join.points = 4;
    expect("fewer points", is(fp8rt_join_misfit(&join), "desc->src") &&
                               fp8rt_join_groups(caps, &join) == FP8RT_ERR_SHAPE);
    dst.rows = fp8rt_pairs_rows(COLS);
    dst.cols = fp8rt_pairs_cols(caps, 3, 3, 1);
    fp8rt_pairs_desc pairs = {.src = &src, .kernel_h = 3, .kernel_w = 3, .dst = &dst};
    expect("pairs of lines", is(fp8rt_pairs_misfit(caps, &pairs), NULL));
    dst.cols++;
    expect("pairs of another row", is(fp8rt_pairs_misfit(caps, &pairs), "desc->dst") &&
                                       fp8rt_pair_lines(caps, &pairs) == FP8RT_ERR_SHAPE);
    pairs.kernel_h = 2;
    expect("pairs of another kernel", is(fp8rt_pairs_misfit(caps, &pairs), "desc->src"));
    const fp8rt_transposed_desc split = {
        .kernel_h = 3, .kernel_w = 3, .stride_y = 2, .stride_x = 2};
    dst.rows = 4 * COLS;
    dst.cols = 4;
    expect("a split kernel", is(fp8rt_split_misfit(&split, &src, &dst), NULL));
    dst.rows--;
    expect("a split kernel without a row",
           is(fp8rt_split_misfit(&split, &src, &dst), "dst") &&
               fp8rt_split_kernel(caps, &split, &src, &dst) == FP8RT_ERR_SHAPE);
    src.cols--;
    expect("a kernel without a point", is(fp8rt_split_misfit(&split, &src, &dst), "src"));
}

int main(void)
{
    if (fp8rt_device_open(&device, &fp8rt_app_port) != FP8RT_OK) {
        printf("no accelerator\n");
        return 1;
    }
    arena = fp8rt_app_arena();
    products();
    elements();
    indices();
    pools();
    recurrent();
    attentions();
    caches();
    blocks();
    integers();
    preparations();
    expect("70 sizes that do not fit", named >= 70);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
