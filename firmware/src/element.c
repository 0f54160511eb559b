// SPDX-License-Identifier: Apache-2.0
#include "fp8rt/element.h"

#include <stddef.h>

#include "fp8rt/registers.h"

fp8mac_acc_format fp8rt_element_accumulator(const fp8rt_element *element)
{
    if (fp8rt_element_has(element, FP8MAC_ACC_FP32)) {
        return FP8MAC_ACC_FP32;
    }
    return fp8rt_element_has(element, FP8MAC_ACC_FP16) ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FIXED;
}

const char *fp8rt_element_name(fp8rt_element_kind kind)
{
    switch (kind) {
    case FP8RT_ELEMENT_EXACT: return "exact";
    case FP8RT_ELEMENT_ALIGNED_FP32: return "aligned_fp32";
    case FP8RT_ELEMENT_ALIGNED_FP16: return "aligned_fp16";
    case FP8RT_ELEMENT_KULISCH: return "kulisch";
    case FP8RT_ELEMENT_LATE_FP32: return "late_fp32";
    case FP8RT_ELEMENT_LATE_FP16: return "late_fp16";
    }
    return NULL;
}

fp8rt_element fp8rt_element_decode(uint32_t word)
{
    return (fp8rt_element){
        .kind = (fp8rt_element_kind)FP8RT_GET(ELEMENT__KIND, word),
        .accumulators = (uint8_t)(FP8RT_GET(ELEMENT__ACC_FP32, word) << FP8MAC_ACC_FP32 |
                                  FP8RT_GET(ELEMENT__ACC_FP16, word) << FP8MAC_ACC_FP16 |
                                  FP8RT_GET(ELEMENT__ACC_FIXED, word) << FP8MAC_ACC_FIXED),
        .e5m2 = FP8RT_GET(ELEMENT__E5M2, word) != 0,
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
           FP8RT_PUT(ELEMENT__ACC_FIXED, fp8rt_element_has(element, FP8MAC_ACC_FIXED)) |
           FP8RT_PUT(ELEMENT__E5M2, element->e5m2) |
           FP8RT_PUT(ELEMENT__FRAC_BITS, element->frac_bits) |
           FP8RT_PUT(ELEMENT__ALIGN_BY_OPERANDS, element->align_by == FP8MAC_ALIGN_BY_OPERANDS) |
           FP8RT_PUT(ELEMENT__TERMS_LOG2, element->terms_log2);
}
