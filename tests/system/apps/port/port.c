// SPDX-License-Identifier: Apache-2.0
// The port of a device: completion functions called from an interrupt handler and without one, the
// calls of lock, clean and invalidate, and a port of nothing but an address.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/fp8rt.h"
#include "fp8rt/trial.h"

enum { SIDE = 16, DEPTH = 64, MANY = 5 };

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

static _Alignas(64) uint8_t a[SIDE * DEPTH], b[SIDE * DEPTH], wrong[64];
static _Alignas(64) uint8_t d[MANY][SIDE * SIDE], expected[SIDE * SIDE];
static _Alignas(64) float floats[3 * SIDE + 1];
static _Alignas(64) uint8_t scratch[1024];

static fp8rt_gemm_desc desc_of(const fp8rt_device *dev, void *to)
{
    return (fp8rt_gemm_desc){.m = SIDE,
                             .n = SIDE,
                             .k = DEPTH,
                             .a.codes = a,
                             .b.codes = b,
                             .d = to,
                             .acc_format = fp8rt_element_accumulator(&dev->caps.element)};
}

static bool is_expected(unsigned i)
{
    return memcmp(d[i], expected, sizeof expected) == 0;
}

// ---- completion ---------------------------------------------------------------------------------

// What the completion function was told.
static volatile struct {
    unsigned calls, errors, early; // early: the command had not ended
    uint16_t tags[4 * MANY];
} seen;

static void completed(void *context, uint16_t tag)
{
    const fp8rt_device *dev = context;
    if (tag == 0) {
        seen.errors++;
    } else if (seen.calls < sizeof seen.tags / sizeof seen.tags[0]) {
        seen.early += !fp8rt_device_is_done(dev, tag);
        seen.tags[seen.calls++] = tag;
    }
}

static void forget(void)
{
    seen.calls = seen.errors = seen.early = 0;
}

static unsigned calls_of(uint16_t tag)
{
    unsigned calls = 0;
    for (unsigned i = 0; i < seen.calls; i++) {
        calls += seen.tags[i] == tag;
    }
    return calls;
}

// With an interrupt handler the calls come by themselves, otherwise when the library sleeps.
static void run_many(fp8rt_device *dev, bool handler)
{
    static fp8rt_gemm_plan plans[MANY];
    uint16_t tags[MANY];
    bool right = true, once = true;
    forget();
    memset(d, 0x55, sizeof d);
    for (unsigned i = 0; i < MANY; i++) {
        right = fp8rt_gemm_plan_make(&dev->caps, desc_of(dev, d[i]), &plans[i]) == FP8RT_OK &&
                fp8rt_gemm_begin(dev, &plans[i], NULL, 0, &tags[i]) == FP8RT_OK && right;
    }
    if (handler) {
        for (uint32_t spins = 0; seen.calls < MANY && spins < 100000; spins++) {
        }
        count(seen.calls == MANY, "all completions were announced without a call of the library");
    }
    for (unsigned i = 0; i < MANY; i++) {
        right = fp8rt_gemm_end(dev, tags[i], NULL) == FP8RT_OK && is_expected(i) && right;
    }
    fp8rt_device_interrupt(dev); // what completed while nobody slept
    for (unsigned i = 0; i < MANY; i++) {
        once = calls_of(tags[i]) <= 1 && once;
    }
    count(right, "GEMMs in flight with a completion function");
    count(once && seen.errors == 0 && seen.early == 0, "each is announced once, when it has ended");
}

static void run_failing(fp8rt_device *dev, bool handler)
{
    fp8rt_gemm_plan plan;
    fp8rt_gemm_desc desc = desc_of(dev, d[0]);
    uint16_t tag = 0;
    forget();
    for (unsigned i = 0; i < SIDE; i++) {
        floats[i] = i == 3 ? -1.0f : 1.0f; // that only the accelerator sees
    }
    desc.a.scale = (fp8mac_scale){FP8MAC_SCALE_VECTOR, floats};
    bool right = fp8rt_gemm_plan_make(&dev->caps, desc, &plan) == FP8RT_OK &&
                 fp8rt_gemm_begin(dev, &plan, NULL, 0, &tag) == FP8RT_OK;
    right = fp8rt_gemm_end(dev, tag, NULL) == FP8RT_ERR_HW_SCALE && right;
    count(right, "a GEMM that fails");
    count(!handler || (seen.errors == 1 && calls_of(tag) == 1), "the failure is announced");
    count(fp8rt_device_clear(dev, FP8RT_CLEAR_ERROR) == FP8RT_OK, "the error is cleared");
}

static void run_completion(fp8rt_device *dev, bool handler)
{
    fp8rt_gemm_plan plan;
    fp8rt_app_handle_interrupts(handler ? dev : NULL);
    fp8rt_device_on_completion(dev, completed, dev);
    for (unsigned i = 0; i < 3; i++) { // records are used again
        run_many(dev, handler);
    }
    run_failing(dev, handler);
    run_many(dev, handler);
    forget();
    memset(d, 0x55, sizeof d);
    count(fp8rt_gemm_plan_make(&dev->caps, desc_of(dev, d[0]), &plan) == FP8RT_OK &&
              fp8rt_gemm_run(dev, &plan, NULL, 0, NULL) == FP8RT_OK && is_expected(0) &&
              seen.calls == 0,
          "a GEMM that is waited for is not announced");
    fp8rt_device_on_completion(dev, NULL, NULL);
    fp8rt_app_handle_interrupts(NULL);
}

// The program has a handler, and has disabled its interrupt in mie, or all interrupts in mstatus.
static void run_masked(fp8rt_device *dev)
{
    fp8rt_gemm_plan plan;
    uint16_t tag;
    for (unsigned global = 0; global < 2; global++) {
        fp8rt_app_handle_interrupts(dev);
#if defined(__riscv)
        if (global != 0) {
            __asm__ volatile("csrci mstatus, 8");
        } else {
            __asm__ volatile("csrw mie, zero");
        }
#endif
        memset(d, 0x55, sizeof d);
        bool right = fp8rt_gemm_plan_make(&dev->caps, desc_of(dev, d[0]), &plan) == FP8RT_OK &&
                     fp8rt_gemm_run(dev, &plan, NULL, 0, NULL) == FP8RT_OK && is_expected(0);
        right = right && fp8rt_gemm_plan_move(dev, &plan, a, b, d[1]) == FP8RT_OK &&
                fp8rt_gemm_begin(dev, &plan, NULL, 0, &tag) == FP8RT_OK &&
                fp8rt_gemm_end(dev, tag, NULL) == FP8RT_OK && is_expected(1);
        count(right, global != 0 ? "interrupts are masked while a GEMM runs"
                                 : "the interrupt is disabled while a GEMM runs");
        fp8rt_app_handle_interrupts(NULL);
    }
}

// ---- lock, clean, invalidate --------------------------------------------------------------------

enum { RANGES = 24 };

typedef struct range {
    const uint8_t *start;
    size_t bytes;
    bool before; // D had not been written
} range;

static struct {
    int depth;
    unsigned locks, nested, unlocked; // unlocked: maintenance without the lock
    unsigned cleaned, invalidated;
    range clean[RANGES], invalidate[RANGES];
} use;

static void lock(fp8rt_device *dev)
{
    (void)dev;
    use.nested += use.depth != 0;
    use.depth++;
    use.locks++;
}

static void unlock(fp8rt_device *dev)
{
    (void)dev;
    use.depth--;
}

static void note(range list[RANGES], unsigned *count, const void *start, size_t bytes)
{
    if (*count < RANGES) {
        list[(*count)++] = (range){start, bytes, d[0][0] == 0x55 && d[0][SIDE * SIDE - 1] == 0x55};
    }
}

static void clean(fp8rt_device *dev, const void *start, size_t bytes)
{
    (void)dev;
    use.unlocked += use.depth == 0;
    note(use.clean, &use.cleaned, start, bytes);
}

static void invalidate(fp8rt_device *dev, void *start, size_t bytes)
{
    (void)dev;
    use.unlocked += use.depth == 0;
    note(use.invalidate, &use.invalidated, start, bytes);
}

static bool is_cleaned(const void *start, size_t bytes)
{
    for (unsigned i = 0; i < use.cleaned; i++) {
        const range *r = &use.clean[i];
        if ((const uint8_t *)start >= r->start &&
            (const uint8_t *)start + bytes <= r->start + r->bytes && r->before) {
            return true;
        }
    }
    return false;
}

// D alone, with its last bytes there.
static bool is_invalidated(void)
{
    const range *r = &use.invalidate[0];
    return use.invalidated == 1 && r->start == d[0] && r->bytes == sizeof d[0] && !r->before;
}

static void forget_use(void)
{
    memset(&use, 0, sizeof use);
    memset(d[0], 0x55, sizeof d[0]);
}

static void count_use(const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s: inputs, scratch and D are cleaned before, D invalidated after",
             what);
    count(is_cleaned(a, sizeof a) && is_cleaned(b, sizeof b) && is_cleaned(d[0], sizeof d[0]) &&
              is_cleaned(scratch, SIDE * sizeof(float)) && is_invalidated(),
          name);
    snprintf(name, sizeof name, "%s: the lock is held, not twice, and given back", what);
    count(use.locks > 0 && use.depth == 0 && use.nested == 0 && use.unlocked == 0, name);
}

static void run_maintenance(void)
{
    static fp8rt_device dev;
    static fp8rt_gemm_plan plan;
    fp8rt_port port = fp8rt_app_port;
    uint16_t tag;
    port.lock = lock;
    port.unlock = unlock;
    port.clean = clean;
    port.invalidate = invalidate;
    count(fp8rt_device_open(&dev, &port) == FP8RT_OK, "a port with all functions");
    fp8rt_gemm_desc desc = desc_of(&dev, d[0]);
    for (unsigned i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        floats[i] = 1.0f;
    }
    desc.a.scale = (fp8mac_scale){FP8MAC_SCALE_VECTOR, floats};
    desc.bias = floats + 2 * SIDE + 1; // not aligned: it goes to the scratch
    count(fp8rt_gemm_plan_make(&dev.caps, desc, &plan) == FP8RT_OK && plan.scratch_bytes > 0 &&
              plan.scratch_bytes <= sizeof scratch,
          "a plan with a scratch");

    forget_use();
    bool right = fp8rt_gemm_run(&dev, &plan, scratch, sizeof scratch, NULL) == FP8RT_OK;
    count(right && is_cleaned(floats, SIDE * sizeof(float)), "run with a vector");
    count(fp8rt_app_is_host || is_cleaned(&plan.descriptor, sizeof plan.descriptor),
          "the plan is cleaned");
    count_use("run");

    forget_use();
    right = fp8rt_gemm_begin(&dev, &plan, scratch, sizeof scratch, &tag) == FP8RT_OK;
    count(right && use.invalidated == 0, "D is not invalidated before the end");
    // A plan may move while it is in flight.
    right = fp8rt_gemm_plan_move(&dev, &plan, a, b, d[1]) == FP8RT_OK;
    count(fp8rt_gemm_end(&dev, tag, NULL) == FP8RT_OK && right, "begin, move, end");
    count_use("begin and end");

    forget_use();
    const fp8rt_elementwise_desc add = {
        .operation = FP8RT_OPERATION_ADD, .m = SIDE, .n = SIDE, .x = a, .d = d[0]};
    const fp8rt_elementwise_desc product = {.operation = FP8RT_OPERATION_MULTIPLY,
                                            .m = SIDE,
                                            .n = SIDE,
                                            .x = a,
                                            .c = b,
                                            .beta = 1.0f,
                                            .d = d[0]};
    count(fp8rt_elementwise(&dev, add, NULL) == FP8RT_OK && is_cleaned(a, SIDE * SIDE) &&
              is_cleaned(d[0], sizeof d[0]) && is_invalidated(),
          "element-wise: the cache");
    forget_use();
    count(fp8rt_elementwise(&dev, product, NULL) == FP8RT_OK && is_cleaned(b, SIDE * SIDE) &&
              is_invalidated(),
          "element-wise with C: the cache");
    count(use.locks > 0 && use.depth == 0 && use.nested == 0, "element-wise: the lock");
}

// Calls that fail give the lock back, too.
static void run_locked_errors(void)
{
    static fp8rt_device dev;
    static fp8rt_gemm_plan plan;
    fp8rt_port port = fp8rt_app_port;
    const fp8rt_command bad = {.m = 0, .tag = 7};
    const uint8_t codes[FP8RT_TABLE_CODES] = {0};
    uint16_t tags[FP8RT_RECORDS], tag;
    port.lock = lock;
    port.unlock = unlock;
    bool right = fp8rt_device_open(&dev, &port) == FP8RT_OK;
    forget_use();
    right = fp8rt_device_submit(&dev, &bad) == FP8RT_OK && right;
    right = fp8rt_device_wait(&dev) == FP8RT_ERR_HW_SHAPE && right;
    right = fp8rt_device_submit(&dev, &bad) == FP8RT_ERR_HW_SHAPE && right;
    right = fp8rt_device_begin(&dev, &bad, &tag) == FP8RT_ERR_HW_SHAPE && right;
    right = fp8rt_device_reset(&dev) == FP8RT_OK && right;
    right = fp8rt_device_load_table(&dev, 1, codes) == FP8RT_OK && right;
    right = fp8rt_device_clear(&dev, FP8RT_CLEAR_FLAGS) == FP8RT_OK && right;
    fp8rt_device_push(&dev, &bad);
    right = fp8rt_device_wait(&dev) == FP8RT_ERR_HW_SHAPE && right;
    right = fp8rt_device_clear(&dev, FP8RT_CLEAR_ERROR) == FP8RT_OK && right;
    right = fp8rt_gemm_plan_make(&dev.caps, desc_of(&dev, d[0]), &plan) == FP8RT_OK && right;
    for (unsigned i = 0; i < dev.caps.records; i++) {
        right = fp8rt_gemm_begin(&dev, &plan, NULL, 0, &tags[i]) == FP8RT_OK && right;
    }
    right = fp8rt_gemm_begin(&dev, &plan, NULL, 0, &tag) == FP8RT_ERR_RECORDS && right;
    for (unsigned i = 0; i < dev.caps.records; i++) {
        right = fp8rt_gemm_end(&dev, tags[i], NULL) == FP8RT_OK && right;
    }
    count(right, "calls that fail under a lock");
    count(use.locks >= 10u + 2u * dev.caps.records && use.depth == 0 && use.nested == 0,
          "calls that fail give the lock back");
}

// ---- opening ------------------------------------------------------------------------------------

static void run_opening(void)
{
    static fp8rt_device dev, second;
    static fp8rt_gemm_plan plan;
    const fp8rt_port bare = {.registers = fp8rt_app_port.registers};
    const fp8rt_port nowhere = {.registers = (uintptr_t)wrong}; // memory in place of registers
    const fp8rt_port zero = {.sleep = fp8rt_app_port.sleep};
    count(fp8rt_device_open(&dev, NULL) == FP8RT_ERR_NULL, "no port");
    count(fp8rt_device_open(NULL, &bare) == FP8RT_ERR_NULL &&
              fp8rt_device_clear(NULL, 0) == FP8RT_ERR_NULL &&
              fp8rt_device_wait(NULL) == FP8RT_ERR_NULL &&
              fp8rt_device_reset(NULL) == FP8RT_ERR_NULL,
          "no device");
    count(fp8rt_app_is_host || fp8rt_device_open(&dev, &zero) == FP8RT_ERR_NULL,
          "a port without the address of registers");
    count(fp8rt_app_is_host || fp8rt_device_open(&dev, &nowhere) == FP8RT_ERR_NO_DEVICE,
          "a port of no accelerator");
    dev.stamp = 0;
    count(fp8rt_device_wait(&dev) == FP8RT_ERR_NOT_OPEN &&
              fp8rt_device_reset(&dev) == FP8RT_ERR_NOT_OPEN &&
              fp8rt_device_clear(&dev, 0) == FP8RT_ERR_NOT_OPEN,
          "a device that is not open");
    count(fp8rt_device_open(&dev, &bare) == FP8RT_OK, "a port of an address alone");
    memset(d[0], 0x55, sizeof d[0]);
    count(fp8rt_gemm(&dev, desc_of(&dev, d[0]), NULL, 0, NULL) == FP8RT_OK && is_expected(0),
          "a GEMM without sleep");
    // A plan runs on every device with the same capabilities.
    count(fp8rt_device_open(&second, &bare) == FP8RT_OK &&
              fp8rt_gemm_plan_make(&dev.caps, desc_of(&dev, d[1]), &plan) == FP8RT_OK &&
              fp8rt_gemm_run(&second, &plan, NULL, 0, NULL) == FP8RT_OK && is_expected(1),
          "a second device");
}

int main(void)
{
    static fp8rt_device dev;
    fp8rt_random random = fp8rt_random_seed(5);
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, FP8MAC_E4M3FN, a, sizeof a);
    fp8rt_random_codes(&random, FP8RT_DATA_FINITE, FP8MAC_E4M3FN, b, sizeof b);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm(&dev, desc_of(&dev, expected), NULL, 0, NULL);
    }
    if (status == FP8RT_OK) {
        run_completion(&dev, true);
        run_completion(&dev, false);
        run_masked(&dev);
        run_maintenance();
        run_locked_errors();
        run_opening();
    } else {
        printf("FAIL %s\n", fp8rt_status_string(status));
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
