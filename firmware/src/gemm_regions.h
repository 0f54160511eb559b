// SPDX-License-Identifier: Apache-2.0
// The regions that a GEMM reads and writes.
#ifndef FP8RT_GEMM_REGIONS_H
#define FP8RT_GEMM_REGIONS_H

#include "fp32_bits.h"
#include "fp8rt/gemm.h"
#include "fp8rt/mx.h"
#include "regions.h"

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
    return (caps->functions & FP8MAC_FUNCTION_REQUANTISE) != 0;
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

// Whether D of the command may lie where it does: its regions are within the address space, and D
// is where nothing is read, nor a single scale, which the core reads at the run. C may be D itself.
// FP8RT_OK, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP.
fp8rt_status fp8rt_gemm_check_regions(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                      const fp8rt_command *command);
// The same for a region beside all of them: scratch.
bool fp8rt_gemm_meets(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                      const fp8rt_region *other);

#endif
