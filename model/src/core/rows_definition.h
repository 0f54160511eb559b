// SPDX-License-Identifier: Apache-2.0
// A row command by its definition, for a description that has been checked, in the library's
// floating-point environment.
#ifndef FP8MAC_CORE_ROWS_DEFINITION_H
#define FP8MAC_CORE_ROWS_DEFINITION_H

#include "core/gemm_definition.h"

static inline bool fp8mac_rows_is_norm(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_RMS_NORM || operation == FP8MAC_ROWS_LAYER_NORM;
}

// A function of each value: rows have no statistics and no masks.
static inline bool fp8mac_rows_is_curve(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_SIGMOID || operation == FP8MAC_ROWS_TANH;
}

// Each row, or each block of a row, has a scale of its own.
static inline bool fp8mac_rows_is_quantise(fp8mac_rows_operation operation)
{
    return operation == FP8MAC_ROWS_QUANTISE || operation == FP8MAC_ROWS_QUANTISE_MX;
}

void fp8mac_rows_defined(const fp8mac_rows_desc *desc, fp8mac_gemm_totals *totals);

#endif
