// SPDX-License-Identifier: Apache-2.0
// The functions that compiled C++ calls; the chip has no C++ library. Nothing is allocated, so
// nothing can be freed.
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

extern "C" void __cxa_pure_virtual()
{
    puts("a pure virtual function was called");
    _exit(255);
}

void operator delete(void *) noexcept
{
    puts("delete was called, but the chip has no heap");
    _exit(255);
}

void operator delete(void *memory, size_t) noexcept
{
    operator delete(memory);
}
