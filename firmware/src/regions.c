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
