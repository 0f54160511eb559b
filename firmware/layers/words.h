// SPDX-License-Identifier: Apache-2.0
// Layers that the core computes from FP32 to FP32, value by value.
//
// A list waits for a call for 2^24 cycles only. So a layer is several calls, each of at most
// FP8RT_WORDS_OF_CALL values or one row.
#ifndef FP8RT_LAYERS_WORDS_H
#define FP8RT_LAYERS_WORDS_H

#include "layer.h"
#include "record.h"

enum { FP8RT_WORDS_OF_CALL = 8192 };

// What a call is given: rows of numbers, strides in numbers, and two numbers of the layer's own
typedef struct fp8rt_words {
    const float *x;
    float *out;
    uint32_t rows, cols, from_stride, to_stride;
    float a, b;
} fp8rt_words;

// `function` for all rows; it gets an fp8rt_words.
fp8rt_status fp8rt_words_run(fp8rt_run *run, fp8rt_core_function *function, const fp8rt_tensor *x,
                             const fp8rt_tensor *out, float a, float b);

// Both tensors are FP32 of one shape without scales, and `out` is apart from x or in its place.
fp8rt_status fp8rt_words_check(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);

#endif
