// SPDX-License-Identifier: Apache-2.0
// The regions that a GEMM reads and writes.
#ifndef FP8RT_GEMM_REGIONS_H
#define FP8RT_GEMM_REGIONS_H

#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/mx.h"
#include "regions.h"

enum { FP8RT_GEMM_INPUTS = 9 }; // A, B, scales of A, B and D, bias, C, MX scales of A and B

// Whether the GEMM reads C. Plans ask several times.
static inline bool fp8rt_gemm_reads_c(const fp8rt_gemm_desc *desc)
{
    return !fp8rt_fp32_is_zero(fp8rt_fp32_bits(desc->beta));
}

static inline bool fp8rt_gemm_has_mx(const fp8rt_gemm_desc *desc)
{
    return desc->a.mx != NULL;
}

static inline uint32_t fp8rt_gemm_d_bytes(const fp8rt_gemm_desc *desc)
{
    return fp8mac_format_bytes(fp8mac_format_get(desc->d_format));
}

static inline uint32_t fp8rt_gemm_c_bytes(const fp8rt_gemm_desc *desc)
{
    return fp8mac_format_bytes(fp8mac_format_get(desc->c_format));
}

static inline bool fp8rt_gemm_requantises(const fp8rt_caps *caps)
{
    return (caps->functions & FP8RT_FUNCTION_REQUANTISE) != 0;
}

// Of floats or of INT32; NULL: none
static inline const void *fp8rt_gemm_bias(const fp8rt_gemm_desc *desc)
{
    return desc->bias != NULL ? (const void *)desc->bias : desc->requantise.bias;
}

// NULL: not a vector
static inline const float *fp8rt_scale_vector(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_VECTOR ? scale->values : NULL;
}

// The stride matters only if there is a second row.
static inline bool fp8rt_is_aligned(const fp8rt_caps *caps, const void *address, uint32_t rows,
                                    uint32_t stride)
{
    return (((uintptr_t)address | (rows > 1 ? stride : 0)) & (caps->beat_bytes - 1u)) == 0;
}

// The regions that belong to A (or to its image), to B with the bias, and C; and their number. The
// descriptor is as below. With FP8MAC_SCALE_TENSOR the scale is one float.
enum { FP8RT_SIDE_INPUTS = 4 };
unsigned fp8rt_gemm_a_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_SIDE_INPUTS]);
unsigned fp8rt_gemm_b_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_SIDE_INPUTS]);
fp8rt_region fp8rt_gemm_c_input(const fp8rt_gemm_desc *desc);

// The regions that the GEMM reads, and their number, without the scratch and a C in the place of D. The descriptor has no
// NULL where a value is needed, sizes of at least 1, and strides.
unsigned fp8rt_gemm_inputs(const fp8rt_gemm_desc *desc, fp8rt_region list[FP8RT_GEMM_INPUTS]);

fp8rt_region fp8rt_gemm_output(const fp8rt_gemm_desc *desc);

#endif
