// SPDX-License-Identifier: Apache-2.0
// Interrupt and counters, by commands through the registers.
#include <inttypes.h>
#include <stdio.h>

#include "bus.h"
#include "fp8mac/format.h"
#include "fp8rt/device.h"

#define INTERRUPT "interrupt"
#define COUNTERS "counters"
#define DONE FP8RT_BIT(IRQ_STATE__DONE)
#define ERROR FP8RT_BIT(IRQ_STATE__ERROR)

enum { POLLS = 10000, TAG = 0x5a };

bool bus_run(const bus *b, const bus_product *product, uint32_t m, uint32_t mode)
{
    BUS_WRITE(b, A_ADDR, product->a);
    BUS_WRITE(b, A_STRIDE, BUS_K);
    BUS_WRITE(b, B_ADDR, product->b);
    BUS_WRITE(b, B_STRIDE, BUS_K);
    BUS_WRITE(b, D_ADDR, product->d);
    BUS_WRITE(b, D_STRIDE, product->d_stride);
    BUS_WRITE(b, M, m);
    BUS_WRITE(b, N, BUS_SIDE);
    BUS_WRITE(b, K, BUS_K);
    BUS_WRITE(b, TILE, 0);
    BUS_WRITE(b, TILE_K, 0);
    BUS_WRITE(b, SCALE_EXP, 0);
    BUS_WRITE(b, SCALE_A, 0x3f800000u);
    BUS_WRITE(b, SCALE_B, 0x3f800000u);
    BUS_WRITE(b, SCALE_D, 0x3f800000u);
    BUS_WRITE(b, MODE, product->mode | mode | FP8RT_PUT(MODE__D_FMT, FP8MAC_FP32));
    BUS_WRITE(b, SUBMIT, TAG);
    for (unsigned i = 0; i < POLLS; i++) {
        if ((BUS_READ(b, STATUS) & FP8RT_BIT(STATUS__IDLE)) != 0) {
            return true;
        }
    }
    return false;
}

// ---- interrupt ----------------------------------------------------------------------------------

static void expect(report *r, const char *part, bool good, const char *what)
{
    if (good) {
        r->passed++;
    } else {
        report_broken(r, part, "%s", what);
    }
}

// One cause: raised while it is masked, then enabled, then cleared.
static void check_cause(const bus *b, report *r, uint32_t cause, const char *name)
{
    const uint32_t state = BUS_READ(b, IRQ_STATE);
    char text[80];
    if (state != cause) {
        report_broken(r, INTERRUPT, "%s: IRQ_STATE expected 0x%" PRIx32 ", read 0x%" PRIx32, name,
                      cause, state);
        return;
    }
    r->passed++;
    snprintf(text, sizeof text, "%s: the line is high, but the cause is masked", name);
    expect(r, INTERRUPT, !b->line(b->context), text);
    BUS_WRITE(b, IRQ_ENABLE, (DONE | ERROR) & ~cause);
    snprintf(text, sizeof text, "%s: the line is high by the other cause's enable", name);
    expect(r, INTERRUPT, !b->line(b->context), text);
    BUS_WRITE(b, IRQ_ENABLE, cause);
    snprintf(text, sizeof text, "%s: the line is low at the core, but the cause is enabled", name);
    expect(r, INTERRUPT, b->line(b->context), text);
    BUS_WRITE(b, IRQ_STATE, cause);
    snprintf(text, sizeof text, "%s: IRQ_STATE is not cleared by a write of 1", name);
    expect(r, INTERRUPT, BUS_READ(b, IRQ_STATE) == 0, text);
    snprintf(text, sizeof text, "%s: the line stays high behind the clear", name);
    expect(r, INTERRUPT, !b->line(b->context), text);
    BUS_WRITE(b, IRQ_ENABLE, 0);
}

void check_interrupt(const bus *b, const bus_product *product, report *r)
{
    const uint32_t enabled = BUS_READ(b, IRQ_ENABLE);
    BUS_WRITE(b, IRQ_ENABLE, 0);
    BUS_WRITE(b, IRQ_STATE, DONE | ERROR);
    expect(r, INTERRUPT, !b->line(b->context), "the line is high without a cause");
    expect(r, INTERRUPT, bus_run(b, product, BUS_SIDE, 0), "a command did not end");
    expect(r, INTERRUPT, BUS_READ(b, IRQ_STATE) == 0, "a command without MODE.irq sets a cause");
    expect(r, INTERRUPT, bus_run(b, product, BUS_SIDE, FP8RT_BIT(MODE__IRQ)),
           "a command did not end");
    check_cause(b, r, DONE, "done");
    expect(r, INTERRUPT, bus_run(b, product, 0, 0), "an illegal command did not end");
    check_cause(b, r, ERROR, "error");
    BUS_WRITE(b, CTRL, FP8RT_BIT(CTRL__CLEAR_ERROR));
    expect(r, INTERRUPT, (BUS_READ(b, STATUS) & FP8RT_BIT(STATUS__ERROR)) == 0,
           "the error state stays behind CTRL.clear_error");
    BUS_WRITE(b, IRQ_ENABLE, enabled);
}

// ---- counters -----------------------------------------------------------------------------------

static void expect_word(report *r, const char *name, uint32_t want, uint32_t got)
{
    if (want == got) {
        r->passed++;
    } else {
        report_broken(r, COUNTERS, "%s expected %" PRIu32 ", read %" PRIu32, name, want, got);
    }
}

static uint32_t parts_sum(const bus *b)
{
    return BUS_READ(b, CYC_COMPUTE) + BUS_READ(b, CYC_RESULTS) + BUS_READ(b, CYC_SPACING) +
           BUS_READ(b, CYC_FIRST_LOAD) + BUS_READ(b, CYC_LOAD) + BUS_READ(b, CYC_COMMAND) +
           BUS_READ(b, CYC_STORE);
}

// While idle CYC_IDLE and CYCLES count on, so that their difference is what stands still.
static void check_parts(const bus *b, report *r)
{
    const uint32_t idle = BUS_READ(b, CYC_IDLE), cycles = BUS_READ(b, CYCLES);
    const uint32_t cycles_first = BUS_READ(b, CYCLES), idle_then = BUS_READ(b, CYC_IDLE);
    const uint32_t parts = parts_sum(b);
    // cycles - idle is too large by the time between the readings, and then too small by it.
    expect(r, COUNTERS,
           cycles - idle >= parts && (int32_t)(cycles_first - idle_then) <= (int32_t)parts,
           "CYCLES is not the sum of its parts");
    expect(r, COUNTERS, cycles_first > cycles && idle_then > idle,
           "CYCLES or CYC_IDLE stands still");
    expect(r, COUNTERS, BUS_READ(b, CYC_COMPUTE) > 0 && BUS_READ(b, CYC_FIRST_LOAD) > 0,
           "CYC_COMPUTE or CYC_FIRST_LOAD is 0 behind a command");
}

void check_counters(const bus *b, const bus_product *product, report *r)
{
    const uint32_t beat = FP8RT_GET(CONFIG0__BEAT_BYTES, BUS_READ(b, CONFIG0));
    const uint32_t completed = BUS_READ(b, COMPLETED);
    BUS_WRITE(b, CTRL, FP8RT_BIT(CTRL__CLEAR_COUNTERS) | FP8RT_BIT(CTRL__CLEAR_FLAGS));
    expect_word(r, "MACS_LO behind CTRL.clear_counters", 0, BUS_READ(b, MACS_LO));
    expect_word(r, "CYC_COMPUTE behind CTRL.clear_counters", 0, BUS_READ(b, CYC_COMPUTE));
    expect_word(r, "READ_BEATS behind CTRL.clear_counters", 0, BUS_READ(b, READ_BEATS));
    expect_word(r, "WRITE_BEATS behind CTRL.clear_counters", 0, BUS_READ(b, WRITE_BEATS));
    expect_word(r, "AMAX behind CTRL.clear_flags", 0, BUS_READ(b, AMAX));
    expect(r, COUNTERS, BUS_READ(b, CYCLES) < POLLS, "CYCLES is not cleared");
    expect(r, COUNTERS, bus_run(b, product, BUS_SIDE, 0), "a command did not end");
    expect_word(r, "MACS_LO", BUS_SIDE * BUS_SIDE * BUS_K, BUS_READ(b, MACS_LO));
    expect_word(r, "MACS_HI", 0, BUS_READ(b, MACS_HI));
    expect_word(r, "COMPLETED", completed + 1u, BUS_READ(b, COMPLETED));
    expect_word(r, "READ_BEATS", 2u * BUS_SIDE * ((BUS_K + beat - 1u) / beat),
                BUS_READ(b, READ_BEATS));
    expect_word(r, "WRITE_BEATS", BUS_SIDE * ((BUS_SIDE * 4u + beat - 1u) / beat),
                BUS_READ(b, WRITE_BEATS));
    expect_word(r, "AMAX", 0x42000000u, BUS_READ(b, AMAX)); // 32.0f
    check_parts(b, r);
    BUS_WRITE(b, CTRL, FP8RT_BIT(CTRL__CLEAR_FLAGS));
    expect_word(r, "AMAX behind CTRL.clear_flags", 0, BUS_READ(b, AMAX));
    expect_word(r, "MACS_LO behind CTRL.clear_flags", BUS_SIDE * BUS_SIDE * BUS_K,
                BUS_READ(b, MACS_LO));
    BUS_WRITE(b, CTRL, FP8RT_BIT(CTRL__CLEAR_COUNTERS));
    expect_word(r, "MACS_LO behind CTRL.clear_counters", 0, BUS_READ(b, MACS_LO));
}
