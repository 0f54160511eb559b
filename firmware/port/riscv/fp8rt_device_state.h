// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

#define FP8RT_COMMAND_WORDS 19 // A_ADDR .. CLAMP_HI

typedef struct fp8rt_device_state {
    uint32_t written[FP8RT_COMMAND_WORDS]; // what the command registers hold
} fp8rt_device_state;

#endif
