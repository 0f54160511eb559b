// SPDX-License-Identifier: Apache-2.0
// The fields of MODE for the operands A and B. A narrow format has a bit of its own beside the
// code, and so has INT8.
#ifndef FP8RT_OPERAND_FORMAT_H
#define FP8RT_OPERAND_FORMAT_H

#include <stdbool.h>

#include "fp8mac/command.h"
#include "fp8mac/format.h"
#include "fp8rt/element.h"
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

// The format of a command's operand, which is legal: see fp8rt_element_takes.
static inline void fp8rt_set_format(fp8mac_command_operand *x, fp8mac_format_id format)
{
    x->fmt = (uint8_t)fp8rt_operand_code(format);
    x->narrow = format > FP8MAC_E5M2FNUZ;
}

// Those of both, and the element's own accumulator
static inline void fp8rt_set_formats(fp8mac_command *c, const fp8rt_element *element,
                                     fp8mac_format_id a, fp8mac_format_id b)
{
    fp8rt_set_format(&c->a, a);
    fp8rt_set_format(&c->b, b);
    c->mode.acc_fmt = fp8rt_element_accumulator(element) == FP8MAC_ACC_FP16;
}

// The bits of the format of SIDE, A or B. It is legal: see fp8rt_element_takes.
#define FP8RT_MODE_FORMAT(SIDE, format)                                                            \
    (FP8RT_PUT(MODE__##SIDE##_FMT, fp8rt_operand_code(format)) |                                   \
     FP8RT_PUT(MODE__##SIDE##_NARROW, (format) > FP8MAC_E5M2FNUZ))
// All bits of an fp8rt_operand
#define FP8RT_MODE_OPERAND(SIDE, operand)                                                          \
    (FP8RT_MODE_FORMAT(SIDE, (operand).format) |                                                   \
     FP8RT_PUT(MODE__SCALE_##SIDE##_VEC, (operand).scale.mode == FP8MAC_SCALE_VECTOR))

static inline uint32_t fp8rt_mode_formats(fp8mac_format_id a, fp8mac_format_id b)
{
    return FP8RT_MODE_FORMAT(A, a) | FP8RT_MODE_FORMAT(B, b);
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
