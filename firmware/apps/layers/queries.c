// SPDX-License-Identifier: Apache-2.0
// A query has the status of the run: each layer, with each of its tensors changed in many ways.
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "fp8rt/layers.h"

enum { ROWS = 16, COLS = 32, TENSORS = 4 };

// A layer, and the tensors of its descriptor that are changed
typedef struct subject {
    const char *name;
    layers_call *call;
    void *desc;
    fp8rt_tensor *tensors[TENSORS];
    fp8rt_fused *fused;
} subject;

#define CALL(function, type)                                                                       \
    static fp8rt_status call_##function(fp8rt_run *run, const void *desc)                          \
    {                                                                                              \
        return fp8rt_##function(run, (const type *)desc);                                          \
    }
CALL(linear, fp8rt_linear_desc)
CALL(convolution, fp8rt_convolution_desc)
CALL(transposed_convolution, fp8rt_transposed_desc)
CALL(add, fp8rt_arithmetic_desc)
CALL(multiply, fp8rt_arithmetic_desc)
CALL(max_pool, fp8rt_pooling_desc)
CALL(average_pool, fp8rt_pooling_desc)
CALL(global_average, fp8rt_pooling_desc)
CALL(nonlinear, fp8rt_nonlinear_desc)
CALL(normalise, fp8rt_norm_desc)
CALL(softmax, fp8rt_softmax_desc)
CALL(lstm, fp8rt_recurrent_desc)
CALL(gru, fp8rt_recurrent_desc)
CALL(attention, fp8rt_attention_desc)
CALL(embedding, fp8rt_embedding_desc)
CALL(move, fp8rt_move_desc)

// ---- what changes -------------------------------------------------------------------------------

static void change_format(fp8rt_tensor *t, uint32_t i)
{
    static const uint32_t formats[] = {FP8MAC_E5M2, FP8MAC_E4M3FNUZ, FP8MAC_FP16,
                                       FP8MAC_FP32, FP8MAC_INT8,     99};
    t->format = (fp8mac_format_id)formats[i];
}

// The number of changes of a tensor
enum { FORMATS = 6, CHANGES = FORMATS + 12 };

static void change(fp8rt_tensor *t, const subject *s, fp8rt_scaling *scaling, uint32_t number)
{
    const uint32_t nan = 0x7fc00000u;
    switch (number) {
    case 0: t->data = NULL; break;
    case 1: t->data = (uint8_t *)t->data + 1; break;
    case 2: t->data = s->tensors[0]->data; break; // overlaps x
    case 3: t->data = (uint8_t *)s->tensors[0]->data + 64; break;
    case 4: t->stride = 1; break;
    case 5: t->stride = 16; break;
    case 6: t->stride = UINT32_C(0x80000000); break;
    case 7: t->rows++; break;
    case 8: t->cols++; break;
    case 9: memcpy(&t->scale, &nan, sizeof nan); break;
    case 10: t->scale = 0x1p-130f; break; // its inverse is Inf, and products with it are 0
    case 11:
        scaling->kind = FP8RT_SCALING_DYNAMIC;
        t->scaling = scaling;
        break;
    default: change_format(t, number - 12); break;
    }
}

enum { FUSED = 6 };

static void change_fused(fp8rt_fused *fused, uint32_t number)
{
    switch (number) {
    case 0: fused->activation = (fp8mac_activation)7; break;
    case 1:
        fused->activation = FP8MAC_ACT_CLAMP;
        fused->clamp_lo = 1.0f;
        break;
    case 2: fused->coding.table = 1; break;
    case 3: fused->coding.table = 3; break;
    case 4:
        fused->coding.table = 1;
        fused->table_scale = -1.0f;
        break;
    default: fused->coding.stochastic = true; break;
    }
}

// ---- a query and a run --------------------------------------------------------------------------

static unsigned refused; // by runs

static bool agree(layers_test *test, const subject *s)
{
    fp8rt_run query = fp8rt_run_query(&test->dev);
    fp8rt_arena arena = test->arena;
    s->call(&query, s->desc);
    const size_t bytes = query.status == FP8RT_OK ? query.peak : 65536;
    fp8rt_run run = fp8rt_run_on(&test->dev, fp8rt_arena_alloc(&arena, bytes), bytes);
    s->call(&run, s->desc);
    refused += run.status != FP8RT_OK;
    if (query.status != run.status) {
        printf("%s: the query says %d, the run %d\n", s->name, query.status, run.status);
    }
    return query.status == run.status;
}

static void try_all(layers_test *test, const subject *s)
{
    layers_expect(test, s->name, agree(test, s));
    for (uint32_t i = 0; i < TENSORS && s->tensors[i] != NULL; i++) {
        const fp8rt_tensor whole = *s->tensors[i];
        for (uint32_t number = 0; number < CHANGES; number++) {
            fp8rt_scaling scaling = {0};
            change(s->tensors[i], s, &scaling, number);
            const bool right = agree(test, s);
            if (!right) {
                printf("  tensor %u, change %u\n", (unsigned)i, (unsigned)number);
            }
            layers_expect(test, s->name, right);
            *s->tensors[i] = whole;
        }
    }
    for (uint32_t number = 0; s->fused != NULL && number < FUSED; number++) {
        const fp8rt_fused before = *s->fused;
        change_fused(s->fused, number);
        layers_expect(test, s->name, agree(test, s));
        *s->fused = before;
    }
}

// ---- the layers ---------------------------------------------------------------------------------

// Twice the memory that its shape needs
static fp8rt_tensor codes(layers_test *test, uint32_t rows, uint32_t cols, fp8mac_format_id format)
{
    fp8rt_tensor t = layers_codes(test, 2 * rows, 2 * cols, format);
    t.rows = rows;
    t.cols = cols;
    return t;
}

static void products(layers_test *test)
{
    fp8rt_tensor x = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor other = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_weights weights = {.codes = codes(test, COLS, COLS, FP8MAC_E4M3FN)};
    fp8rt_linear_desc linear = {.x = &x, .weights = &weights, .residual = &other, .out = &out};
    fp8rt_convolution_desc convolution = {
        .x = &x, .height = 4, .width = 4, .weights = &weights, .residual = &other, .out = &out};
    try_all(test,
            &(subject){
                "linear", call_linear, &linear, {&x, &out, &weights.codes, &other}, &linear.fused});
    try_all(test, &(subject){"convolution",
                             call_convolution,
                             &convolution,
                             {&x, &out, &weights.codes, &other},
                             &convolution.fused});
    fp8rt_tensor wide = codes(test, 4 * ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_weights kernel = {.codes = codes(test, 4 * COLS, COLS, FP8MAC_E4M3FN)};
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
    try_all(test, &(subject){"transposed",
                             call_transposed_convolution,
                             &transposed,
                             {&x, &wide, &kernel.codes},
                             &transposed.fused});
}

static void elements(layers_test *test)
{
    fp8rt_tensor x = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor y = codes(test, ROWS, COLS, FP8MAC_FP16);
    fp8rt_arithmetic_desc arithmetic = {.x = &x, .y = &y, .out = &out};
    try_all(test, &(subject){"add", call_add, &arithmetic, {&x, &out, &y}, &arithmetic.fused});
    try_all(test,
            &(subject){"multiply", call_multiply, &arithmetic, {&x, &out, &y}, &arithmetic.fused});
    fp8rt_nonlinear_desc nonlinear = {.x = &x, .out = &out};
    try_all(test, &(subject){"nonlinear", call_nonlinear, &nonlinear, {&x, &out}, NULL});
    nonlinear.way = FP8RT_NONLINEAR_TABLE;
    nonlinear.table = 1;
    try_all(test, &(subject){"table", call_nonlinear, &nonlinear, {&x, &out}, NULL});
    fp8rt_norm_desc norm = {.x = &x, .eps = 1e-5f, .out = &out};
    try_all(test, &(subject){"normalise", call_normalise, &norm, {&x, &out}, NULL});
    fp8rt_softmax_desc softmax = {.x = &x, .out = &out};
    try_all(test, &(subject){"softmax", call_softmax, &softmax, {&x, &out}, NULL});
    const uint32_t indices[ROWS] = {1, 2, 3};
    fp8rt_embedding_desc embedding = {
        .table = &x, .indices = indices, .out = &out, .positions = &y};
    try_all(test, &(subject){"embedding", call_embedding, &embedding, {&x, &out, &y}, NULL});
    fp8rt_move_desc move = {.x = &x,
                            .axis = {{ROWS, {1, 0}, {1, 0}}, {COLS, {0, 1}, {0, 1}}},
                            .clear = true,
                            .out = &out};
    try_all(test, &(subject){"move", call_move, &move, {&x, &out}, NULL});
}

static void pooling(layers_test *test)
{
    fp8rt_tensor x = codes(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = codes(test, ROWS / 4, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor one = codes(test, 1, COLS, FP8MAC_E4M3FN);
    fp8rt_pooling_desc desc = {
        .x = &x,
        .height = 4,
        .width = 4,
        .window = {.kernel_h = 2, .kernel_w = 2, .stride_y = 2, .stride_x = 2},
        .out = &out};
    try_all(test, &(subject){"max_pool", call_max_pool, &desc, {&x, &out}, NULL});
    try_all(test, &(subject){"average_pool", call_average_pool, &desc, {&x, &out}, NULL});
    desc.out = &one;
    try_all(test, &(subject){"global_average", call_global_average, &desc, {&x, &one}, NULL});
}

static void sequences(layers_test *test)
{
    fp8rt_tensor state = codes(test, 1, ROWS, FP8MAC_FP32);
    fp8rt_tensor x = codes(test, 4, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor hidden = codes(test, 1, ROWS, FP8MAC_E4M3FN);
    fp8rt_tensor out = codes(test, 4, ROWS, FP8MAC_E4M3FN);
    fp8rt_weights input = {.codes = codes(test, 4 * ROWS, COLS, FP8MAC_E4M3FN)};
    fp8rt_weights recurrent = {.codes = codes(test, 4 * ROWS, ROWS, FP8MAC_E4M3FN)};
    fp8rt_recurrent_desc desc = {.x = &x,
                                 .input = &input,
                                 .recurrent = &recurrent,
                                 .hidden = &hidden,
                                 .state = &state,
                                 .out = &out};
    try_all(test, &(subject){"lstm", call_lstm, &desc, {&x, &hidden, &out, &input.codes}, NULL});
    try_all(test, &(subject){"lstm", call_lstm, &desc, {&x, &recurrent.codes}, NULL});
    input.codes.rows = recurrent.codes.rows = 3 * ROWS;
    try_all(test, &(subject){"gru", call_gru, &desc, {&x, &hidden, &out, &recurrent.codes}, NULL});
    fp8rt_kv_cache cache = {.keys = codes(test, ROWS, COLS, FP8MAC_E4M3FN),
                            .values = codes(test, COLS, ROWS, FP8MAC_E4M3FN),
                            .length = ROWS};
    fp8rt_tensor query = codes(test, 4, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor mixed = codes(test, 4, COLS, FP8MAC_E4M3FN);
    fp8rt_attention_desc attention = {.query = &query, .cache = &cache, .heads = 2, .out = &mixed};
    try_all(test, &(subject){"attention",
                             call_attention,
                             &attention,
                             {&query, &mixed, &cache.keys, &cache.values},
                             NULL});
}

// ---- refusals -----------------------------------------------------------------------------------

static fp8rt_status status_of(layers_test *test, fp8rt_profile *profile,
                              const fp8rt_pooling_desc *desc)
{
    fp8rt_arena arena = test->arena;
    fp8rt_run run = fp8rt_run_on(&test->dev, fp8rt_arena_alloc(&arena, 65536), 65536);
    run.profile = profile;
    return fp8rt_global_average(&run, desc);
}

static void refusals(layers_test *test)
{
    fp8rt_tensor x = codes(test, ROWS, COLS, FP8MAC_E4M3FN),
                 out = codes(test, 1, COLS, FP8MAC_E4M3FN);
    const fp8rt_tensor good = out;
    fp8rt_pooling_desc desc = {.x = &x, .height = 4, .width = 4, .out = &out};
    fp8rt_scaling scaling = {.kind = (fp8rt_scaling_kind)9};
    fp8rt_profile profile = {.entries = NULL, .capacity = 1};
    layers_expect(test, "a global average", status_of(test, NULL, &desc) == FP8RT_OK);
    char message[160];
    fp8rt_run run = fp8rt_run_query(&test->dev);
    out.stride = 17;
    fp8rt_global_average(&run, &desc);
    layers_expect(
        test, "a message with layer and argument",
        strcmp(fp8rt_run_message(&run, message, sizeof message),
               "global_average: desc->out: an address or a stride is not a multiple of the "
               "bus beat") == 0 &&
            strcmp(fp8rt_run_message(&run, message, 8), "global_") == 0);
    out = good;
    x.rows++;
    run = fp8rt_run_query(&test->dev);
    fp8rt_global_average(&run, &desc);
    layers_expect(test, "a message of sizes that disagree",
                  strcmp(fp8rt_run_message(&run, message, sizeof message),
                         "global_average: desc->x: a dimension is zero or too large, or sizes "
                         "disagree") == 0);
    run = fp8rt_run_query(&test->dev);
    fp8rt_global_average(&run, NULL);
    layers_expect(test, "a message without an argument",
                  strcmp(fp8rt_run_message(&run, message, sizeof message),
                         "global_average: a required pointer is NULL") == 0);
    x.rows--;
    out.data = (uint8_t *)x.data + 64;
    layers_expect(test, "a global average within its operand",
                  status_of(test, NULL, &desc) == FP8RT_ERR_OVERLAP);
    out = good;
    out.scaling = &scaling;
    layers_expect(test, "no kind of scaling", status_of(test, NULL, &desc) == FP8RT_ERR_SCALE);
    out = good;
    layers_expect(test, "a profile without memory",
                  status_of(test, &profile, &desc) == FP8RT_ERR_NULL);
    profile.capacity = 0;
    layers_expect(test, "a profile that counts alone",
                  status_of(test, &profile, &desc) == FP8RT_OK && profile.count != 0);
}

void layers_queries(layers_test *test)
{
    static uint8_t table[FP8RT_TABLE_CODES];
    if (!fp8rt_app_is_host) { // the statuses are those of the library, and the same on the chip
        return;
    }
    fp8rt_device_load_table(&test->dev, 1, table);
    products(test);
    elements(test);
    pooling(test);
    sequences(test);
    refusals(test);
    layers_expect(test, "changes that runs refuse", refused > 300);
}
