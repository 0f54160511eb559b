// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands share.
#ifndef FP8MAC_CLI_OPTIONS_H
#define FP8MAC_CLI_OPTIONS_H

#include "array_io.h"

// The options of a conversion. NULL is the default.
typedef struct mode_options {
    const char *rounding, *overflow, *random_bits, *generator;
} mode_options;

typedef struct mode {
    fp8mac_convert_mode convert;
    unsigned random_bits;
    fp8mac_generator generator;
} mode;

mode options_mode(cli *c, const fp8mac_format *format, mode_options options);
// The format of that name, which lives as long as the run; NULL for float64.
const fp8mac_format *options_format(cli *c, const char *name, bool float64_too);
double options_number(cli *c, const char *what, const char *text);
float options_scale(cli *c, const char *what, const char *text);
void options_check(cli *c, const settings *s);

// The array as codes of `format`. Codes of this format stay as they are; anything else is converted
// once.
array convert_array(cli *c, const array *from, const fp8mac_format *format, mode how, uint64_t seed,
                    fp8mac_flags *flags);
// The array as operands of a dot product. Values are rounded to nearest even and saturated.
array convert_operand(cli *c, const array *from, const fp8mac_format *format);
// Accumulators to begin with: codes of the loaded format, or values, which are rounded to it.
array options_acc(cli *c, const settings *s, const char *operand);
void options_check_k(cli *c, const settings *s, size_t k);
bool same_format(const fp8mac_format *a, const fp8mac_format *b);

// An array as a matrix of codes. A list is one row; a file with one number a line is a column.
typedef struct matrix {
    size_t rows, columns;
    void *data;
} matrix;

matrix options_matrix_from(array codes);
matrix options_matrix(cli *c, const char *operand, const fp8mac_format *format);
// Floats for each of `rows`, or a single one.
array options_floats(cli *c, const char *operand, const char *what, size_t rows, bool one_too);

typedef struct activation_option {
    fp8mac_activation kind;
    float low, high;
} activation_option;

// NULL: none.
activation_option options_activation(cli *c, const char *text);
// The format of D, or of C. NULL: float32.
const fp8mac_format *options_result_format(cli *c, const char *name, bool is_c);
// Prints flags and amax to err.
void options_report(cli *c, const fp8mac_gemm_result *result);

#endif
