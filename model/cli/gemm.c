// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "options.h"

// The options of one operand.
typedef struct operand_options {
    const char *scale, *mx;
} operand_options;

typedef struct gemm_options {
    operand_options a, b;
    const char *scale_d, *bias, *beta, *c_operand, *c_format, *act, *d_format, *acc;
    mode_options d_mode;
    array_output output;
    bool b_is_kn, report, inexact;
} gemm_options;

static matrix transposed(cli *c, matrix from)
{
    uint8_t *data = cli_alloc(c, from.rows * from.columns, 1);
    for (size_t i = 0; i < from.rows; i++) {
        for (size_t j = 0; j < from.columns; j++) {
            data[j * from.rows + i] = ((const uint8_t *)from.data)[i * from.columns + j];
        }
    }
    return (matrix){from.columns, from.rows, data};
}

static fp8mac_scale scale_of(cli *c, const char *operand, const char *what, size_t rows)
{
    if (operand == NULL) {
        return (fp8mac_scale){FP8MAC_SCALE_NONE, NULL};
    }
    array scales = options_floats(c, operand, what, rows, true);
    char message[SETTINGS_MESSAGE];
    for (size_t i = 0; i < scales.count; i++) {
        if (!settings_scale((float)array_value(&scales, i), what, message)) {
            cli_fail(c, "%s", message);
        }
    }
    return (fp8mac_scale){scales.count == 1 ? FP8MAC_SCALE_TENSOR : FP8MAC_SCALE_VECTOR,
                          scales.data};
}

// C and the loaded accumulators are M x N.
static void check_outputs(cli *c, const fp8mac_gemm_desc *desc, matrix in, const char *what)
{
    if (in.rows != desc->m || in.columns != desc->n) {
        cli_fail(c, "the shapes disagree: %s is %zu x %zu and must be %zu x %zu", what, in.rows,
                 in.columns, desc->m, desc->n);
    }
}

static void set_acc(cli *c, fp8mac_gemm_desc *desc, const settings *s, const char *operand)
{
    if (operand != NULL) {
        matrix in = options_matrix_from(options_acc(c, s, operand));
        check_outputs(c, desc, in, "--acc");
        desc->acc = in.data;
        desc->ldacc = desc->n;
    }
}

static void set_c(cli *c, fp8mac_gemm_desc *desc, const gemm_options *o)
{
    desc->beta = o->beta == NULL ? (o->c_operand == NULL ? 0 : 1)
                                 : (float)options_number(c, "--beta", o->beta);
    if (o->c_operand == NULL) {
        if (desc->beta != 0) {
            cli_fail(c, "--beta needs --c");
        }
        return;
    }
    desc->c_format = options_result_format(c, o->c_format, true);
    matrix in = options_matrix(c, o->c_operand, desc->c_format);
    check_outputs(c, desc, in, "C");
    desc->c = in.data;
    desc->ldc = desc->n;
}

static const uint8_t *block_scales(cli *c, const char *operand, const char *what, size_t rows,
                                   size_t k)
{
    if (operand == NULL) {
        return NULL;
    }
    matrix scales = options_matrix(c, operand, fp8mac_format_get(FP8MAC_E8M0FNU));
    size_t blocks = (k + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK;
    if (scales.rows != rows || scales.columns != blocks) {
        cli_fail(c,
                 "the shapes disagree: %s is %zu x %zu and must be %zu x %zu, a scale for every 32 "
                 "terms",
                 what, scales.rows, scales.columns, rows, blocks);
    }
    return scales.data;
}

// The operand of a matrix with K last. `side` is a or b.
static fp8mac_gemm_operand operand_of(cli *c, matrix codes, const operand_options *o, char side)
{
    char scale[] = "--scale-?", mx[] = "--mx-?";
    scale[sizeof scale - 2] = mx[sizeof mx - 2] = side;
    return (fp8mac_gemm_operand){
        .codes = codes.data,
        .stride = codes.columns,
        .scale = scale_of(c, o->scale, scale, codes.rows),
        .mx = block_scales(c, o->mx, mx, codes.rows, codes.columns),
        .mx_stride = (codes.columns + FP8MAC_MX_BLOCK - 1) / FP8MAC_MX_BLOCK,
    };
}

static fp8mac_gemm_desc describe(cli *c, cli_operands operands, const gemm_options *o,
                                 const settings *s)
{
    matrix a = options_matrix(c, operands.text[0], s->config.a.format);
    matrix b = options_matrix(c, operands.text[1], s->config.b.format);
    b = o->b_is_kn ? transposed(c, b) : b;
    if (a.columns != b.columns) {
        cli_fail(c, "the shapes disagree: A is %zu x %zu and B %zu x %zu, both with K last%s",
                 a.rows, a.columns, b.rows, b.columns,
                 o->b_is_kn ? " once B is transposed" : " (--b-kn takes a B of K x N)");
    }
    fp8mac_gemm_desc desc = {.m = a.rows, .n = b.rows, .k = a.columns, .dot = s->config};
    options_check_k(c, s, desc.k);
    desc.d_format = options_result_format(c, o->d_format, false);
    mode how = options_mode(c, desc.d_format, o->d_mode);
    desc.d_mode = how.convert;
    desc.d_random_bits = how.random_bits;
    desc.d_generator = how.generator;
    desc.a = operand_of(c, a, &o->a, 'a');
    desc.b = operand_of(c, b, &o->b, 'b');
    desc.bias = o->bias == NULL ? NULL : options_floats(c, o->bias, "--bias", desc.n, false).data;
    if (o->scale_d != NULL) {
        float *scale_d = cli_alloc(c, 1, sizeof *scale_d);
        *scale_d = options_scale(c, "--scale-d", o->scale_d);
        desc.scale_d = scale_d;
    }
    const activation_option act = options_activation(c, o->act);
    desc.activation = act.kind;
    desc.clamp_lo = act.low;
    desc.clamp_hi = act.high;
    set_c(c, &desc, o);
    set_acc(c, &desc, s, o->acc);
    desc.inexact_flags = o->inexact;
    return desc;
}

void cli_gemm(cli *c, int argc, char **argv)
{
    gemm_options o = {0};
    const cli_option options[] = {{"scale-a", &o.a.scale, NULL},
                                  {"scale-b", &o.b.scale, NULL},
                                  {"scale-d", &o.scale_d, NULL},
                                  {"bias", &o.bias, NULL},
                                  {"beta", &o.beta, NULL},
                                  {"c", &o.c_operand, NULL},
                                  {"c-format", &o.c_format, NULL},
                                  {"act", &o.act, NULL},
                                  {"mx-a", &o.a.mx, NULL},
                                  {"mx-b", &o.b.mx, NULL},
                                  {"d-format", &o.d_format, NULL},
                                  {"d-rounding", &o.d_mode.rounding, NULL},
                                  {"d-overflow", &o.d_mode.overflow, NULL},
                                  {"d-random-bits", &o.d_mode.random_bits, NULL},
                                  {"d-generator", &o.d_mode.generator, NULL},
                                  {"acc", &o.acc, NULL},
                                  {"inexact-flags", NULL, &o.inexact},
                                  {"b-kn", NULL, &o.b_is_kn},
                                  {"flags", NULL, &o.report},
                                  {"output", &o.output.path, NULL},
                                  {"o", &o.output.path, NULL},
                                  {"codes", NULL, &o.output.codes},
                                  {0}};
    settings s;
    settings_init(&s);
    cli_operands operands = cli_arguments(c, argc, argv, options, &s);
    options_check(c, &s);
    if (operands.count != 2) {
        cli_fail(c, "give both A and B, as in: fp8mac gemm 1,2 3,4");
    }
    if (s.config.acc_format == FP8MAC_ACC_FIXED && s.config.frac_bits != 0) {
        cli_fail(c, "fixed with frac-bits is for dot alone: each output of a GEMM has its own "
                    "static_exponent");
    }
    fp8mac_gemm_desc desc = describe(c, operands, &o, &s);
    array d = {.dims = 2, .shape = {desc.m, desc.n}, .count = desc.m * desc.n};
    d = array_of(c, desc.d_format, &d);
    desc.d = d.data;
    desc.ldd = desc.n;
    fp8mac_gemm_result result;
    fp8mac_status status = fp8mac_gemm(&desc, &result);
    if (status != FP8MAC_OK) {
        cli_fail(c, "%s", fp8mac_status_string(status));
    }
    o.output.codes = o.output.codes || fp8mac_format_bits(d.format) <= 8;
    array_write(c, &d, &o.output);
    if (o.report || o.inexact) {
        options_report(c, &result);
    }
}
