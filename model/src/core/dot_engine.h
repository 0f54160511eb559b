// SPDX-License-Identifier: Apache-2.0
// The dot product behind fp8mac_dot and fp8mac_gemm, for arguments that have been checked.
#ifndef FP8MAC_DOT_ENGINE_H
#define FP8MAC_DOT_ENGINE_H

#include "core/accumulator.h"

// Every code of a format as an integer in units of its smallest subnormal (Inf and NaN as 0),
// decoded once.
typedef struct fp8mac_operand_table {
    int64_t value[256];
    uint8_t special[256]; // 1 for Inf and NaN
} fp8mac_operand_table;

// A prepared configuration. Nothing in it changes from step to step.
typedef struct fp8mac_dot_engine {
    fp8mac_dot_config config;
    unsigned group;                      // terms per step, 1 or more
    const fp8mac_format *rounded_format; // NULL for FIXED and INT32
    bool plain; // what this engine computes by itself: FIXED; or exact, nearest even, one acc
    int32_t unit_exponent;  // log2 of the unit of a product of two table entries, without scaling
    int32_t scale_exponent; // sa + sb
    fp8mac_operand_table a, b;
} fp8mac_dot_engine;

// Whether the format can be an operand: one byte, and a range that the product sums hold.
bool fp8mac_is_operand_format(const fp8mac_format *format);

void fp8mac_dot_engine_init(fp8mac_dot_engine *engine, const fp8mac_dot_config *config);
// The same for these k terms alone: a short step decodes its own codes and no others.
void fp8mac_dot_engine_init_for(fp8mac_dot_engine *engine, const fp8mac_dot_config *config,
                                const uint8_t *a, const uint8_t *b, size_t k);
// Whether no product is above the static_exponent of a FIXED accumulator that has one. The engine
// runs only then.
bool fp8mac_dot_products_fit(const fp8mac_dot_engine *engine, const uint8_t *a, const uint8_t *b,
                             size_t k);
// k terms in ascending order, `group` at a time.
void fp8mac_dot_engine_run(const fp8mac_dot_engine *engine, fp8mac_acc *acc, const uint8_t *a,
                           const uint8_t *b, size_t k, fp8mac_flags *flags);
// Whether K, including the terms consumed before, is at most 2^G, or at most the limit of INT32.
bool fp8mac_dot_k_fits(const fp8mac_dot_config *config, uint64_t consumed, uint64_t k);
// fp8mac_dot_engine_run with block scales, either of which may be NULL.
void fp8mac_dot_engine_run_mx(const fp8mac_dot_engine *engine, fp8mac_acc *acc, fp8mac_dot_terms a,
                              fp8mac_dot_terms b, size_t k, fp8mac_flags *flags);

#endif
