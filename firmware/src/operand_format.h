// SPDX-License-Identifier: Apache-2.0
// The fields of MODE for the formats of A and B. A narrow format has a bit of its own beside the code.
#ifndef FP8RT_OPERAND_FORMAT_H
#define FP8RT_OPERAND_FORMAT_H

#include <stdbool.h>

#include "fp8mac/format.h"
#include "fp8rt/registers.h"

// All fields of A's format, and of B's
#define FP8RT_MODE_A_FORMAT (FP8RT_BIT(MODE__A_FMT) | FP8RT_BIT(MODE__A_NARROW))
#define FP8RT_MODE_B_FORMAT (FP8RT_BIT(MODE__B_FMT) | FP8RT_BIT(MODE__B_NARROW))

// The formats are legal: see fp8rt_element_takes.
static inline uint32_t fp8rt_mode_formats(fp8mac_format_id a, fp8mac_format_id b)
{
    const bool a_narrow = a >= FP8MAC_E3M2FN, b_narrow = b >= FP8MAC_E3M2FN;
    return FP8RT_PUT(MODE__A_FMT, a_narrow ? a - FP8MAC_E3M2FN : a) |
           FP8RT_PUT(MODE__B_FMT, b_narrow ? b - FP8MAC_E3M2FN : b) |
           FP8RT_PUT(MODE__A_NARROW, a_narrow) | FP8RT_PUT(MODE__B_NARROW, b_narrow);
}

// FP8MAC_FORMAT_COUNT for a reserved code.
static inline fp8mac_format_id fp8rt_format_of_code(bool narrow, uint32_t code)
{
    if (narrow && code > FP8MAC_E2M1FN - FP8MAC_E3M2FN) {
        return FP8MAC_FORMAT_COUNT;
    }
    return (fp8mac_format_id)(narrow ? FP8MAC_E3M2FN + code : code);
}

static inline fp8mac_format_id fp8rt_mode_a_format(uint32_t mode)
{
    return fp8rt_format_of_code(FP8RT_GET(MODE__A_NARROW, mode) != 0, FP8RT_GET(MODE__A_FMT, mode));
}

static inline fp8mac_format_id fp8rt_mode_b_format(uint32_t mode)
{
    return fp8rt_format_of_code(FP8RT_GET(MODE__B_NARROW, mode) != 0, FP8RT_GET(MODE__B_FMT, mode));
}

#endif
