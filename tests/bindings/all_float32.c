// SPDX-License-Identifier: Apache-2.0
// All 2^32 float32 patterns to each of the four FP8 formats, to nearest even, saturating and IEEE,
// against a staircase that is made here from the formats' definition alone.
//
// Rounding is monotonic, so over the positive patterns, which order as their values do, a format's
// codes are a staircase. Its steps are at the midpoints of neighbouring values; each is a float32,
// and belongs to the even code of the two. The value after the largest is the one that the exponent
// would go on with. Negative patterns mirror the positive ones.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fp8mac/fp8mac.h"

enum { CHUNK_BITS = 20, STEPS_MAX = 130 };
#define CHUNK (1u << CHUNK_BITS)
#define FLOAT_INF 0x7f800000u
#define PATTERNS_OF_A_SIGN 0x80000000u

// ---- the formats, as their definitions print them -----------------------------------------------

typedef struct definition {
    const char *name;
    int mantissa_bits, bias;
    uint32_t max_code, inf_code, nan_code; // of positive values; FNUZ's NaN has no sign
    bool fnuz;
} definition;

static const definition definitions[] = {
    {"e4m3fn", 3, 7, 0x7e, 0x7f, 0x7f, false},
    {"e5m2", 2, 15, 0x7b, 0x7c, 0x7e, false},
    {"e4m3fnuz", 3, 8, 0x7f, 0x80, 0x80, true},
    {"e5m2fnuz", 2, 16, 0x7f, 0x80, 0x80, true},
};

// 2^e, exactly, without libm.
static double power(int e)
{
    double x = 1;
    for (; e > 0; e--) {
        x *= 2;
    }
    for (; e < 0; e++) {
        x /= 2;
    }
    return x;
}

// The value that a positive code has, or would have beyond the largest.
static double value_of(const definition *f, uint32_t code)
{
    int field = (int)(code >> f->mantissa_bits);
    uint32_t mantissa = code & ((1u << f->mantissa_bits) - 1);
    uint32_t significand = field == 0 ? mantissa : mantissa | 1u << f->mantissa_bits;
    return significand * power((field == 0 ? 1 : field) - f->bias - f->mantissa_bits);
}

// ---- the staircase ------------------------------------------------------------------------------

typedef struct staircase {
    uint32_t from[STEPS_MAX]; // first pattern of a step
    uint8_t code[STEPS_MAX];
    unsigned steps;
} staircase;

static void add_step(staircase *s, uint32_t from, uint32_t code)
{
    s->from[s->steps] = from;
    s->code[s->steps++] = (uint8_t)code;
}

static uint32_t pattern_of(double x)
{
    float single = (float)x;
    uint32_t bits;
    if ((double)single != x) {
        fprintf(stderr, "%a is no float32\n", x);
        abort();
    }
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static staircase positive(const definition *f, fp8mac_overflow overflow)
{
    staircase s = {.steps = 0};
    add_step(&s, 0, 0);
    for (uint32_t code = 0; code < f->max_code; code++) {
        uint32_t middle = pattern_of((value_of(f, code) + value_of(f, code + 1)) / 2);
        add_step(&s, middle + (code % 2 == 0), code + 1);
    }
    uint32_t middle = pattern_of((value_of(f, f->max_code) + value_of(f, f->max_code + 1)) / 2);
    add_step(&s, middle + (f->max_code % 2 == 0),
             overflow == FP8MAC_OVERFLOW_IEEE ? f->inf_code : f->max_code);
    add_step(&s, FLOAT_INF + 1, f->nan_code);
    return s;
}

static staircase negative(const definition *f, staircase s)
{
    for (unsigned i = 0; i < s.steps; i++) {
        bool no_sign = f->fnuz && (s.code[i] == 0 || s.code[i] == 0x80);
        s.code[i] = (uint8_t)(no_sign ? s.code[i] : s.code[i] | 0x80);
    }
    return s;
}

// Codes of the CHUNK patterns from `first` on.
static void expect(const staircase *s, uint32_t first, uint8_t *codes)
{
    uint64_t end = (uint64_t)first + CHUNK;
    for (unsigned i = 0; i < s->steps; i++) {
        uint64_t low = s->from[i], high = i + 1 < s->steps ? s->from[i + 1] : PATTERNS_OF_A_SIGN;
        low = low < first ? first : low;
        high = high > end ? end : high;
        if (low < high) {
            memset(codes + (low - first), s->code[i], high - low);
        }
    }
}

// ---- the scan -----------------------------------------------------------------------------------

typedef struct worker {
    pthread_t thread;
    const definition *f;
    fp8mac_overflow overflow;
    uint32_t index, count, stride; // chunks index, index + count, ... of every `stride`-th
    bool fault;
    uint64_t compared, wrong;
} worker;

static void *scan(void *argument)
{
    worker *w = argument;
    staircase stairs[2];
    stairs[0] = positive(w->f, w->overflow);
    stairs[1] = negative(w->f, stairs[0]);
    const fp8mac_format *to = fp8mac_format_by_name(w->f->name),
                        *from = fp8mac_format_get(FP8MAC_FP32);
    fp8mac_convert_mode mode = {FP8MAC_ROUND_NEAREST_EVEN, w->overflow};
    uint32_t *src = malloc(CHUNK * sizeof *src);
    uint8_t *got = malloc(CHUNK), *want = malloc(CHUNK);
    for (uint64_t chunk = w->index; chunk < UINT64_C(1) << (32 - CHUNK_BITS);
         chunk += (uint64_t)w->count * w->stride) {
        uint32_t first = (uint32_t)(chunk << CHUNK_BITS);
        for (uint32_t i = 0; i < CHUNK; i++) {
            src[i] = first + i;
        }
        memset(got, 0x55, CHUNK);
        if (fp8mac_convert(to, got, from, src, CHUNK, mode, NULL) != FP8MAC_OK) {
            w->wrong += CHUNK;
            continue;
        }
        expect(&stairs[first >> 31], first & ~PATTERNS_OF_A_SIGN, want);
        want[w->fault ? 12345 : 0] ^= (uint8_t)(w->fault ? 1 : 0);
        w->compared += CHUNK;
        for (uint32_t i = 0; memcmp(got, want, CHUNK) != 0 && i < CHUNK; i++) {
            if (got[i] != want[i] && w->wrong++ < 3 && !w->fault) {
                printf("FAIL %s: pattern %08x gives %02x, not %02x\n", w->f->name, src[i], got[i],
                       want[i]);
            }
        }
    }
    free(src);
    free(got);
    free(want);
    return NULL;
}

static worker scan_all(const definition *f, fp8mac_overflow overflow, uint32_t threads,
                       uint32_t stride, bool fault)
{
    worker workers[64], sum = {.f = f};
    threads = threads < 1 ? 1 : threads > 64 ? 64 : threads;
    for (uint32_t i = 0; i < threads; i++) {
        workers[i] = (worker){.f = f,
                              .overflow = overflow,
                              .index = i * stride,
                              .count = threads,
                              .stride = stride,
                              .fault = fault};
        pthread_create(&workers[i].thread, NULL, scan, &workers[i]);
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sum.compared += workers[i].compared;
        sum.wrong += workers[i].wrong;
    }
    return sum;
}

int main(int argc, char **argv)
{
    uint32_t threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 2;
    uint32_t stride = argc > 2 ? (uint32_t)atoi(argv[2]) : 1; // 1 is everything
    uint64_t passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++) {
        const definition *f = &definitions[i];
        for (int ieee = 0; ieee < 2; ieee++) {
            fp8mac_overflow overflow = ieee ? FP8MAC_OVERFLOW_IEEE : FP8MAC_OVERFLOW_SATURATE;
            struct timespec begin, end;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            worker sum = scan_all(f, overflow, threads, stride, false);
            clock_gettime(CLOCK_MONOTONIC, &end);
            printf("%-9s %-8s %llu patterns, %llu wrong, %ld s\n", f->name,
                   ieee ? "ieee" : "saturate", (unsigned long long)sum.compared,
                   (unsigned long long)sum.wrong, (long)(end.tv_sec - begin.tv_sec));
            fflush(stdout);
            passed += sum.compared - sum.wrong;
            failed += sum.wrong;
        }
        // One wrong expectation in each of a few chunks must be seen, or the scan sees nothing.
        worker sum = scan_all(f, FP8MAC_OVERFLOW_IEEE, 1, 1024, true);
        bool seen = sum.wrong == sum.compared / CHUNK && sum.wrong > 0;
        passed += seen;
        failed += !seen;
    }
    printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return failed != 0 || passed == 0;
}
