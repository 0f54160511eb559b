// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

#include <stdalign.h>

#define FP8RT_COMMAND_WORDS 20   // A_ADDR .. SUBMIT
#define FP8RT_EXTENSION_WORDS 15 // OPERATION .. MX_B_STRIDE
#define FP8RT_BEAT_MAX 32        // bytes: the widest bus

typedef struct fp8rt_device_state {
    // The descriptor of the next command, whole beats
    alignas(FP8RT_BEAT_MAX) uint32_t
        descriptor[FP8RT_COMMAND_WORDS + FP8RT_EXTENSION_WORDS + FP8RT_BEAT_MAX / 4];
} fp8rt_device_state;

#endif
