// SPDX-License-Identifier: Apache-2.0
#include "regions.h"

#include <stddef.h>

// Rows of `low` and of `high` alternate if those of `high` lie in the gaps between those of `low`.
static bool rows_alternate(const fp8rt_region *low, const fp8rt_region *high)
{
    if (low->rows == 1 || (high->rows > 1 && high->stride != low->stride)) {
        return false;
    }
    const uint32_t offset = (uint32_t)(high->address - low->address) % low->stride;
    return offset >= low->row_bytes && (uint64_t)offset + high->row_bytes <= low->stride;
}

bool fp8rt_regions_overlap(const fp8rt_region *x, const fp8rt_region *y)
{
    const fp8rt_region *low = x->address <= y->address ? x : y, *high = low == x ? y : x;
    const uintptr_t distance = high->address - low->address;
    return distance <= fp8rt_region_span(low) && !rows_alternate(low, high);
}

// Of the regions of D, which pairs alone have several of, the first one remains.
static __attribute__((noinline, cold)) unsigned join_d(fp8mac_command_region *list, unsigned count)
{
    fp8rt_region *const d = &list->at;
    unsigned kept = 1;
    for (unsigned i = 1; i < count; i++) {
        const fp8rt_region *at = &list[i].at;
        if (list[i].of == FP8MAC_REGION_D) {
            const uint32_t rows = (uint32_t)((at->address - d->address) / d->stride) + at->rows;
            d->rows = rows > d->rows ? rows : d->rows;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

unsigned fp8rt_command_regions(const fp8mac_caps *caps, const fp8mac_command *command,
                               fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST])
{
    const unsigned count = fp8mac_command_regions(caps, command, list);
    return fp8mac_command_has_pairs(command) ? join_d(list, count) : count;
}
