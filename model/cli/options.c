// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <stdlib.h>
#include <string.h>

mode options_mode(cli *c, const fp8mac_format *format, mode_options options)
{
    char message[SETTINGS_MESSAGE];
    mode how = {
        {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE}, 0, FP8MAC_GENERATOR_THREEFRY};
    if (options.rounding != NULL &&
        !settings_rounding(&how.convert.rounding, options.rounding, message)) {
        cli_fail(c, "%s", message);
    }
    if (options.overflow != NULL &&
        !settings_overflow(&how.convert.overflow, options.overflow, message)) {
        cli_fail(c, "%s", message);
    }
    if (options.generator != NULL &&
        !settings_generator(&how.generator, options.generator, message)) {
        cli_fail(c, "%s", message);
    }
    bool stochastic = how.convert.rounding == FP8MAC_ROUND_STOCHASTIC;
    uint64_t bits = stochastic ? 16 : 0;
    if (options.random_bits != NULL &&
        !settings_number(options.random_bits, FP8MAC_RANDOM_BITS_MAX, &bits)) {
        cli_fail(c, "random-bits '%.60s' is not a whole number in 1..24", options.random_bits);
    }
    how.random_bits = (unsigned)bits;
    if (format != NULL &&
        !settings_check_mode(format, how.convert, how.random_bits, how.generator, message)) {
        cli_fail(c, "%s", message);
    }
    return how;
}

const fp8mac_format *options_format(cli *c, const char *name, bool float64_too)
{
    if (float64_too && (strcmp(name, "float64") == 0 || strcmp(name, "fp64") == 0)) {
        return NULL;
    }
    char message[SETTINGS_MESSAGE];
    fp8mac_format *format = cli_alloc(c, 1, sizeof *format);
    if (!settings_format(format, name, message)) {
        cli_fail(c, "%s%s", message,
                 float64_too && strstr(message, "choose from") != NULL ? ", float64" : "");
    }
    return format;
}

double options_number(cli *c, const char *what, const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end != '\0') {
        cli_fail(c, "%s '%.60s' is not a number", what, text);
    }
    return x;
}

float options_scale(cli *c, const char *what, const char *text)
{
    char message[SETTINGS_MESSAGE];
    float scale = (float)options_number(c, what, text);
    if (!settings_scale(scale, what, message)) {
        cli_fail(c, "%s", message);
    }
    return scale;
}

void options_check(cli *c, const settings *s)
{
    char message[SETTINGS_MESSAGE];
    if (!settings_check(s, message)) {
        cli_fail(c, "%s", message);
    }
}

void options_check_k(cli *c, const settings *s, size_t k)
{
    char message[SETTINGS_MESSAGE];
    if (!settings_check_k(s, k, message)) {
        cli_fail(c, "%s", message);
    }
}

array options_acc(cli *c, const settings *s, const char *operand)
{
    const fp8mac_format *format = fp8mac_acc_loaded_format(&s->config);
    if (format == NULL) {
        cli_fail(c, "fixed and int32 accumulators cannot be loaded");
    }
    array in = array_read(c, operand, format);
    return convert_operand(c, &in, format);
}

bool same_format(const fp8mac_format *a, const fp8mac_format *b)
{
    return a != NULL && b != NULL && strcmp(a->name, b->name) == 0 && a->bias == b->bias;
}

static void check_status(cli *c, fp8mac_status status)
{
    if (status != FP8MAC_OK) {
        cli_fail(c, "%s", fp8mac_status_string(status));
    }
}

static void store(array *to, size_t i, uint32_t code)
{
    uint8_t u1 = (uint8_t)code;
    uint16_t u2 = (uint16_t)code;
    unsigned bytes = fp8mac_format_bytes(to->format);
    memcpy((char *)to->data + i * bytes,
           bytes == 1   ? (void *)&u1
           : bytes == 2 ? (void *)&u2
                        : (void *)&code,
           bytes);
}

// From doubles, with the bits that fp8mac_convert_stochastic draws for the same positions.
static void stochastic_from_double(array *to, const array *from, mode how, uint64_t seed,
                                   fp8mac_flags *flags)
{
    for (size_t i = 0; i < from->count; i++) {
        uint32_t m = (uint32_t)((uint64_t)i >> 32), n = (uint32_t)i;
        uint32_t r =
            how.generator == FP8MAC_GENERATOR_SIMON
                ? fp8mac_simon_bits(seed, m, n, how.random_bits)
                : fp8mac_random_bits(seed, m, n, 0, FP8MAC_RANDOM_CONVERT, how.random_bits);
        fp8mac_value value = fp8mac_value_from_double(array_value(from, i));
        store(to, i,
              fp8mac_encode_stochastic(to->format, value, how.convert.overflow, r, how.random_bits,
                                       flags));
    }
}

array convert_array(cli *c, const array *from, const fp8mac_format *format, mode how, uint64_t seed,
                    fp8mac_flags *flags)
{
    array to = array_of(c, format, from);
    bool stochastic = how.convert.rounding == FP8MAC_ROUND_STOCHASTIC;
    if (format == NULL && from->format == NULL) {
        memcpy(to.data, from->data, from->count * 8);
    } else if (format == NULL) {
        check_status(c, fp8mac_convert_to_double(to.data, from->format, from->data, from->count));
    } else if (from->format == NULL && stochastic) {
        stochastic_from_double(&to, from, how, seed, flags);
    } else if (from->format == NULL) {
        check_status(c, fp8mac_convert_from_double(format, to.data, from->data, from->count,
                                                   how.convert, flags));
    } else if (stochastic) {
        fp8mac_random_source source = {
            .bits = how.random_bits, .seed = seed, .generator = how.generator};
        check_status(c,
                     fp8mac_convert_stochastic(format, to.data, from->format, from->data,
                                               from->count, how.convert.overflow, &source, flags));
    } else {
        check_status(c, fp8mac_convert(format, to.data, from->format, from->data, from->count,
                                       how.convert, flags));
    }
    return to;
}

array convert_operand(cli *c, const array *from, const fp8mac_format *format)
{
    if (same_format(from->format, format)) {
        return *from;
    }
    return convert_array(c, from, format,
                         (mode){.convert = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE}},
                         0, NULL);
}

// ---- matrices and the epilogue ------------------------------------------------------------------

matrix options_matrix_from(array codes)
{
    if (codes.dims == 2) {
        return (matrix){codes.shape[0], codes.shape[1], codes.data};
    }
    return codes.column ? (matrix){codes.count, 1, codes.data}
                        : (matrix){1, codes.count, codes.data};
}

matrix options_matrix(cli *c, const char *operand, const fp8mac_format *row)
{
    array in = array_read(c, operand, row);
    return options_matrix_from(convert_operand(c, &in, row));
}

array options_floats(cli *c, const char *operand, const char *what, size_t rows, bool one_too)
{
    const fp8mac_format *fp32 = fp8mac_format_get(FP8MAC_FP32);
    array in = array_read(c, operand, fp32);
    array out = convert_operand(c, &in, fp32);
    if (out.count != rows && !(one_too && out.count == 1)) {
        cli_fail(c, "the lengths disagree: %s has %zu values and must have %s%zu", what, out.count,
                 one_too ? "1 or " : "", rows);
    }
    return out;
}

activation_option options_activation(cli *c, const char *text)
{
    static const char *const words[] = {FP8MAC_ACT_EACH(OPTIONS_WORD)};
    float low, high;
    char rest;
    for (unsigned i = 0; i < FP8MAC_ACTIVATIONS; i++) {
        if (i != FP8MAC_ACT_CLAMP && strcmp(text == NULL ? words[0] : text, words[i]) == 0) {
            return (activation_option){(fp8mac_activation)i, 0, 0};
        }
    }
    if (sscanf(text, "clamp:%f,%f%c", &low, &high, &rest) == 2) {
        return (activation_option){FP8MAC_ACT_CLAMP, low, high};
    }
    cli_fail(c,
             "activation '%.60s' is unknown; choose from " FP8MAC_ACT_WORDS
             ". A clamp has bounds: clamp:LOW,HIGH",
             text);
}

const fp8mac_format *options_result_format(cli *c, const char *name, bool is_c)
{
    const fp8mac_format *format = options_format(c, name == NULL ? "float32" : name, false);
    char message[SETTINGS_MESSAGE];
    if (!settings_check_format(format, is_c, message)) {
        cli_fail(c, "%s", message);
    }
    return format;
}

void options_report(cli *c, const fp8mac_gemm_result *result)
{
    array_report_flags(c, result->flags);
    fprintf(c->err, "amax: %.9g%s\n", (double)result->amax,
            result->amax_nonfinite ? ", and an output that is not finite" : "");
}
