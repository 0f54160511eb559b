// SPDX-License-Identifier: Apache-2.0
// What the published recipes' sources share.
#ifndef FP8MAC_RECIPE_SHARED_H
#define FP8MAC_RECIPE_SHARED_H

#include "core/environment.h"
#include "core/internal.h"

#pragma GCC visibility push(default)
#include "fp8mac/recipe_published.h"
#pragma GCC visibility pop

static inline bool fp8mac_is_scale(float x)
{
    return fp8mac_fp32_is_scale(fp8mac_float_bits(x));
}

static inline bool fp8mac_is_nan(float x)
{
    return (fp8mac_float_bits(x) & 0x7fffffffu) > 0x7f800000u;
}

static inline float fp8mac_magnitude(float x)
{
    return fp8mac_float_from_bits(fp8mac_float_bits(x) & 0x7fffffffu);
}

#endif
