// SPDX-License-Identifier: Apache-2.0
// Anything at all, to the library's public functions and to the command-line tool, under the
// sanitizers. The entry is libFuzzer's; without it main() is a seeded mutator over the inputs
// below, for a given number of cases.
//
// Besides what the sanitizers see: a refused call writes nothing; the tool's status is 0, 1 or 2,
// and with 2 it says one line and prints nothing; values survive a conversion to a format and back;
// a dot product divided into steps by the caller gives the same bits.
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_io.h"
#include "cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

// ---- bytes as whatever is asked for -------------------------------------------------------------

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static uint64_t take(bytes *in, unsigned n)
{
    uint64_t x = 0;
    for (; n > 0 && in->left > 0; n--, in->left--) {
        x = x << 8 | *in->at++;
    }
    return x;
}

static unsigned below(bytes *in, unsigned n)
{
    return (unsigned)(take(in, 2) % n);
}
static bool one_in(bytes *in, unsigned n)
{
    return below(in, n) == n - 1;
}

static float take_float(bytes *in)
{
    uint32_t bits = (uint32_t)take(in, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void fill(bytes *in, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((uint8_t *)to)[i] = (uint8_t)take(in, 1);
    }
}

static fp8mac_format own_row(bytes *in)
{
    return (fp8mac_format){"own",
                           one_in(in, 2),
                           (uint8_t)below(in, 10),
                           (uint8_t)below(in, 26),
                           (int16_t)((int)below(in, 400) - 140),
                           one_in(in, 2),
                           one_in(in, 2),
                           (fp8mac_nan_encoding)below(in, 5),
                           (fp8mac_exponent_zero)below(in, 4)};
}

static const fp8mac_format *any_row(bytes *in, fp8mac_format *own)
{
    *own = own_row(in);
    switch (below(in, 8)) {
    case 0: return NULL;
    case 1:
    case 2: return own;
    case 3:
        *own = fp8mac_format_with_bias((fp8mac_format_id)below(in, FP8MAC_FORMAT_COUNT + 2),
                                       (int)below(in, 600) - 200);
        return own;
    default: return fp8mac_format_get((fp8mac_format_id)below(in, FP8MAC_FORMAT_COUNT + 1));
    }
}

enum { UNTOUCHED = 0xa5 };

static bool untouched(const uint8_t *memory, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (memory[i] != UNTOUCHED) {
            return false;
        }
    }
    return true;
}

// ---- formats and conversions --------------------------------------------------------------------

static void values(bytes *in, const fp8mac_format *row)
{
    fp8mac_convert_mode mode = {(fp8mac_rounding)below(in, 3), (fp8mac_overflow)below(in, 4)};
    uint32_t code = (uint32_t)take(in, 4), other = (uint32_t)take(in, 4);
    fp8mac_flags flags = 0;
    fp8mac_value value = fp8mac_decode(row, code);
    size_t room = below(in, 40);
    char *text = malloc(room); // no larger, so that what is written beyond is seen
    size_t length = fp8mac_value_text(value, (fp8mac_text_style)below(in, 2), text, room);
    demand(room == 0 || strlen(text) == (length < room ? length : room - 1),
           "a text fills what there is");
    free(text);
    (void)fp8mac_record_of(row, code);
    (void)fp8mac_neg(row, code, &flags);
    (void)fp8mac_abs(row, code, &flags);
    (void)fp8mac_compare(value, fp8mac_decode(row, other));
    if (fp8mac_convert_mode_validate(row, mode) != FP8MAC_OK) {
        return;
    }
    (void)fp8mac_add(row, code, other, mode, &flags);
    (void)fp8mac_mul(row, code, other, mode, &flags);
    (void)fp8mac_encode_stochastic(row, value, mode.overflow, other & 0xff, 8, &flags);
    if (value.cls == FP8MAC_CLASS_FINITE || value.cls == FP8MAC_CLASS_ZERO) {
        fp8mac_value again = fp8mac_decode(row, fp8mac_encode(row, value, mode, &flags));
        bool least = row->exponent_bits == 0; // -128 of an integer is clamped
        demand(least || fp8mac_compare(value, again) == FP8MAC_EQUAL,
               "a value survives its own format");
        demand(least || fp8mac_value_to_double(value) == fp8mac_value_to_double(again),
               "as a double too");
    }
}

static void conversions(bytes *in)
{
    fp8mac_format own[2];
    const fp8mac_format *to = any_row(in, &own[0]), *from = any_row(in, &own[1]);
    bool valid = fp8mac_format_validate(to) == FP8MAC_OK;
    demand(valid == (fp8mac_format_refusal(to) == NULL), "a refused format has a reason");
    if (valid) {
        values(in, to);
    }
    size_t n = below(in, 40);
    uint8_t *dst = malloc(8 * n + 1), *src = malloc(8 * n + 1);
    memset(dst, UNTOUCHED, 8 * n + 1);
    fill(in, src, 8 * n);
    fp8mac_convert_mode mode = {(fp8mac_rounding)below(in, 4), (fp8mac_overflow)below(in, 4)};
    uint32_t r[40];
    fill(in, r, sizeof r);
    fp8mac_random_source source = {
        one_in(in, 2) ? r : NULL,      below(in, 27),         take(in, 8),
        (uint32_t)take(in, 4),         (uint32_t)take(in, 4), take(in, 7),
        (fp8mac_generator)below(in, 3)};
    fp8mac_flags flags = 0;
    fp8mac_status status = FP8MAC_OK;
    switch (below(in, 7)) {
    case 0: status = fp8mac_convert(to, dst, from, src, n, mode, &flags); break;
    case 1:
        status = fp8mac_quantize(to, dst, (const float *)(const void *)src, n, take_float(in), mode,
                                 &flags);
        break;
    case 2: status = fp8mac_dequantize((float *)(void *)dst, from, src, n, take_float(in)); break;
    case 3:
        status =
            fp8mac_convert_from_double(to, dst, (const double *)(const void *)src, n, mode, &flags);
        break;
    case 4: status = fp8mac_convert_to_double((double *)(void *)dst, from, src, n); break;
    case 5:
        status = fp8mac_convert_stochastic(to, dst, from, src, n, mode.overflow, &source, &flags);
        break;
    default: status = fp8mac_convert(to, dst, from, NULL, n, mode, NULL); break;
    }
    demand(fp8mac_status_string(status) != NULL, "a status has a sentence");
    demand(status == FP8MAC_OK || untouched(dst, 8 * n + 1), "a refused conversion writes nothing");
    demand(dst[8 * n] == UNTOUCHED, "a conversion stays within its array");
    free(dst);
    free(src);
}

// ---- dot products and GEMMs ---------------------------------------------------------------------

// Mostly settings that fit together, sometimes anything.
static fp8mac_dot_config any_config(bytes *in, fp8mac_format own[2])
{
    fp8mac_dot_config c = {.a.format = fp8mac_format_get((fp8mac_format_id)below(in, 4)),
                           .b.format = fp8mac_format_get((fp8mac_format_id)below(in, 4))};
    fp8mac_preset preset;
    if (fp8mac_preset_get(below(in, 30), &preset) == FP8MAC_OK && preset.covered) {
        c = preset.config;
    }
    if (one_in(in, 4)) {
        c.a.format = any_row(in, &own[0]);
        c.b.format = any_row(in, &own[1]);
    }
    for (unsigned changes = below(in, 5); changes > 0; changes--) {
        switch (below(in, 27)) {
        case 0: c.acc_format = (fp8mac_acc_format)below(in, 8); break;
        case 1: c.group = below(in, 70); break;
        case 2: c.a.scale_exp = (int)below(in, 67) - 33; break;
        case 3: c.b.scale_exp = (int)below(in, 67) - 33; break;
        case 4: c.guard_bits = below(in, 42); break;
        case 5: c.acc_saturate = one_in(in, 2); break;
        case 6: c.acc_rounding = (fp8mac_rounding)below(in, 5); break;
        case 7: c.random_bits = below(in, 26); break;
        case 8: c.seed = take(in, 8); break;
        case 9: c.frac_bits = below(in, 66); break;
        case 10: c.align_round = (fp8mac_align_round)below(in, 4); break;
        case 11: c.min_exponent = 2 - (int)below(in, 1104); break;
        case 12: c.acc_late = one_in(in, 2); break;
        case 13: c.late_bits_sum = below(in, 66); break;
        case 14: c.late_bits_acc = below(in, 66); break;
        case 15: c.late_drop = below(in, 1002); break;
        case 16: c.late_round = (fp8mac_align_round)below(in, 4); break;
        case 17: c.even_odd = one_in(in, 2); break;
        case 18: c.flush = one_in(in, 2); break;
        case 19: c.nan_code = (uint32_t)take(in, 4); break;
        case 20: c.lscale = below(in, 129); break;
        case 21: c.promote = below(in, 40); break;
        case 22: c.chunk = below(in, 40); break;
        case 23: c.align_by = (fp8mac_align_by)below(in, 3); break;
        case 24: c.static_exponent = (int)below(in, 70) - 30; break;
        case 25: c.k_order = (fp8mac_k_order)below(in, 3); break;
        default: c.group = (unsigned)take(in, 4); break;
        }
    }
    return c;
}

static void dots(bytes *in)
{
    fp8mac_format own[2];
    fp8mac_dot_config c = any_config(in, own);
    uint8_t a[100], b[100], mx[8];
    unsigned group = c.group == 0 ? 1 : c.group;
    size_t k = below(in, sizeof a + 1);
    fill(in, a, sizeof a);
    fill(in, b, sizeof b);
    fill(in, mx, sizeof mx);
    fp8mac_acc start = {.m = below(in, 9), .n = below(in, 9)}, whole, parts;
    memset(&whole, 0, sizeof whole);
    whole = start;
    parts = start;
    fp8mac_flags flags = 0, part_flags = 0;
    if (one_in(in, 4)) {
        whole.code = (uint32_t)take(in, 4);
        whole.second = (uint32_t)take(in, 4);
        const fp8mac_dot_terms x = {a, one_in(in, 2) ? mx : NULL}, y = {b, mx + 4};
        if (fp8mac_dot_mx(&c, &whole, x, y, k, &flags) == FP8MAC_OK) {
            (void)fp8mac_acc_to_fp32(&c, &whole, &flags);
        }
        return;
    }
    fp8mac_status status = fp8mac_dot(&c, &whole, a, b, k, &flags);
    if (status != FP8MAC_OK) {
        demand(memcmp(&whole.code, &start.code, sizeof start.code) == 0 &&
                   whole.steps == start.steps && flags == 0,
               "a refused dot product changes nothing");
        return;
    }
    unsigned steps = c.k_order == FP8MAC_K_PAIRS ? 2 : 1; // of a block
    for (size_t first = 0; first < k; first += (size_t)steps * group) {
        for (unsigned step = 0; step < steps; step++) {
            uint8_t step_a[sizeof a], step_b[sizeof b];
            unsigned n = 0;
            for (size_t i = first; i < k && i < first + (size_t)steps * group; i++) {
                if (steps == 1 || (i % 4 < 2) == (step == 0)) {
                    step_a[n] = a[i];
                    step_b[n++] = b[i];
                }
            }
            demand(n == 0 ||
                       fp8mac_dot_step(&c, &parts, step_a, step_b, n, &part_flags) == FP8MAC_OK,
                   "a step of it is accepted");
        }
    }
    demand(fp8mac_acc_to_fp32(&c, &whole, &flags) == fp8mac_acc_to_fp32(&c, &parts, &part_flags),
           "steps give the dot");
    demand(flags == part_flags, "and its flags");
}

// Elements of `rows` rows of `used`, `stride` apart.
static size_t extent(size_t rows, size_t used, size_t stride)
{
    stride = stride < used || stride > 1000 ? used : stride; // to be refused
    return rows == 0 ? 0 : (rows - 1) * stride + used;
}

static void gemms(bytes *in)
{
    fp8mac_format own[4];
    fp8mac_gemm_desc g = {
        .m = below(in, 10), .n = below(in, 10), .k = below(in, 70), .dot = any_config(in, own)};
    g.a.stride = g.k + below(in, 4) - one_in(in, 16);
    g.b.stride = g.k + below(in, 4) - one_in(in, 16);
    g.ldd = g.n + below(in, 4) - one_in(in, 16);
    g.ldc = g.n + below(in, 4) - one_in(in, 16);
    g.a.mx_stride = g.b.mx_stride = 3 + below(in, 2);
    if (g.m >= 3 && one_in(in, 32)) { // no such memory: the last index is not a size_t
        *(size_t *[]){&g.a.stride, &g.ldd}[below(in, 2)] = SIZE_MAX - (size_t)take(in, 4);
    }
    // Arrays of exactly the size that the header asks for, so that what lies beyond is not read or
    // written.
    size_t a_size = extent(g.m, g.k, g.a.stride), b_size = extent(g.n, g.k, g.b.stride),
           d_size = 4 * extent(g.m, g.n, g.ldd);
    size_t c_size = 4 * extent(g.m, g.n, g.ldc),
           mx_size = extent(g.m > g.n ? g.m : g.n, (g.k + 31) / 32, g.a.mx_stride);
    uint8_t *a = malloc(a_size), *b = malloc(b_size), *d = malloc(d_size), *mx = malloc(mx_size);
    float *c = malloc(c_size), bias[10], scales[16];
    fill(in, a, a_size);
    fill(in, b, b_size);
    fill(in, mx, mx_size);
    fill(in, c, c_size);
    fill(in, bias, sizeof bias);
    for (unsigned i = 0; i < 16; i++) {
        scales[i] = one_in(in, 64) ? take_float(in) : 0.25f + (float)below(in, 100);
    }
    memset(d, UNTOUCHED, d_size);
    g.a.codes = one_in(in, 64) ? NULL : a;
    g.b.codes = one_in(in, 64) ? NULL : b;
    g.a.scale = (fp8mac_scale){(fp8mac_scale_mode)below(in, 4), one_in(in, 32) ? NULL : scales};
    g.b.scale = (fp8mac_scale){(fp8mac_scale_mode)below(in, 4), scales + 2};
    g.bias = one_in(in, 2) ? bias : NULL;
    g.beta = one_in(in, 2) ? take_float(in) : 0;
    g.c = one_in(in, 32) ? NULL : c;
    g.c_format = fp8mac_format_get((fp8mac_format_id)(4 + below(in, 4)));
    g.activation = (fp8mac_activation)below(in, 4);
    g.clamp_lo = take_float(in);
    g.clamp_hi = take_float(in);
    g.d = one_in(in, 64) ? NULL : d;
    g.d_format =
        one_in(in, 16) ? any_row(in, &own[2]) : fp8mac_format_get((fp8mac_format_id)below(in, 7));
    g.d_mode = (fp8mac_convert_mode){(fp8mac_rounding)below(in, 4), (fp8mac_overflow)below(in, 4)};
    g.d_random_bits = g.d_mode.rounding == FP8MAC_ROUND_STOCHASTIC ? below(in, 26) : one_in(in, 16);
    g.scale_d = one_in(in, 2) ? scales + 1 : NULL;
    g.a.mx = one_in(in, 8) ? mx : NULL;
    g.b.mx = one_in(in, 8) ? mx : NULL;
    g.origin_m = (uint32_t)take(in, 4);
    fp8mac_gemm_result result;
    fp8mac_status status = fp8mac_gemm(&g, one_in(in, 8) ? NULL : &result);
    demand(status == FP8MAC_OK || untouched(d, d_size), "a refused GEMM writes nothing");
    bool strides =
        g.a.stride >= g.k && g.b.stride >= g.k && g.ldd >= g.n && (g.beta == 0 || g.ldc >= g.n);
    demand(status != FP8MAC_OK || strides, "a short stride is refused");
    free(a);
    free(b);
    free(c);
    free(d);
    free(mx);
}

// Gives a quantisation to MX memory for its scales, and mostly takes what it does not have.
static uint8_t *quantise_mx(bytes *in, fp8mac_rows_desc *r)
{
    if (r->operation != FP8MAC_ROWS_QUANTISE_MX) {
        return NULL;
    }
    const size_t blocks = fp8mac_rows_blocks(r->cols);
    r->lds = blocks + below(in, 4) - one_in(in, 16);
    r->scales = malloc(extent(r->rows, blocks, r->lds) + 1);
    if (!one_in(in, 4)) {
        r->seen = 0;
        r->causal = false;
        r->factor = r->gamma = r->beta = r->scale_d = NULL;
        r->d_table = NULL;
        r->eps = 0;
        r->activation = FP8MAC_ACT_NONE;
        r->d_mode = (fp8mac_convert_mode){FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE};
        r->d_format = fp8mac_format_get((fp8mac_format_id)below(in, 4));
    }
    return r->scales;
}

static void rows(bytes *in)
{
    fp8mac_format own[2];
    fp8mac_rows_desc r = {.operation =
                              (fp8mac_rows_operation)below(in, FP8MAC_ROWS_OPERATIONS + 1u),
                          .rows = below(in, 6),
                          .cols = below(in, 90)};
    const bool reduces = fp8mac_rows_is_reduction(r.operation);
    const size_t d_cols = reduces ? 1 : r.cols;
    r.ldx = r.cols + below(in, 4) - one_in(in, 16);
    r.ldd = d_cols + below(in, 4) - one_in(in, 16);
    const size_t x_size = 4 * extent(r.rows, r.cols, r.ldx),
                 d_size = 4 * extent(r.rows, d_cols, r.ldd);
    uint8_t *x = malloc(x_size), *d = malloc(d_size), table[FP8MAC_TABLE_CODES];
    float columns[2][90], scales[2];
    fill(in, x, x_size);
    fill(in, columns, sizeof columns);
    fill(in, table, sizeof table);
    for (unsigned i = 0; i < 2; i++) {
        scales[i] = one_in(in, 64) ? take_float(in) : 0.25f + (float)below(in, 100);
    }
    memset(d, UNTOUCHED, d_size);
    const bool norm = r.operation == FP8MAC_ROWS_RMS_NORM || r.operation == FP8MAC_ROWS_LAYER_NORM;
    r.x = one_in(in, 64) ? NULL : x;
    r.x_format = one_in(in, 16)
                     ? any_row(in, &own[0])
                     : fp8mac_format_get((fp8mac_format_id)below(in, FP8MAC_ARRAY_FORMAT_COUNT));
    r.seen = norm && !one_in(in, 16) ? 0 : below(in, 90);
    r.causal = !norm && one_in(in, 2);
    r.factor = one_in(in, norm ? 16 : 2) ? scales : NULL;
    r.eps = norm || one_in(in, 16) ? take_float(in) : 0;
    r.gamma = one_in(in, norm ? 2 : 16) ? columns[0] : NULL;
    r.beta = one_in(in, r.operation == FP8MAC_ROWS_LAYER_NORM ? 2 : 16) ? columns[1] : NULL;
    r.d = one_in(in, 64) ? NULL : d;
    if (r.operation != FP8MAC_ROWS_ARGMAX || one_in(in, 16)) {
        r.activation = (fp8mac_activation)below(in, 4);
        r.clamp_hi = take_float(in);
        r.d_format = one_in(in, 16) ? any_row(in, &own[1])
                                    : fp8mac_format_get((fp8mac_format_id)below(in, 7));
        r.d_mode =
            (fp8mac_convert_mode){(fp8mac_rounding)below(in, 3), (fp8mac_overflow)below(in, 3)};
        r.scale_d = one_in(in, 2) ? scales + 1 : NULL;
        r.d_table = one_in(in, 8) ? table : NULL;
    }
    uint8_t *mx = quantise_mx(in, &r);
    fp8mac_gemm_result result;
    const fp8mac_status status = fp8mac_rows(&r, one_in(in, 8) ? NULL : &result);
    demand(status == FP8MAC_OK || untouched(d, d_size), "a refused row command writes nothing");
    demand(status != FP8MAC_OK || (r.ldx >= r.cols && r.ldd >= d_cols),
           "short strides are refused");
    free(x);
    free(d);
    free(mx);
}

// ---- recipes ------------------------------------------------------------------------------------

static void recipes(bytes *in)
{
    fp8mac_recipe_formula f = {
        take_float(in), (int)below(in, 70) - 35, (fp8mac_recipe_form)below(in, 3),
        (fp8mac_recipe_division)below(in, 3), FP8MAC_RECIPE_UNDERFLOW_SMALLEST};
    float x[8], previous = take_float(in), quantise[8], dequantise[8], scale = 1;
    fill(in, x, sizeof x);
    size_t n = below(in, 9);
    if (fp8mac_recipe_formula_validate(f) == FP8MAC_OK) {
        float found = fp8mac_recipe_scale(f, x[0], 1.0f);
        demand(found > 0 && found <= 3.40282347e38f, "a scale is finite and greater than zero");
        fp8mac_recipe_delayed delayed;
        float history[3];
        fp8mac_recipe_delayed_config config = {.formula = f,
                                               .interval = below(in, 4),
                                               .history = history,
                                               .window = (fp8mac_recipe_window)below(in, 3),
                                               .history_length = below(in, 4)};
        if (fp8mac_recipe_delayed_init(&delayed, config, previous) == FP8MAC_OK) {
            for (size_t i = 0; i < n; i++) {
                float next = fp8mac_recipe_delayed_update(&delayed, x[i], one_in(in, 4));
                demand(next > 0 && next <= 3.40282347e38f,
                       "a delayed scale is finite and greater than zero");
            }
        }
    }
    (void)fp8mac_recipe_dynamic(f, x[0], one_in(in, 2), &scale);
    demand(scale > 0, "a dynamic scale is greater than zero");
    (void)fp8mac_recipe_reduce(x, n);
    (void)fp8mac_recipe_inverse(x[1]);
    (void)fp8mac_recipe_xla_next(x[0], x[1], x[2]);
    (void)fp8mac_recipe_pytorch_scale(x[0], x[1], one_in(in, 2), previous);
    (void)fp8mac_recipe_torchao_scale(x[0], x[1], one_in(in, 2));
    (void)fp8mac_recipe_flax_scale(x[0], (int)below(in, 65) - 32, x[1], x[2]);
    (void)fp8mac_recipe_xla_example_next(x[0], x[1]);
    (void)fp8mac_recipe_msamp_scale(x[0], (int)below(in, 65) - 32, x[1], x[2]);
    (void)fp8mac_recipe_graphcore_amax_bias(x[0], x[1], (int)below(in, 100) - 50);
    (void)fp8mac_recipe_scale_exponent((int)take(in, 4));
    (void)fp8mac_recipe_fp8lm_mu(x[0], take(in, 8), take(in, 8));
    (void)fp8mac_recipe_reduction_factors((fp8mac_recipe_reduction)below(in, 3), 1 + below(in, 9),
                                          x[3]);
    (void)fp8mac_recipe_static_scales((fp8mac_recipe_scheme)below(in, 5), x[4], x, n, quantise,
                                      dequantise);
    uint8_t codes[8], scales[1];
    fp8mac_flags flags = 0;
    fp8mac_format own;
    const fp8mac_format *row = any_row(in, &own);
    (void)fp8mac_recipe_mx_quantize(row, codes, scales, x, n, &flags);
    int bias, low = (int)below(in, 400) - 140;
    (void)fp8mac_recipe_qualcomm_bias((fp8mac_format_id)below(in, 30), x, n, low,
                                      low + (int)below(in, 9) - 1, &bias);
}

// ---- the tool -----------------------------------------------------------------------------------

// Files that the tool opens: for reading, the input's last part; for writing, nowhere.
static const uint8_t *file;
static size_t file_size;
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (mode[0] == 'w') {
        return __real_fopen("/dev/null", mode);
    }
    if (path[0] != 'f' || file_size == 0) {
        errno = ENOENT;
        return NULL;
    }
    return fmemopen((void *)(uintptr_t)file, file_size, mode);
}

// Arguments end with NUL each, an empty one ends them; the rest is standard input.
static void tool(bytes *in)
{
    char *argv[20], *text = calloc(in->left + 2, 1);
    int argc = 1;
    memcpy(text, in->at, in->left);
    argv[0] = text + in->left + 1;
    size_t used = 0;
    while (argc < 19 && used < in->left && text[used] != '\0') {
        argv[argc++] = text + used;
        used += strlen(text + used) + 1;
    }
    argv[argc] = NULL;
    used += used < in->left;
    file = in->at + (used < in->left ? used : in->left);
    file_size = used < in->left ? in->left - used : 0;
    bool slow = argc > 1 && strcmp(argv[1], "probe") == 0 && (in->left % 61) != 0;
    if (!slow) {
        char *said = NULL, *printed = NULL;
        size_t said_size = 0, printed_size = 0;
        FILE *stream = file_size == 0 ? __real_fopen("/dev/null", "rb")
                                      : fmemopen((void *)(uintptr_t)file, file_size, "rb");
        FILE *out = open_memstream(&printed, &printed_size),
             *err = open_memstream(&said, &said_size);
        int status = cli_main(argc, argv, stream, out, err);
        fclose(stream);
        fclose(out);
        fclose(err);
        demand(status == CLI_OK || status == CLI_REFUSED, "the tool's status is 0 or 2");
        if (status == CLI_REFUSED) {
            demand(said_size > 8 && strncmp(said, "fp8mac", 6) == 0 && said[said_size - 1] == '\n',
                   "it says why");
            demand(printed_size == 0, "and prints nothing");
        }
        free(said);
        free(printed);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    switch (take(&in, 1) % 9) {
    case 0:
    case 1: conversions(&in); break;
    case 2: dots(&in); break;
    case 3: gemms(&in); break;
    case 4: recipes(&in); break;
    case 5: rows(&in); break;
    default: tool(&in); break;
    }
    return 0;
}

// ---- without libFuzzer --------------------------------------------------------------------------

#ifndef FUZZ_WITH_LIBFUZZER

enum { LONGEST = 1200 };

static const char *const lines[] = {
    "show e4m3fn 0x7e",
    "show cfloat8_e4m3:20 0xff 1",
    "table e2m1fn",
    "cast e4m3fn 448 0.3 -inf",
    "cast e4m3fn --rounding stochastic --random-bits 7 --seed 3 0.3 1e-300",
    "cast float32 --from e4m3fn 0x7e0138",
    "cast e5m2 --overflow ieee --scale 3 --flags file",
    "cast float64 -",
    "cast bfloat16 --from e8m13 0x00000001 --codes",
    "dot 1,2,3 0.5,0.25,-4",
    "dot --preset hopper-fp8 file file --flags",
    "dot --acc-format fixed --guard-bits 3 1 2",
    "dot --group 4 --frac-bits 9 --acc-late --late-bits-sum 20 --late-bits-acc=9 1,2,3,4 5,6,7,8",
    "dot",
    "dot --format e2m1fn --mx-a 0x7f 1,2 0x0102",
    "gemm 1,2;3,4 1,0;0,1 --bias 10,20 --act relu",
    "gemm file file --d-format e4m3fn --scale-d 0.5 --act clamp:-1,1 --b-kn",
    "gemm 1 1 --c 2 --beta nan --c-format float16",
    "dot --acc-format fixed --frac-bits 9 --static-exponent 5 1,2 3,4",
    "dot --frac-bits 9 --align-by operands --group 2 1,2 3,4",
    "probe --acc-format fixed --frac-bits 9 --static-exponent 3",
    "gemm 1;2 3;4 --scale-a 1,2 --scale-b 3 --mx-a 0x7f;0x80",
    "probe --group 3 --frac-bits 5",
    "rows softmax 1,2;3,4 --seen 1 --causal --factor 2",
    "rows layer-norm file --gamma 1,2 --beta 3,4 --eps 1 --d-format e4m3fn --scale-d 16 --flags",
    "rows argmax 1,7,7;-1,-5,-2",
    "presets hopper-fp8",
    "formats e4m3fn qc_e4m3:9",
    "dot --format int8 --acc-format int32 1,2 3,4",
    "help gemm",
    "--man",
    "--version",
};
static const char *const words[] = {"--",         "nan",      "-inf",       "0x",
                                    "0x7f80",     "1e999",    ";",          ",",
                                    "\n",         "e5m2fnuz", "#",          "file",
                                    "--preset",   "-1",       "4294967296", "18446744073709551616",
                                    "0",          ":",        "=",          "--codes",
                                    "9999999999", ")",        "{"};

static uint64_t state;

static uint32_t draw(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

static size_t put(uint8_t *to, size_t size, size_t at, const void *from, size_t n)
{
    n = n > LONGEST - size ? LONGEST - size : n;
    memmove(to + at + n, to + at, size - at);
    memcpy(to + at, from, n);
    return size + n;
}

static size_t seed_input(uint8_t *to)
{
    to[0] = (uint8_t)draw(8);
    size_t size = 1;
    if (to[0] < 5) {
        for (size_t n = 100 + draw(500); n > 0; n--) {
            to[size++] = (uint8_t)draw(256);
        }
        return size;
    }
    const char *line = lines[draw(sizeof lines / sizeof lines[0])];
    for (; *line != '\0'; line++) {
        to[size++] = (uint8_t)(*line == ' ' ? '\0' : *line);
    }
    to[size++] = '\0';
    to[size++] = '\0';
    static const char *const texts[] = {"1 2 3\n4 5 6\n", "0x7e01\n0x3838\n",
                                        "1.5e-3, nan\n-inf, 0x1p-3\n", ""};
    const char *text = texts[draw(4)];
    return put(to, size, size, text, strlen(text));
}

static size_t mutate(uint8_t *to, size_t size)
{
    for (uint32_t changes = draw(7); changes > 0 && size > 1; changes--) {
        size_t at = 1 + draw((uint32_t)size - 1);
        const char *word = words[draw(sizeof words / sizeof words[0])];
        switch (draw(6)) {
        case 0: to[at] ^= (uint8_t)(1u << draw(8)); break;
        case 1: to[at] = (uint8_t)draw(256); break;
        case 2: size = put(to, size, at, word, strlen(word)); break;
        case 3: size = put(to, size, at, "\0", 1); break;
        case 4: size -= draw((uint32_t)(size - at) < 9 ? (uint32_t)(size - at) : 9); break;
        default: size = put(to, size, at, to + at, size - at < 30 ? size - at : 30); break;
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20240917;
    printf("%lu seeded mutations; seed %llu\n", cases, (unsigned long long)seed);
    fflush(stdout);
    unsigned long runs = 0;
    for (; runs < cases; runs++) {
        static uint8_t data[2 * LONGEST];
        state = seed + runs;
        (void)draw(2);
        size_t size = mutate(data, seed_input(data));
        uint8_t *exact = malloc(size); // so that a read past the end is seen
        memcpy(exact, data, size);
        if (argc > 3) { // what a run is given, for a debugger
            fprintf(stderr, "run %lu\n", runs);
        }
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%lu passed, 0 failed\n", runs);
    return runs == 0;
}

#endif
