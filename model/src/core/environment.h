// SPDX-License-Identifier: Apache-2.0
// The floating-point environment in which the library computes: round to nearest even, subnormals
// kept, no traps. A caller may have another one: -ffast-math flushes subnormals in the whole
// program, and so does PyTorch on request. Public functions whose arithmetic is the host's
// establish the library's environment and restore the caller's, with its exception flags. Threads
// that they start inherit it (POSIX, pthread_create).
//
// A compiler may move arithmetic across a change of the environment. So a public function has the
// form
//
//   FP8MAC_APART static float inverse(float scale) { return 1.0f / scale; }
//
//   float fp8mac_recipe_inverse(float scale)
//   {
//       FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(float, inverse(scale));
//   }
//
// where the compiler knows nothing of what the inner function does.
#ifndef FP8MAC_ENVIRONMENT_H
#define FP8MAC_ENVIRONMENT_H

#include <float.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "libfp8mac must be compiled without -ffast-math; programs that use it may have it"
#endif
#if FLT_EVAL_METHOD != 0
#error                                                                                             \
    "libfp8mac needs float arithmetic without excess precision: for 32-bit x86, give -msse2 -mfpmath=sse"
#endif

#if defined(__x86_64__)

#include <xmmintrin.h>

typedef uint32_t fp8mac_environment; // MXCSR

enum { FP8MAC_MXCSR_OWN = 0x1f80, FP8MAC_MXCSR_FLAGS = 0x3f };

static inline fp8mac_environment fp8mac_environment_enter(void)
{
    const uint32_t caller = _mm_getcsr();
    if ((caller & ~(uint32_t)FP8MAC_MXCSR_FLAGS) != FP8MAC_MXCSR_OWN) {
        _mm_setcsr(FP8MAC_MXCSR_OWN);
    }
    return caller;
}

static inline void fp8mac_environment_leave(fp8mac_environment caller)
{
    _mm_setcsr(caller);
}

#elif defined(__aarch64__)

typedef struct fp8mac_environment {
    uint64_t control, status;
} fp8mac_environment;

static inline fp8mac_environment fp8mac_environment_enter(void)
{
    fp8mac_environment caller;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(caller.control), "=r"(caller.status));
    if (caller.control != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
    }
    return caller;
}

static inline void fp8mac_environment_leave(fp8mac_environment caller)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(caller.status) : "memory");
    if (caller.control != 0) {
        __asm__ volatile("msr fpcr, %0" : : "r"(caller.control) : "memory");
    }
}

#elif !__STDC_HOSTED__ || defined(__SOFTFP__) || (defined(__riscv) && !defined(__riscv_flen))

// Arithmetic in software, which has one environment; or bare metal, whose program owns it.
typedef int fp8mac_environment;

static inline fp8mac_environment fp8mac_environment_enter(void)
{
    return 0;
}

static inline void fp8mac_environment_leave(fp8mac_environment caller)
{
    (void)caller;
}

#else

#include <fenv.h>

typedef fenv_t fp8mac_environment;

static inline fp8mac_environment fp8mac_environment_enter(void)
{
    fenv_t caller;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    return caller;
}

static inline void fp8mac_environment_leave(fp8mac_environment caller)
{
    fesetenv(&caller);
}

#endif

// A function of which the compiler knows nothing where it is called.
#ifndef __has_attribute
#define __has_attribute(x) 0
#endif
#if __has_attribute(noipa)
#define FP8MAC_APART __attribute__((noipa))
#else
#define FP8MAC_APART __attribute__((noinline))
#endif

// The last statement of a function that returns `type`. The empty assembly keeps the call before
// what follows.
#define FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(type, call)                                             \
    const fp8mac_environment fp8mac_caller = fp8mac_environment_enter();                           \
    type fp8mac_result = call;                                                                     \
    __asm__ volatile("" : "+m"(fp8mac_result) : : "memory");                                       \
    fp8mac_environment_leave(fp8mac_caller);                                                       \
    return fp8mac_result

#endif
