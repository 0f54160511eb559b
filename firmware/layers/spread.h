// SPDX-License-Identifier: Apache-2.0
// One scale for many rows.
#ifndef FP8RT_LAYERS_SPREAD_H
#define FP8RT_LAYERS_SPREAD_H

#include "layer.h"

// Writes `count` copies of the scale at `from`, which is at a beat as `to` is.
fp8rt_status fp8rt_layer_spread(fp8rt_run *run, const float *from, float *to, uint32_t count);

#endif
