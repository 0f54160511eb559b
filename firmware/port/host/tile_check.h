// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_TILE_CHECK_H
#define FP8RT_TILE_CHECK_H

#include "walk.h"

// The error that the accelerator would report for this tile command, those of a bus without memory
// included. FP8RT_OK if there is none. MODE.pass_shape is not automatic: see fp8rt_host_pass_shape.
fp8rt_status fp8rt_host_tile_check(const fp8rt_device *dev, const fp8rt_host_tile *tile);

// MODE of a tile command with the pass shape that the accelerator uses.
uint32_t fp8rt_host_pass_shape(const fp8rt_caps *caps, const fp8rt_command *tile);

#endif
