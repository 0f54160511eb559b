// SPDX-License-Identifier: Apache-2.0
// Row commands, by the golden model.
#ifndef FP8RT_HOST_ROWS_H
#define FP8RT_HOST_ROWS_H

#include "fp8rt/device.h"

// Whether it is a row command.
bool fp8rt_host_is_rows(const fp8rt_command *command);
// Checks it as the accelerator does, and runs it, or returns its error.
fp8rt_status fp8rt_host_rows(fp8rt_device *dev, const fp8rt_command *command);

#endif
