// SPDX-License-Identifier: Apache-2.0
// Which functions an accelerator has (fp8mac_accel, fp8mac_cmd_pkg).
#include "command/functions.h"

uint32_t fp8mac_column_share(uint32_t block, uint32_t lanes, uint32_t rows)
{
    uint32_t share = 1;
    for (uint32_t count = 2; count <= block / lanes; count++) {
        share = rows % count == 0 ? count : share;
    }
    return share;
}

uint32_t fp8mac_epilogue_width(uint32_t bundle, uint32_t cols)
{
    if (bundle < 8u) {
        return bundle;
    }
    return cols > 8u ? cols : 8u;
}

uint32_t fp8mac_depthwise_quads(const fp8mac_caps *caps)
{
    const uint32_t beat = caps->beat_bytes, cols = caps->cols;
    const bool possible =
        caps->lanes >= beat && cols >= 2u && beat >= 2u * cols && beat <= 8u * cols;
    return possible ? beat / cols : 0;
}

// A sum has 16 partial sums in turn, and an MX block 32 columns.
static bool has_rows(const fp8mac_caps *caps)
{
    return caps->cols <= 16 && caps->max_mn >= 32;
}

uint32_t fp8mac_functions_possible(const fp8mac_caps *caps, bool requantise)
{
    const uint32_t numbers = FP8MAC_FUNCTION_C | FP8MAC_FUNCTION_ELEMENTWISE |
                             FP8MAC_FUNCTION_STOCHASTIC |
                             (has_rows(caps) ? FP8MAC_FUNCTION_ROWS : 0u);
    const fp8mac_element_info *element = fp8mac_element_find(caps->element.kind);
    return FP8MAC_FUNCTION_TABLES | FP8MAC_FUNCTION_CONV_A | FP8MAC_FUNCTION_INT8 |
           (requantise ? FP8MAC_FUNCTION_REQUANTISE : numbers) |
           (element->mx ? FP8MAC_FUNCTION_MX : 0u) |
           (fp8mac_depthwise_quads(caps) != 0 ? FP8MAC_FUNCTION_DEPTHWISE : 0u);
}
