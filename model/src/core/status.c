// SPDX-License-Identifier: Apache-2.0
#include "core/internal.h"

const char *fp8mac_status_string(fp8mac_status status)
{
    switch (status) {
    case FP8MAC_OK: return "Success.";
    case FP8MAC_ERR_NULL: return "A required pointer is NULL.";
    case FP8MAC_ERR_FORMAT: return "A format is missing, malformed, or not usable in this place.";
    case FP8MAC_ERR_ROUNDING:
        return "The rounding mode is unknown, or its random bits are out of range.";
    case FP8MAC_ERR_OVERFLOW_MODE:
        return "The overflow mode is unknown, or not possible for this format.";
    case FP8MAC_ERR_ACCUMULATOR:
        return "The accumulator is unknown, or not usable with these operands and options.";
    case FP8MAC_ERR_GROUP:
        return "The group is out of range, or more terms are present than it holds.";
    case FP8MAC_ERR_SCALE_EXPONENT:
        return "A scaling exponent is outside -32..+32 or changed during a sum, or a product "
               "exceeds the static exponent.";
    case FP8MAC_ERR_SCALE:
        return "A scale is not finite and greater than zero, or its mode is unknown.";
    case FP8MAC_ERR_SHAPE: return "A dimension is zero or too large.";
    case FP8MAC_ERR_STRIDE: return "A leading stride is shorter than its row, or too large.";
    case FP8MAC_ERR_K_LIMIT:
        return "K exceeds what the accumulator can sum without overflow: 2^guard_bits for fixed, "
               "131071 for "
               "int32.";
    case FP8MAC_ERR_ACTIVATION:
        return "The activation is unknown, or its bounds are not finite and ordered.";
    case FP8MAC_ERR_UNSUPPORTED: return "The request is valid, but not implemented in this build.";
    case FP8MAC_ERR_PRESET: return "The preset or kind of element does not exist.";
    case FP8MAC_ERR_OVERLAP: return "The output overlaps an input.";
    case FP8MAC_ERR_CONFIG: return "A parameter of the accelerator is out of its range.";
    case FP8MAC_ERR_COMMAND: return "The accelerator refuses this command.";
    }
    return "Unknown status.";
}
