// SPDX-License-Identifier: Apache-2.0
// The weights before they were quantised, for tests on the host.
#ifndef DIGITS_FLOAT32_H
#define DIGITS_FLOAT32_H

#include "digits_data.h"

// FP32 bit patterns, n x k of each layer.
extern const uint32_t *const digits_float32_weights[DIGITS_LAYERS];

#endif
