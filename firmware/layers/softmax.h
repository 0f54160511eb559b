// SPDX-License-Identifier: Apache-2.0
// What softmax and attention have in common.
#ifndef FP8RT_LAYERS_SOFTMAX_H
#define FP8RT_LAYERS_SOFTMAX_H

#include "layer.h"

// The scale of weights from 0 to 1: in FP8, the largest power of two of the format stands for 1, in
// INT8 the largest number.
static inline float fp8rt_softmax_unit(fp8mac_format_id format)
{
    if (format == FP8MAC_INT8) {
        return fp8mac_recipe_inverse(127.0f);
    }
    if (format > FP8MAC_E5M2FNUZ) {
        return 1.0f;
    }
    return fp8mac_recipe_power_of_two(
        -fp8mac_recipe_floor_log2(fp8mac_recipe_format_max(fp8mac_format_get(format))));
}

#endif
