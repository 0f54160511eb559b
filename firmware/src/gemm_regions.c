// SPDX-License-Identifier: Apache-2.0
#include "gemm_regions.h"

#include "gemm_encode.h"

enum { SINGLE_SCALES = 3, ALL = FP8MAC_COMMAND_REGIONS_MOST + SINGLE_SCALES };

// The command's regions, and behind them the scales that the core reads at the run
static unsigned list_all(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                         const fp8rt_command *command, fp8mac_command_region list[ALL])
{
    unsigned count = fp8rt_command_regions(caps, command, list);
    const float *const single[SINGLE_SCALES] = {
        desc->a.scale.mode == FP8MAC_SCALE_TENSOR ? desc->a.scale.values : NULL,
        desc->b.scale.mode == FP8MAC_SCALE_TENSOR ? desc->b.scale.values : NULL, desc->scale_d};
    for (unsigned i = 0; i < SINGLE_SCALES; i++) {
        if (single[i] != NULL) {
            list[count++] = (fp8mac_command_region){
                {(uintptr_t)single[i], 1, 0, sizeof(float)}, FP8MAC_REGION_SCALE_A, false};
        }
    }
    return count;
}

// Each element of C is then read before the element of D in its place is written.
static bool c_is_d(const fp8rt_command *c)
{
    return c->c.addr == c->d.addr && c->c.stride == c->d.stride && c->c.fmt == c->d.fmt;
}

fp8rt_status fp8rt_gemm_check_regions(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                                      const fp8rt_command *command)
{
    fp8mac_command_region list[ALL];
    const unsigned count = list_all(caps, desc, command, list);
    const fp8mac_command_region *d = list;
    while (!d->written) {
        d++;
    }
    bool fits = true, overlaps = false;
    for (const fp8mac_command_region *r = list; r != list + count; r++) {
        fits = fits && fp8rt_region_fits(&r->at);
        if (!r->written && fp8rt_regions_overlap(&d->at, &r->at)) {
            overlaps = overlaps || r->of != FP8MAC_REGION_C || !c_is_d(command);
        }
    }
    return !fits ? FP8RT_ERR_STRIDE : overlaps ? FP8RT_ERR_OVERLAP : FP8RT_OK;
}

bool fp8rt_gemm_meets(const fp8rt_caps *caps, const fp8rt_gemm_desc *desc,
                      const fp8rt_region *other)
{
    fp8mac_command_region list[ALL];
    fp8rt_command command;
    fp8rt_gemm_command(caps, desc, &command);
    const unsigned count = list_all(caps, desc, &command, list);
    bool meets = false;
    for (unsigned i = 0; i < count; i++) {
        meets = meets || fp8rt_regions_overlap(other, &list[i].at);
    }
    return meets;
}
