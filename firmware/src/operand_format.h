// SPDX-License-Identifier: Apache-2.0
// The fields of MODE for the formats of A and B. A narrow format has a bit of its own beside the code,
// and so has INT8.
#ifndef FP8RT_OPERAND_FORMAT_H
#define FP8RT_OPERAND_FORMAT_H

#include <stdbool.h>

#include "fp8mac/format.h"
#include "fp8rt/registers.h"

// All fields of A's format, and of B's
#define FP8RT_MODE_A_FORMAT (FP8RT_BIT(MODE__A_FMT) | FP8RT_BIT(MODE__A_NARROW))
#define FP8RT_MODE_B_FORMAT (FP8RT_BIT(MODE__B_FMT) | FP8RT_BIT(MODE__B_NARROW))

// The code of INT8 beside those of the narrow formats
enum { FP8RT_CODE_INT8 = 3 };

static inline uint32_t fp8rt_operand_code(fp8mac_format_id format)
{
    if (format == FP8MAC_INT8) {
        return FP8RT_CODE_INT8;
    }
    return format > FP8MAC_E5M2FNUZ ? format - FP8MAC_E3M2FN : format;
}

// The formats are legal: see fp8rt_element_takes.
static inline uint32_t fp8rt_mode_formats(fp8mac_format_id a, fp8mac_format_id b)
{
    return FP8RT_PUT(MODE__A_FMT, fp8rt_operand_code(a)) |
           FP8RT_PUT(MODE__B_FMT, fp8rt_operand_code(b)) |
           FP8RT_PUT(MODE__A_NARROW, a > FP8MAC_E5M2FNUZ) |
           FP8RT_PUT(MODE__B_NARROW, b > FP8MAC_E5M2FNUZ);
}

static inline fp8mac_format_id fp8rt_format_of_code(bool narrow, uint32_t code)
{
    if (narrow && code == FP8RT_CODE_INT8) {
        return FP8MAC_INT8;
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
