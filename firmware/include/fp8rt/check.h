// SPDX-License-Identifier: Apache-2.0
// What a program hands to the simulator (or, in the host build, to the checker) to have one finished GEMM compared,
// every output bit, with the golden model's untiled fp8mac_gemm over the same memory. A real chip has no such checker.
#ifndef FP8RT_CHECK_H
#define FP8RT_CHECK_H

#include <stdint.h>

#define FP8RT_CHECK_MAGIC 0x4b434846u

// The same layout on rv32 and on a 64-bit host. Fields named as the command registers hold what those hold.
typedef struct fp8rt_check_record {
    uint32_t magic; // FP8RT_CHECK_MAGIC
    uint32_t m, n, k;
    uint32_t group; // terms per step: LANES of the array
    uint32_t
        mode; // MODE register: formats, accumulator, overflow, activation, scale_a_vec, scale_b_vec, bias_en
    uint32_t scale_exp; // SCALE_EXP register
    uint32_t scale_d;   // FP32 bits
    uint32_t clamp_lo;  // FP32 bits
    uint32_t clamp_hi;  // FP32 bits
    uint32_t amax;      // FP32 bits, as the program read it from the accelerator after this GEMM
    uint32_t flags; // FLAGS register, likewise (sticky flags and amax_nonfinite of this GEMM alone)
    uint64_t scale_a;                      // FP32 bits, or the address of m floats if scale_a_vec
    uint64_t scale_b;                      // FP32 bits, or the address of n floats if scale_b_vec
    uint64_t bias;                         // address of n floats, or 0
    uint64_t a, b, d;                      // addresses
    uint32_t a_stride, b_stride, d_stride; // bytes
    uint32_t element;                      // ELEMENT register: what the golden model has to compute
} fp8rt_check_record;

#endif
