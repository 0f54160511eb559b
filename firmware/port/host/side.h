// SPDX-License-Identifier: Apache-2.0
// What belongs to one operand of a command. Functions that look at an operand are called for A and for B.
#ifndef FP8RT_HOST_SIDE_H
#define FP8RT_HOST_SIDE_H

#include "fp8mac/requantise.h"
#include "operand_format.h"
#include "walk.h"

// An operand of a command, with what MODE says of it
typedef struct fp8rt_host_side {
    bool is_b;
    const fp8rt_command_operand *operand;
    uint32_t rows;      // m or n
    uint32_t code_rows; // of codes: B has two for each column of D, with pairs
    fp8mac_format_id format;
    bool reused, scale_is_vector;
} fp8rt_host_side;

static inline fp8rt_host_side fp8rt_host_a(const fp8rt_command *command)
{
    return (fp8rt_host_side){
        .operand = &command->a,
        .rows = command->m,
        .code_rows = command->m,
        .format = fp8rt_mode_a_format(command->mode),
        .reused = fp8rt_host_has(command, FP8MAC_REGS__MODE__REUSE_A_bm),
        .scale_is_vector = fp8rt_host_has(command, FP8MAC_REGS__MODE__SCALE_A_VEC_bm),
    };
}

static inline fp8rt_host_side fp8rt_host_b(const fp8rt_command *command)
{
    return (fp8rt_host_side){
        .is_b = true,
        .operand = &command->b,
        .rows = command->n,
        .code_rows = fp8rt_host_columns(command),
        .format = fp8rt_mode_b_format(command->mode),
        .reused = fp8rt_host_has(command, FP8MAC_REGS__MODE__REUSE_B_bm),
        .scale_is_vector = fp8rt_host_has(command, FP8MAC_REGS__MODE__SCALE_B_VEC_bm),
    };
}

// Of a value in a vector of scales: those of B are a multiplier and a shift, where the accelerator requantises.
static inline uint32_t fp8rt_host_scale_bytes(const fp8rt_caps *caps, bool is_b)
{
    return is_b && (caps->functions & FP8RT_FUNCTION_REQUANTISE) != 0 ? sizeof(fp8mac_int_scale)
                                                                      : sizeof(float);
}

// The row RAMs of an operand's buffers
static inline uint32_t fp8rt_host_row_rams(const fp8rt_caps *caps, bool is_b)
{
    return is_b ? caps->cols : caps->rows;
}

#endif
