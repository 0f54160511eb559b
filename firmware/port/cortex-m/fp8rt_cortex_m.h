// SPDX-License-Identifier: Apache-2.0
// Functions of a port for Arm Cortex-M, without an operating system:
//
//   static const fp8rt_port port = {.registers = 0x48102000, .interrupt = 56,
//                                   .sleep = fp8rt_cortex_m_sleep, .clean = fp8rt_cortex_m_clean,
//                                   .invalidate = fp8rt_cortex_m_invalidate};
//
// `interrupt` is the number in the NVIC, the first external one being 0. With a handler, the
// program enables that interrupt, and the handler calls fp8rt_device_interrupt. Without one, the
// interrupt stays disabled.
#ifndef FP8RT_CORTEX_M_H
#define FP8RT_CORTEX_M_H

#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sleeps with `wfe`. Sets SCR.SEVONPEND.
void fp8rt_cortex_m_sleep(fp8rt_device *dev);
// Lines of the data cache, by address. Nothing is done while the cache is disabled or absent.
void fp8rt_cortex_m_clean(fp8rt_device *dev, const void *start, size_t bytes);
void fp8rt_cortex_m_invalidate(fp8rt_device *dev, void *start, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
