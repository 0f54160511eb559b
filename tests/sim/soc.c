// SPDX-License-Identifier: Apache-2.0
// The chip around the accelerator: bus errors, byte lanes, timer, interrupts, waiting, the
// simulation's own registers. With an argument, one way to end instead: what the simulator must
// then report is tests/sim/command_line.sh's affair.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8mac_regs.h"
#include "fp8rt/check.h"
#include "soc.h"

#define ACCEL(reg) (SOC_ACCELERATOR + (uint32_t)offsetof(fp8mac_regs_t, reg))
#define TIMER_NOW_LO (SOC_TIMER + 0x0)
#define TIMER_NOW_HI (SOC_TIMER + 0x4)
#define TIMER_COMPARE_LO (SOC_TIMER + 0x8)
#define TIMER_COMPARE_HI (SOC_TIMER + 0xc)
#define CAUSE_LOAD_FAULT 5u
#define CAUSE_STORE_FAULT 7u
#define CAUSE_TIMER 0x80000007u
#define CAUSE_ACCELERATOR (0x80000000u + SOC_ACCELERATOR_IRQ)
#define MSTATUS_MIE 8u

#define CSR_READ(name)                                                                             \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " name : "=r"(value_));                                         \
        value_;                                                                                    \
    })

uint32_t trap(uint32_t cause, uint32_t pc, uint32_t value);
int main(void);

static volatile uint32_t exceptions, interrupts, last_cause, last_value;
static unsigned passed, failed;

static void put(const char *text)
{
    while (*text != '\0') {
        soc_write(SOC_SIMCTRL + SIMCTRL_PUTC, (uint8_t)*text++);
    }
}

static void put_number(uint32_t number)
{
    char digits[11] = {0};
    unsigned i = sizeof digits - 1;
    do {
        digits[--i] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put(digits + i);
}

static void expect(const char *what, bool ok)
{
    if (ok) {
        passed++;
    } else {
        failed++;
        put("FAIL ");
        put(what);
        put("\n");
    }
}

// An exception goes on behind the instruction; an interrupt switches off what asked for it.
uint32_t trap(uint32_t cause, uint32_t pc, uint32_t value)
{
    last_cause = cause;
    last_value = value;
    if (cause == CAUSE_TIMER) {
        soc_write(TIMER_COMPARE_HI, UINT32_MAX);
    } else if (cause == CAUSE_ACCELERATOR) {
        soc_write(ACCEL(IRQ_STATE), UINT32_MAX);
    }
    if (cause >> 31) {
        interrupts++;
        return pc;
    }
    exceptions++;
    bool compressed = (*(const uint16_t *)(uintptr_t)pc & 3) != 3;
    return pc + (compressed ? 2 : 4);
}

static void expect_load_fault(const char *what, uint32_t address)
{
    uint32_t before = exceptions;
    (void)soc_read(address);
    expect(what,
           exceptions == before + 1 && last_cause == CAUSE_LOAD_FAULT && last_value == address);
}

static void expect_store_fault(const char *what, uint32_t address)
{
    uint32_t before = exceptions;
    soc_write(address, 0);
    expect(what,
           exceptions == before + 1 && last_cause == CAUSE_STORE_FAULT && last_value == address);
}

static void test_bus_errors(void)
{
    expect_load_fault("load from 0", 0);
    expect_store_fault("store to 0", 0);
    expect_load_fault("load below RAM", 0x7ffffffc);
    expect_load_fault("load above RAM", 0x81000000);
    expect_store_fault("store above RAM", 0x81000000);
    expect_load_fault("load from the fault window", SOC_FAULT_WINDOW);
    expect_load_fault("simctrl without a register", SOC_SIMCTRL + 0x18);
    expect_store_fault("store to ARGS", SOC_SIMCTRL + SIMCTRL_ARGS);
    expect_load_fault("timer without a register", SOC_TIMER + 0x10);
    expect_load_fault("behind the timer", SOC_TIMER + 0x1000);
    expect_load_fault("accelerator without a register", SOC_ACCELERATOR + 0xffc);
    expect("accelerator answers", soc_read(ACCEL(ID)) == 0x46503841);
}

static void test_byte_lanes(void)
{
    static volatile union {
        uint8_t bytes[8];
        uint16_t halves[4];
        uint32_t words[2];
    } memory;
    for (unsigned i = 0; i < 8; i++) {
        memory.words[0] = memory.words[1] = 0xdeadbeef;
        memory.bytes[i] = 0x42;
        uint32_t shift = 8 * (i % 4);
        uint32_t want = (0xdeadbeef & ~(0xffu << shift)) | 0x42u << shift;
        expect("byte", memory.words[i / 4] == want && memory.words[1 - i / 4] == 0xdeadbeef);
    }
    for (unsigned i = 0; i < 4; i++) {
        memory.words[0] = memory.words[1] = 0xdeadbeef;
        memory.halves[i] = 0x1234;
        uint32_t want = i % 2 ? 0x1234beef : 0xdead1234;
        expect("half word", memory.words[i / 2] == want && memory.words[1 - i / 2] == 0xdeadbeef);
    }
    memory.words[0] = memory.words[1] = 0;
    // A compiler makes single bytes of it.
    uint32_t word, half;
    __asm__ volatile("sw %1, 3(%0)" ::"r"(memory.bytes), "r"(0x44332211) : "memory");
    expect("word that crosses words",
           memory.words[0] == 0x11000000 && memory.words[1] == 0x00443322);
    __asm__ volatile("lw %0, 2(%2)\n lhu %1, 3(%2)"
                     : "=&r"(word), "=r"(half)
                     : "r"(memory.bytes)
                     : "memory");
    expect("loads that cross words", word == 0x33221100 && half == 0x2211);
}

// Sleeps until another interrupt has come; interrupts are taken only inside.
static void wait_for_interrupt(void)
{
    uint32_t before = interrupts;
    while (interrupts == before) {
        __asm__ volatile("wfi");
        __asm__ volatile("csrs mstatus, %0\n csrc mstatus, %0" ::"r"(MSTATUS_MIE));
    }
}

static void test_timer(void)
{
    const uint32_t cycles = 500;
    __asm__ volatile("csrw mie, %0" ::"r"(1u << 7));
    soc_write(TIMER_COMPARE_HI, 0);
    uint32_t start = soc_read(TIMER_NOW_LO), start_cycle = CSR_READ("mcycle");
    soc_write(TIMER_COMPARE_LO, start + cycles);
    wait_for_interrupt();
    uint32_t waited = soc_read(TIMER_NOW_LO) - start,
             waited_cycles = CSR_READ("mcycle") - start_cycle;
    expect("timer interrupt", last_cause == CAUSE_TIMER);
    expect("timer waited", waited >= cycles && waited < cycles + 100);
    expect("mtime counts cycles", waited_cycles - waited + 20 < 40);
    soc_write(TIMER_NOW_HI, 5);
    expect("mtime is written", soc_read(TIMER_NOW_HI) == 5);
}

static _Alignas(16) uint8_t a[16], b[16], d[16];

// 1.0 * 1.0 in e4m3fn, k = 1.
static void submit_smallest_gemm(void)
{
    a[0] = b[0] = 0x38;
    soc_fence();
    soc_write(ACCEL(A_ADDR), (uint32_t)(uintptr_t)a);
    soc_write(ACCEL(B_ADDR), (uint32_t)(uintptr_t)b);
    soc_write(ACCEL(D_ADDR), (uint32_t)(uintptr_t)d);
    soc_write(ACCEL(M), 1);
    soc_write(ACCEL(N), 1);
    soc_write(ACCEL(K), 1);
    soc_write(ACCEL(MODE), FP8MAC_REGS__MODE__IRQ_bm);
    soc_write(ACCEL(SUBMIT), 0);
}

static void test_accelerator_interrupt(void)
{
    __asm__ volatile("csrw mie, %0" ::"r"(1u << SOC_ACCELERATOR_IRQ));
    soc_write(ACCEL(IRQ_ENABLE), FP8MAC_REGS__IRQ_ENABLE__DONE_bm);
    submit_smallest_gemm();
    wait_for_interrupt();
    soc_fence();
    expect("accelerator's interrupt", last_cause == CAUSE_ACCELERATOR);
    expect("1 * 1", ((volatile uint8_t *)d)[0] == 0x38);
}

static void test_stall_register(void)
{
    soc_write(SOC_SIMCTRL + SIMCTRL_STALL, 123);
    expect("STALL is read back", soc_read(SOC_SIMCTRL + SIMCTRL_STALL) == 123);
    soc_write(SOC_SIMCTRL + SIMCTRL_STALL, 999);
    expect("STALL is limited", soc_read(SOC_SIMCTRL + SIMCTRL_STALL) == 900);
    soc_write(SOC_SIMCTRL + SIMCTRL_STALL, 0);
}

static fp8rt_check_record smallest_record(void)
{
    return (fp8rt_check_record){
        .magic = FP8RT_CHECK_MAGIC,
        .m = 1,
        .n = 1,
        .k = 1,
        .group = 1,
        .scale_d = 0x3f800000,
        .amax = 0x3f800000,
        .a = {.address = (uintptr_t)a, .scale = 0x3f800000},
        .b = {.address = (uintptr_t)b, .scale = 0x3f800000},
        .d = (uintptr_t)d,
        .element = FP8MAC_REGS__ELEMENT__ACC_FP32_bm | FP8MAC_REGS__ELEMENT__ACC_FP16_bm |
                   FP8MAC_REGS__ELEMENT__E5M2_bm | FP8MAC_REGS__ELEMENT__NARROW_bm, // exact
    };
}

static uint32_t ask(const void *record)
{
    soc_fence();
    soc_write(SOC_SIMCTRL + SIMCTRL_CHECK, (uint32_t)(uintptr_t)record);
    const uint32_t answer = soc_read(SOC_SIMCTRL + SIMCTRL_CHECK);
    soc_fence();
    return answer;
}

static uint32_t check(const fp8rt_check_record *record)
{
    return ask(record);
}

static uint32_t fill(uint32_t state, uint32_t address, uint32_t bytes)
{
    const fp8rt_fill_record record = {.magic = FP8RT_FILL_MAGIC,
                                      .data = 2, // FP8RT_DATA_CODES
                                      .state = state,
                                      .address = address,
                                      .bytes = bytes};
    return ask(&record);
}

// Marsaglia's xorshift32
static uint32_t next(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static void test_fill(void)
{
    static uint32_t words[3] = {1, 2, 3};
    const uint32_t address = (uint32_t)(uintptr_t)words;
    const uint32_t second = next(next(77));
    expect("codes in memory", fill(77, address, 8) == second && words[0] == next(77) &&
                                  words[1] == second && words[2] == 3);
    expect("codes between words", fill(77, address + 1, 8) == 0 && fill(77, address, 7) == 0);
    expect("codes outside memory", fill(77, SOC_RAM - 4, 8) == 0 && fill(77, 0, 4) == 0);
    expect("no state", fill(0, address, 8) == 0 && words[1] == second);
}

static void test_check_register(void)
{
    fp8rt_check_record record = smallest_record();
    a[0] = b[0] = d[0] = 0x38;
    expect("CHECK of an equal output", check(&record) == 0);
}

// The ways to end that an argument names by its first letter.
static int end(char how)
{
    fp8rt_check_record record = smallest_record();
    switch (how) {
    case 'h': // hang
        while (exceptions == 0) {
        }
        return 0;
    case 's': // sleep for ever
        __asm__ volatile("csrw mie, zero");
        for (;;) {
            __asm__ volatile("wfi");
        }
    case 'd': // double fault: a handler where nothing is
        __asm__ volatile("csrw mtvec, zero");
        (void)soc_read(0);
        return 0;
    case 'w': // wrong output
        a[0] = b[0] = 0x38;
        d[0] = 0x39;
        return check(&record) == 1 ? 0 : 9;
    case 'm': // malformed record
        record.magic = 0;
        return check(&record) == UINT32_MAX ? 0 : 9;
    case 'o': // outside memory
        return check((const fp8rt_check_record *)4) == UINT32_MAX ? 0 : 9;
    default: // exit status
        return how - '0';
    }
}

int main(void)
{
    const uint32_t *arguments = (const uint32_t *)(uintptr_t)soc_read(SOC_SIMCTRL + SIMCTRL_ARGS);
    if (arguments[0] > 1) {
        return end(*(const char *)(uintptr_t)arguments[2]);
    }
    test_bus_errors();
    test_byte_lanes();
    test_timer();
    test_accelerator_interrupt();
    test_stall_register();
    test_check_register();
    test_fill();
    put_number(passed);
    put(" passed, ");
    put_number(failed);
    put(" failed\n");
    return failed != 0 || passed == 0;
}
