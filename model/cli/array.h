// SPDX-License-Identifier: Apache-2.0
// Arrays of codes or values that the tool reads and writes: text, or NumPy's .npy files.
#ifndef FP8MAC_CLI_ARRAY_H
#define FP8MAC_CLI_ARRAY_H

#include "cli.h"

enum { ARRAY_DIMS = 8 };

typedef struct array {
    const fp8mac_format *format;    // of `data`, in its containers; NULL: doubles
    size_t dims, shape[ARRAY_DIMS]; // C order; no dimension is a single number
    size_t count;
    bool column; // one dimension, of which text has one number a line
    void *data;
    const char *origin; // what a sentence calls it
} array;

// A number, a list of numbers ("1,2,0.5" or "0x7e,0x01", rows separated by ';'), "-" for standard
// input, or a file: .npy by its first bytes, otherwise text, a row a line. Hexadecimal numbers
// without a point or exponent are codes, of `codes`; other numbers are doubles. Codes in .npy are
// u1, u2 or u4; values f2, f4 or f8. Codes where `codes` is NULL, and what is malformed, are
// refused.
array array_read(cli *c, const char *operand, const fp8mac_format *codes);
// Two rows of equal role from standard input: the text's first and second line.
void array_read_two(cli *c, const fp8mac_format *first, const fp8mac_format *second,
                    array arrays[2]);
// As above from bytes, which the fuzzer calls with anything.
array array_parse(cli *c, const char *origin, const char *bytes, size_t size,
                  const fp8mac_format *codes);

array array_of(cli *c, const fp8mac_format *format, const array *shape);
// A float64 or, with a format, that format's code.
double array_value(const array *a, size_t i);
uint32_t array_code(const array *a, size_t i);

typedef struct array_output {
    const char *path; // NULL: standard output; a name that ends with .npy is one
    bool npy;         // .npy whatever the name
    bool codes;       // text: codes, not values
} array_output;

void array_write(cli *c, const array *a, const array_output *output);
// Raised flags to err: "flags: overflow saturated" or "flags: none".
void array_report_flags(cli *c, fp8mac_flags flags);

#endif
