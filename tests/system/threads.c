// SPDX-License-Identifier: Apache-2.0
// Threads that share one device, whose port has a mutex. The golden model stands for the
// accelerator. Each thread has matrices of its own and runs GEMMs in both ways.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fp8rt/fp8rt.h"

enum { THREADS = 4, RUNS = 100, SIDE = 16, DEPTH = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(fp8rt_device *dev)
{
    pthread_mutex_lock(dev->port->context);
}

static void unlock(fp8rt_device *dev)
{
    pthread_mutex_unlock(dev->port->context);
}

static const fp8rt_port port = {.context = &mutex, .lock = lock, .unlock = unlock};
static fp8rt_device device, alone;

typedef struct worker {
    unsigned right;
    _Alignas(64) uint8_t a[SIDE * DEPTH], b[SIDE * DEPTH], d[SIDE * SIDE], expected[SIDE * SIDE];
} worker;

static worker workers[THREADS];

static fp8rt_gemm_desc desc_of(worker *w, void *d)
{
    return (fp8rt_gemm_desc){
        .m = SIDE, .n = SIDE, .k = DEPTH, .a.codes = w->a, .b.codes = w->b, .d = d};
}

static void *work(void *context)
{
    worker *w = context;
    fp8rt_gemm_plan plan;
    if (fp8rt_gemm_plan_make(&device.caps, desc_of(w, w->d), &plan) != FP8RT_OK) {
        return NULL;
    }
    for (unsigned i = 0; i < RUNS; i++) {
        uint16_t tag;
        fp8rt_status status;
        memset(w->d, 0x55, sizeof w->d);
        if (i % 2 == 0) {
            status = fp8rt_gemm_run(&device, &plan, NULL, 0, NULL);
        } else {
            status = fp8rt_gemm_begin(&device, &plan, NULL, 0, &tag);
            status = status == FP8RT_OK ? fp8rt_gemm_end(&device, tag, NULL) : status;
        }
        w->right += status == FP8RT_OK && memcmp(w->d, w->expected, sizeof w->d) == 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned passed = 0;
    uint32_t bits = 1;
    bool open = fp8rt_device_open(&device, &port) == FP8RT_OK &&
                fp8rt_device_open(&alone, &port) == FP8RT_OK;
    for (unsigned t = 0; open && t < THREADS; t++) {
        worker *w = &workers[t];
        for (unsigned i = 0; i < sizeof w->a; i++) {
            bits = bits * 1664525u + 1013904223u;
            w->a[i] = (uint8_t)(0x28u + (bits >> 24) % 24u);
            w->b[i] = (uint8_t)(0x28u + (bits >> 16) % 24u);
        }
        open = fp8rt_gemm(&alone, desc_of(w, w->expected), NULL, 0, NULL) == FP8RT_OK;
    }
    for (unsigned t = 0; open && t < THREADS; t++) {
        open = pthread_create(&threads[t], NULL, work, &workers[t]) == 0;
    }
    for (unsigned t = 0; open && t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        passed += workers[t].right;
    }
    printf("%u passed, %u failed\n", passed, THREADS * RUNS - passed);
    return passed == THREADS * RUNS ? 0 : 1;
}
