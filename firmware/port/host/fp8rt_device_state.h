// SPDX-License-Identifier: Apache-2.0
// State of the model of the accelerator behind the device interface. Commands run when they are
// submitted.
#ifndef FP8RT_DEVICE_STATE_H
#define FP8RT_DEVICE_STATE_H

#include "fp8mac/accelerator_model.h"

#define FP8RT_HOST_RECORDS 8u

typedef struct fp8rt_descriptor {
    fp8rt_command command;
} fp8rt_descriptor;

typedef struct fp8rt_device_state {
    fp8mac_command_error error;
    uint16_t error_tag;
    bool error_event; // since the last acknowledgement
    fp8rt_record records[FP8RT_HOST_RECORDS];
    const struct fp8rt_network *network; // whose list runs
    uint32_t list_word;                  // its position
    bool list_paused;
    fp8mac_accelerator accelerator;
} fp8rt_device_state;

#endif
