// SPDX-License-Identifier: Apache-2.0
#include "gemm_regions.h"

#include "gemm_encode.h"

enum { SINGLES = 3 };

// Scales that the core reads at the run; NULL: there is none.
typedef struct singles {
    const float *at[SINGLES];
} singles;

static inline const float *single(const fp8mac_scale *scale)
{
    return scale->mode == FP8MAC_SCALE_TENSOR ? scale->values : NULL;
}

static inline singles singles_of(const fp8rt_gemm_desc *desc)
{
    return (singles){{single(&desc->a.scale), single(&desc->b.scale), desc->scale_d}};
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

typedef struct judged {
    const fp8rt_region *d;
    uint64_t d_span;
    bool fits, overlaps;
} judged;

// Whether a region that is read has bytes of D. Of those that fit few are as near as that.
static inline bool meets_d(judged *j, const fp8rt_region *r)
{
    const uint64_t span = fp8rt_region_span(r);
    const uintptr_t behind = r->address - j->d->address, before = j->d->address - r->address;
    j->fits = j->fits && span <= fp8rt_address_room(r->address);
    return (behind <= j->d_span || before <= span) && fp8rt_regions_overlap(j->d, r);
}

fp8rt_status fp8rt_gemm_check_regions(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                      const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    const fp8mac_command_region *const end = list + fp8rt_command_regions(caps, command, list);
    const fp8mac_command_region *d = list;
    while (!d->written) {
        d++;
    }
    judged j = {&d->at, fp8rt_region_span(&d->at), fp8rt_region_fits(&d->at), false};
    for (const fp8mac_command_region *r = list; r != end; r++) {
        if (!r->written && meets_d(&j, &r->at)) {
            j.overlaps = j.overlaps || r->of != FP8MAC_REGION_C || !c_is_d(command);
        }
    }
    const singles scales = singles_of(desc);
    for (unsigned i = 0; i < SINGLES; i++) {
        const fp8rt_region scale = region_of(scales.at[i]);
        if (scales.at[i] != NULL && meets_d(&j, &scale)) {
            j.overlaps = true;
        }
    }
    return !j.fits ? FP8RT_ERR_STRIDE : j.overlaps ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

bool fp8rt_gemm_meets(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                      const fp8rt_region *other)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    fp8rt_command command;
    fp8rt_gemm_command(caps, desc, &command);
    const unsigned count = fp8rt_command_regions(caps, &command, list);
    const singles scales = singles_of(desc);
    bool meets = false;
    for (unsigned i = 0; i < count; i++) {
        meets = meets || fp8rt_regions_overlap(other, &list[i].at);
    }
    for (unsigned i = 0; i < SINGLES; i++) {
        const fp8rt_region scale = region_of(scales.at[i]);
        meets = meets || (scales.at[i] != NULL && fp8rt_regions_overlap(other, &scale));
    }
    return meets;
}
