// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

// Core and accelerator see the same.
uint8_t *fp8rt_host_at(uintptr_t address, size_t bytes)
{
    (void)bytes;
    return (uint8_t *)address;
}
