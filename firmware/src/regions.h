// SPDX-License-Identifier: Apache-2.0
// Regions of memory as the accelerator sees them: addresses have 32 bits.
#ifndef FP8RT_REGIONS_H
#define FP8RT_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/command.h"

typedef fp8mac_region fp8rt_region;

// The distance from `address` to the last byte of the address space. The host's addresses beyond 32
// bits count as the start of the chip's RAM, so that host and chip refuse the same matrices.
static inline uint32_t fp8rt_address_room(uintptr_t address)
{
#if UINTPTR_MAX > UINT32_MAX
    if (address > UINT32_MAX) {
        address = UINT32_C(0x80000000);
    }
#endif
    return UINT32_MAX - (uint32_t)address;
}

// The distance from a region's first byte to its last one.
static inline uint64_t fp8rt_region_span(const fp8rt_region *region)
{
    return (uint64_t)(region->rows - 1u) * region->stride + (region->row_bytes - 1u);
}

// Whether the region ends within the address space.
static inline bool fp8rt_region_fits(const fp8rt_region *region)
{
    return fp8rt_region_span(region) <= fp8rt_address_room(region->address);
}

// Whether two regions that fit have a byte in common. Of regions whose rows alternate, only those
// with equal strides count as separate.
bool fp8rt_regions_overlap(const fp8rt_region *x, const fp8rt_region *y);

#endif
