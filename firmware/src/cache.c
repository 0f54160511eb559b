// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

// Bytes from the first of a region to the one behind its last
static uint32_t bytes_of(const fp8rt_region *region)
{
    return (uint32_t)fp8rt_region_span(region) + 1u;
}

void fp8rt_cache_before(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    const unsigned count = fp8rt_command_regions(&dev->caps, command, list);
    for (unsigned i = 0; i < count; i++) {
        dev->port->clean(dev, (const void *)list[i].at.address, bytes_of(&list[i].at));
    }
}

void fp8rt_cache_behind(fp8rt_device *dev, const fp8rt_command *command)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    const unsigned count = fp8rt_command_regions(&dev->caps, command, list);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].written) {
            dev->port->invalidate(dev, (void *)list[i].at.address, bytes_of(&list[i].at));
        }
    }
}

void fp8rt_cache_note(const fp8rt_device *dev, const fp8rt_command *command, fp8rt_flight *flight)
{
    fp8mac_command_region list[FP8MAC_COMMAND_REGIONS_MOST];
    const unsigned count = fp8rt_command_regions(&dev->caps, command, list);
    flight->d_bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].of == FP8MAC_REGION_D) {
            flight->d = list[i].at.address;
            flight->d_bytes = bytes_of(&list[i].at);
        }
    }
}
