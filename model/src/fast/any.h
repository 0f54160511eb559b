// SPDX-License-Identifier: Apache-2.0
// GEMMs with any floating-point accumulator, any of its settings and operands in any format.
#ifndef FP8MAC_FAST_ANY_H
#define FP8MAC_FAST_ANY_H

#include "fast/plan.h"

// Codes of an operand format, decoded once.
typedef struct fp8mac_code_table {
    float value[256];     // Inf and NaN: 0
    int8_t exponent[256]; // from the least of the format; zero, Inf, NaN: FP8MAC_ANY_ZERO
    uint8_t special[256];
    int16_t top[256], unit[256]; // a value is below 2^top and a multiple of 2^unit; not of a zero
    int32_t most_top;            // the largest of top
    int32_t least;               // what `exponent` counts from
    unsigned mantissa_bits;
} fp8mac_code_table;

enum { FP8MAC_ANY_ZERO = -64 };

// `normalised`: the exponent of a subnormal is that of its leading bit. False if there is a value
// that the kernels cannot hold.
bool fp8mac_code_table_init(fp8mac_code_table *table, const fp8mac_format *format, bool normalised);

// The facts of an operand of `rows` rows. A row with a NaN among its block scales is
// special. `special` has been allocated.
void fp8mac_any_facts(fp8mac_operand_facts *facts, const fp8mac_code_table *table,
                      const fp8mac_gemm_operand *x, size_t rows, size_t k);

// Which of `inexact` and `underflow` the steps of a GEMM may raise. `inexact` of a read-out from
// FIXED and INT32 is not among them.
fp8mac_flags fp8mac_any_may_raise(const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                                  const fp8mac_operand_facts *b, const fp8mac_acc_range *loaded);

// False if the kernels do not compute the dot products of `desc` exactly as defined. `track`: the
// kernels find `inexact` and `underflow`.
bool fp8mac_any_plan_init(fp8mac_fast_plan *plan, fp8mac_any *any, const fp8mac_kernels *kernels,
                          const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                          const fp8mac_operand_facts *b, const fp8mac_code_table *a_table,
                          const fp8mac_code_table *b_table, const fp8mac_acc_range *loaded,
                          bool track);

// One panel as of fp8mac_kernels.pack and pack_exponents. `exponents` may be NULL. Rows that are
// special are packed as zeros.
void fp8mac_any_pack(const fp8mac_code_table *table, float *panel, int8_t *exponents,
                     unsigned width, const uint8_t *codes, size_t stride, unsigned rows, size_t k,
                     const uint8_t *special);
// The exponents of the block scales of one panel, block by block.
void fp8mac_any_pack_blocks(int32_t *panel, unsigned width, const uint8_t *mx, size_t stride,
                            unsigned rows, size_t blocks, const uint8_t *special);

#endif
