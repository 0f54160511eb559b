// SPDX-License-Identifier: Apache-2.0
// What train.py and the application itself write for the convolutional network.
#ifndef DIGITS_CNN_H
#define DIGITS_CNN_H

#include "digits_layered.h"

enum { DIGITS_CNN_LAYERS = 3 };

typedef struct digits_cnn {
    fp8rt_weights convolution1, convolution2, classes;
    float convolution1_amax, convolution2_amax; // of the outputs over the training images
    digits_float32_answers float32;
} digits_cnn;

extern const digits_cnn digits_cnn_data;
extern const uint16_t digits_cnn_hashes[DIGITS_IMAGES * DIGITS_CNN_LAYERS];

#endif
