// SPDX-License-Identifier: Apache-2.0
// Cache maintenance for what a command reads and writes, by the functions of the port.
#ifndef FP8RT_CACHE_H
#define FP8RT_CACHE_H

#include "backend.h"
#include "regions.h"

typedef enum fp8rt_cache_step {
    // Before a command all is cleaned that it reads, and all that it writes, because a line that
    // the core writes back later would destroy it. So is what lies between the rows, which the
    // second step invalidates, too. The port has `clean`.
    FP8RT_CACHE_BEFORE,
    // Behind it all is invalidated that it has written. The port has `invalidate`.
    FP8RT_CACHE_BEHIND,
} fp8rt_cache_step;

void fp8rt_cache_command(fp8rt_device *dev, const fp8rt_command *command, fp8rt_cache_step step);
// The same for a command with these extents
void fp8rt_cache_regions(fp8rt_device *dev, const fp8mac_command_region *list, unsigned count,
                         fp8rt_cache_step step);
// After a command in flight: D, unless it has 0 bytes.
static inline void fp8rt_cache_after(fp8rt_device *dev, uintptr_t d, uint32_t bytes)
{
    if (dev->port->invalidate != NULL && bytes != 0) {
        dev->port->invalidate(dev, (void *)d, bytes);
    }
}

#endif
