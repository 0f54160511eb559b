// SPDX-License-Identifier: Apache-2.0
// The tables of exp2, reciprocal and reciprocal square root, as FP32 words, and those of tanh as
// integers.
#ifndef FP8MAC_CORE_FUNCTION_TABLES_H
#define FP8MAC_CORE_FUNCTION_TABLES_H

#include <stdint.h>

enum {
    FP8MAC_TABLE_BITS = 5,
    FP8MAC_TABLE_ENTRIES = 1 << FP8MAC_TABLE_BITS,
    FP8MAC_TANH_INTERVALS = 128,
};

extern const uint32_t fp8mac_table_exp2_coarse[FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_exp2_value[FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_exp2_slope[FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_reciprocal_value[FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_reciprocal_slope[FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_root_value[2 * FP8MAC_TABLE_ENTRIES];
extern const uint32_t fp8mac_table_root_slope[2 * FP8MAC_TABLE_ENTRIES];
extern const uint16_t fp8mac_table_tanh[FP8MAC_TANH_INTERVALS + 1];

#endif
