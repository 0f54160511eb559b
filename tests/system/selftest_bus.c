// SPDX-License-Identifier: Apache-2.0
// The checks of the application `selftest` that need registers, over a register file with one fault
// at a time: each stuck bit of each register, aliases, wrong identities, and faults of interrupt
// and counters. The report must name it.
#define _GNU_SOURCE // stdout may be replaced
#include "../../firmware/apps/selftest/bus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "../../firmware/apps/selftest/register_table.h"

enum { REGISTERS = 0x140 / 4, BEAT = 16 };
#define AT(name) (offsetof(fp8mac_regs_t, name) / 4)

typedef enum fault_kind {
    NO_FAULT,
    STUCK,        // bit `bit` of register `index` reads as `value`
    ALIAS,        // a write of register `index` also writes register `bit`
    CONSTANT,     // register `index` reads as `value`
    LINE_STUCK,   // the line is `value`
    NO_CAUSE,     // IRQ_STATE is never set
    UNMASKED,     // the line ignores IRQ_ENABLE
    SWAPPED,      // the enables of the two causes are exchanged
    KEPT,         // IRQ_STATE is not cleared
    EARLY,        // a command without MODE.irq sets the cause
    KEPT_ERROR,   // CTRL.clear_error has no effect
    SILENT,       // a command never ends
    NOT_CLEARED,  // CTRL.clear_counters has no effect
    BOTH_CLEARED, // CTRL.clear_flags clears the counters
    AMAX_KEPT,    // CTRL.clear_flags does not clear AMAX
    LOST_CYCLE,   // CYCLES counts more than its parts
    TWICE,        // a command counts twice
} fault_kind;

typedef struct machine {
    uint32_t words[REGISTERS];
    fault_kind fault;
    uint32_t index, bit, value;
} machine;

// ---- the register file --------------------------------------------------------------------------

static void tick(machine *m)
{
    m->words[AT(CYCLES)] += m->fault == LOST_CYCLE ? 4u : 3u;
    m->words[AT(CYC_IDLE)] += 3;
}

static uint32_t read_machine(void *context, uint32_t offset)
{
    machine *m = context;
    tick(m);
    uint32_t word = m->words[offset / 4];
    if (m->fault == STUCK && m->index == offset / 4) {
        word = (word & ~(1u << m->bit)) | m->value << m->bit;
    }
    return m->fault == CONSTANT && m->index == offset / 4 ? m->value : word;
}

static void clear_counters(machine *m)
{
    memset(&m->words[AT(CYCLES)], 0, (AT(WRITE_BEATS) + 1 - AT(CYCLES)) * 4);
}

static void control(machine *m, uint32_t value)
{
    const bool flags = (value & FP8RT_BIT(CTRL__CLEAR_FLAGS)) != 0;
    if ((value & FP8RT_BIT(CTRL__CLEAR_ERROR)) != 0 && m->fault != KEPT_ERROR) {
        m->words[AT(STATUS)] &= ~FP8RT_BIT(STATUS__ERROR);
    }
    if (flags && m->fault != AMAX_KEPT) {
        m->words[AT(AMAX)] = 0;
    }
    if (((value & FP8RT_BIT(CTRL__CLEAR_COUNTERS)) != 0 && m->fault != NOT_CLEARED) ||
        (flags && m->fault == BOTH_CLEARED)) {
        clear_counters(m);
    }
}

static void submit(machine *m)
{
    const bool irq = (m->words[AT(MODE)] & FP8RT_BIT(MODE__IRQ)) != 0 || m->fault == EARLY;
    const uint32_t times = m->fault == TWICE ? 2 : 1;
    uint32_t *w = m->words;
    if (m->fault == SILENT) {
        w[AT(STATUS)] &= ~FP8RT_BIT(STATUS__IDLE);
    } else if (w[AT(M)] == 0) {
        w[AT(STATUS)] |= FP8RT_BIT(STATUS__ERROR);
        w[AT(IRQ_STATE)] |= m->fault == NO_CAUSE ? 0 : FP8RT_BIT(IRQ_STATE__ERROR);
    } else {
        w[AT(IRQ_STATE)] |= irq && m->fault != NO_CAUSE ? FP8RT_BIT(IRQ_STATE__DONE) : 0;
        w[AT(COMPLETED)] += times;
        w[AT(MACS_LO)] += times * w[AT(M)] * w[AT(N)] * w[AT(K)];
        w[AT(READ_BEATS)] += (w[AT(M)] + w[AT(N)]) * w[AT(K)] / BEAT;
        w[AT(WRITE_BEATS)] += w[AT(M)];
        w[AT(AMAX)] = 0x42000000u;
        w[AT(CYCLES)] += 100;
        w[AT(CYC_COMPUTE)] += 60;
        w[AT(CYC_FIRST_LOAD)] += 40;
    }
}

static uint32_t writable(uint32_t index)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (entries[i].offset / 4 == index) {
            return entries[i].writable;
        }
    }
    return 0;
}

static void write_machine(void *context, uint32_t offset, uint32_t value)
{
    machine *m = context;
    const uint32_t index = offset / 4;
    tick(m);
    m->words[index] = (m->words[index] & ~writable(index)) | (value & writable(index));
    if (m->fault == ALIAS && m->index == index) {
        m->words[m->bit] = value & writable(m->bit);
    }
    if (index == AT(CTRL)) {
        control(m, value);
    } else if (index == AT(IRQ_STATE) && m->fault != KEPT) {
        m->words[index] &= ~value;
    } else if (index == AT(SUBMIT)) {
        submit(m);
    }
}

static bool line_of(void *context)
{
    const machine *m = context;
    uint32_t enable = m->words[AT(IRQ_ENABLE)];
    if (m->fault == LINE_STUCK) {
        return m->value != 0;
    }
    if (m->fault == SWAPPED) {
        enable = (enable >> 1 & 1u) | (enable & 1u) << 1;
    }
    return (m->words[AT(IRQ_STATE)] & (m->fault == UNMASKED ? UINT32_MAX : enable)) != 0;
}

static machine machine_with(fault_kind fault, uint32_t index, uint32_t bit, uint32_t value)
{
    machine m = {.fault = fault, .index = index, .bit = bit, .value = value};
    for (unsigned i = 0; i < ENTRIES; i++) {
        m.words[entries[i].offset / 4] = entries[i].reset;
    }
    m.words[AT(CONFIG0)] = FP8RT_PUT(CONFIG0__ROWS, 4) | FP8RT_PUT(CONFIG0__COLS, 4) |
                           FP8RT_PUT(CONFIG0__LANES, 16) | FP8RT_PUT(CONFIG0__BEAT_BYTES, BEAT);
    m.words[AT(CONFIG1)] = FP8RT_PUT(CONFIG1__ACC_TILES, 1024) |
                           FP8RT_PUT(CONFIG1__QUEUE_DEPTH, 4) | FP8RT_PUT(CONFIG1__PASS_TILES, 4);
    m.words[AT(CONFIG2)] = FP8RT_PUT(CONFIG2__BUF_BEATS, 256) | FP8RT_PUT(CONFIG2__MAX_MN, 128);
    m.words[AT(CONFIG3)] = FP8RT_PUT(CONFIG3__BLOCK, 32) | FP8RT_PUT(CONFIG3__RECORDS, 8);
    m.words[AT(STATUS)] = FP8RT_BIT(STATUS__IDLE);
    return m;
}

// ---- the report ---------------------------------------------------------------------------------

static unsigned passed, failed;

// What the checks print. The caller frees it.
static char *run_checks(machine m, report *r)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *console = stdout;
    const bus b = {read_machine, write_machine, line_of, &m};
    const bus_product product = {.a = 0x1000, .b = 0x1000, .d = 0x2000, .d_stride = BEAT};
    memset(r, 0, sizeof *r);
    stdout = open_memstream(&text, &bytes);
    check_identity(&b, r);
    check_registers(&b, r);
    check_interrupt(&b, &product, r);
    check_counters(&b, &product, r);
    report_print(r);
    fclose(stdout);
    stdout = console;
    return text;
}

// The part is among the broken ones, and a line has the text.
static void expect(machine m, const char *part, const char *line)
{
    report r;
    char *text = run_checks(m, &r);
    const bool good =
        part == NULL ? r.failed == 0 && r.passed > 100
                     : r.failed > 0 && report_is_broken(&r, part) && strstr(text, line) != NULL;
    good ? passed++ : failed++;
    if (!good && failed < 5) {
        printf("FAIL not named: %s, %s\n%s", part, line, text);
    }
    free(text);
}

static void expect_stuck_bits(void)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        for (uint32_t bit = 0; bit < 32; bit++) {
            if ((entries[i].writable >> bit & 1u) == 0) {
                continue;
            }
            char part[REPORT_NAME], line[80];
            snprintf(part, sizeof part, "register %s", entries[i].name);
            for (uint32_t value = 0; value < 2; value++) {
                snprintf(line, sizeof line,
                         "FAIL %s: bit %" PRIu32 " at 0x%03" PRIx32 " is stuck at %" PRIu32, part,
                         bit, entries[i].offset, value);
                expect(machine_with(STUCK, entries[i].offset / 4, bit, value), part, line);
            }
        }
    }
}

static void expect_constants(void)
{
    expect(machine_with(STUCK, AT(ID), 0, 0), "register ID", "identity at 0x000");
    expect(machine_with(STUCK, AT(VERSION), 9, 0), "register VERSION", "identity at 0x004");
    expect(machine_with(STUCK, AT(CONFIG0), 0, 1), "CONFIG0.rows", "read 5");
    expect(machine_with(STUCK, AT(CONFIG2), 8, 0), "CONFIG2.buf_beats", "read 0");
    expect(machine_with(STUCK, AT(ELEMENT), 7, 1), "register ELEMENT", "no kind");
    expect(machine_with(CONSTANT, AT(SCALE_A), 0, 0x40000000), "register SCALE_A",
           "reset value at 0x0b4");
    expect(machine_with(ALIAS, AT(C_ADDR), AT(A_ADDR), 0), "register A_ADDR",
           "another register was written");
    expect(machine_with(ALIAS, AT(SEED), AT(MODE), 0), "register MODE",
           "another register was written");
}

typedef struct event {
    fault_kind fault;
    uint32_t value;
    const char *part, *line;
} event;

static const event events[] = {
    {LINE_STUCK, 0, "interrupt", "the line is low at the core"},
    {LINE_STUCK, 1, "interrupt", "the line is high without a cause"},
    {NO_CAUSE, 0, "interrupt", "done: IRQ_STATE expected 0x1, read 0x0"},
    {UNMASKED, 0, "interrupt", "but the cause is masked"},
    {SWAPPED, 0, "interrupt", "by the other cause's enable"},
    {KEPT, 0, "interrupt", "is not cleared by a write of 1"},
    {EARLY, 0, "interrupt", "a command without MODE.irq sets a cause"},
    {KEPT_ERROR, 0, "interrupt", "the error state stays"},
    {SILENT, 0, "interrupt", "a command did not end"},
    {NOT_CLEARED, 0, "counters", "MACS_LO behind CTRL.clear_counters expected 0"},
    {BOTH_CLEARED, 0, "counters", "MACS_LO behind CTRL.clear_flags expected 512, read 0"},
    {AMAX_KEPT, 0, "counters", "AMAX behind CTRL.clear_flags"},
    {LOST_CYCLE, 0, "counters", "is not the sum of its parts"},
    {TWICE, 0, "counters", "MACS_LO expected 512, read 1024"},
};

static void expect_word(uint32_t index, uint32_t value, const char *line)
{
    expect(machine_with(CONSTANT, index, 0, value), "counters", line);
}

int main(void)
{
    expect(machine_with(NO_FAULT, 0, 0, 0), NULL, "");
    expect_stuck_bits();
    expect_constants();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        expect(machine_with(events[i].fault, 0, 0, events[i].value), events[i].part,
               events[i].line);
    }
    expect_word(AT(CYCLES), 500, "stands still");
    expect_word(AT(CYC_IDLE), 10, "stands still");
    expect_word(AT(CYC_COMPUTE), 0, "is 0 behind a command");
    expect_word(AT(COMPLETED), 7, "COMPLETED expected 8, read 7");
    expect_word(AT(READ_BEATS), 0, "READ_BEATS expected 16, read 0");
    expect_word(AT(WRITE_BEATS), 0, "WRITE_BEATS expected 4, read 0");
    expect_word(AT(MACS_HI), 1, "MACS_HI expected 0, read 1");
    expect_word(AT(AMAX), 0, "AMAX expected 1107296256, read 0");
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
