// SPDX-License-Identifier: Apache-2.0
// Registers as the Armv7-M and Armv8-M architecture manuals name them.
#include "fp8rt_cortex_m.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define NVIC_ISER 0xe000e100u
#define NVIC_ISPR 0xe000e200u
#define NVIC_ICPR 0xe000e280u
#define SCR REGISTER(0xe000ed10u)
#define SCR_SEVONPEND (1u << 4)
#define CCR REGISTER(0xe000ed14u)
#define CCR_DC (1u << 16)
#define CTR REGISTER(0xe000ed7cu)
#define CTR_DMINLINE(word) ((word) >> 16 & 15u) // log2 of the words of a line
#define DCIMVAC REGISTER(0xe000ef5cu)
#define DCCMVAC REGISTER(0xe000ef68u)

// Not 0: a handler may have to wait, and then its exception ends no `wfe`.
static uint32_t masks(void)
{
    uint32_t set, mask = 0;
    __asm__ volatile("mrs %0, primask" : "=r"(set));
#if !defined(__ARM_ARCH_6M__) && !defined(__ARM_ARCH_8M_BASE__)
    __asm__ volatile("mrs %0, basepri" : "=r"(mask));
    set |= mask;
    __asm__ volatile("mrs %0, faultmask" : "=r"(mask));
#endif
    return set | mask;
}

static bool has_handler(uint32_t interrupt)
{
    const uint32_t enabled = REGISTER(NVIC_ISER + interrupt / 32u * 4u);
    return masks() == 0 && (enabled & 1u << interrupt % 32u) != 0;
}

// `wfe` ends at once if there was an exception since the last `wfe`, so a handler that has run ends
// it. Without a handler, SEVONPEND makes an event of an interrupt that becomes pending. A line that
// is still high may stay pending and make no event, so its state is read first.
void fp8rt_cortex_m_sleep(fp8rt_device *dev)
{
    const uint32_t interrupt = dev->port->interrupt;
    if (has_handler(interrupt)) {
        __asm__ volatile("wfe" ::: "memory");
        return;
    }
    SCR |= SCR_SEVONPEND;
    REGISTER(NVIC_ICPR + interrupt / 32u * 4u) = 1u << interrupt % 32u;
    FP8RT_PORT_BARRIER();
    if ((REGISTER(NVIC_ISPR + interrupt / 32u * 4u) & 1u << interrupt % 32u) == 0) {
        __asm__ volatile("wfe" ::: "memory");
    }
    fp8rt_device_interrupt(dev);
}

static void each_line(volatile uint32_t *operation, uintptr_t start, size_t bytes)
{
    if ((CCR & CCR_DC) == 0 || bytes == 0) {
        return;
    }
    const uint32_t line = 4u << CTR_DMINLINE(CTR);
    const uintptr_t last = (start + bytes - 1u) & ~(uintptr_t)(line - 1u);
    FP8RT_PORT_BARRIER();
    for (uintptr_t at = start & ~(uintptr_t)(line - 1u); at < last; at += line) {
        *operation = at;
    }
    *operation = last;
    FP8RT_PORT_BARRIER();
}

void fp8rt_cortex_m_clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    (void)dev;
    each_line(&DCCMVAC, (uintptr_t)start, bytes);
}

void fp8rt_cortex_m_invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    (void)dev;
    each_line(&DCIMVAC, (uintptr_t)start, bytes);
}
