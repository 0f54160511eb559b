// SPDX-License-Identifier: Apache-2.0
// The definition of a step, for every floating-point accumulator and every setting. It is slow and
// obvious.
#ifndef FP8MAC_CORE_DOT_DEFINITION_H
#define FP8MAC_CORE_DOT_DEFINITION_H

#include "core/accumulator.h"

// The exponents of a product's two block scales.
typedef struct fp8mac_mx_pair {
    int32_t a_exponent, b_exponent;
    bool is_nan;
} fp8mac_mx_pair;

// One step of the accumulator, without the second one. Terms are summed in one exact integer. mx
// holds one pair for each term, or is NULL. The engine must agree with this function.
void fp8mac_dot_step_defined(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                             const uint8_t *b, unsigned n, const fp8mac_mx_pair *mx,
                             fp8mac_flags *flags);
void fp8mac_dot_step_definition(const fp8mac_dot_config *config, fp8mac_acc *acc, const uint8_t *a,
                                const uint8_t *b, unsigned n, fp8mac_flags *flags);
// All steps, including the second accumulator.
void fp8mac_dot_run_defined(const fp8mac_dot_config *config, fp8mac_acc *acc, fp8mac_dot_terms a,
                            fp8mac_dot_terms b, size_t k, fp8mac_flags *flags);
// The code of second + acc, in the second accumulator's format.
uint32_t fp8mac_acc_joined(const fp8mac_dot_config *config, const fp8mac_acc *acc,
                           fp8mac_flags *flags);

#endif
