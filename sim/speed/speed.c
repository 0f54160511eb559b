// SPDX-License-Identifier: Apache-2.0
// A program whose simulation is timed (speed.py). It never ends: the simulator's --timeout ends it.
//   WORK=core      the core computes, and the accelerator is idle
//   WORK=compute   the accelerator computes all the time, and the core sleeps
// Operands are what the memory happens to hold: the simulator's --power-up fills it with random
// bytes.
#include <string.h>

#include "fp8rt/app.h"
#include "fp8rt/gemm.h"

enum { SIDE = 128, DEPTH = 1024, WORDS = 1024 };

static void compute_on_core(void)
{
    static uint32_t words[WORDS];
    uint32_t x = 1;
    for (;;) {
        for (unsigned i = 0; i < WORDS; i++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            words[i] += x * (words[(i + 1) % WORDS] | 1);
        }
    }
}

static int compute_on_accelerator(void)
{
    static fp8rt_device dev;
    fp8rt_arena arena = fp8rt_app_arena();
    fp8rt_gemm_plan plan;
    fp8rt_gemm_desc desc = {.m = SIDE, .n = SIDE, .k = DEPTH};
    desc.a.codes = fp8rt_arena_alloc(&arena, (size_t)SIDE * DEPTH);
    desc.b.codes = fp8rt_arena_alloc(&arena, (size_t)SIDE * DEPTH);
    desc.d = fp8rt_arena_alloc(&arena, (size_t)SIDE * SIDE);
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm_plan_make(&dev.caps, desc, &plan);
    }
    while (status == FP8RT_OK) {
        status = fp8rt_gemm_run(&dev, &plan, NULL, 0, NULL);
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *work = fp8rt_app_option(argc, argv, "WORK");
    if (work != NULL && strcmp(work, "compute") == 0) {
        return compute_on_accelerator();
    }
    compute_on_core();
}
