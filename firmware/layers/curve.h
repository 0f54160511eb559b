// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of FP32 tensors, as fp8mac/function.h defines them.
#ifndef FP8RT_LAYERS_CURVE_H
#define FP8RT_LAYERS_CURVE_H

#include "layer.h"

typedef struct fp8rt_curve {
    fp8mac_rows_operation operation; // FP8MAC_ROWS_SIGMOID, FP8MAC_ROWS_TANH
    fp8rt_tensor x, out;             // FP32 without a scale, equal sizes; out may be x
} fp8rt_curve;

enum { FP8RT_CURVES = 3 };

// Up to FP8RT_CURVES of them: a command each, or one part of the core, which computes the same
// bytes, where the accelerator has no row commands.
fp8rt_status fp8rt_layer_curves(fp8rt_run *run, const fp8rt_curve *curves, uint32_t count);

#endif
