// SPDX-License-Identifier: Apache-2.0
// The stamp of plans and open devices.
#ifndef FP8RT_STAMP_H
#define FP8RT_STAMP_H

#include "fp8rt/device.h"

// A hash of the capabilities that plans depend on and of the library's version; never 0.
uint32_t fp8rt_stamp(const fp8rt_caps *caps);

#endif
