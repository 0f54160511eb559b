// SPDX-License-Identifier: Apache-2.0
// Which accelerator the model stands for.
#ifndef FP8RT_HOST_CHOICE_H
#define FP8RT_HOST_CHOICE_H

#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// How an accelerator is spelled. NULL: the default
typedef struct fp8rt_host_choice {
    const char *array;      // ROWSxCOLSxLANES; 4x4x16
    const char *element;    // KIND, KIND_fF or KIND_fF_lL, such as aligned_fp16_f13; block
    const char *width;      // bits of the bus: 64, 128 or 256; 128
    const char *requantise; // 1: the integer requantiser in the place of the FP32 epilogue; 0
    const char *minimal;    // 1: no function that can be left out; 0
} fp8rt_host_choice;

// False if there is no such accelerator.
bool fp8rt_host_choose(const fp8rt_host_choice *choice, fp8rt_caps *caps);
// The one that the environment variables FP8RT_ARRAY, FP8RT_ELEMENT, FP8RT_AXI_DATA_W,
// FP8RT_REQUANTISE and FP8RT_MINIMAL choose
bool fp8rt_host_array(fp8rt_caps *caps);

#ifdef __cplusplus
}
#endif
#endif
