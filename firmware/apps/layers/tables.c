// SPDX-License-Identifier: Apache-2.0
// Tables of codes that the layers of a list load: more of them than the accelerator holds.
#include "cases.h"

#include <string.h>

#include "fp8rt/layers.h"
#include "fp8rt/network.h"

enum { ROWS = 5, COLS = 51, TABLES = 4, LAYERS = 6, ALL = FP8RT_TABLE_CODES };

// Which table each layer has, and the accelerator's table that holds it: the third one takes the
// place of the first.
static const struct {
    unsigned codes;
    uint32_t table;
    bool loads;
} plan[LAYERS] = {{0, 1, true},  {1, 2, true}, {2, 1, true},
                  {1, 2, false}, {3, 2, true}, {0, 1, true}};

typedef struct chain {
    layers_test *test;
    fp8rt_tensor x, out[LAYERS];
    uint32_t stride;
    uint8_t *codes[TABLES];
    uint8_t *block; // of all of it
    size_t bytes;
    void *scratch, *list;
    size_t scratch_bytes, list_bytes;
    fp8rt_network network;
} chain;

// E4M3 but NaN and -0, which are no values of their own on the way through FP32
static uint8_t plain_code(uint32_t x)
{
    const uint8_t code = (uint8_t)x;
    return (code & 0x7f) == 0x7f || code == 0x80 ? 0x31 : code;
}

static void open_chain(chain *c)
{
    layers_test *test = c->test;
    c->block = layers_take(test, 0);
    c->x = layers_empty(test, ROWS, COLS, FP8MAC_E4M3FN);
    c->x.scale = 1.0f;
    for (unsigned t = 0; t < TABLES; t++) {
        c->codes[t] = layers_take(test, ALL);
        for (uint32_t i = 0; i < ALL; i++) {
            c->codes[t][i] = plain_code(i * (2u * t + 3u) + 11u * t + 1u);
        }
    }
    for (unsigned i = 0; i < LAYERS; i++) {
        c->out[i] = layers_empty(test, ROWS, COLS, FP8MAC_E4M3FN);
        c->out[i].scale = 1.0f;
    }
    c->bytes = (size_t)((uint8_t *)layers_take(test, 0) - c->block);
    c->stride = fp8rt_tensor_stride(&test->dev.caps, &c->x);
    for (uint32_t i = 0; i < ROWS * c->stride; i++) {
        ((uint8_t *)c->x.data)[i] = plain_code(i);
    }
}

static fp8rt_status run_chain(fp8rt_run *run, chain *c)
{
    for (unsigned i = 0; i < LAYERS; i++) {
        const fp8rt_nonlinear_desc desc = {.x = i == 0 ? &c->x : &c->out[i - 1],
                                           .way = FP8RT_NONLINEAR_TABLE,
                                           .table = plan[i].table,
                                           .out = &c->out[i]};
        if (plan[i].loads) {
            fp8rt_load_table(run, plan[i].table, c->codes[plan[i].codes]);
        }
        fp8rt_nonlinear(run, &desc);
    }
    return run->status;
}

// Whether the outputs in `block`, a copy of the chain's, are those of the tables. They are cleared.
static bool right(const chain *c, uint8_t *block)
{
    bool good = true;
    for (uint32_t row = 0; row < ROWS; row++) {
        const size_t at = (size_t)row * c->stride;
        for (uint32_t col = 0; col < COLS; col++) {
            uint8_t code = ((const uint8_t *)c->x.data)[at + col];
            for (unsigned i = 0; i < LAYERS; i++) {
                const size_t out = (size_t)((uint8_t *)c->out[i].data - c->block);
                code = c->codes[plan[i].codes][code];
                good = good && block[out + at + col] == code;
                block[out + at + col] = 0;
            }
        }
    }
    return good;
}

static fp8rt_status record(chain *c, const fp8rt_symbol *symbols, uint32_t count)
{
    fp8rt_run run = fp8rt_run_on(&c->test->dev, c->scratch, c->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(c->list, c->list_bytes);
    recorder.symbols = symbols;
    recorder.symbol_count = count;
    run.recorder = &recorder;
    run_chain(&run, c);
    return fp8rt_network_record(&c->network, &run);
}

static void prepare(chain *c)
{
    layers_test *test = c->test;
    open_chain(c);
    fp8rt_run run = fp8rt_run_query(&test->dev);
    layers_expect(test, "a query with tables", run_chain(&run, c) == FP8RT_OK);
    c->scratch_bytes = run.peak;
    c->list_bytes = run.record_bytes;
    c->scratch = layers_take(test, c->scratch_bytes);
    c->list = layers_take(test, c->list_bytes);
    run = fp8rt_run_on(&test->dev, c->scratch, c->scratch_bytes);
    layers_expect(test, "layers whose tables the core loads", run_chain(&run, c) == FP8RT_OK);
    layers_expect(test, "their bytes", right(c, c->block));
}

static void repeated(chain *c)
{
    layers_test *test = c->test;
    layers_expect(test, "a list that loads tables", record(c, NULL, 0) == FP8RT_OK);
    for (unsigned i = 0; i < 3; i++) {
        layers_expect(test, "a run of it", fp8rt_network_run(&c->network, NULL) == FP8RT_OK);
        layers_expect(test, "has the bytes of four tables", right(c, c->block));
    }
    layers_expect(test, "a load is no command", fp8rt_network_commands(&c->network) == LAYERS);
    fp8rt_profile_entry entries[LAYERS];
    fp8rt_profile profile = {.entries = entries, .capacity = LAYERS};
    fp8rt_network_result result;
    layers_expect(test, "a profile with tables",
                  fp8rt_network_profile(&c->network, &profile, &result) == FP8RT_OK);
    layers_expect(test, "bytes of a profile with tables", right(c, c->block));
}

// The image at another place, with other memory of its tables
static void moved(chain *c)
{
    layers_test *test = c->test;
    const fp8rt_symbol all = {"all", c->block, c->bytes};
    layers_expect(test, "tables in a symbol", record(c, &all, 1) == FP8RT_OK);
    const size_t bytes = fp8rt_network_save(&c->network, NULL, 0);
    uint32_t *const image = layers_take(test, bytes);
    uint8_t *const block = layers_take(test, c->bytes);
    fp8rt_network other;
    layers_expect(test, "an image", fp8rt_network_save(&c->network, image, bytes) == bytes);
    memcpy(block, c->block, c->bytes);
    memset(c->codes[0], 0, TABLES * ALL); // what is there now must not count
    layers_expect(test, "an image that loads tables",
                  fp8rt_network_open(&other, &test->dev, image, bytes) == FP8RT_OK &&
                      fp8rt_network_bind(&other, "all", block, c->bytes) == FP8RT_OK &&
                      fp8rt_network_run(&other, NULL) == FP8RT_OK);
    for (unsigned t = 0; t < TABLES; t++) {
        memcpy(c->codes[t], block + (c->codes[t] - c->block), ALL);
    }
    layers_expect(test, "its bytes", right(c, block));
    const fp8rt_symbol small = {"all", c->block, (size_t)(c->codes[1] - c->block) + 128u};
    layers_expect(test, "a symbol that ends in a table", record(c, &small, 1) == FP8RT_ERR_SHAPE);
}

// A table whose load no command asked for has the codes that it had before the list.
static void left_out(chain *c)
{
    layers_test *test = c->test;
    const fp8rt_nonlinear_desc first = {
        .x = &c->x, .way = FP8RT_NONLINEAR_TABLE, .table = 1, .out = &c->out[0]};
    fp8rt_nonlinear_desc second = first;
    second.table = 2;
    fp8rt_device_load_table(&test->dev, 2, c->codes[1]);
    fp8rt_run run = fp8rt_run_on(&test->dev, c->scratch, c->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(c->list, c->list_bytes);
    run.recorder = &recorder;
    fp8rt_load_table(&run, 1, c->codes[3]);
    fp8rt_load_table(&run, 2, c->codes[2]);
    fp8rt_load_table(&run, 1, c->codes[0]);
    fp8rt_nonlinear(&run, &first);
    fp8rt_network_record(&c->network, &run);
    layers_expect(test, "a list with one load", fp8rt_network_run(&c->network, NULL) == FP8RT_OK);
    layers_expect(test, "the later of two loads",
                  *(uint8_t *)c->out[0].data == c->codes[0][*(uint8_t *)c->x.data]);
    run = fp8rt_run_on(&test->dev, c->scratch, c->scratch_bytes);
    layers_expect(test, "a layer with a table from before",
                  fp8rt_nonlinear(&run, &second) == FP8RT_OK);
    layers_expect(test, "a load that is left out",
                  *(uint8_t *)c->out[0].data == c->codes[1][*(uint8_t *)c->x.data]);
}

static void refused(chain *c)
{
    layers_test *test = c->test;
    fp8rt_run run = fp8rt_run_on(&test->dev, c->scratch, c->scratch_bytes);
    fp8rt_recorder recorder = fp8rt_recorder_in(c->list, c->list_bytes);
    const uint8_t *const codes = c->codes[0];
    layers_expect(test, "no run", fp8rt_load_table(NULL, 1, codes) == FP8RT_ERR_NULL);
    layers_expect(test, "no codes", fp8rt_load_table(&run, 1, NULL) == FP8RT_ERR_NULL);
    layers_expect(test, "table 0", fp8rt_load_table(&run, 0, codes) == FP8RT_ERR_UNSUPPORTED);
    layers_expect(test, "no such table",
                  fp8rt_load_table(&run, FP8RT_TABLES + 1u, codes) == FP8RT_ERR_UNSUPPORTED);
    layers_expect(test, "between beats, by the core",
                  fp8rt_load_table(&run, 1, codes + 1) == FP8RT_OK);
    run.recorder = &recorder;
    layers_expect(test, "between beats, in a list",
                  fp8rt_load_table(&run, 1, codes + 1) == FP8RT_ERR_ALIGNMENT);
    run.status = FP8RT_ERR_SHAPE;
    layers_expect(test, "a run that has failed",
                  fp8rt_load_table(&run, 1, codes) == FP8RT_ERR_SHAPE);
}

void layers_tables(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    chain c = {.test = test};
    if ((test->dev.caps.functions & FP8MAC_FUNCTION_TABLES) == 0) {
        return;
    }
    prepare(&c);
    repeated(&c);
    left_out(&c);
    refused(&c);
    moved(&c);
    test->arena = arena;
}
