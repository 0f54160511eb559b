// SPDX-License-Identifier: Apache-2.0
// The floating-point environments of this machine: how to establish one, and whether it still is.
#ifndef ENVIRONMENT_CONTROL_H
#define ENVIRONMENT_CONTROL_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

enum { DEFAULT = 0x1f80, FTZ = 0x8000, DAZ = 0x0040, INEXACT_SEEN = 0x20 };
static const struct {
    const char *name;
    uint64_t control;
} environments[] = {
    {"default", DEFAULT},
    {"default, a flag set", DEFAULT | INEXACT_SEEN},
    {"results flushed", DEFAULT | FTZ},
    {"operands flushed", DEFAULT | DAZ},
    {"flushed", DEFAULT | FTZ | DAZ},
    {"downward", DEFAULT | 0x2000},
    {"upward", DEFAULT | 0x4000},
    {"toward zero", DEFAULT | 0x6000},
    {"toward zero, flushed, flags set", DEFAULT | 0x6000 | FTZ | DAZ | 0x3f},
    {"all traps", 0},
    {"all traps, upward, flushed", 0x4000 | FTZ | DAZ},
};

static void establish(uint64_t control)
{
    _mm_setcsr((unsigned)control);
}

static bool is_established(uint64_t control)
{
    return _mm_getcsr() == control;
}
#else
static const struct {
    const char *name;
    uint64_t control;
} environments[] = {
    {"default", FE_TONEAREST},
    {"downward", FE_DOWNWARD},
    {"upward", FE_UPWARD},
    {"toward zero", FE_TOWARDZERO},
#if defined(__aarch64__)
    {"flushed", UINT64_C(1) << 32 | FE_TONEAREST},
    {"toward zero, flushed", UINT64_C(1) << 32 | FE_TOWARDZERO},
#endif
};

static void establish(uint64_t control)
{
    feclearexcept(FE_ALL_EXCEPT);
    fesetround((int)control);
#if defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    fpcr = (fpcr & ~(UINT64_C(1) << 24)) | (control >> 32) << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
#endif
}

static bool is_established(uint64_t control)
{
    bool flush = false;
#if defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    flush = (fpcr >> 24 & 1) != 0;
#endif
    return fegetround() == (int)control && flush == (control >> 32 != 0) &&
           fetestexcept(FE_ALL_EXCEPT) == 0;
}
#endif

enum { ENVIRONMENTS = sizeof environments / sizeof environments[0] };

#endif
