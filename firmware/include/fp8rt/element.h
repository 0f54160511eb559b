// SPDX-License-Identifier: Apache-2.0
// What the array is made of, as the accelerator's ELEMENT register says: the numerics of a step, and what a command may
// ask for. fp8mac/dot.h defines a step; this says which of its configurations the array is.
#ifndef FP8RT_ELEMENT_H
#define FP8RT_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "fp8mac/dot.h"

#ifdef __cplusplus
extern "C" {
#endif

// element_kind of the register map.
typedef enum fp8rt_element_kind {
    FP8RT_ELEMENT_EXACT = 0, // as if computed exactly and rounded once a step; FP32 and FP16
    FP8RT_ELEMENT_ALIGNED_FP32 =
        1, // FP32; products and accumulator are cut frac_bits below the largest of them
    FP8RT_ELEMENT_ALIGNED_FP16 = 2, // the same, FP16
    FP8RT_ELEMENT_KULISCH =
        3, // FIXED with guard_bits = terms_log2: never rounds before it is read out
    FP8RT_ELEMENT_LATE_FP32 =
        5, // FP32; products are cut frac_bits below the largest operands', acc joins late; with
           // one lane there is no window, and it is exact
    FP8RT_ELEMENT_LATE_FP16 = 6, // the same, FP16
} fp8rt_element_kind;

typedef struct fp8rt_element {
    fp8rt_element_kind kind;
    uint8_t accumulators;     // 1u << format of each that there is: FP8MAC_ACC_FP32, _FP16, _FIXED
    bool e5m2;                // A and B may be e5m2 and e5m2fnuz; else e4m3fn and e4m3fnuz alone
    uint8_t frac_bits;        // of a window; 0: there is none
    fp8mac_align_by align_by; // what a window hangs from
    uint8_t terms_log2; // an accumulator takes 2^terms_log2 products, the limit of K; 0: any number
} fp8rt_element;

static inline bool fp8rt_element_has(const fp8rt_element *element, fp8mac_acc_format format)
{
    return (unsigned)format < 8 && (element->accumulators >> format & 1u) != 0;
}

// Whether A and B may have this format.
static inline bool fp8rt_element_takes(const fp8rt_element *element, fp8mac_format_id format)
{
    bool e4m3 = format == FP8MAC_E4M3FN || format == FP8MAC_E4M3FNUZ;
    return e4m3 || (element->e5m2 && (format == FP8MAC_E5M2 || format == FP8MAC_E5M2FNUZ));
}

static inline bool fp8rt_element_holds(const fp8rt_element *element, uint32_t products)
{
    return element->terms_log2 == 0 || products <= 1u << element->terms_log2;
}

// For a program without a wish: FP32 where there is one, else the only one.
fp8mac_acc_format fp8rt_element_accumulator(const fp8rt_element *element);

// "exact", "aligned_fp32", ...; NULL for a kind that is not known.
const char *fp8rt_element_name(fp8rt_element_kind kind);

// The ELEMENT register's word, and back.
fp8rt_element fp8rt_element_decode(uint32_t word);
uint32_t fp8rt_element_encode(const fp8rt_element *element);

#ifdef __cplusplus
}
#endif
#endif
