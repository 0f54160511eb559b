// SPDX-License-Identifier: Apache-2.0
// How work is carried out: by which instructions, on how many threads. No bit of a result depends
// on it. fp8mac_gemm and the conversions choose the best instructions themselves. These functions
// add threads, and select one path for a measurement or a test.
//
// The fast cases are:
//   - conversions of float32 to and from formats with IEEE 754's layout of exponents, to nearest
//     even or stochastic;
//   - GEMMs with every floating-point accumulator, and with FIXED. model/SPEED.md lists exceptions.
// The definition computes every other setting, and outputs whose row of A or column of B holds Inf
// or NaN.
//
// The environment variable FP8MAC_ISA (defined, portable, avx2, avx512) sets what FP8MAC_ISA_BEST
// means, for testing; it is read once.
#ifndef FP8MAC_FAST_H
#define FP8MAC_FAST_H

#include "fp8mac/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8mac_isa {
    FP8MAC_ISA_BEST = 0,     // the best that the processor has
    FP8MAC_ISA_DEFINED = 1,  // scalar integer arithmetic, the definition
    FP8MAC_ISA_PORTABLE = 2, // vectors of the compiler's, in float and double
    FP8MAC_ISA_AVX2 = 3,     // x86: AVX2, FMA, F16C
    FP8MAC_ISA_AVX512 = 4,   // x86: AVX-512 F, BW, DQ, VL
} fp8mac_isa;

// All zero: the best instructions, one thread.
typedef struct fp8mac_run {
    fp8mac_isa isa;
    unsigned threads; // at most this many, 0 for 1; a small problem uses fewer
} fp8mac_run;

// What FP8MAC_ISA_BEST stands for here; never FP8MAC_ISA_BEST itself.
fp8mac_isa fp8mac_isa_best(void);
// Whether this build and this processor can run `isa`.
bool fp8mac_isa_available(fp8mac_isa isa);
// "defined", "portable", "avx2", "avx512"; "best" for FP8MAC_ISA_BEST, NULL for anything else.
const char *fp8mac_isa_name(fp8mac_isa isa);

// fp8mac_gemm and fp8mac_convert, carried out as `run` says (NULL: all zero). An isa that is not
// available is FP8MAC_ERR_UNSUPPORTED. Conversions use one thread.
fp8mac_status fp8mac_gemm_run(const fp8mac_gemm_desc *desc, const fp8mac_run *run,
                              fp8mac_gemm_result *result);
fp8mac_status fp8mac_convert_run(const fp8mac_format *dst_format, void *dst,
                                 const fp8mac_format *src_format, const void *src, size_t n,
                                 fp8mac_convert_mode mode, const fp8mac_run *run,
                                 fp8mac_flags *flags);

#ifdef __cplusplus
}
#endif
#endif
