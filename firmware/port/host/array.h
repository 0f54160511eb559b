// SPDX-License-Identifier: Apache-2.0
// Which array the golden model stands for.
#ifndef FP8RT_HOST_ARRAY_H
#define FP8RT_HOST_ARRAY_H

#include "fp8rt/device.h"

// From the environment: FP8RT_ARRAY is ROWSxCOLSxLANES (8x8x4 without); FP8RT_ELEMENT is a kind of elements (exact
// without), and a window's fraction bits may follow, as in aligned_fp16-13. False if there is no such array.
bool fp8rt_host_array(fp8rt_caps *caps);

#endif
