// SPDX-License-Identifier: Apache-2.0
// What train.py and the application itself write for the transformer.
#ifndef DIGITS_TRANSFORMER_H
#define DIGITS_TRANSFORMER_H

#include "digits_layered.h"

enum { DIGITS_TRANSFORMER_LAYERS = 12 };

typedef struct digits_transformer {
    fp8rt_weights embed, query, key, value, output, up, down, classes;
    const float *positions; // tokens x width
    const float *norm1_gamma, *norm1_beta, *norm2_gamma, *norm2_beta;
    // Of the tensors over the training images; `stream` behind the block
    float norm1_amax, query_amax, key_amax, value_amax, mixed_amax, norm2_amax, hidden_amax,
        stream_amax;
    digits_float32_answers float32;
} digits_transformer;

extern const digits_transformer digits_transformer_data;
extern const uint16_t digits_transformer_hashes[DIGITS_IMAGES * DIGITS_TRANSFORMER_LAYERS];

#endif
