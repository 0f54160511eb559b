// SPDX-License-Identifier: Apache-2.0
// Arrays that the tool reads and writes: text, or NumPy's .npy files.
#ifndef FP8MAC_CLI_ARRAY_IO_H
#define FP8MAC_CLI_ARRAY_IO_H

#include "array.h"

// The operand is a number, a list of numbers ("1,2,0.5" or "0x7e,0x01", where ';' ends a row), "-"
// for standard input, or a file. The first bytes of a file tell .npy from text, which has one row
// per line. Hexadecimal numbers without a point or exponent are codes of the format `codes`; other
// numbers are doubles. In .npy, u1, u2 and u4 are codes; f2, f4 and f8 are values. Malformed input
// is refused, and so are codes where `codes` is NULL.
array array_read(cli *c, const char *operand, const fp8mac_format *codes);
// The first and the second line of standard input.
void array_read_two(cli *c, const fp8mac_format *first, const fp8mac_format *second,
                    array arrays[2]);
// array_read of a file's bytes. The fuzzer calls it with arbitrary bytes.
array array_parse(cli *c, const char *origin, const char *bytes, size_t size,
                  const fp8mac_format *codes);

typedef struct array_output {
    const char *path; // NULL: standard output; a name that ends with .npy is one
    bool npy;         // .npy whatever the name
    bool codes;       // text: codes, not values
} array_output;

void array_write(cli *c, const array *a, const array_output *output);
// Prints the raised flags to err: "flags: overflow saturated" or "flags: none".
void array_report_flags(cli *c, fp8mac_flags flags);

#endif
