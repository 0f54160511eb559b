// SPDX-License-Identifier: Apache-2.0
// The golden model's settings for the words of an accelerator's registers. The checker and the
// firmware's host build share this file.
#ifndef FP8RT_ELEMENT_MODEL_H
#define FP8RT_ELEMENT_MODEL_H

#include "fp8rt/element.h"

#ifdef __cplusplus
extern "C" {
#endif

// Maps words of the registers ELEMENT and MODE to the equivalent settings of the golden model. The
// caller first sets dot->group (the lanes) and the scaling exponents, which stay. False if the
// catalogue has no such element, or if the element does not have the formats that MODE asks for.
bool fp8rt_element_model(uint32_t element, uint32_t mode, fp8mac_dot_config *dot);

#ifdef __cplusplus
}
#endif
#endif
