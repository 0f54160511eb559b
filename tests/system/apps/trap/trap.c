// SPDX-License-Identifier: Apache-2.0
// A load from an address without memory, two calls below main.
#include <stdint.h>
#include <stdio.h>

#include "fp8rt/app.h"

__attribute__((noinline)) static uint32_t inner(uintptr_t address)
{
    return *(volatile uint32_t *)address + 1;
}

__attribute__((noinline)) static uint32_t outer(uintptr_t address)
{
    return inner(address) + 1;
}

int main(void)
{
    printf("read %u\n", (unsigned)outer(fp8rt_app_decerr_address) + 1);
    return 0;
}
