// SPDX-License-Identifier: Apache-2.0
// A fault in the model of the accelerator, for tests of the selftest: a bit of a memory
// or data path is stuck.
//
//   FP8RT_FAULT=PART:UNIT:LANE:BIT:VALUE, such as a:2:5:3:1
//
// PART is one of d, x, c, scale_a, scale_b, bias, a, b, mx_a, mx_b, table, array and format.
// fp8mac/accelerator_model.h says what they are, and what UNIT and LANE count.
#ifndef FP8RT_HOST_FAULT_H
#define FP8RT_HOST_FAULT_H

#include "fp8mac/accelerator_model.h"

// The fault that the environment asks for, or none. False: the variable is not as above.
bool fp8rt_host_fault_read(fp8mac_fault *fault);

#endif
