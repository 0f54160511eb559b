// SPDX-License-Identifier: Apache-2.0
// The elements of the catalogue as configurations of the dot product.
#include "core/accumulator.h"
#include "fp8mac/catalogue.h"

// Fraction bits of the element: 0 where it has no alignment window to choose.
static bool find_frac_bits(const fp8mac_element_info *element, unsigned lanes, unsigned asked,
                           unsigned *frac_bits)
{
    if (!fp8mac_element_has_window(element, lanes)) {
        *frac_bits = 0;
        return asked == 0;
    }
    *frac_bits = asked == 0 ? element->frac_bits_default : asked;
    return *frac_bits >= element->frac_bits_least && *frac_bits <= element->frac_bits_most;
}

// The exponent of the format's largest value.
static int top_exponent(const fp8mac_format *format)
{
    return (int)(fp8mac_format_max_code(format) >> format->mantissa_bits) - format->bias;
}

fp8mac_status fp8mac_element_config(uint32_t kind, unsigned lanes, unsigned frac_bits,
                                    fp8mac_dot_config *config)
{
    if (config == NULL) {
        return FP8MAC_ERR_NULL;
    }
    const fp8mac_element_info *element = fp8mac_element_find(kind);
    if (element == NULL) {
        return FP8MAC_ERR_PRESET;
    }
    if (lanes < 1 || lanes > FP8MAC_GROUP_MAX || element->block % lanes != 0) {
        return FP8MAC_ERR_GROUP;
    }
    unsigned bits;
    if (!find_frac_bits(element, lanes, frac_bits, &bits)) {
        return FP8MAC_ERR_ACCUMULATOR;
    }
    bool is_fp8 = (element->formats & 1u << FP8MAC_E4M3FN) != 0;
    const fp8mac_format *format = fp8mac_format_get(is_fp8 ? FP8MAC_E4M3FN : FP8MAC_INT8);
    *config = (fp8mac_dot_config){.a.format = format, .b.format = format};
    fp8mac_element_settings(element->kind, lanes, bits, 2 * top_exponent(format), config);
    return FP8MAC_OK;
}
