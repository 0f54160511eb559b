// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

// Bytes from the first of a region to the one behind its last
static uint32_t bytes_of(const fp8rt_region *region)
{
    return (uint32_t)fp8rt_region_span(region) + 1u;
}

__attribute__((cold)) // small: one loop for both steps
void fp8rt_cache_regions(fp8rt_device *dev, const fp8mac_command_region *list, unsigned count,
                         fp8rt_cache_step step)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t bytes = bytes_of(&list[i].at);
        if (step == FP8RT_CACHE_BEFORE) {
            dev->port->clean(dev, (const void *)list[i].at.address, bytes);
        } else if (list[i].written) {
            dev->port->invalidate(dev, (void *)list[i].at.address, bytes);
        }
    }
}

void fp8rt_cache_command(fp8rt_device *dev, const fp8rt_command *command, fp8rt_cache_step step)
{
    fp8mac_command_region list[FP8MAC_COMMAND_EXTENTS_MOST];
    const unsigned count = fp8mac_command_extents(&dev->caps, command, list);
    fp8rt_cache_regions(dev, list, count, step);
}
