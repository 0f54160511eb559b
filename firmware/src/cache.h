// SPDX-License-Identifier: Apache-2.0
// Cache maintenance for what a command reads and writes, by the functions of the port.
#ifndef FP8RT_CACHE_H
#define FP8RT_CACHE_H

#include "backend.h"
#include "regions.h"

// Before a command: all that it reads, and all that it writes, because a line that the core writes
// back later would destroy it. The port has `clean`.
void fp8rt_cache_before(fp8rt_device *dev, const fp8rt_command *command);
// Behind a command: all that it has written. The port has `invalidate`.
void fp8rt_cache_behind(fp8rt_device *dev, const fp8rt_command *command);
// The same for a command that stands in a descriptor
static inline void fp8rt_cache_before_descriptor(fp8rt_device *dev,
                                                 const fp8rt_descriptor *descriptor)
{
    const fp8rt_command command = fp8rt_backend_decode(descriptor);
    fp8rt_cache_before(dev, &command);
}

static inline void fp8rt_cache_behind_descriptor(fp8rt_device *dev,
                                                 const fp8rt_descriptor *descriptor)
{
    const fp8rt_command command = fp8rt_backend_decode(descriptor);
    fp8rt_cache_behind(dev, &command);
}

// The same for a command in flight, which has no scales in D: notes what is invalidated at its end.
void fp8rt_cache_note(const fp8rt_device *dev, const fp8rt_command *command, fp8rt_flight *flight);

// After a command in flight: D, unless it has 0 bytes.
static inline void fp8rt_cache_after(fp8rt_device *dev, uintptr_t d, uint32_t bytes)
{
    if (dev->port->invalidate != NULL && bytes != 0) {
        dev->port->invalidate(dev, (void *)d, bytes);
    }
}

#endif
