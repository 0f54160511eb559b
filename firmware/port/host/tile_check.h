// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_TILE_CHECK_H
#define FP8RT_TILE_CHECK_H

#include "fp8rt/device.h"

// The error that the accelerator would report for this command before any bus access. FP8RT_OK if
// there is none.
fp8rt_status fp8rt_host_tile_check(const fp8rt_device *dev, const fp8rt_tile *tile);

#endif
