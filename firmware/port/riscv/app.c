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

static uint32_t ask(const void *record)
{
    soc_fence();
    soc_write(SOC_SIMCTRL + SIMCTRL_CHECK, (uint32_t)(uintptr_t)record);
    const uint32_t answer = soc_read(SOC_SIMCTRL + SIMCTRL_CHECK);
    soc_fence();
    return answer;
}

uint32_t fp8rt_check_ask(const fp8rt_check_record *record)
{
    return ask(record);
}

uint32_t fp8rt_fill_ask(const fp8rt_fill_record *record)
{
    return ask(record);
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

// A code address with its function
static void put_location(uint32_t address)
{
    soc_write(SOC_SIMCTRL + SIMCTRL_LOCATION, address);
}

// Of crt0.S: x0 to x31 at the trap, and the stack of the handler
uint32_t fp8rt_trap_registers[32];
_Alignas(16) uint8_t fp8rt_trap_stack[FP8RT_TRAP_STACK_BYTES];

static void put_registers(void)
{
    static const char *const names[32] = {
        "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    };
    for (unsigned i = 1; i < 32; i++) {
        put_text(names[i][2] == '\0' ? "   " : "  ");
        put_text(names[i]);
        put_hex(fp8rt_trap_registers[i]);
        if (i % 4 == 0 || i == 31) {
            put_text("\n");
        }
    }
}

extern const uint16_t __text_start[], __text_end[];

// Whether a call ends before this address: jal or jalr to ra, or their short forms.
static bool is_behind_a_call(uint32_t address)
{
    const uint32_t first = (uint32_t)(uintptr_t)__text_start;
    if (address % 2 != 0 || address < first + 4 || address > (uint32_t)(uintptr_t)__text_end) {
        return false;
    }
    const uint16_t *next = (const uint16_t *)(uintptr_t)address;
    const uint32_t word = next[-2] | (uint32_t)next[-1] << 16, half = next[-1];
    const bool is_call = (word & 0xfffu) == 0x0efu || (word & 0x7fffu) == 0x0e7u;
    return is_call || (half & 0xe003u) == 0x2001u ||
           ((half & 0xf07fu) == 0x9002u && (half & 0xf80u) != 0);
}

// There are no frame pointers. So the callers are all words of the stack that are return addresses,
// the innermost first. Some may be left over from calls that have returned.
static void put_callers(void)
{
    enum { MOST = 24 };
    extern uint32_t __stack_bottom[], __stack_top[];
    const uint32_t bottom = (uint32_t)(uintptr_t)__stack_bottom,
                   top = (uint32_t)(uintptr_t)__stack_top;
    uint32_t sp = fp8rt_trap_registers[2] & ~3u;
    if (sp < bottom || sp > top) {
        sp = bottom;
    }
    put_text("  called from");
    for (unsigned found = 0; sp < top && found < MOST; sp += 4) {
        const uint32_t word = *(const uint32_t *)(uintptr_t)sp;
        if (is_behind_a_call(word)) {
            put_text("\n    ");
            put_location(word);
            found++;
        }
    }
    put_text("\n");
}

void fp8rt_trap(uint32_t cause, uint32_t pc, uint32_t value)
{
    put_text("\ntrap: ");
    put_text(is_below_stack(cause, value) ? "the stack is full" : cause_name(cause));
    put_text(", mcause");
    put_hex(cause);
    put_text(", mtval");
    put_hex(value);
    put_text("\n  pc ");
    put_location(pc);
    put_text("\n  ra ");
    put_location(fp8rt_trap_registers[1]);
    put_text("\n");
    put_registers();
    put_callers();
    _exit(255);
}
