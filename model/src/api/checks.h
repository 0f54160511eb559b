// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that GEMMs and row commands have in common.
#ifndef FP8MAC_API_CHECKS_H
#define FP8MAC_API_CHECKS_H

#include "core/internal.h"

// Whether it is one of the formats up to FP8MAC_INT8, which X, C and D may have.
bool fp8mac_is_array_format(const fp8mac_format *format);
// One of the four FP8 formats of the array
bool fp8mac_is_fp8_format(const fp8mac_format *format);

// Rows of `used` elements of `bytes` bytes, `stride` elements apart. `at` is NULL for an absent
// one.
typedef struct fp8mac_matrix {
    const void *at;
    size_t rows, used, stride;
    unsigned bytes;
} fp8mac_matrix;

// The stride and the whole matrix must fit a ptrdiff_t, as every object does.
fp8mac_status fp8mac_check_matrix(const fp8mac_matrix *x);
bool fp8mac_matrices_overlap(const fp8mac_matrix *x, const fp8mac_matrix *y);

// Every used value is finite and greater than 0.
fp8mac_status fp8mac_check_scale(fp8mac_scale scale, size_t rows);
fp8mac_status fp8mac_check_activation(fp8mac_activation activation, float lo, float hi);

#endif
