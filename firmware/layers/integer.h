// SPDX-License-Identifier: Apache-2.0
// What the integer layers have in common.
#ifndef FP8RT_LAYERS_INTEGER_H
#define FP8RT_LAYERS_INTEGER_H

#include "fp8rt/integer.h"
#include "gemm_regions.h"
#include "layer.h"
#include "record.h"

// A tensor of codes: as fp8rt_layer_check, and FP8RT_ERR_UNSUPPORTED, if the accelerator does not
// requantise.
fp8rt_status fp8rt_int_check_named(fp8rt_run *run, const fp8rt_tensor *tensor, const char *name);
#define fp8rt_int_check(run, tensor) fp8rt_int_check_named(run, tensor, #tensor)

// The input and the output of a layer, desc->x and desc->out
static inline fp8rt_status fp8rt_int_check_pair(fp8rt_run *run, const fp8rt_tensor *x,
                                                const fp8rt_tensor *out)
{
    const fp8rt_status status = fp8rt_int_check_named(run, x, "desc->x");
    return status == FP8RT_OK ? fp8rt_int_check_named(run, out, "desc->out") : status;
}

// Whether out may be written while x is read: they share no memory, or all of it.
fp8rt_status fp8rt_int_check_overlap(const fp8rt_run *run, const fp8rt_tensor *x,
                                     const fp8rt_tensor *out, bool in_place);

// The operands, the output and what finishes the sums of a product
fp8rt_status fp8rt_int_check_product(fp8rt_run *run, const fp8rt_tensor *x,
                                     const fp8rt_tensor *weights, const fp8rt_tensor *out,
                                     const fp8rt_int_finish *finish);

// One command: m rows of A, which is the matrix x or an image in it
typedef struct fp8rt_int_command {
    const uint8_t *x;
    uint32_t x_stride; // of lines, if there is an image
    fp8rt_image image;
    uint32_t m;
    const fp8rt_tensor *weights;
    fp8rt_requantise requantise;
    void *d;
    uint32_t d_stride;
    fp8mac_format_id d_format;
} fp8rt_int_command;

fp8rt_status fp8rt_int_multiply(fp8rt_run *run, const fp8rt_int_command *c);

static inline bool fp8rt_int_is_scale(fp8mac_int_scale scale, int32_t most)
{
    return scale.multiplier >= 0 && scale.shift >= FP8MAC_SHIFT_LEAST && scale.shift <= most;
}

static inline uint32_t fp8rt_int_magnitude(int32_t x)
{
    return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}

// fp8mac_int_scale_apply for shifts of 0 or less, without shifts of 64 bits by a
// variable: the core has none
static inline int32_t fp8rt_int_scaled(int32_t x, fp8mac_int_scale scale)
{
    const unsigned right = (unsigned)-scale.shift; // 0 to 31
    // floor((x * multiplier + 2^30) / 2^31), of the magnitude: a tie goes up, so a
    // negative one towards zero
    const uint64_t product = (uint64_t)fp8rt_int_magnitude(x) * (uint32_t)scale.multiplier;
    const uint32_t z = (uint32_t)((product + ((1u << 30) - (x < 0))) >> 31);
    const uint32_t q = right == 0 ? z : (z + (1u << (right - 1u))) >> right; // z is below 2^31
    return x < 0 ? -(int32_t)q : (int32_t)q;
}

static inline int8_t fp8rt_int_clamp(int32_t x, int8_t lo, int8_t hi)
{
    return (int8_t)(x < lo ? lo : x > hi ? hi : x);
}

#endif
