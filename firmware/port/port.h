// SPDX-License-Identifier: Apache-2.0
// What a port provides besides the device and its own functions of fp8rt/app.h.
#ifndef FP8RT_PORT_H
#define FP8RT_PORT_H

#include "fp8rt/check_record.h"

// Hands the record to the checker and returns its answer; see fp8rt_check_gemm.
uint32_t fp8rt_port_check(const fp8rt_check_record *record);

#endif
