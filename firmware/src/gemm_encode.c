// SPDX-License-Identifier: Apache-2.0
// The command of a plan, as the accelerator reads it: all that is known before the run.
#include "gemm_encode.h"

#include "backend.h"
#include "coding.h"
#include "fp32_bits.h"
#include "fp8rt/registers.h"
#include "gemm_image.h"
#include "gemm_regions.h"
#include "gemm_tiles.h"
#include "operand_format.h"

// Whether the command has an extension
static bool is_extended(const fp8rt_gemm_desc *desc)
{
    return fp8rt_gemm_reads_c(desc) || fp8rt_gemm_has_mx(desc) || fp8rt_has_image(desc) ||
           fp8rt_coding_extends(&desc->coding);
}

static uint32_t mode_of(const fp8rt_gemm_desc *desc)
{
    return FP8RT_MODE_OPERAND(A, desc->a) | FP8RT_MODE_OPERAND(B, desc->b) |
           FP8RT_PUT(MODE__ACC_FMT, desc->acc_format == FP8MAC_ACC_FP16) |
           FP8RT_PUT(MODE__D_FMT, desc->d_format) | FP8RT_PUT(MODE__OVERFLOW, desc->overflow) |
           FP8RT_PUT(MODE__ACT, desc->activation) | FP8RT_PUT(MODE__BIAS_EN, desc->bias != NULL) |
           FP8RT_PUT(MODE__AFTER, (desc->flags & FP8RT_GEMM_WAIT_STORES) != 0) |
           FP8RT_PUT(MODE__EXTENDED, is_extended(desc)) |
           FP8RT_PUT(MODE__PASS_SHAPE, FP8RT_PASS_SHAPE_AUTOMATIC);
}

static uint32_t image_operation(const fp8rt_image *image)
{
    return FP8RT_BIT(OPERATION__CONV_A) | FP8RT_PUT(OPERATION__DEPTHWISE, image->depthwise) |
           FP8RT_PUT(OPERATION__PAIRS, image->pairs);
}

static uint32_t operation_of(const fp8rt_gemm_desc *desc)
{
    return FP8RT_PUT(OPERATION__C_EN, fp8rt_gemm_reads_c(desc)) |
           FP8RT_PUT(OPERATION__C_FMT, fp8rt_gemm_reads_c(desc) ? desc->c_format : 0) |
           FP8RT_PUT(OPERATION__MX, fp8rt_gemm_has_mx(desc)) |
           (fp8rt_has_image(desc) ? image_operation(&desc->image) : 0) |
           fp8rt_coding_operation(&desc->coding);
}

// A vector in place, or a scale of 1. Others are known at the run.
static uintptr_t scale_word(const fp8mac_scale *scale)
{
    const float *vector = fp8rt_scale_vector(scale);
    return vector != NULL ? (uintptr_t)vector : FP8RT_FP32_ONE;
}

static fp8rt_command_operand command_operand(const fp8rt_operand *x)
{
    return (fp8rt_command_operand){
        .address = (uintptr_t)x->codes,
        .stride = x->stride,
        .mx = (uintptr_t)x->mx,
        .mx_stride = x->mx_stride,
        .scale = scale_word(&x->scale),
        .scale_exp = (int8_t)x->scale_exp,
    };
}

// Two's complement
static uint32_t integer(int8_t x)
{
    return (uint32_t)(int32_t)x;
}

// Integers in the place of the FP32 numbers that finish an output
static void encode_requantise(const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    const fp8rt_requantise *r = &desc->requantise;
    command->mode |= FP8RT_PUT(MODE__SCALE_B_VEC, r->scales != NULL) |
                     FP8RT_PUT(MODE__BIAS_EN, r->bias != NULL) |
                     FP8RT_PUT(MODE__ACT, r->scales != NULL ? FP8MAC_ACT_CLAMP : FP8MAC_ACT_NONE);
    command->a.scale = 0;
    command->b.scale = (uintptr_t)r->scales;
    command->bias = (uintptr_t)r->bias;
    command->scale_d = integer(r->zero_point);
    command->clamp_lo = integer(r->lo);
    command->clamp_hi = integer(r->hi);
}

void fp8rt_gemm_encode(const fp8rt_caps *caps, fp8rt_gemm_plan *plan)
{
    const fp8rt_gemm_desc *desc = &plan->desc;
    const fp8rt_gemm_tiles *tiles = &plan->tiles;
    fp8rt_command command = {
        .a = command_operand(&desc->a),
        .b = command_operand(&desc->b),
        .d = (uintptr_t)desc->d,
        .d_stride = desc->d_stride,
        .m = desc->m,
        .n = desc->n,
        .k = desc->k,
        .tile_m = tiles->m,
        .tile_n = tiles->n,
        .tile_k = tiles->k,
        .first_k = tiles->first_k,
        .mode = mode_of(desc) | FP8RT_PUT(MODE__B_RESIDENT, tiles->b_resident),
        .clamp_lo = fp8rt_fp32_bits(desc->clamp_lo),
        .clamp_hi = fp8rt_fp32_bits(desc->clamp_hi),
        .operation = operation_of(desc),
        .c = (uintptr_t)desc->c,
        .c_stride = desc->c_stride,
        .beta = fp8rt_fp32_bits(desc->beta),
        .seed = desc->coding.seed,
        .bias = (uintptr_t)desc->bias,
        .scale_d = FP8RT_FP32_ONE,
    };
    if (fp8rt_has_image(desc)) {
        fp8rt_image_words(&desc->image, command.conv);
        if (fp8rt_has_pairs(desc)) { // rows that have the result of a second line
            command.c_stride = fp8rt_image_seconds(&desc->image, desc->m);
        }
    }
    if (fp8rt_gemm_requantises(caps)) {
        encode_requantise(desc, &command);
    }
    fp8rt_backend_encode(&command, &plan->descriptor);
}
