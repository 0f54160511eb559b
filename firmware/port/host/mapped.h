// SPDX-License-Identifier: Apache-2.0
#ifndef FP8RT_HOST_MAPPED_H
#define FP8RT_HOST_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

// Whether this process has memory at all of [address, address + bytes). bytes > 0. True on systems
// that do not tell.
bool fp8rt_host_is_mapped(uintptr_t address, uint64_t bytes);

#endif
