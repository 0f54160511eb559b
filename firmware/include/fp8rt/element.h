// SPDX-License-Identifier: Apache-2.0
// The array's elements, as the accelerator's register ELEMENT describes them. fp8mac/catalogue.h,
// which is generated from the catalogue of elements, lists the kinds; fp8mac/dot.h defines what a
// step computes.
#ifndef FP8RT_ELEMENT_H
#define FP8RT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fp8mac/accelerator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef fp8mac_element_caps fp8rt_element;

static inline bool fp8rt_element_has(const fp8rt_element *element, fp8mac_acc_format format)
{
    return (unsigned)format < 8 && (element->accumulators >> format & 1u) != 0;
}

// Whether A and B may have this format.
static inline bool fp8rt_element_takes(const fp8rt_element *element, fp8mac_format_id format)
{
    switch (format) {
    case FP8MAC_INT8: return element->int8;
    case FP8MAC_E4M3FN:
    case FP8MAC_E4M3FNUZ: return !element->int8;
    case FP8MAC_E5M2:
    case FP8MAC_E5M2FNUZ: return element->e5m2;
    case FP8MAC_E3M2FN:
    case FP8MAC_E2M3FN:
    case FP8MAC_E2M1FN: return element->narrow;
    default: return false;
    }
}

static inline bool fp8rt_element_holds(const fp8rt_element *element, uint32_t products)
{
    return element->terms_log2 == 0 || products <= 1u << element->terms_log2;
}

// The default format of A and B in a program: int8 if the element has it, else e4m3fn.
static inline fp8mac_format_id fp8rt_element_format(const fp8rt_element *element)
{
    return element->int8 ? FP8MAC_INT8 : FP8MAC_E4M3FN;
}

// Whether accumulators are integers: the fixed-point one, or INT32 of the INT8 elements. MODE has
// the code of FP32 for them, the format of their read-out.
static inline bool fp8rt_element_is_integer(const fp8rt_element *element)
{
    return fp8rt_element_has(element, FP8MAC_ACC_FIXED) ||
           fp8rt_element_has(element, FP8MAC_ACC_INT32);
}

// The default accumulator of a program: FP32 if the element has it, else FP16, else its integer.
fp8mac_acc_format fp8rt_element_accumulator(const fp8rt_element *element);

// The catalogue's name, such as "exact"; NULL if the accelerator has no such kind.
const char *fp8rt_element_name(uint32_t kind);

#define FP8RT_ELEMENT_SPELLING_BYTES 48
// The element's spelling, KIND_fF_lL, such as "late_fp16_f13_l4"; _fF only where there is a window.
// The text lies in `buffer`.
const char *fp8rt_element_spell(const fp8rt_element *element, unsigned lanes,
                                char buffer[FP8RT_ELEMENT_SPELLING_BYTES]);

// The element of this kind. `frac_bits` is the window's; 0 is the kind's default.
// False if the accelerator has no such kind, or the kind has no such window with so many lanes, or
// the lanes do not divide its block.
bool fp8rt_element_make(uint32_t kind, unsigned lanes, unsigned frac_bits, fp8rt_element *element);

// The word of the register ELEMENT, and back.
fp8rt_element fp8rt_element_decode(uint32_t word);
uint32_t fp8rt_element_encode(const fp8rt_element *element);

#ifdef __cplusplus
}
#endif
#endif
