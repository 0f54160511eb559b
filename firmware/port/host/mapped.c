// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // mincore

#include "mapped.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 1024 }; // asked for at a time

bool fp8rt_host_is_mapped(uintptr_t address, uint64_t bytes)
{
    static uintptr_t page;
    unsigned char resident[PAGES];
    if (page == 0) {
        page = (uintptr_t)sysconf(_SC_PAGESIZE);
    }
    if (bytes - 1u > UINTPTR_MAX - address) {
        return false;
    }
    const uintptr_t last = (address + bytes - 1u) & ~(page - 1u);
    uintptr_t first = address & ~(page - 1u);
    while (first <= last) {
        const uintptr_t left = (last - first) / page + 1u;
        const uintptr_t now = left < PAGES ? left : PAGES;
        // It fails exactly if a page is not mapped.
        if (mincore((void *)first, now * page, resident) != 0) {
            return false;
        }
        first += now * page;
    }
    return true;
}
#else
bool fp8rt_host_is_mapped(uintptr_t address, uint64_t bytes)
{
    (void)address, (void)bytes;
    return true;
}
#endif
