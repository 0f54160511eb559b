// SPDX-License-Identifier: Apache-2.0
// Which array the golden model stands for.
#ifndef FP8RT_HOST_ARRAY_H
#define FP8RT_HOST_ARRAY_H

#include "fp8rt/device.h"

// Reads three environment variables. FP8RT_ARRAY is ROWSxCOLSxLANES; the default is 4x4x16.
// FP8RT_ELEMENT is the spelling of an element of the catalogue, KIND, KIND_fF or KIND_fF_lL, such
// as aligned_fp16_f13; the default is block. FP8RT_AXI_DATA_W is the width of the bus in bits: 64,
// 128 or 256; the default is 128. False if the accelerator has no such array.
bool fp8rt_host_array(fp8rt_caps *caps);

#endif
