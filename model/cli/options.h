// SPDX-License-Identifier: Apache-2.0
// What several subcommands read from their options.
#ifndef FP8MAC_CLI_OPTIONS_H
#define FP8MAC_CLI_OPTIONS_H

#include "array_io.h"

// A conversion as options give it; NULL is the default.
typedef struct mode_options {
    const char *rounding, *overflow, *random_bits;
} mode_options;

typedef struct mode {
    fp8mac_convert_mode convert;
    unsigned random_bits;
} mode;

mode options_mode(cli *c, const fp8mac_format *format, mode_options options);
// float64 is NULL; otherwise a format that lives as long as the run.
const fp8mac_format *options_format(cli *c, const char *name, bool float64_too);
double options_number(cli *c, const char *what, const char *text);
float options_scale(cli *c, const char *what, const char *text);
void options_check(cli *c, const settings *s);

// The array as codes of `format`: codes of that very format as they are, anything else converted
// once.
array convert_array(cli *c, const array *from, const fp8mac_format *format, mode how, uint64_t seed,
                    fp8mac_flags *flags);
// Values rounded to operands of a dot product: nearest even, saturated.
array convert_operand(cli *c, const array *from, const fp8mac_format *format);
bool same_format(const fp8mac_format *a, const fp8mac_format *b);

#endif
