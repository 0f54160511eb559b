// SPDX-License-Identifier: Apache-2.0
// Cache maintenance for what a command reads and writes, by the functions of the port.
#ifndef FP8RT_CACHE_H
#define FP8RT_CACHE_H

#include "backend.h"
#include "regions.h"

// Bytes from the first of a region to the one behind its last.
static inline uint32_t fp8rt_region_bytes(const fp8rt_region *region)
{
    return (uint32_t)fp8rt_region_span(region) + 1u;
}

static inline void fp8rt_clean(fp8rt_device *dev, const fp8rt_region *region)
{
    dev->port->clean(dev, (const void *)region->address, fp8rt_region_bytes(region));
}

// After a command: D, unless it has 0 bytes.
static inline void fp8rt_cache_after(fp8rt_device *dev, uintptr_t d, uint32_t bytes)
{
    if (dev->port->invalidate != NULL && bytes != 0) {
        dev->port->invalidate(dev, (void *)d, bytes);
    }
}

#endif
