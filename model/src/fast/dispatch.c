// SPDX-License-Identifier: Apache-2.0
#include "fast/fast.h"

#include <stdlib.h>

#if FP8MAC_FAST && defined(__x86_64__)
#include <cpuid.h>

// Not every compiler's __builtin_cpu_supports knows it.
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

bool fp8mac_isa_available(fp8mac_isa isa)
{
    switch (isa) {
    case FP8MAC_ISA_BEST:
    case FP8MAC_ISA_DEFINED: return true;
    case FP8MAC_ISA_PORTABLE: return FP8MAC_FAST;
#if FP8MAC_FAST && defined(__x86_64__)
    case FP8MAC_ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    case FP8MAC_ISA_AVX512:
        return fp8mac_isa_available(FP8MAC_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    default: return false;
    }
}

const char *fp8mac_isa_name(fp8mac_isa isa)
{
    switch (isa) {
    case FP8MAC_ISA_BEST: return "best";
    case FP8MAC_ISA_DEFINED: return "defined";
    case FP8MAC_ISA_PORTABLE: return "portable";
    case FP8MAC_ISA_AVX2: return "avx2";
    case FP8MAC_ISA_AVX512: return "avx512";
    }
    return NULL;
}

static fp8mac_isa find_best(void)
{
    const char *wanted = getenv("FP8MAC_ISA");
    fp8mac_isa best = FP8MAC_ISA_DEFINED;
    for (int i = FP8MAC_ISA_DEFINED; i <= FP8MAC_ISA_AVX512; i++) {
        fp8mac_isa isa = (fp8mac_isa)i;
        if (!fp8mac_isa_available(isa)) {
            continue;
        }
        if (wanted != NULL && strcmp(wanted, fp8mac_isa_name(isa)) == 0) {
            return isa;
        }
        if (isa > best) {
            best = isa;
        }
    }
    return best;
}

// Found once; every thread that finds it finds the same.
fp8mac_isa fp8mac_isa_best(void)
{
    static fp8mac_isa found;
    fp8mac_isa best = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (best == FP8MAC_ISA_BEST) {
        best = find_best();
        __atomic_store_n(&found, best, __ATOMIC_RELAXED);
    }
    return best;
}

#if FP8MAC_FAST
bool fp8mac_kernels_find(fp8mac_isa isa, const fp8mac_kernels **kernels)
{
    *kernels = NULL;
    switch (isa == FP8MAC_ISA_BEST ? fp8mac_isa_best() : isa) {
    case FP8MAC_ISA_PORTABLE: *kernels = &fp8mac_kernels_portable; break;
#if defined(__x86_64__)
    case FP8MAC_ISA_AVX2: *kernels = &fp8mac_kernels_avx2; break;
    case FP8MAC_ISA_AVX512: *kernels = &fp8mac_kernels_avx512; break;
#endif
    default: break;
    }
    return fp8mac_isa_available(isa);
}
#endif
