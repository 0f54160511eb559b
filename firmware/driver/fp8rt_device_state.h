// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

#include <stdalign.h>
#include <stdint.h>

#define FP8RT_DESCRIPTOR_WORDS 36 // A_ADDR .. SUBMIT, OPERATION .. TABLE_ADDR
#define FP8RT_BEAT_MAX 32         // bytes: the widest bus

// A command as the accelerator reads it, in whole beats
typedef struct fp8rt_descriptor {
    alignas(FP8RT_BEAT_MAX) uint32_t words[FP8RT_DESCRIPTOR_WORDS + FP8RT_BEAT_MAX / 4];
} fp8rt_descriptor;

typedef struct fp8rt_device_state {
    uintptr_t registers; // of the port; the registers hold all state
} fp8rt_device_state;

#endif
