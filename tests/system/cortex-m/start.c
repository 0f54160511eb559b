// SPDX-License-Identifier: Apache-2.0
// Vectors and start of a program for QEMU's Cortex-M boards. Faults end the program.
#include <stdint.h>
#include <stdlib.h>

#include "start.h"

extern uint8_t __stack_top[], __tls_base[];
extern uint32_t __bss_start[], __bss_end[];

int main(void);
void reset(void);
void _set_tls(void *tls);

static void fault(void)
{
    _Exit(3);
}

typedef void vector(void);
__attribute__((section(".vectors"), used)) static const struct {
    const void *stack;
    vector *exceptions[15];
    vector *interrupts[INTERRUPTS];
} vectors = {
    __stack_top,
    {reset, fault, fault, fault, fault, fault, fault, 0, 0, 0, fault, fault, 0, fault, tick},
    {[FIRST_INTERRUPT] = first_interrupt, [SECOND_INTERRUPT] = second_interrupt},
};

void reset(void)
{
#ifdef __ARM_FP
    *(volatile uint32_t *)0xe000ed88u |= 15u << 20; // CPACR: the floating-point unit
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    for (uint32_t *word = __bss_start; word < __bss_end; word++) {
        *word = 0;
    }
    _set_tls(__tls_base);
    exit(main());
}
