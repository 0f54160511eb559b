// SPDX-License-Identifier: Apache-2.0
// The simulated chip's memory map, as far as software uses it; RAM is link.ld's.
#ifndef FP8RT_SOC_H
#define FP8RT_SOC_H

#define SOC_SIMCTRL 0x20000000u
#define SOC_TIMER 0x20010000u
#define SOC_FAULT_WINDOW 0x30000000u // the bus answers the accelerator SLVERR
#define SOC_ACCELERATOR 0x40000000u
#define SOC_UNMAPPED 0x50000000u // DECERR
#define SOC_RAM 0x80000000u

// Registers of simctrl.
#define SIMCTRL_EXIT 0x00u // w: exit status; ends the simulation
#define SIMCTRL_PUTC 0x04u // w: a character to the console
#define SIMCTRL_CHECK                                                                              \
    0x08u // w: address of an fp8rt_check_record or fp8rt_fill_record; r: the answer
#define SIMCTRL_ARGS 0x0cu  // r: address of argc, argv[0], argv[1], ...
#define SIMCTRL_STALL 0x10u // rw: per-mille probability of a stall, per bus channel and cycle
#define SIMCTRL_STALL_ALWAYS 1000u
#define SIMCTRL_LOCATION 0x14u // w: a code address, which the console gets with its function

// The accelerator's interrupt is Ibex's first fast one: bit of mie and mip.
#define SOC_ACCELERATOR_IRQ 16

#define FP8RT_TRAP_STACK_BYTES 1024 // of the handler that reports a trap

#ifndef __ASSEMBLER__
#include <stdint.h>

static inline uint32_t soc_read(uint32_t address)
{
    return *(volatile uint32_t *)(uintptr_t)address;
}

static inline void soc_write(uint32_t address, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)address = value;
}

// Orders accesses to memory with those to registers, for the compiler as for the core.
static inline void soc_fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}
#endif
#endif
