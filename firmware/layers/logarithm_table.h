// SPDX-License-Identifier: Apache-2.0
// log2(1 + i / 256) * 2^22, rounded to nearest; from firmware/layers/logarithm_table.py
#ifndef FP8RT_LAYERS_LOGARITHM_TABLE_H
#define FP8RT_LAYERS_LOGARITHM_TABLE_H

#include <stdint.h>

enum { FP8RT_LOGARITHM_STEPS = 256 };
extern const uint32_t fp8rt_logarithm_table[FP8RT_LOGARITHM_STEPS + 1];

#endif
