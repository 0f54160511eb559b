// SPDX-License-Identifier: Apache-2.0
#include "gemm_regions.h"

#include "gemm_encode.h"

// A scale that the core reads at the run; NULL: there is none.
static inline const float *single(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_TENSOR ? scale->values : NULL;
}

static inline fp8rt_region region_of(const float *scale)
{
    return (fp8rt_region){(uintptr_t)scale, 1, 0, sizeof *scale};
}

// Each element of C is then read before the element of D in its place is written.
static bool c_is_d(const fp8rt_command *c)
{
    return c->c.addr == c->d.addr && c->c.stride == c->d.stride && c->c.fmt == c->d.fmt;
}

// Whether a region that is read lies beside D: FP8RT_OK, FP8RT_ERR_STRIDE, FP8RT_ERR_OVERLAP. Few
// regions are as near as that.
static inline fp8rt_status beside(const fp8rt_region *d, uint32_t d_span, const fp8rt_region *r)
{
    const uint64_t span = fp8rt_region_span(r);
    if (span > fp8rt_address_room(r->address)) {
        return FP8RT_ERR_STRIDE;
    }
    const bool near =
        r->address - d->address <= d_span || d->address - r->address <= (uint32_t)span;
    return near && fp8rt_regions_overlap(d, r) ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

static inline bool has_singles(const fp8rt_gemm_desc *desc)
{
    return desc->a.scale.mode == FP8MAC_SCALE_TENSOR || desc->b.scale.mode == FP8MAC_SCALE_TENSOR ||
           desc->scale_d != NULL;
}

// Whether a single scale has bytes of a region. It ends within the address space, as each float
// does.
static __attribute__((noinline)) bool singles_meet(const fp8rt_gemm_desc *desc,
                                                   const fp8rt_region *r, uint32_t span)
{
    const float *const scales[] = {single(&desc->a.scale), single(&desc->b.scale), desc->scale_d};
    for (unsigned i = 0; i < sizeof scales / sizeof *scales; i++) {
        const uintptr_t at = (uintptr_t)scales[i];
        if (at != 0 && (at - r->address <= span || r->address - at < sizeof(float))) {
            const fp8rt_region scale = region_of(scales[i]);
            if (fp8rt_regions_overlap(r, &scale)) {
                return true;
            }
        }
    }
    return false;
}

fp8rt_status fp8rt_gemm_check_regions(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                      const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    const fp8mac_command_region *const end = list + fp8mac_product_extents(caps, command, list);
    const fp8rt_region *const d = &list->at;
    if (!fp8rt_region_fits(d)) {
        return FP8RT_ERR_STRIDE;
    }
    const uint32_t d_span = (uint32_t)fp8rt_region_span(d);
    fp8rt_status status = FP8RT_OK;
    for (const fp8mac_command_region *r = list + 1; r != end; r++) {
        const fp8rt_status one = beside(d, d_span, &r->at);
        if (one == FP8RT_ERR_STRIDE) {
            return one;
        }
        if (one != FP8RT_OK && (r->of != FP8MAC_REGION_C || !c_is_d(command))) {
            status = one;
        }
    }
    return has_singles(desc) && singles_meet(desc, d, d_span) ? FP8RT_ERR_OVERLAP : status;
}

__attribute__((cold)) // a scratch is rare
bool fp8rt_gemm_meets(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                      const fp8rt_region *other)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    fp8rt_command command;
    fp8rt_gemm_memory(caps, desc, &command);
    const unsigned count = fp8mac_product_extents(caps, &command, list);
    for (unsigned i = 0; i < count; i++) {
        if (fp8rt_regions_overlap(other, &list[i].at)) {
            return true;
        }
    }
    return singles_meet(desc, other, (uint32_t)fp8rt_region_span(other));
}
