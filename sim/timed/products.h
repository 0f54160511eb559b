// SPDX-License-Identifier: Apache-2.0
// GEMMs by the golden model's fast code: a whole command at once, without its tile commands.
#ifndef FP8MAC_SIM_TIMED_PRODUCTS_H
#define FP8MAC_SIM_TIMED_PRODUCTS_H

#include <stdbool.h>

#include "fp8rt/device.h"

typedef enum fp8sim_products {
    FP8SIM_PRODUCTS_DONE,
    FP8SIM_PRODUCTS_OTHER, // the command is none of these, and nothing has changed
} fp8sim_products;

// Runs the command if it is a GEMM that begins and ends by itself. Its addresses are the host's.
// The device's flags, amax, and what the command leaves to the next one are those of the device
// interface, but for a command of several tile commands: it leaves nothing.
fp8sim_products fp8sim_products_run(fp8rt_device *device, const fp8rt_command *command);

#endif
