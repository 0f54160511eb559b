// SPDX-License-Identifier: Apache-2.0
// The accelerators of a Zephyr system. The devicetree has a node of compatible "fp8mac,accelerator"
// for each. The kernel opens them when it starts:
//
//   const struct device *npu = DEVICE_DT_GET(DT_NODELABEL(npu0));
//   if (device_is_ready(npu)) {
//       status = fp8rt_gemm(fp8rt_zephyr_device(npu), desc, NULL, 0, NULL);
//   }
//
// Several threads may use a device: their calls wait for each other. Calls come from threads. In a
// handler, only a completion function calls the library: see fp8rt_device_on_completion. It runs
// with interrupts disabled: in the handler, or in a thread that has slept for 10 ms without one.
#ifndef FP8RT_ZEPHYR_H
#define FP8RT_ZEPHYR_H

#include <zephyr/device.h>

#include "fp8rt/device.h"

// Of a device that is ready.
static inline fp8rt_device *fp8rt_zephyr_device(const struct device *dev)
{
    return (fp8rt_device *)dev->data;
}

#endif
