// SPDX-License-Identifier: Apache-2.0
#include "element_model.h"

#include <stddef.h>

#include "fp8rt/registers.h"

// FP16's smallest normal exponent; FP32's is the model's default.
#define FP16_MIN_EXPONENT (-14)
#define FP16_MANTISSA_BITS 10
#define FP32_MANTISSA_BITS 23

// Each says whether the element's numbers are possible with its kind.
static bool exact(const fp8rt_element *element)
{
    return element->frac_bits == 0 && element->align_by == FP8MAC_ALIGN_BY_PRODUCTS &&
           element->terms_log2 == 0;
}

static bool window(const fp8rt_element *element, fp8mac_dot_config *dot, int min_exponent)
{
    dot->frac_bits = element->frac_bits;
    dot->min_exponent = min_exponent;
    return element->frac_bits != 0 && element->align_by == FP8MAC_ALIGN_BY_PRODUCTS &&
           element->terms_log2 == 0;
}

// With one lane the product stays whole. Else the sum and the accumulator are added with at least two fraction bits
// beyond the accumulator's.
static bool late(const fp8rt_element *element, fp8mac_dot_config *dot, unsigned acc_bits)
{
    unsigned bits = element->frac_bits > acc_bits + 2 ? element->frac_bits : acc_bits + 2;
    if (element->frac_bits == 0) {
        return exact(element) && dot->group == 1;
    }
    dot->frac_bits = element->frac_bits;
    dot->align_by = FP8MAC_ALIGN_BY_OPERANDS;
    dot->acc_late = true;
    dot->late_bits_sum = dot->late_bits_acc = bits;
    dot->late_round = FP8MAC_ALIGN_ODD;
    return element->align_by == FP8MAC_ALIGN_BY_OPERANDS && element->terms_log2 == 0;
}

static bool fixed(const fp8rt_element *element, fp8mac_dot_config *dot)
{
    dot->acc_format = FP8MAC_ACC_FIXED;
    dot->guard_bits = element->terms_log2;
    return element->frac_bits == 0 && element->align_by == FP8MAC_ALIGN_BY_PRODUCTS &&
           element->terms_log2 != 0;
}

static bool fill_in(const fp8rt_element *element, fp8mac_dot_config *dot)
{
    switch (element->kind) {
    case FP8RT_ELEMENT_EXACT: return exact(element);
    case FP8RT_ELEMENT_ALIGNED_FP32: return window(element, dot, 0);
    case FP8RT_ELEMENT_ALIGNED_FP16: return window(element, dot, FP16_MIN_EXPONENT);
    case FP8RT_ELEMENT_LATE_FP32: return late(element, dot, FP32_MANTISSA_BITS);
    case FP8RT_ELEMENT_LATE_FP16: return late(element, dot, FP16_MANTISSA_BITS);
    case FP8RT_ELEMENT_KULISCH: return fixed(element, dot);
    }
    return false;
}

bool fp8rt_element_model(uint32_t word, uint32_t mode, fp8mac_dot_config *dot)
{
    const fp8rt_element element = fp8rt_element_decode(word);
    const fp8mac_format_id a = (fp8mac_format_id)FP8RT_GET(MODE__A_FMT, mode);
    const fp8mac_format_id b = (fp8mac_format_id)FP8RT_GET(MODE__B_FMT, mode);
    dot->a_format = fp8mac_format_get(a);
    dot->b_format = fp8mac_format_get(b);
    dot->acc_format = FP8RT_GET(MODE__ACC_FMT, mode) ? FP8MAC_ACC_FP16 : FP8MAC_ACC_FP32;
    if (dot->acc_format == FP8MAC_ACC_FP16 && !fp8rt_element_has(&element, FP8MAC_ACC_FP16)) {
        return false;
    }
    return fp8rt_element_encode(&element) == word && fill_in(&element, dot) &&
           fp8rt_element_has(&element, dot->acc_format) && fp8rt_element_takes(&element, a) &&
           fp8rt_element_takes(&element, b);
}
