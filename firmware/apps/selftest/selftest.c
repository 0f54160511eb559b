// SPDX-License-Identifier: Apache-2.0
//: The first program on a new board: names what is broken. Then GEMMs over the corners
//: of shapes and formats.
//: TRIALS=0   without the GEMMs, which only the simulator and the host can check
//: PAIRS=all  GEMMs of every pair of formats of A and B with every format of D
//
//   identity    what never changes, and sizes that are possible
//   registers   reset values, patterns in every bit, addresses
//   paths       patterns through the memories and data paths, of known results
//   formats     every pair of formats of A and B with every format of D
//   events      interrupt, counters, sticky flags
//   trials      shapes, formats and options, compared with the golden model
//
// The first two and the events need registers, so the host leaves them out. A failure
// names the part and says what was read and expected. The last lines are the broken parts
// and the count of checks.
#include <stdio.h>
#include <string.h>

#include "fp8rt/app.h"
#include "bus.h"
#include "formats.h"
#include "operand_format.h"
#include "paths.h"
#include "report.h"
#include "trials.h"

static fp8rt_device dev;

// ---- stages -------------------------------------------------------------------------------------

static uint32_t read_register(void *context, uint32_t offset)
{
    (void)context;
    return *(volatile uint32_t *)(fp8rt_app_port.registers + offset);
}

static void write_register(void *context, uint32_t offset, uint32_t value)
{
    (void)context;
    FP8RT_PORT_BARRIER();
    *(volatile uint32_t *)(fp8rt_app_port.registers + offset) = value;
}

static bool interrupt_line(void *context)
{
    (void)context;
    return fp8rt_app_interrupt_line();
}

static const bus registers = {read_register, write_register, interrupt_line, NULL};

static void completed(void *context, uint16_t tag)
{
    (void)tag;
    (*(volatile unsigned *)context)++;
}

// A command that is begun, whose end the handler of the interrupt announces. Without completion
// records it is refused.
static void check_handler(report *t, const bus_product *product)
{
    volatile unsigned calls = 0;
    uint16_t tag = 0;
    const fp8rt_gemm_desc desc = {.m = BUS_SIDE,
                                  .n = BUS_SIDE,
                                  .k = BUS_K,
                                  .a.codes = (const void *)(uintptr_t)product->a,
                                  .b.codes = (const void *)(uintptr_t)product->b,
                                  .a.format = fp8rt_element_format(&dev.caps.element),
                                  .b.format = fp8rt_element_format(&dev.caps.element),
                                  .acc_format = fp8rt_element_accumulator(&dev.caps.element),
                                  .d = (void *)(uintptr_t)product->d,
                                  .d_format = FP8MAC_FP32};
    static fp8rt_gemm_plan plan;
    const fp8rt_status planned = fp8rt_gemm_plan_make(&dev.caps, desc, &plan);
    if (dev.caps.records == 0) {
        report_count(t,
                     planned == FP8RT_OK &&
                         fp8rt_gemm_begin(&dev, &plan, NULL, 0, &tag) == FP8RT_ERR_RECORDS,
                     "a command that is begun without completion records");
        return;
    }
    fp8rt_device_on_completion(&dev, completed, (void *)(uintptr_t)&calls);
    fp8rt_app_handle_interrupts(&dev);
    bool ran = planned == FP8RT_OK && fp8rt_gemm_begin(&dev, &plan, NULL, 0, &tag) == FP8RT_OK;
    ran = ran && fp8rt_device_await(&dev, tag, 100000) == FP8RT_OK;
    for (unsigned i = 0; i < 1000 && calls == 0; i++) {
        fp8rt_device_is_done(&dev, tag);
    }
    fp8rt_app_handle_interrupts(NULL);
    ran = fp8rt_gemm_end(&dev, tag, NULL) == FP8RT_OK && ran;
    fp8rt_device_on_completion(&dev, NULL, NULL);
    if (ran && calls == 1) {
        report_count(t, true, "interrupt: the handler of the core");
    } else {
        report_broken(t, "interrupt", "the handler was called %u times for one command", calls);
    }
}

static void check_events(report *t)
{
    fp8rt_arena arena = fp8rt_app_arena();
    const fp8rt_element *element = &dev.caps.element;
    const fp8mac_format_id format = fp8rt_element_format(element);
    uint8_t *ones = fp8rt_arena_alloc(&arena, (BUS_SIDE * BUS_K + 31u) & ~31u);
    float *d = fp8rt_arena_alloc(&arena, BUS_SIDE * 32u);
    if (d == NULL) {
        report_broken(t, "memory", "too little for a product");
        return;
    }
    memset(ones, format == FP8MAC_INT8 ? 0x01 : 0x38, BUS_SIDE * BUS_K);
    const bus_product product = {
        .a = (uint32_t)(uintptr_t)ones,
        .b = (uint32_t)(uintptr_t)ones,
        .d = (uint32_t)(uintptr_t)d,
        .d_stride = dev.caps.beat_bytes < 16 ? 16 : dev.caps.beat_bytes,
        .mode =
            fp8rt_mode_formats(format, format) | FP8RT_PUT(MODE__PASS_SHAPE, 3) |
            (fp8rt_element_accumulator(element) == FP8MAC_ACC_FP16 ? FP8RT_BIT(MODE__ACC_FMT) : 0)};
    check_interrupt(&registers, &product, t);
    check_counters(&registers, &product, t);
    check_handler(t, &product);
}

// A line for a stage whose checks have no lines of their own.
static void conclude(const report *t, const report *before, const char *stage)
{
    printf("%s %s: %u checks\n", t->failed == before->failed ? "ok  " : "FAIL", stage,
           t->passed + t->failed - before->passed - before->failed);
}

static void run_registers(report *t)
{
    report before = *t;
    check_identity(&registers, t);
    conclude(t, &before, "identity and sizes");
    before = *t;
    check_registers(&registers, t);
    conclude(t, &before, "registers");
}

static void run_stages(report *t)
{
    report before = *t;
    const bool paths = check_paths(&dev, fp8rt_app_arena(), t);
    conclude(t, &before, "memories and data paths");
    if (paths) {
        before = *t;
        check_formats(&dev, fp8rt_app_arena(), t);
        conclude(t, &before, "formats of A, B and D");
    } else {
        printf("     not tested: formats\n");
    }
    if (!fp8rt_app_is_host) {
        before = *t;
        check_events(t);
        conclude(t, &before, "interrupt and counters");
    }
}

int main(int argc, char **argv)
{
    static report t;
    const char *trials_option = fp8rt_app_option(argc, argv, "TRIALS");
    const char *pairs_option = fp8rt_app_option(argc, argv, "PAIRS");
    if (!fp8rt_app_is_host) {
        run_registers(&t);
    }
    const fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status != FP8RT_OK) {
        report_broken(&t, "accelerator", "%s", fp8rt_status_string(status));
    } else {
        run_stages(&t);
        if (trials_option == NULL || strcmp(trials_option, "0") != 0) {
            run_trials(&dev, pairs_option != NULL && strcmp(pairs_option, "all") == 0, &t);
        }
    }
    report_print(&t);
    return t.failed == 0 && t.passed > 0 ? 0 : 1;
}
