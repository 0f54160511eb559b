// SPDX-License-Identifier: Apache-2.0
// A GEMM shared among threads, for a description that has been checked.
#ifndef FP8MAC_API_THREADS_H
#define FP8MAC_API_THREADS_H

#include "fast/fast.h"

// Divides the outputs among at most `threads` threads. The kernels compute a part, or the
// definition where they cannot.
void fp8mac_gemm_threads(const fp8mac_gemm_desc *desc, const fp8mac_kernels *kernels,
                         unsigned threads, fp8mac_gemm_totals *totals);

#endif
