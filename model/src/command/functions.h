// SPDX-License-Identifier: Apache-2.0
// What the functions of an accelerator depend on.
#ifndef FP8MAC_COMMAND_FUNCTIONS_H
#define FP8MAC_COMMAND_FUNCTIONS_H

#pragma GCC visibility push(default)
#include "fp8mac/accelerator.h"
#pragma GCC visibility pop

// Elements of a column that share one accumulate unit: `block` and `lanes` are products
uint32_t fp8mac_column_share(uint32_t block, uint32_t lanes, uint32_t rows);
// Outputs that the epilogue finishes in a cycle by default, of the `bundle` that the array gives
uint32_t fp8mac_epilogue_width(uint32_t bundle, uint32_t cols);
// Quads of a beat in a depthwise command; 0: such an accelerator has no depthwise commands
uint32_t fp8mac_depthwise_quads(const fp8mac_caps *caps);

#endif
