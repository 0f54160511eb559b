// SPDX-License-Identifier: Apache-2.0
// The chip's side of fp8rt/app.h and of the C library: console, arguments, exit, traps.
#include "fp8rt/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ask.h"
#include "soc.h"

const bool fp8rt_app_is_host = false;
const uintptr_t fp8rt_app_slverr_address = SOC_FAULT_WINDOW;
const uintptr_t fp8rt_app_decerr_address = SOC_UNMAPPED;

// Of link.ld.
extern uint8_t __arena_start[], __arena_end[];

int main(int argc, char **argv);
void __libc_init_array(void);
_Noreturn void fp8rt_start(void);
_Noreturn void fp8rt_trap(uint32_t cause, uint32_t pc, uint32_t value);

fp8rt_arena fp8rt_app_arena(void)
{
    return (fp8rt_arena){__arena_start, __arena_end};
}

uint64_t fp8rt_app_cycles(void)
{
    uint32_t low, high, again;
    do {
        __asm__ volatile("csrr %0, mcycleh\n\tcsrr %1, mcycle\n\tcsrr %2, mcycleh"
                         : "=&r"(high), "=&r"(low), "=&r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
}

void fp8rt_app_stop_bus(bool stopped)
{
    soc_write(SOC_SIMCTRL + SIMCTRL_STALL, stopped ? SIMCTRL_STALL_ALWAYS : 0);
}

uint32_t fp8rt_check_ask(const fp8rt_check_record *record)
{
    soc_fence();
    soc_write(SOC_SIMCTRL + SIMCTRL_CHECK, (uint32_t)(uintptr_t)record);
    return soc_read(SOC_SIMCTRL + SIMCTRL_CHECK);
}

// ---- the C library's needs ----------------------------------------------------------------------

static int console_put(char c, FILE *file)
{
    (void)file;
    soc_write(SOC_SIMCTRL + SIMCTRL_PUTC, (uint8_t)c);
    return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(console_put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;
FILE *const stderr = &console;
FILE *const stdin = &console;

_Noreturn void _exit(int status)
{
    soc_fence();
    soc_write(SOC_SIMCTRL + SIMCTRL_EXIT, (uint32_t)status);
    for (;;) {
        __asm__ volatile("wfi");
    }
}

// ---- start and end ------------------------------------------------------------------------------

void fp8rt_start(void)
{
    const uint32_t *block = (const uint32_t *)(uintptr_t)soc_read(SOC_SIMCTRL + SIMCTRL_ARGS);
    __libc_init_array();
    exit(main((int)block[0], (char **)(uintptr_t)(block + 1)));
}

// This handler does not call printf, because printf may have trapped.
static void put_text(const char *text)
{
    while (*text != '\0') {
        console_put(*text++, NULL);
    }
}

static void put_hex(uint32_t x)
{
    put_text(" 0x");
    for (int shift = 28; shift >= 0; shift -= 4) {
        console_put("0123456789abcdef"[x >> shift & 15u], NULL);
    }
}

static const char *cause_name(uint32_t cause)
{
    switch (cause) {
    case 0: return "instruction address misaligned";
    case 1: return "instruction access fault";
    case 2: return "illegal instruction";
    case 3: return "breakpoint";
    case 5: return "load access fault";
    case 7: return "store access fault";
    case 11: return "environment call";
    default: return (cause >> 31) ? "interrupt without a handler" : "unknown";
    }
}

// The stack ends at the start of the RAM. The 16 MB below are not mapped.
static bool is_below_stack(uint32_t cause, uint32_t address)
{
    return (cause == 5 || cause == 7) && SOC_RAM - address - 1u < (16u << 20);
}

void fp8rt_trap(uint32_t cause, uint32_t pc, uint32_t value)
{
    put_text("\ntrap: ");
    put_text(is_below_stack(cause, value) ? "the stack is full" : cause_name(cause));
    put_text(", mcause");
    put_hex(cause);
    put_text(", pc");
    put_hex(pc);
    put_text(", mtval");
    put_hex(value);
    put_text("\n");
    _exit(255);
}
