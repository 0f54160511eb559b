// SPDX-License-Identifier: Apache-2.0
// State of a device that plans, answers queries and records, and runs nothing: fp8rt_plan.h.
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

typedef struct fp8rt_descriptor {
    fp8rt_command command;
} fp8rt_descriptor;

typedef struct fp8rt_device_state {
    bool is_open;
} fp8rt_device_state;

#endif
