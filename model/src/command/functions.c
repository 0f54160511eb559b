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
        caps->lanes == beat && cols >= 2u && beat >= 2u * cols && beat <= 8u * cols;
    return possible ? beat / cols : 0;
}

static bool has_rows(const fp8mac_caps *caps, uint32_t epilogue_width)
{
    const uint32_t share = fp8mac_column_share(caps->block, caps->lanes, caps->rows);
    const uint32_t bundle = (uint32_t)caps->rows / share * caps->cols;
    const uint32_t width =
        epilogue_width != 0 ? epilogue_width : fp8mac_epilogue_width(bundle, caps->cols);
    return caps->rows == 4 && caps->cols == 4 && width == 8 && caps->max_mn >= 32;
}

uint32_t fp8mac_functions_possible(const fp8mac_caps *caps, uint32_t epilogue_width,
                                   bool requantise)
{
    const uint32_t numbers = FP8MAC_FUNCTION_C | FP8MAC_FUNCTION_ELEMENTWISE |
                             FP8MAC_FUNCTION_STOCHASTIC |
                             (has_rows(caps, epilogue_width) ? FP8MAC_FUNCTION_ROWS : 0u);
    const fp8mac_element_info *element = fp8mac_element_find(caps->element.kind);
    return FP8MAC_FUNCTION_TABLES | FP8MAC_FUNCTION_CONV_A | FP8MAC_FUNCTION_INT8 |
           (requantise ? FP8MAC_FUNCTION_REQUANTISE : numbers) |
           (element->mx ? FP8MAC_FUNCTION_MX : 0u) |
           (fp8mac_depthwise_quads(caps) != 0 ? FP8MAC_FUNCTION_DEPTHWISE : 0u);
}
