// SPDX-License-Identifier: Apache-2.0
// What a back end provides for src/device.c, beside those functions of fp8rt/device.h that are not
// there.
#ifndef FP8RT_BACKEND_H
#define FP8RT_BACKEND_H

#include "fp8rt/device.h"

// The bit of the record of the command with this tag.
static inline uint32_t fp8rt_record_bit(const fp8rt_device *dev, uint16_t tag)
{
    return 1u << (tag & (dev->caps.records - 1u));
}

// Fills caps and state, resets the accelerator, clears flags and counters, releases all records.
fp8rt_status fp8rt_backend_open(fp8rt_device *dev);
// Sleeps while the queue is full. FP8RT_OK: there is room for a command. Otherwise as
// fp8rt_device_submit.
fp8rt_status fp8rt_backend_room(fp8rt_device *dev);
// Submits a command with a record. There is room, and the record of its tag is free.
void fp8rt_backend_begin(fp8rt_device *dev, const fp8rt_command *command);
// As fp8rt_device_end.
fp8rt_record fp8rt_backend_end(fp8rt_device *dev, uint16_t tag);

#endif
