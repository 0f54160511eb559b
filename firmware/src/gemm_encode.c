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

// A vector may be in place. Its address counts only if there is one.
static inline __attribute__((always_inline)) void set_memory(const fp8rt_operand *x,
                                                             fp8mac_command_operand *to)
{
    to->addr = (uintptr_t)x->codes;
    to->stride = x->stride;
    to->scale = (uintptr_t)x->scale.values;
    to->scale_vec = x->scale.mode == FP8MAC_SCALE_VECTOR;
}

static inline void set_mx(const fp8rt_operand *x, fp8mac_command_operand *to)
{
    to->mx_addr = (uintptr_t)x->mx;
    to->mx_stride = x->mx_stride;
}

static inline void set_values(const fp8rt_operand *x, fp8mac_command_operand *to)
{
    to->scale_exp = (int8_t)x->scale_exp;
    fp8rt_set_format(to, x->format);
}

// Scales that are no vectors are known at the run.
static inline void set_scale(fp8mac_command_operand *to)
{
    if (!to->scale_vec) {
        to->scale = FP8RT_FP32_ONE;
    }
}

// Two's complement
static uint32_t integer(int8_t x)
{
    return (uint32_t)(int32_t)x;
}

// Integers in the place of the FP32 numbers that finish an output
static void set_requantise(const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    const fp8rt_requantise *r = &desc->requantise;
    command->b.scale_vec = r->scales != NULL;
    command->finish.bias_en = r->bias != NULL;
    command->finish.act = r->scales != NULL ? FP8MAC_ACT_CLAMP : FP8MAC_ACT_NONE;
    command->a.scale = 0;
    command->b.scale = (uintptr_t)r->scales;
    command->finish.bias = (uintptr_t)r->bias;
    command->d.scale = integer(r->zero_point);
    command->finish.clamp_lo = integer(r->lo);
    command->finish.clamp_hi = integer(r->hi);
}

static void set_image(const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    const fp8rt_image *image = &desc->image;
    command->mode.conv_a = true;
    command->mode.depthwise = image->depthwise;
    command->mode.pairs = image->pairs;
    fp8rt_image_command(image, &command->image);
    if (image->pairs) { // rows that have the result of a second line
        command->c.stride = fp8rt_image_seconds(image, desc->m);
    }
}

static void set_c(const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    command->c.en = true;
    command->c.fmt = (uint8_t)desc->c_format;
    command->c.addr = (uintptr_t)desc->c;
    command->c.stride = desc->c_stride;
    command->c.beta = fp8rt_fp32_bits(desc->beta);
}

void fp8rt_gemm_memory(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    command->mode = (fp8mac_command_mode){0};
    command->a.reuse = command->b.reuse = false;
    command->c.en = command->table.load = false;
    command->d.addr = (uintptr_t)desc->d;
    command->d.stride = desc->d_stride;
    command->d.fmt = (uint8_t)desc->d_format;
    command->m = desc->m;
    command->n = desc->n;
    command->k = desc->k;
    command->finish.bias_en = desc->bias != NULL;
    command->finish.bias = (uintptr_t)desc->bias;
    set_memory(&desc->a, &command->a);
    set_memory(&desc->b, &command->b);
    if (fp8rt_gemm_has_mx(desc)) {
        command->mode.mx = true;
        set_mx(&desc->a, &command->a);
        set_mx(&desc->b, &command->b);
    }
    if (fp8rt_gemm_reads_c(desc)) {
        set_c(desc, command);
    }
    if (fp8rt_has_image(desc)) {
        set_image(desc, command);
    }
    if (fp8rt_gemm_requantises(caps)) {
        set_requantise(desc, command);
    }
}

void fp8rt_gemm_command(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc, fp8rt_command *command)
{
    const bool extended = is_extended(desc);
    if (extended) {
        fp8mac_command_clear_extension(command);
    }
    fp8rt_gemm_memory(caps, desc, command);
    set_values(&desc->a, &command->a);
    set_values(&desc->b, &command->b);
    command->tag = 0;
    command->more = command->pause = false;
    command->mode.extended = extended;
    command->mode.acc_fmt = desc->acc_format == FP8MAC_ACC_FP16;
    command->mode.after = (desc->flags & FP8RT_GEMM_WAIT_STORES) != 0;
    command->mode.pass_shape = FP8MAC_PASS_AUTOMATIC;
    command->finish.overflow = (uint8_t)desc->overflow;
    command->finish.stochastic = desc->coding.stochastic;
    command->finish.act_table = (uint8_t)desc->coding.table;
    command->finish.seed = desc->coding.seed;
    if (!fp8rt_gemm_requantises(caps)) {
        set_scale(&command->a);
        set_scale(&command->b);
        command->d.scale = FP8RT_FP32_ONE;
        command->finish.act = (uint8_t)desc->activation;
        command->finish.clamp_lo = fp8rt_fp32_bits(desc->clamp_lo);
        command->finish.clamp_hi = fp8rt_fp32_bits(desc->clamp_hi);
    }
}

void fp8rt_gemm_encode(fp8rt_gemm_plan *plan, fp8rt_command *command)
{
    const fp8rt_gemm_tiles *tiles = &plan->tiles;
    command->tile = (fp8mac_command_tile){tiles->m, tiles->n, tiles->k, tiles->first_k};
    command->mode.b_resident = tiles->b_resident;
    fp8rt_backend_encode(command, &plan->descriptor);
}
