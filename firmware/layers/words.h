// SPDX-License-Identifier: Apache-2.0
// Layers that the core computes from FP32 to FP32, value by value.
#ifndef FP8RT_LAYERS_WORDS_H
#define FP8RT_LAYERS_WORDS_H

#include "layer.h"

// Both tensors are FP32 of one shape without scales, and `out` is apart from x or in its place.
fp8rt_status fp8rt_words_check(fp8rt_run *run, const fp8rt_tensor *x, const fp8rt_tensor *out);

#endif
