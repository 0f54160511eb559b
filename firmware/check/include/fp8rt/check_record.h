// SPDX-License-Identifier: Apache-2.0
// The record that a program hands to the checker: one finished GEMM, as it was asked for.
//
// The checker computes the same GEMM with the golden model's untiled fp8mac_gemm over the same
// memory and compares every output bit, amax and the flags. On the chip the checker is part of the
// simulator; in the host build the program calls it directly. A real chip has no checker.
#ifndef FP8RT_CHECK_RECORD_H
#define FP8RT_CHECK_RECORD_H

#include <stdint.h>

#define FP8RT_CHECK_MAGIC 0x4b434846u
// The checker's answer to a record that it cannot compare.
#define FP8RT_CHECK_MALFORMED 0xffffffffu
// The answer of a chip that has no golden model beside it, as on an FPGA.
#define FP8RT_CHECK_ABSENT 0xfffffffeu

// Asks for random codes in memory, in place of a record above: fp8rt_random_codes from this state
// on. The answer is the state after it, or 0: nothing was written.
#define FP8RT_FILL_MAGIC 0x4c494646u
typedef struct fp8rt_fill_record {
    uint32_t magic;          // FP8RT_FILL_MAGIC
    uint32_t data, format;   // fp8rt_data, fp8mac_format_id
    uint32_t state;          // of the generator
    uint32_t address, bytes; // multiples of 4
} fp8rt_fill_record;

// One operand of the record.
typedef struct fp8rt_check_operand {
    uint64_t address;
    uint64_t scale; // FP32 bits, or the address of a float for each row if its scale_vec bit is set
    uint64_t mx;    // address of MX scales, or 0
    uint32_t stride; // bytes
    uint32_t mx_stride;
} fp8rt_check_operand;

// The layout is the same on rv32 and on a 64-bit host. A field named after a register holds that
// register's word.
typedef struct fp8rt_check_record {
    uint32_t magic; // FP8RT_CHECK_MAGIC
    uint32_t m, n, k;
    uint32_t group;     // products per step: LANES of the array
    uint32_t mode;      // MODE: formats, accumulator, overflow, activation, vector bits, bias_en
    uint32_t scale_exp; // SCALE_EXP
    uint32_t scale_d;   // FP32 bits
    uint32_t clamp_lo;  // FP32 bits
    uint32_t clamp_hi;  // FP32 bits
    uint32_t amax;      // FP32 bits, read from the accelerator after this GEMM
    uint32_t flags;     // FLAGS, read likewise: sticky flags and amax_nonfinite of this GEMM alone
    fp8rt_check_operand a, b;
    uint64_t bias;     // address of n floats, or 0
    uint64_t d;        // address
    uint32_t d_stride; // bytes
    uint32_t element;  // ELEMENT: selects the golden model's settings
} fp8rt_check_record;

#endif
