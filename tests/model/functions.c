// SPDX-License-Identifier: Apache-2.0
// The error of exp2, exp, reciprocal and rsqrt in ulp, for all 2^32 patterns or every
// STRIDE-th, against the host's libm in double. Its error is below 2^-28 ulp of FP32, and
// MARGIN is more than that. test_functions.py compares samples with the definition and with
// decimal arithmetic of 40 digits.
//
//   functions THREADS STRIDE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/fp8mac.h"

#define MARGIN 1e-6
#define PATTERNS (UINT64_C(1) << 32)
#define INF_BITS 0x7f800000u
#define LARGEST 0x1.fffffep127

static double reciprocal(double x)
{
    return 1 / x;
}

static double rsqrt(double x)
{
    return x == 0 ? 1 / x : 1 / sqrt(x);
}

// The bounds are those of fp8mac/function.h, typed a second time.
static const struct {
    const char *name;
    uint32_t (*function)(uint32_t, fp8mac_flags *);
    double (*exact)(double);
    double bound;
} functions[] = {
    {"exp2", fp8mac_fp32_exp2, exp2, 2.5},
    {"exp", fp8mac_fp32_exp, exp, 2.6},
    {"reciprocal", fp8mac_fp32_reciprocal, reciprocal, 1.7},
    {"rsqrt", fp8mac_fp32_rsqrt, rsqrt, 1.6},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0], THREADS_MAX = 64 };

typedef struct part {
    pthread_t thread;
    int function;
    uint64_t first, end, stride;
    uint64_t passed, failed;
    double worst;
    uint32_t worst_at;
} part;

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// |y - exact| in units of the exact result's last place. Both are finite.
static double ulps(double y, double exact)
{
    int exponent;
    frexp(exact, &exponent);
    const int last = (exact == 0 || exponent < -125 ? -125 : exponent) - 24;
    return fabs(y - exact) / ldexp(1, last);
}

static double error_of(uint32_t bits, double exact)
{
    const float y = float_of(bits);
    if (isnan(exact)) {
        return bits == FP8MAC_FP32_NAN ? 0 : INFINITY;
    }
    if (isnan(y) || (exact == 0 && y != 0) || (signbit(y) != 0) != (signbit(exact) != 0)) {
        return INFINITY;
    }
    if (isinf(y)) { // rounded up to 2^128, or beyond it
        return fabs(exact) > LARGEST ? fmax(0, ulps(0x1p128, fmin(fabs(exact), 0x1p128)))
                                     : INFINITY;
    }
    return isinf(exact) ? INFINITY : ulps((double)y, exact);
}

static fp8mac_flags flags_of(uint32_t x, uint32_t y, double exact)
{
    const bool x_nan = (x & 0x7fffffffu) > INF_BITS, x_inf = (x & 0x7fffffffu) == INF_BITS;
    const bool overflow = (y & 0x7fffffffu) == INF_BITS && !x_inf;
    return (isnan(exact) && !x_nan ? (fp8mac_flags)FP8MAC_FLAG_INVALID : 0u) |
           (overflow ? (fp8mac_flags)FP8MAC_FLAG_OVERFLOW : 0u);
}

static void *run(void *argument)
{
    part *p = argument;
    for (uint64_t at = p->first; at < p->end; at += p->stride) {
        const uint32_t x = (uint32_t)at;
        fp8mac_flags flags = 0;
        const uint32_t y = functions[p->function].function(x, &flags);
        const double exact = functions[p->function].exact((double)float_of(x));
        const double error = error_of(y, exact);
        const bool good =
            error + MARGIN <= functions[p->function].bound && flags == flags_of(x, y, exact);
        if (!good && p->failed < 3) {
            printf("FAILED %s(%#010x) = %#010x, flags %#x: %g ulp\n", functions[p->function].name,
                   x, y, flags, error);
        }
        p->passed += good;
        p->failed += !good;
        if (error > p->worst) {
            p->worst = error;
            p->worst_at = x;
        }
    }
    return NULL;
}

// Each thread has a piece of the patterns.
static void run_function(int function, uint64_t threads, uint64_t stride, part *total)
{
    static part parts[THREADS_MAX];
    const uint64_t piece = (PATTERNS / threads / stride + 1) * stride;
    for (uint64_t i = 0; i < threads; i++) {
        const uint64_t end = (i + 1) * piece;
        parts[i] = (part){.function = function,
                          .first = i * piece,
                          .end = end < PATTERNS ? end : PATTERNS,
                          .stride = stride};
        if (pthread_create(&parts[i].thread, NULL, run, &parts[i]) != 0) {
            abort();
        }
    }
    *total = (part){0};
    for (uint64_t i = 0; i < threads; i++) {
        pthread_join(parts[i].thread, NULL);
        total->passed += parts[i].passed;
        total->failed += parts[i].failed;
        if (parts[i].worst > total->worst) {
            total->worst = parts[i].worst;
            total->worst_at = parts[i].worst_at;
        }
    }
}

int main(int argc, char **argv)
{
    const uint64_t threads = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (threads < 1 || threads > THREADS_MAX || stride < 1) {
        fprintf(stderr, "usage: %s THREADS STRIDE\n", argv[0]);
        return 2;
    }
    uint64_t passed = 0, failed = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        part total;
        run_function(i, threads, stride, &total);
        printf("%-10s at most %.4f ulp, at %#010x; bound %.1f; %llu inputs\n", functions[i].name,
               total.worst, total.worst_at, functions[i].bound,
               (unsigned long long)(total.passed + total.failed));
        passed += total.passed;
        failed += total.failed;
    }
    printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return passed == 0 || failed != 0;
}
