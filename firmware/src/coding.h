// SPDX-License-Identifier: Apache-2.0
// How results become D: checks of what is common to all commands.
#ifndef FP8RT_CODING_H
#define FP8RT_CODING_H

#include "fp8mac/format.h"
#include "fp8rt/device.h"
#include "fp32_bits.h"

// Whether C, D or X may have this format. INT8 needs a function of the accelerator.
static inline bool fp8rt_is_result_format(const fp8rt_caps *caps, fp8mac_format_id format)
{
    return (unsigned)format < FP8MAC_ARRAY_FORMAT_COUNT &&
           (format != FP8MAC_INT8 || (caps->functions & FP8MAC_FUNCTION_INT8) != 0);
}

static inline bool fp8rt_is_overflow(fp8mac_overflow overflow, fp8mac_format_id d_format)
{
    return (unsigned)overflow < FP8MAC_OVERFLOWS &&
           (d_format != FP8MAC_INT8 || overflow == FP8MAC_OVERFLOW_SATURATE);
}

// `lo` and `hi` are the bounds of a clamp.
static inline bool fp8rt_is_activation(fp8mac_activation activation, float lo, float hi)
{
    if (activation != FP8MAC_ACT_CLAMP) {
        return (unsigned)activation < FP8MAC_ACTIVATIONS;
    }
    return fp8rt_fp32_is_interval(fp8rt_fp32_bits(lo), fp8rt_fp32_bits(hi));
}

// FP8RT_OK, FP8RT_ERR_UNSUPPORTED, FP8RT_ERR_FORMAT (a table, and D is neither FP8 nor INT8).
static inline fp8rt_status fp8rt_coding_check(const fp8rt_caps *caps, const fp8rt_coding *coding,
                                              fp8mac_format_id d_format)
{
    const uint32_t asked = (coding->stochastic ? FP8MAC_FUNCTION_STOCHASTIC : 0u) |
                           (coding->table != 0 ? FP8MAC_FUNCTION_TABLES : 0u);
    if ((asked & ~caps->functions) != 0 || coding->table > FP8RT_TABLES) {
        return FP8RT_ERR_UNSUPPORTED;
    }
    return coding->table != 0 && fp8mac_format_bytes(fp8mac_format_get(d_format)) != 1
               ? FP8RT_ERR_FORMAT
               : FP8RT_OK;
}

// Whether the command needs an extension for it.
static inline bool fp8rt_coding_extends(const fp8rt_coding *coding)
{
    return coding->stochastic || coding->table != 0;
}

#endif
