// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/move.h"

#include <string.h>

#include "cases.h"
#include "fp8rt/network.h"

enum { AXES = FP8RT_MOVE_AXES, LINES = 7, PIXELS = 5, CHANNELS = 12 };

typedef struct move_case {
    const char *name;
    uint32_t rows, cols, out_rows, out_cols; // of x and out
    fp8rt_move_desc desc;                    // without tensors
    fp8mac_format_id format;
} move_case;

static const move_case cases[] = {
    {.name = "transposition of 23 x 40",
     .rows = 23,
     .cols = 40,
     .out_rows = 40,
     .out_cols = 23,
     .desc = {.axis = {{40, {0, 1}, {1, 0}}, {23, {1, 0}, {0, 1}}}}},
    {.name = "2 images of 54 pixels x 7 become 7 x 54",
     .rows = 2 * 54,
     .cols = 7,
     .out_rows = 2 * 7,
     .out_cols = 54,
     .desc = {.axis = {{2, {54, 0}, {7, 0}}, {54, {1, 0}, {0, 1}}, {7, {0, 1}, {1, 0}}}},
     .format = FP8MAC_E5M2},
    {.name = "columns 5 to 16 of 9 x 40 become columns 3 to 14 of 30, float32",
     .rows = 9,
     .cols = 40,
     .out_rows = 9,
     .out_cols = 30,
     .desc = {.x_col = 5, .out_col = 3, .axis = {{9, {1, 0}, {1, 0}}, {12, {0, 1}, {0, 1}}}},
     .format = FP8MAC_FP32},
    {.name = "rows in reverse, every second column, float16",
     .rows = 13,
     .cols = 20,
     .out_rows = 13,
     .out_cols = 10,
     .desc = {.x_row = 12, .axis = {{13, {-1, 0}, {1, 0}}, {10, {0, 2}, {0, 1}}}},
     .format = FP8MAC_FP16},
    {.name = "an image of 7 x 5 x 12, twice as high and wide",
     .rows = LINES * PIXELS,
     .cols = CHANNELS,
     .out_rows = 4 * LINES * PIXELS,
     .out_cols = CHANNELS,
     .desc = {.axis = {{LINES, {PIXELS, 0}, {4 * PIXELS, 0}},
                       {2, {0, 0}, {2 * PIXELS, 0}},
                       {PIXELS, {1, 0}, {2, 0}},
                       {2, {0, 0}, {1, 0}},
                       {CHANNELS, {0, 1}, {0, 1}}}},
     .format = FP8MAC_E5M2},
    {.name = "the same image within a frame of two pixels",
     .rows = LINES * PIXELS,
     .cols = CHANNELS,
     .out_rows = (LINES + 4) * (PIXELS + 4),
     .out_cols = CHANNELS,
     .desc = {.out_row = 2 * (PIXELS + 4) + 2,
              .axis = {{LINES, {PIXELS, 0}, {PIXELS + 4, 0}},
                       {PIXELS, {1, 0}, {1, 0}},
                       {CHANNELS, {0, 1}, {0, 1}}}},
     .format = FP8MAC_E4M3FNUZ},
    {.name = "values of 70 x 40 are transposed by commands",
     .rows = 70,
     .cols = 40,
     .out_rows = 40,
     .out_cols = 70,
     .desc = {.by_value = true, .axis = {{40, {0, 1}, {1, 0}}, {70, {1, 0}, {0, 1}}}}},
    {.name = "columns 32 to 68 of every second row are transposed to every third, from the 16th "
             "column on",
     .rows = 60,
     .cols = 80,
     .out_rows = 120,
     .out_cols = 50,
     .desc = {.by_value = true,
              .x_col = 32,
              .out_row = 2,
              .out_col = 16,
              .axis = {{30, {2, 0}, {0, 1}}, {37, {0, 1}, {3, 0}}}},
     .format = FP8MAC_E4M3FNUZ},
    {.name = "three matrices of 24 x 16 beside each other, each transposed, the last one first",
     .rows = 24,
     .cols = 48,
     .out_rows = 48,
     .out_cols = 24,
     .desc = {.by_value = true,
              .out_row = 32,
              .axis = {{3, {0, 16}, {-16, 0}}, {24, {1, 0}, {0, 1}}, {16, {0, 1}, {1, 0}}}}},
    {.name = "values of E5M2 are transposed by the core",
     .rows = 40,
     .cols = 32,
     .out_rows = 32,
     .out_cols = 40,
     .desc = {.by_value = true, .axis = {{32, {0, 1}, {1, 0}}, {40, {1, 0}, {0, 1}}}},
     .format = FP8MAC_E5M2},
    {.name = "columns 32 to 71 of every second of 40 rows become columns 16 to 55 of every third",
     .rows = 40,
     .cols = 80,
     .out_rows = 60,
     .out_cols = 60,
     .desc = {.by_value = true,
              .x_col = 32,
              .out_col = 16,
              .out_row = 1,
              .axis = {{20, {2, 0}, {3, 0}}, {40, {0, 1}, {0, 1}}}},
     .format = FP8MAC_E5M2},
    {.name = "four heads of 16 columns of 24 rows lie one behind the other, float32",
     .rows = 24,
     .cols = 64,
     .out_rows = 4 * 24,
     .out_cols = 16,
     .desc = {.by_value = true,
              .axis = {{4, {0, 16}, {24, 0}}, {24, {1, 0}, {1, 0}}, {16, {0, 1}, {0, 1}}}},
     .format = FP8MAC_FP32},
    {.name = "a row becomes a diagonal",
     .rows = 1,
     .cols = 19,
     .out_rows = 19,
     .out_cols = 19,
     .desc = {.axis = {[3] = {19, {0, 1}, {1, 1}}}}},
};

static fp8rt_status call_move(fp8rt_run *run, const void *desc)
{
    return fp8rt_move(run, desc);
}

// Every index of the six axes, by the header's formula
static void refer_move(fp8rt_reference *reference, const void *layer)
{
    const fp8rt_move_desc *d = layer;
    uint32_t total = 1;
    for (uint32_t i = 0; i < d->out->rows * d->out->cols; i++) {
        reference->values[i] = reference->bounds[i] = 0;
    }
    for (unsigned a = 0; a < AXES; a++) {
        total *= d->axis[a].count == 0 ? 1 : d->axis[a].count;
    }
    for (uint32_t number = 0; number < total; number++) {
        uint32_t rest = number, x_row = d->x_row, x_col = d->x_col, row = d->out_row,
                 col = d->out_col;
        for (unsigned a = 0; a < AXES; a++) {
            const fp8rt_move_axis *axis = &d->axis[a];
            const uint32_t count = axis->count == 0 ? 1 : axis->count, i = rest % count;
            rest /= count;
            x_row += i * (uint32_t)axis->from.rows;
            x_col += i * (uint32_t)axis->from.cols;
            row += i * (uint32_t)axis->to.rows;
            col += i * (uint32_t)axis->to.cols;
        }
        reference->values[row * d->out->cols + col] =
            fp8rt_reference_at(reference->caps, d->x, x_row, x_col);
    }
}

// The reference compares values: neither Inf nor NaN of FP16
static void make_finite(const fp8rt_caps *caps, const fp8rt_tensor *x)
{
    uint16_t *codes = x->data;
    for (size_t i = 0; x->format == FP8MAC_FP16 && i < fp8rt_tensor_bytes(caps, x) / 2u; i++) {
        codes[i] &= 0xbfffu;
    }
}

static void run_case(layers_test *test, const move_case *c)
{
    const fp8rt_arena arena = test->arena;
    const unsigned recorded = test->recorded;
    const fp8rt_tensor x = layers_codes(test, c->rows, c->cols, c->format);
    make_finite(&test->dev.caps, &x);
    fp8rt_tensor out = layers_empty(test, c->out_rows, c->out_cols, c->format);
    fp8rt_move_desc desc = c->desc;
    desc.x = &x;
    desc.clear = true;
    desc.out = &out;
    layers_try(test, c->name, call_move, refer_move, &desc, &out);
    layers_expect_recorded(test, "a move is recorded", recorded);
    test->arena = arena;
}

// Without `clear` what is not a place of the move stays as it was.
static void keeps(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, 3, 8, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_codes(test, 6, 8, FP8MAC_E4M3FN);
    const uint8_t *codes = out.data;
    uint32_t stride = fp8rt_tensor_stride(&test->dev.caps, &out), kept = 0;
    uint8_t before[3][8];
    for (uint32_t i = 0; i < 24; i++) {
        before[i / 8][i % 8] = codes[(2 * (i / 8)) * stride + i % 8];
    }
    const fp8rt_move_desc desc = {
        .x = &x, .out_row = 1, .axis = {{3, {1, 0}, {2, 0}}, {8, {0, 1}, {0, 1}}}, .out = &out};
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    layers_expect(test, "every second row is written", fp8rt_move(&run, &desc) == FP8RT_OK);
    for (uint32_t i = 0; i < 24; i++) {
        kept += before[i / 8][i % 8] == codes[(2 * (i / 8)) * stride + i % 8];
    }
    layers_expect(test, "and no other", kept == 24);
    test->arena = arena;
}

// The commands of a transposition of 32 x 24 codes, as a list; -1: it has calls, or cannot be
// recorded.
static int commands_of(layers_test *test, fp8rt_move_desc desc)
{
    static _Alignas(FP8RT_NETWORK_ALIGN) uint8_t memory[4096];
    fp8rt_recorder recorder = fp8rt_recorder_in(memory, sizeof memory);
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    fp8rt_network network;
    run.recorder = &recorder;
    return fp8rt_move(&run, &desc) == FP8RT_OK &&
                   fp8rt_network_record(&network, &run) == FP8RT_OK && !network.calls
               ? (int)recorder.commands
               : -1;
}

static bool is_exact(const fp8rt_element *element, fp8mac_acc_format format)
{
    return !element->int8 && format != FP8MAC_ACC_FP16 &&
           (element->frac_bits == 0 || element->frac_bits >= 17 ||
            element->align_by == FP8MAC_ALIGN_BY_PRODUCTS);
}

// The values -0, NaN and the largest and smallest ones, by the header's rule
static void turns_values(layers_test *test)
{
    enum { ROWS = 32, COLS = 24 };
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_empty(test, ROWS, COLS, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, COLS, ROWS, FP8MAC_E4M3FN);
    const uint32_t from = fp8rt_tensor_stride(&test->dev.caps, &x),
                   to = fp8rt_tensor_stride(&test->dev.caps, &out);
    uint8_t *codes = x.data;
    const uint8_t *turned = out.data;
    for (uint32_t i = 0; i < ROWS * COLS; i++) { // row 7 has a NaN
        codes[i / COLS * from + i % COLS] =
            i == 7 * COLS + 5 ? 0xff : (uint8_t)(i % 127 + i % 2 * 128);
    }
    fp8rt_move_desc desc = {.x = &x,
                            .axis = {{ROWS, {1, 0}, {0, 1}}, {COLS, {0, 1}, {1, 0}}},
                            .by_value = true,
                            .out = &out};
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    const bool exact = is_exact(&test->dev.caps.element, run.acc_format);
    layers_expect(test, "values are transposed", fp8rt_move(&run, &desc) == FP8RT_OK);
    uint32_t good = 0;
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        const uint8_t code = codes[i / COLS * from + i % COLS];
        const uint8_t value = i / COLS == 7 ? 0x7f : code == 0x80 ? 0 : code;
        good += turned[i % COLS * to + i / COLS] == (exact ? value : code);
    }
    layers_expect(test, "each is right, with -0 and NaN", good == ROWS * COLS);
    layers_expect(test, "the flag of a NaN", exact == ((run.flags & FP8MAC_FLAG_NAN) != 0));
    layers_expect(test, "one command", commands_of(test, desc) == (exact ? 1 : -1));
    desc.by_value = false;
    layers_expect(test, "codes are a call", commands_of(test, desc) == -1);
    desc.by_value = true;
    desc.axis[0].count = 10;
    layers_expect(test, "few values, too", commands_of(test, desc) == -1);
    test->arena = arena;
}

// Every code of a byte, and words of each kind. A NaN becomes the format's own. INT8 has none, and
// all of its codes stay.
static const struct {
    fp8mac_format_id format;
    uint32_t nan;
    uint32_t words[8]; // of formats that are wider than a byte
    uint32_t nans;     // the last ones of these
} copied[] = {
    {FP8MAC_E4M3FN, 0x7f, {0}, 0},
    {FP8MAC_E5M2, 0x7e, {0}, 0},
    {FP8MAC_E4M3FNUZ, 0x80, {0}, 0},
    {FP8MAC_E5M2FNUZ, 0x80, {0}, 0},
    {FP8MAC_INT8, 0, {0}, 0},
    {FP8MAC_FP16, 0x7e00, {0, 0x8000, 1, 0x83ff, 0x7bff, 0xfc00, 0x7c01, 0xfe55}, 2},
    {FP8MAC_BF16, 0x7fc0, {0, 0x8000, 1, 0x807f, 0x7f7f, 0xff80, 0x7f81, 0xffc5}, 2},
    {FP8MAC_FP32,
     0x7fc00000,
     {0, 0x80000000u, 1, 0x807fffffu, 0x7f7fffff, 0xff800000u, 0x7f800001, 0xffc01234u},
     2},
};

static bool is_nan(unsigned which, uint32_t number, uint32_t code)
{
    switch (copied[which].format) {
    case FP8MAC_E4M3FN: return (code & 0x7f) == 0x7f;
    case FP8MAC_E5M2: return (code & 0x7f) > 0x7c;
    case FP8MAC_E4M3FNUZ:
    case FP8MAC_E5M2FNUZ: return code == 0x80;
    case FP8MAC_INT8: return false;
    default: return number % 8 >= 8 - copied[which].nans;
    }
}

static void copies_values(layers_test *test, unsigned which)
{
    enum { ROWS = 8, COLS = 32 };
    const fp8rt_arena arena = test->arena;
    const fp8mac_format_id format = copied[which].format;
    const uint32_t bytes = fp8mac_format_bytes(fp8mac_format_get(format));
    const fp8rt_tensor x = layers_empty(test, ROWS, COLS, format);
    fp8rt_tensor out = layers_empty(test, ROWS, 2 * COLS, format);
    const uint32_t from = fp8rt_tensor_stride(&test->dev.caps, &x),
                   to = fp8rt_tensor_stride(&test->dev.caps, &out);
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        const uint32_t word = bytes == 1 ? i : copied[which].words[i % 8];
        memcpy((uint8_t *)x.data + i / COLS * from + i % COLS * bytes, &word, bytes);
    }
    fp8rt_move_desc desc = {.x = &x,
                            .out_col = COLS,
                            .axis = {{ROWS, {1, 0}, {1, 0}}, {COLS, {0, 1}, {0, 1}}},
                            .by_value = true,
                            .out = &out};
    fp8rt_run run = fp8rt_run_on(&test->dev, NULL, 0);
    const bool commands = (test->dev.caps.functions & FP8MAC_FUNCTION_ELEMENTWISE) != 0;
    layers_expect(test, "values are copied", fp8rt_move(&run, &desc) == FP8RT_OK);
    uint32_t good = 0;
    for (uint32_t i = 0; i < ROWS * COLS; i++) {
        uint32_t before = 0, behind = 0;
        memcpy(&before, (uint8_t *)x.data + i / COLS * from + i % COLS * bytes, bytes);
        memcpy(&behind, (uint8_t *)out.data + i / COLS * to + (COLS + i % COLS) * bytes, bytes);
        good += behind == (commands && is_nan(which, i, before) ? copied[which].nan : before);
    }
    layers_expect(test, "each is what it was", good == ROWS * COLS);
    layers_expect(test, "the flag of a copied NaN",
                  ((run.flags & FP8MAC_FLAG_NAN) != 0) == (commands && format != FP8MAC_INT8));
    layers_expect(test, "one command that copies", commands_of(test, desc) == (commands ? 1 : -1));
    desc.by_value = false;
    layers_expect(test, "codes are copied by a call", commands_of(test, desc) == -1);
    desc.by_value = true;
    desc.axis[0].count = ROWS - 1;
    layers_expect(test, "few values are a call", commands_of(test, desc) == -1);
    test->arena = arena;
}

static fp8rt_status status_of(layers_test *test, const fp8rt_move_desc *desc)
{
    fp8rt_run run = fp8rt_run_query(&test->dev);
    return fp8rt_move(&run, desc);
}

static void refusals(layers_test *test)
{
    const fp8rt_arena arena = test->arena;
    const fp8rt_tensor x = layers_codes(test, 4, 8, FP8MAC_E4M3FN);
    fp8rt_tensor out = layers_empty(test, 4, 8, FP8MAC_E4M3FN);
    fp8rt_scaling scaling = {.kind = FP8RT_SCALING_DYNAMIC};
    const fp8rt_move_desc good = {
        .x = &x, .axis = {{4, {1, 0}, {1, 0}}, {8, {0, 1}, {0, 1}}}, .out = &out};
    fp8rt_move_desc desc = good;
    layers_expect(test, "all of x", status_of(test, &desc) == FP8RT_OK);
    desc.x_row = 1;
    layers_expect(test, "a row beyond x", status_of(test, &desc) == FP8RT_ERR_SHAPE);
    desc = good;
    desc.out_col = 1;
    layers_expect(test, "a column beyond out", status_of(test, &desc) == FP8RT_ERR_SHAPE);
    desc = good;
    desc.axis[0].from.rows = -1;
    layers_expect(test, "a row before x", status_of(test, &desc) == FP8RT_ERR_SHAPE);
    desc.x_row = 3;
    layers_expect(test, "rows in reverse", status_of(test, &desc) == FP8RT_OK);
    desc.axis[2] = (fp8rt_move_axis){UINT32_MAX, {INT32_MAX, 0}, {INT32_MAX, 0}};
    layers_expect(test, "a way of 2^63", status_of(test, &desc) == FP8RT_ERR_SHAPE);
    desc = good;
    out.scaling = &scaling;
    layers_expect(test, "a dynamic scale", status_of(test, &desc) == FP8RT_ERR_UNSUPPORTED);
    test->arena = arena;
}

void layers_move(layers_test *test)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(test, &cases[i]);
    }
    keeps(test);
    turns_values(test);
    for (unsigned i = 0; i < sizeof copied / sizeof *copied; i++) {
        // Tensors of INT8 are those of INT8 elements, which no copy uses.
        test->dev.caps.element.int8 = copied[i].format == FP8MAC_INT8;
        copies_values(test, i);
        test->dev.caps.element.int8 = false;
    }
    refusals(test);
}
