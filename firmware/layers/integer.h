// SPDX-License-Identifier: Apache-2.0
// What the layers of whole numbers have in common.
#ifndef FP8RT_LAYERS_INTEGER_H
#define FP8RT_LAYERS_INTEGER_H

#include "fp8rt/integer.h"
#include "gemm_regions.h"
#include "layer.h"
#include "record.h"

// A tensor of codes: as fp8rt_layer_check, and FP8RT_ERR_UNSUPPORTED, if the accelerator does not requantise.
fp8rt_status fp8rt_int_check_named(fp8rt_run *run, const fp8rt_tensor *tensor, const char *name);
#define fp8rt_int_check(run, tensor) fp8rt_int_check_named(run, tensor, #tensor)

// Whether out may be written while x is read: they share no memory, or all of it.
fp8rt_status fp8rt_int_check_overlap(const fp8rt_run *run, const fp8rt_tensor *x,
                                     const fp8rt_tensor *out, bool in_place);

static inline bool fp8rt_int_is_scale(fp8mac_int_scale scale, int32_t most)
{
    return scale.multiplier >= 0 && scale.shift >= FP8MAC_SHIFT_LEAST && scale.shift <= most;
}

static inline int8_t fp8rt_int_clamp(int64_t x, int8_t lo, int8_t hi)
{
    return (int8_t)(x < lo ? lo : x > hi ? hi : x);
}

#endif
