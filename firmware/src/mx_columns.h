// SPDX-License-Identifier: Apache-2.0
// The core's part of a conversion to MX by the accelerator, which converts 32 columns with a
// command. All strides of the descriptors are filled in.
#ifndef FP8RT_MX_COLUMNS_H
#define FP8RT_MX_COLUMNS_H

#include "fp8rt/mx.h"

// The scales of the 32 columns from `col` on, and what the accelerator multiplies their rows by.
// Returns whether a block has an Inf or NaN: its factor is 1.
bool fp8rt_mx_scale_columns(const fp8rt_mx_desc *desc, uint32_t col, float *factors);
// Sets the codes of blocks with an Inf or NaN to 0, when the command has run.
void fp8rt_mx_clear_nonfinite(const fp8rt_mx_desc *desc, uint32_t col);

#endif
