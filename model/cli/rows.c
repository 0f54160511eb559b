// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "options.h"

typedef struct rows_options {
    const char *x_format, *seen, *factor, *eps, *gamma, *beta, *act, *d_format, *scale_d, *scales;
    mode_options d_mode;
    array_output output;
    bool causal, report;
} rows_options;

static const char *const operations[FP8MAC_ROWS_OPERATIONS] = {FP8MAC_ROWS_EACH(OPTIONS_WORD)};

static fp8mac_rows_operation operation_named(cli *c, const char *name)
{
    char good[160] = "";
    for (size_t i = 0; i < FP8MAC_ROWS_OPERATIONS; i++) {
        if (strcmp(name, operations[i]) == 0) {
            return (fp8mac_rows_operation)i;
        }
        size_t used = strlen(good);
        snprintf(good + used, sizeof good - used, "%s%s", used == 0 ? "" : ", ", operations[i]);
    }
    cli_fail(c, "there is no operation '%.60s'; choose from %s", name, good);
}

static const float *scale_option(cli *c, const char *what, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    float *scale = cli_alloc(c, 1, sizeof *scale);
    *scale = options_scale(c, what, text);
    return scale;
}

static const float *columns_option(cli *c, const char *what, const char *text, size_t cols)
{
    return text == NULL ? NULL : options_floats(c, text, what, cols, false).data;
}

static size_t seen_option(cli *c, const char *text, size_t cols)
{
    uint64_t seen = 0;
    if (text != NULL && (!settings_number(text, cols, &seen) || seen == 0)) {
        cli_fail(c, "--seen '%.60s' is not a whole number in 1..%zu, the columns of X", text, cols);
    }
    return (size_t)seen;
}

static bool is_norm(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_RMS_NORM || operation == FP8MAC_ROWS_LAYER_NORM;
}

static float eps_option(cli *c, const char *text, fp8mac_rows_operation operation)
{
    if (text == NULL) {
        return is_norm(operation) ? 1e-5f : 0.0f;
    }
    return (float)options_number(c, "--eps", text);
}

static void set_d(cli *c, fp8mac_rows_desc *desc, const rows_options *o)
{
    const activation_option act = options_activation(c, o->act);
    desc->activation = act.kind;
    desc->clamp_lo = act.low;
    desc->clamp_hi = act.high;
    desc->scale_d = scale_option(c, "--scale-d", o->scale_d);
    if (desc->operation != FP8MAC_ROWS_ARGMAX || o->d_format != NULL) {
        desc->d_format = options_result_format(c, o->d_format, false);
    }
    desc->d_mode = options_mode(c, desc->d_format, o->d_mode).convert;
}

static fp8mac_rows_desc describe(cli *c, cli_operands operands, const rows_options *o)
{
    fp8mac_rows_desc desc = {.operation = operation_named(c, operands.text[0])};
    desc.x_format = options_format(c, o->x_format == NULL ? "float32" : o->x_format, false);
    const matrix x = options_matrix(c, operands.text[1], desc.x_format);
    desc.rows = x.rows;
    desc.cols = x.columns;
    desc.x = x.data;
    desc.ldx = x.columns;
    desc.seen = seen_option(c, o->seen, x.columns);
    desc.causal = o->causal;
    desc.factor = scale_option(c, "--factor", o->factor);
    desc.eps = eps_option(c, o->eps, desc.operation);
    desc.gamma = columns_option(c, "--gamma", o->gamma, x.columns);
    desc.beta = columns_option(c, "--beta", o->beta, x.columns);
    set_d(c, &desc, o);
    if ((desc.operation == FP8MAC_ROWS_QUANTISE_MX) != (o->scales != NULL)) {
        cli_fail(c, "quantise-mx needs --scales FILE, and no other operation takes it");
    }
    return desc;
}

// The E8M0 codes of quantise-mx
static array scales_array(cli *c, fp8mac_rows_desc *desc)
{
    const size_t blocks = fp8mac_rows_blocks(desc->cols);
    const array shape = {.dims = 2, .shape = {desc->rows, blocks}, .count = desc->rows * blocks};
    array scales = array_of(c, fp8mac_format_get(FP8MAC_E8M0FNU), &shape);
    desc->scales = scales.data;
    desc->lds = blocks;
    return scales;
}

// Indices become values, which the tool prints as whole numbers.
static array indices(cli *c, const uint32_t *from, const array *shape)
{
    array to = array_of(c, NULL, shape);
    for (size_t i = 0; i < to.count; i++) {
        ((double *)to.data)[i] = (double)from[i];
    }
    return to;
}

static void run(cli *c, fp8mac_rows_desc *desc, rows_options *o)
{
    const bool argmax = desc->operation == FP8MAC_ROWS_ARGMAX;
    const size_t columns = fp8mac_rows_is_reduction(desc->operation) ? 1 : desc->cols;
    const array shape = {.dims = 2, .shape = {desc->rows, columns}, .count = desc->rows * columns};
    array d = array_of(c, argmax ? fp8mac_format_get(FP8MAC_FP32) : desc->d_format, &shape);
    desc->d = d.data;
    desc->ldd = columns;
    array scales = {0};
    if (o->scales != NULL) {
        scales = scales_array(c, desc);
    }
    fp8mac_gemm_result result;
    const fp8mac_status status = fp8mac_rows(desc, &result);
    if (status == FP8MAC_ERR_UNSUPPORTED) {
        cli_fail(c, "%s does not take one of these options; 'fp8mac rows --help' says which",
                 operations[desc->operation]);
    } else if (status != FP8MAC_OK) {
        cli_fail(c, "%s", fp8mac_status_string(status));
    }
    d = argmax ? indices(c, d.data, &shape) : d;
    o->output.codes = o->output.codes || (!argmax && fp8mac_format_bits(d.format) <= 8);
    array_write(c, &d, &o->output);
    if (o->scales != NULL) {
        array_write(c, &scales, &(array_output){.path = o->scales, .codes = true});
    }
    if (o->report) {
        options_report(c, &result);
    }
}

void cli_rows(cli *c, int argc, char **argv)
{
    rows_options o = {0};
    const cli_option options[] = {{"x-format", &o.x_format, NULL},
                                  {"seen", &o.seen, NULL},
                                  {"causal", NULL, &o.causal},
                                  {"factor", &o.factor, NULL},
                                  {"eps", &o.eps, NULL},
                                  {"gamma", &o.gamma, NULL},
                                  {"beta", &o.beta, NULL},
                                  {"act", &o.act, NULL},
                                  {"d-format", &o.d_format, NULL},
                                  {"scale-d", &o.scale_d, NULL},
                                  {"scales", &o.scales, NULL},
                                  {"d-rounding", &o.d_mode.rounding, NULL},
                                  {"d-overflow", &o.d_mode.overflow, NULL},
                                  {"flags", NULL, &o.report},
                                  {"output", &o.output.path, NULL},
                                  {"o", &o.output.path, NULL},
                                  {"codes", NULL, &o.output.codes},
                                  {0}};
    cli_operands operands = cli_arguments(c, argc, argv, options, NULL);
    if (operands.count != 2) {
        cli_fail(c, "an operation and X are needed");
    }
    fp8mac_rows_desc desc = describe(c, operands, &o);
    run(c, &desc, &o);
}
