// SPDX-License-Identifier: Apache-2.0
// Arrays as text: numbers between spaces or commas, one row per line.
#ifndef FP8MAC_CLI_TEXT_H
#define FP8MAC_CLI_TEXT_H

#include "array.h"

// All lines are the rows of one array. A single line, or one element per line, is a vector.
array text_parse(cli *c, const char *origin, const char *bytes, size_t size,
                 const fp8mac_format *codes);
// Two lines of numbers, codes of `first` and of `second`.
void text_parse_two(cli *c, const char *bytes, size_t size, const fp8mac_format *first,
                    const fp8mac_format *second, array arrays[2]);
// Values, or codes where the array has a format and `codes` is set.
void text_write(FILE *to, const array *a, bool codes);

#endif
