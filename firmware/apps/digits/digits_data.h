// SPDX-License-Identifier: Apache-2.0
// The network and the test images that train.py makes. Everything is aligned for the accelerator's
// bus.
#ifndef DIGITS_DATA_H
#define DIGITS_DATA_H

#include <stdint.h>

#define DIGITS_LAYERS 3
#define DIGITS_IMAGES 540
#define DIGITS_PIXELS 64       // of an image; the first layer's k
#define DIGITS_PIXEL_EXP (-4)  // the network sees pixel * 2^-4
#define DIGITS_CLASSES 10      // the last layer's n
#define DIGITS_WEIGHT_EXP (-8) // the b.scale_exp for which scale_b is computed

// The weights in one format: n rows of k codes, and n dequantising scales
typedef struct digits_weights {
    const uint8_t *codes;
    const float *scale_b;
} digits_weights;

// out = in * W^T + bias, then ReLU in all layers but the last. W is 2^DIGITS_WEIGHT_EXP * codes *
// scale_b in FP8, and codes * scale_b in INT8.
typedef struct digits_layer {
    uint32_t n, k;
    digits_weights fp8, int8; // e4m3fn, and two's complement, of the same float32 weights
    const float *bias;        // n
    float calibration_amax;   // largest output of this layer over the training images, in float32
} digits_layer;

extern const digits_layer digits_layers[DIGITS_LAYERS];
extern const uint8_t digits_images[DIGITS_IMAGES * DIGITS_PIXELS]; // pixels as e4m3fn codes
extern const uint8_t digits_labels[DIGITS_IMAGES];
extern const uint8_t digits_float32_predictions[DIGITS_IMAGES]; // of the network in float32

#endif
