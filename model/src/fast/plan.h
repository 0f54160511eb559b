// SPDX-License-Identifier: Apache-2.0
// How a GEMM is carried out: the choice of a kernel that is exact for it.
#ifndef FP8MAC_FAST_PLAN_H
#define FP8MAC_FAST_PLAN_H

#include "core/dot_engine.h"
#include "fast/fast.h"

// What a matrix of operand codes holds. `special` marks the rows with Inf or NaN. The other members
// describe the remaining rows.
typedef struct fp8mac_operand_facts {
    fp8mac_fast_format format;
    bool is_vector;   // `format` is filled in
    uint8_t *special; // one for each row of the matrix
    size_t specials;
    int32_t top;          // every value is below 2^top
    int32_t unit;         // and a multiple of 2^unit
    int32_t e_min, e_max; // the format's exponents
} fp8mac_operand_facts;

// What the caller's accumulators hold: every one is below 2^top and a multiple of 2^unit.
typedef struct fp8mac_acc_range {
    bool is_loaded; // some accumulator is not zero
    int32_t top, unit;
} fp8mac_acc_range;

// False if one of them is Inf or NaN.
bool fp8mac_acc_range_init(fp8mac_acc_range *range, const fp8mac_gemm_desc *desc);

typedef struct fp8mac_fast_plan {
    const fp8mac_kernels *kernels;
    fp8mac_tile_function *kernel;
    fp8mac_tile tile; // what all tiles share
    float a_scale;    // folded into the panels of A
    double t0_scale;  // FIXED: at read-out
    size_t acc_bytes; // of one output
    bool needs_double, needs_exponents;
    bool is_int8;          // panels of fp8mac_kernels.pack_pairs, and sums in INT32
    bool needs_groups;     // panels of fp8mac_kernels.pack_groups
    bool second;           // there is a second accumulator, which is read out
    double a_large;        // sums may be wide: from here on a value of A is large, otherwise 0
    double reach;          // if not 0, the factor of a_reach
    bool specials_are_nan; // no operand is Inf: an output with a special operand is NaN, flag `nan`
    bool may_overflow;     // and if this is set, perhaps the overflow's flag
    fp8mac_flags overflow_flag;
    uint32_t nan; // and that is its t0
    fp8mac_refusal refusal;
} fp8mac_fast_plan;

// False if no kernel computes the dot products of `desc` exactly as defined.
bool fp8mac_fast_plan_init(fp8mac_fast_plan *plan, const fp8mac_kernels *kernels,
                           const fp8mac_gemm_desc *desc, const fp8mac_operand_facts *a,
                           const fp8mac_operand_facts *b, const fp8mac_acc_range *loaded);

enum { FP8MAC_FAST_ZERO_EXPONENT = -64 }; // of a zero operand, for truncated alignment

#endif
