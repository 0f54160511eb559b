// SPDX-License-Identifier: Apache-2.0
// What chip and host each provide for the checker.
#ifndef FP8RT_ASK_H
#define FP8RT_ASK_H

#include "fp8rt/check_record.h"

// Hands the record to the checker and returns its answer; see fp8rt_check_gemm.
uint32_t fp8rt_check_ask(const fp8rt_check_record *record);
// Hands the record to the simulator and returns its answer; 0 where there is no simulator.
uint32_t fp8rt_fill_ask(const fp8rt_fill_record *record);

#endif
