// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/element.h"

#include <stdio.h>

#include "fp8rt/registers.h"

fp8mac_acc_format fp8rt_element_accumulator(const fp8rt_element *element)
{
    if (fp8rt_element_has(element, FP8MAC_ACC_FP32)) {
        return FP8MAC_ACC_FP32;
    }
    if (fp8rt_element_has(element, FP8MAC_ACC_FP16)) {
        return FP8MAC_ACC_FP16;
    }
    return element->int8 ? FP8MAC_ACC_INT32 : FP8MAC_ACC_FIXED;
}

static const fp8mac_element_info *find(uint32_t kind)
{
    const fp8mac_element_info *info = fp8mac_element_find(kind);
    return info != NULL && info->accelerator ? info : NULL;
}

const char *fp8rt_element_name(uint32_t kind)
{
    const fp8mac_element_info *info = find(kind);
    return info == NULL ? NULL : info->name;
}

const char *fp8rt_element_spell(const fp8rt_element *element, unsigned lanes,
                                char buffer[FP8RT_ELEMENT_SPELLING_BYTES])
{
    const char *name = fp8rt_element_name(element->kind);
    if (name == NULL) {
        name = "unknown";
    }
    if (element->frac_bits == 0) {
        snprintf(buffer, FP8RT_ELEMENT_SPELLING_BYTES, "%s_l%u", name, lanes);
    } else {
        snprintf(buffer, FP8RT_ELEMENT_SPELLING_BYTES, "%s_f%u_l%u", name, element->frac_bits,
                 lanes);
    }
    return buffer;
}

bool fp8rt_element_make(uint32_t kind, unsigned lanes, unsigned frac_bits, fp8rt_element *element)
{
    const fp8mac_element_info *info = find(kind);
    if (info == NULL || lanes == 0 || info->block % lanes != 0) {
        return false;
    }
    bool window = fp8mac_element_has_window(info, lanes);
    unsigned bits = window && frac_bits == 0 ? info->frac_bits_default : frac_bits;
    *element = (fp8rt_element){
        .kind = info->kind,
        .accumulators = (uint8_t)info->accumulators,
        .e5m2 = (info->formats >> FP8MAC_E5M2 & 1u) != 0,
        .narrow = info->narrow,
        .int8 = (info->formats >> FP8MAC_INT8 & 1u) != 0,
        .frac_bits = (uint8_t)bits,
        .align_by =
            window && info->align_by_operands ? FP8MAC_ALIGN_BY_OPERANDS : FP8MAC_ALIGN_BY_PRODUCTS,
        .terms_log2 = info->terms_log2,
    };
    return window ? bits >= info->frac_bits_least && bits <= info->frac_bits_most : bits == 0;
}

fp8rt_element fp8rt_element_decode(uint32_t word)
{
    const bool int8 = FP8RT_GET(ELEMENT__INT8, word) != 0;
    return (fp8rt_element){
        .kind = (fp8mac_element_kind)FP8RT_GET(ELEMENT__KIND, word),
        .accumulators = (uint8_t)(FP8RT_GET(ELEMENT__ACC_FP32, word) << FP8MAC_ACC_FP32 |
                                  FP8RT_GET(ELEMENT__ACC_FP16, word) << FP8MAC_ACC_FP16 |
                                  FP8RT_GET(ELEMENT__ACC_FIXED, word)
                                      << (int8 ? FP8MAC_ACC_INT32 : FP8MAC_ACC_FIXED)),
        .e5m2 = FP8RT_GET(ELEMENT__E5M2, word) != 0,
        .narrow = FP8RT_GET(ELEMENT__NARROW, word) != 0,
        .int8 = int8,
        .frac_bits = (uint8_t)FP8RT_GET(ELEMENT__FRAC_BITS, word),
        .align_by = FP8RT_GET(ELEMENT__ALIGN_BY_OPERANDS, word) ? FP8MAC_ALIGN_BY_OPERANDS
                                                                : FP8MAC_ALIGN_BY_PRODUCTS,
        .terms_log2 = (uint8_t)FP8RT_GET(ELEMENT__TERMS_LOG2, word),
    };
}

uint32_t fp8rt_element_encode(const fp8rt_element *element)
{
    return FP8RT_PUT(ELEMENT__KIND, element->kind) |
           FP8RT_PUT(ELEMENT__ACC_FP32, fp8rt_element_has(element, FP8MAC_ACC_FP32)) |
           FP8RT_PUT(ELEMENT__ACC_FP16, fp8rt_element_has(element, FP8MAC_ACC_FP16)) |
           FP8RT_PUT(ELEMENT__ACC_FIXED, fp8rt_element_is_integer(element)) |
           FP8RT_PUT(ELEMENT__E5M2, element->e5m2) | FP8RT_PUT(ELEMENT__NARROW, element->narrow) |
           FP8RT_PUT(ELEMENT__INT8, element->int8) |
           FP8RT_PUT(ELEMENT__FRAC_BITS, element->frac_bits) |
           FP8RT_PUT(ELEMENT__ALIGN_BY_OPERANDS, element->align_by == FP8MAC_ALIGN_BY_OPERANDS) |
           FP8RT_PUT(ELEMENT__TERMS_LOG2, element->terms_log2);
}
