// SPDX-License-Identifier: Apache-2.0
// The library on a Cortex-M: two accelerators of one program, one with an interrupt handler and a
// completion function, one without. Memory takes the place of their registers. In the interrupt of
// SysTick, the program does what an accelerator does with a command of one tile. What the RTL does
// is tested with the core of the simulated chip.
#include <stdio.h>
#include <string.h>

#include "fp8mac/fp8mac.h"
#include "fp8rt/fp8rt.h"
#include "fp8rt/registers.h"
#include "fp8rt_cortex_m.h"
#include "start.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define SYST_CSR REGISTER(0xe000e010u)
#define SYST_RVR REGISTER(0xe000e014u)
#define NVIC_ISER(interrupt) REGISTER(0xe000e100u + (interrupt) / 32u * 4u)
#define NVIC_ISPR(interrupt) REGISTER(0xe000e200u + (interrupt) / 32u * 4u)

enum { SIDE = 16, DEPTH = 32, RUNS = 20, VALUES = 64 };

static unsigned passed, failed;

static void count(bool right, const char *name)
{
    if (right) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s\n", name);
    }
}

// ---- accelerators -------------------------------------------------------------------------------

typedef union npu {
    fp8mac_regs_t registers;
    uint32_t words[sizeof(fp8mac_regs_t) / 4];
} npu;

static volatile npu npus[2];
static fp8rt_device devices[2];
static volatile unsigned busy[2]; // ticks that a command still takes
static unsigned cleaned, invalidated, handled;

#define OF(npu, name) ((npu)->words[offsetof(fp8mac_regs_t, name) / 4])

static void power_up(volatile npu *n)
{
    OF(n, ID) = FP8MAC_REGS__ID__VALUE_reset;
    OF(n, VERSION) = FP8RT_PUT(VERSION__MAJOR, FP8MAC_REGS__VERSION__MAJOR_reset) |
                     FP8RT_PUT(VERSION__MINOR, FP8MAC_REGS__VERSION__MINOR_reset);
    OF(n, CONFIG0) = FP8RT_PUT(CONFIG0__ROWS, 4) | FP8RT_PUT(CONFIG0__COLS, 4) |
                     FP8RT_PUT(CONFIG0__LANES, 16) | FP8RT_PUT(CONFIG0__BEAT_BYTES, 16);
    OF(n, CONFIG1) = FP8RT_PUT(CONFIG1__PASS_TILES, 4) | FP8RT_PUT(CONFIG1__ACC_TILES, 256) |
                     FP8RT_PUT(CONFIG1__QUEUE_DEPTH, 8);
    OF(n, CONFIG2) = FP8RT_PUT(CONFIG2__BUF_BEATS, 256) | FP8RT_PUT(CONFIG2__MAX_MN, 128);
    OF(n, CONFIG3) = FP8RT_PUT(CONFIG3__BLOCK, 32) | FP8RT_PUT(CONFIG3__RECORDS, 8);
    fp8rt_element element;
    fp8rt_element_make(FP8MAC_ELEMENT_BLOCK, 16, 0, &element);
    OF(n, ELEMENT) = fp8rt_element_encode(&element);
    OF(n, STATUS) = FP8RT_BIT(STATUS__IDLE);
}

// D of e4m3fn, as sums in float
static void multiply(const uint8_t *a, const uint8_t *b, uint8_t *d)
{
    const fp8mac_format *format = fp8mac_format_get(FP8MAC_E4M3FN);
    float row[DEPTH], column[DEPTH];
    fp8mac_flags flags = 0;
    for (unsigned m = 0; m < SIDE; m++) {
        for (unsigned n = 0; n < SIDE; n++) {
            float sum = 0.0f;
            fp8mac_dequantize(row, format, a + m * DEPTH, DEPTH, 1.0f);
            fp8mac_dequantize(column, format, b + n * DEPTH, DEPTH, 1.0f);
            for (unsigned k = 0; k < DEPTH; k++) {
                sum += row[k] * column[k];
            }
            fp8mac_quantize(format, d + m * SIDE + n, &sum, 1, 1.0f, (fp8mac_convert_mode){0},
                            &flags);
        }
    }
}

#define WORD(words, name)                                                                          \
    ((words)[(offsetof(fp8mac_regs_t, name) - offsetof(fp8mac_regs_t, A_ADDR)) / 4])

static void complete(unsigned i)
{
    volatile npu *n = &npus[i];
    const uint32_t *words = (const uint32_t *)(uintptr_t)OF(n, DOORBELL);
    const uint16_t tag = (uint16_t)FP8RT_GET(SUBMIT__TAG, WORD(words, SUBMIT));
    if (WORD(words, M) == SIDE && WORD(words, N) == SIDE && WORD(words, K) == DEPTH) {
        multiply((const uint8_t *)(uintptr_t)WORD(words, A_ADDR),
                 (const uint8_t *)(uintptr_t)WORD(words, B_ADDR),
                 (uint8_t *)(uintptr_t)WORD(words, D_ADDR));
    }
    if (WORD(words, MODE) & FP8RT_BIT(MODE__RECORD)) {
        OF(n, RECORD_STATUS) = FP8RT_BIT(RECORD_STATUS__DONE) | FP8RT_PUT(RECORD_STATUS__TAG, tag);
        OF(n, RECORD_DONE) = 1u << tag % 8u;
    }
    OF(n, DOORBELL) = 0;
    OF(n, IRQ_STATE) = FP8RT_BIT(IRQ_STATE__DONE);
    OF(n, STATUS) = FP8RT_BIT(STATUS__IDLE);
    const uint32_t interrupt = i == 0 ? FIRST_INTERRUPT : SECOND_INTERRUPT;
    NVIC_ISPR(interrupt) = 1u << interrupt % 32u;
}

void tick(void)
{
    for (unsigned i = 0; i < 2; i++) {
        if (OF(&npus[i], DOORBELL) != 0 && busy[i]-- == 0) {
            complete(i);
            busy[i] = 1;
        }
    }
}

// ---- their ports --------------------------------------------------------------------------------

// The accelerator is busy from the doorbell on. Memory cannot know, but the descriptor is the last
// that is cleaned before it.
static void clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    fp8rt_cortex_m_clean(dev, start, bytes);
    cleaned++;
    if (bytes == sizeof(fp8rt_descriptor)) {
        volatile npu *n = dev->port->context;
        OF(n, STATUS) = 0;
        OF(n, RECORD_DONE) = 0;
    }
}

static void invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    fp8rt_cortex_m_invalidate(dev, start, bytes);
    invalidated++;
}

static const fp8rt_port ports[2] = {
    {(uintptr_t)&npus[0], FIRST_INTERRUPT, (void *)&npus[0], fp8rt_cortex_m_sleep, 0, 0, clean,
     invalidate},
    {(uintptr_t)&npus[1], SECOND_INTERRUPT, (void *)&npus[1], fp8rt_cortex_m_sleep, 0, 0, clean,
     invalidate},
};

void first_interrupt(void)
{
    handled++;
    fp8rt_device_interrupt(&devices[0]);
}

void second_interrupt(void)
{
    failed++; // it is not enabled
}

// ---- GEMMs --------------------------------------------------------------------------------------

static _Alignas(32) uint8_t a[SIDE * DEPTH], b[SIDE * DEPTH], d[2][SIDE * SIDE],
    expected[SIDE * SIDE];
static volatile unsigned calls, errors;
static volatile uint16_t last;

static void completed(void *context, uint16_t tag)
{
    errors += context != &devices[0] || tag == 0;
    last = tag;
    calls++;
}

static volatile unsigned asleep; // completions of the second device, which are found in its sleep

static void completed_asleep(void *context, uint16_t tag)
{
    errors += context != &devices[1] || tag == 0;
    asleep++;
}

static void run_gemms(void)
{
    static fp8rt_gemm_plan plans[2];
    for (unsigned i = 0; i < 2; i++) {
        const fp8rt_gemm_desc desc = {
            .m = SIDE, .n = SIDE, .k = DEPTH, .a.codes = a, .b.codes = b, .d = d[i]};
        power_up(&npus[i]);
        count(fp8rt_device_open(&devices[i], &ports[i]) == FP8RT_OK, "the device opens");
        count(fp8rt_gemm_plan_make(&devices[i].caps, desc, &plans[i]) == FP8RT_OK, "a plan");
    }
    fp8rt_device_on_completion(&devices[0], completed, &devices[0]);
    fp8rt_device_on_completion(&devices[1], completed_asleep, &devices[1]);
    NVIC_ISER(FIRST_INTERRUPT) = 1u << FIRST_INTERRUPT % 32u;
    SYST_RVR = 20000;
    SYST_CSR = 7; // the core's clock, with its interrupt
    multiply(a, b, expected);
    for (unsigned run = 0; run < RUNS; run++) {
        uint16_t tag = 0, other = 0;
        memset(d, 0x55, sizeof d);
        // Both at once, ended in both orders.
        bool right = fp8rt_gemm_begin(&devices[0], &plans[0], NULL, 0, &tag) == FP8RT_OK &&
                     fp8rt_gemm_begin(&devices[1], &plans[1], NULL, 0, &other) == FP8RT_OK;
        const unsigned first = run & 1u;
        right = fp8rt_gemm_end(&devices[first], first ? other : tag, NULL) == FP8RT_OK && right;
        right = fp8rt_gemm_end(&devices[!first], first ? tag : other, NULL) == FP8RT_OK && right;
        count(right && memcmp(d[0], expected, sizeof expected) == 0 &&
                  memcmp(d[1], expected, sizeof expected) == 0,
              "two GEMMs at once on two accelerators");
        count(calls == run + 1 && last == tag && errors == 0, "the completion is announced once");
        memset(d, 0x55, sizeof d);
        right = fp8rt_gemm_run(&devices[first], &plans[first], NULL, 0, NULL) == FP8RT_OK;
        count(right && memcmp(d[first], expected, sizeof expected) == 0 && calls == run + 1,
              "a GEMM that is waited for");
    }
    SYST_CSR = 0;
    count(asleep > 0 && asleep <= RUNS, "completions without a handler");
    count(handled >= RUNS && cleaned >= 4 * 3 * RUNS && invalidated == 3 * RUNS,
          "handler and maintenance were used");
}

// ---- conversions --------------------------------------------------------------------------------

static void run_conversions(void)
{
    static const fp8mac_format_id ids[] = {FP8MAC_E4M3FN, FP8MAC_E5M2, FP8MAC_E4M3FNUZ,
                                           FP8MAC_E5M2FNUZ};
    static float values[VALUES], back[VALUES], model_back[VALUES];
    static uint8_t codes[VALUES], model_codes[VALUES];
    uint32_t bits = 1;
    for (unsigned i = 0; i < VALUES; i++) {
        bits ^= bits << 13, bits ^= bits >> 17, bits ^= bits << 5;
        memcpy(&values[i], &bits, sizeof bits);
    }
    for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const fp8mac_format *format = fp8mac_format_get(ids[i]);
        fp8mac_flags flags = 0, model_flags = 0;
        bool right = fp8rt_quantize(ids[i], codes, VALUES, values, VALUES, 1, VALUES, 0.3f,
                                    FP8MAC_OVERFLOW_SATURATE, &flags) == FP8RT_OK;
        fp8mac_quantize(format, model_codes, values, VALUES, 0.3f, (fp8mac_convert_mode){0},
                        &model_flags);
        count(right && flags == model_flags && memcmp(codes, model_codes, sizeof codes) == 0,
              "values to FP8");
        right = fp8rt_dequantize(back, VALUES, ids[i], codes, VALUES, 1, VALUES, 0.3f) == FP8RT_OK;
        fp8mac_dequantize(model_back, format, codes, VALUES, 0.3f);
        count(right && memcmp(back, model_back, sizeof back) == 0, "values from FP8");
    }
}

int main(void)
{
    for (unsigned i = 0; i < sizeof a; i++) {
        a[i] = (uint8_t)(0x28u + i * 7u % 24u);
        b[i] = (uint8_t)((0x28u + i * 5u % 24u) | (i % 3u == 0 ? 0x80u : 0u));
    }
    run_gemms();
    run_conversions();
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
