// SPDX-License-Identifier: Apache-2.0
// Memory as the accelerator sees it.
#ifndef FP8RT_HOST_MEMORY_H
#define FP8RT_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Where this process has the `bytes` bytes of memory at `address`. The model reads and writes what
// commands point to, and lists, through this function alone, so a program may have an accelerator
// whose memory is not what the core sees: it defines the function itself.
uint8_t *fp8rt_host_at(uintptr_t address, size_t bytes);

#endif
