// SPDX-License-Identifier: Apache-2.0
// The stamp of plans and open devices.
#ifndef FP8RT_STAMP_H
#define FP8RT_STAMP_H

#include <stddef.h>

#include "fp8rt/device.h"

// A hash of the capabilities that plans depend on and of the library's version; never 0.
uint32_t fp8rt_stamp(const fp8rt_caps *caps);

// FP8RT_ERR_NULL without a device, FP8RT_ERR_NOT_OPEN, or FP8RT_OK.
static inline fp8rt_status fp8rt_open_status(const fp8rt_device *dev)
{
    if (dev == NULL) {
        return FP8RT_ERR_NULL;
    }
    return dev->stamp == 0 ? FP8RT_ERR_NOT_OPEN : FP8RT_OK;
}

#endif
