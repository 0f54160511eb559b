// SPDX-License-Identifier: Apache-2.0
// Arrays of codes or values, as the tool holds them.
#ifndef FP8MAC_CLI_ARRAY_H
#define FP8MAC_CLI_ARRAY_H

#include "cli.h"

enum { ARRAY_DIMS = 2 };

typedef struct array {
    const fp8mac_format *format;    // of `data`, in its containers; NULL: doubles
    size_t dims, shape[ARRAY_DIMS]; // C order; no dimension is a single number
    size_t count;
    bool column; // one dimension, one number per line as text
    void *data;
    const char *origin; // its name in messages
} array;

// An array of `format` in the shape of another array. All elements are zero.
array array_of(cli *c, const fp8mac_format *format, const array *shape);
// Bytes of one element: the format's container, or 8 for doubles.
unsigned array_element_bytes(const fp8mac_format *format);
// The value of element i.
double array_value(const array *a, size_t i);
// The code of element i. The array has a format.
uint32_t array_code(const array *a, size_t i);

#endif
