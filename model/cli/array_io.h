// SPDX-License-Identifier: Apache-2.0
// Arrays that the tool reads and writes, as text. Python's package takes NumPy's arrays.
#ifndef FP8MAC_CLI_ARRAY_IO_H
#define FP8MAC_CLI_ARRAY_IO_H

#include "array.h"

// The operand is a number, a list of numbers ("1,2,0.5" or "0x7e,0x01", where ';' ends a row), "-"
// for standard input, or a file with one row per line. Hexadecimal numbers without a point or
// exponent are codes of the format `codes`; other numbers are doubles. Malformed input is refused,
// and so are codes where `codes` is NULL.
array array_read(cli *c, const char *operand, const fp8mac_format *codes);
// The first and the second line of standard input.
void array_read_two(cli *c, const fp8mac_format *first, const fp8mac_format *second,
                    array arrays[2]);

typedef struct array_output {
    const char *path; // NULL: standard output. A name that ends with .npy is refused.
    bool codes;       // codes, not values
} array_output;

void array_write(cli *c, const array *a, const array_output *output);
// Prints the raised flags to err: "flags: overflow saturated" or "flags: none".
void array_report_flags(cli *c, fp8mac_flags flags);

#endif
