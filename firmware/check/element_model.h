// SPDX-License-Identifier: Apache-2.0
// What of the golden model an array's elements are. The checker and the firmware's host build share it.
#ifndef FP8RT_ELEMENT_MODEL_H
#define FP8RT_ELEMENT_MODEL_H

#include "fp8rt/element.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills in the formats of *dot, and how steps are computed, from words of the registers ELEMENT and MODE. False if
// there are no such elements, or if they do not have what the mode asks for. Group and scaling exponents are the
// caller's; the group is there before.
bool fp8rt_element_model(uint32_t element, uint32_t mode, fp8mac_dot_config *dot);

#ifdef __cplusplus
}
#endif
#endif
