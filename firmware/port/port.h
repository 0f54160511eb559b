// SPDX-License-Identifier: Apache-2.0
// What a platform provides to app.c besides the device and the functions of fp8rt/app.h that are its own.
#ifndef FP8RT_PORT_H
#define FP8RT_PORT_H

#include "fp8rt/check_record.h"

// Compares D, amax and flags as the record says; see fp8rt_check_gemm.
uint32_t fp8rt_port_check(const fp8rt_check_record *record);

#endif
