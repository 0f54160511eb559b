// SPDX-License-Identifier: Apache-2.0
// The formats of an accumulator.
#ifndef FP8MAC_CORE_ACCUMULATOR_H
#define FP8MAC_CORE_ACCUMULATOR_H

#include "core/internal.h"

enum { FP8MAC_GROUP_MAX = 1024 };

// The format that a floating-point accumulator is rounded to; NULL for FIXED and INT32.
const fp8mac_format *fp8mac_acc_rounded_format(fp8mac_acc_format acc_format);
// The format of the accumulator's code. It is the same format, but FP32 for E8M13; NULL for FIXED
// and INT32.
const fp8mac_format *fp8mac_acc_code_format(fp8mac_acc_format acc_format);

// The exponent of what multiplies every product, without block scales.
static inline int32_t fp8mac_dot_scale_exponent(const fp8mac_dot_config *config)
{
    return config->a.scale_exp + config->b.scale_exp - (int32_t)config->lscale;
}

// The value of min_exponent, which has two special ones. For floating-point accumulators.
int32_t fp8mac_acc_min_exponent(const fp8mac_dot_config *config);

#endif
