// SPDX-License-Identifier: Apache-2.0
// Compares one finished GEMM with the golden model: every output bit, amax and the flags. The
// record describes the GEMM; the golden model's untiled fp8mac_gemm computes it over the same
// memory. Simulator and host build share this.
#ifndef FP8RT_GEMM_CHECK_H
#define FP8RT_GEMM_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "fp8rt/check_record.h"

#ifdef __cplusplus
extern "C" {
#endif

// The host's view of [address, address + size), size > 0, or NULL if the program has no such
// memory.
typedef const void *(*fp8rt_check_resolve)(void *context, uint64_t address, uint64_t size);

// Totals over all records; the caller owns them and starts them at zero.
typedef struct fp8rt_check_counters {
    uint64_t gemms;       // well-formed records
    uint64_t gemms_equal; // of these, equal in every output, amax and flags
    uint64_t outputs;     // compared
    uint64_t outputs_equal;
    // Records that cannot be checked: no magic number, outside memory, or a reserved code.
    uint64_t malformed;
} fp8rt_check_counters;

// Checks one record, already in the host's memory. Returns how many outputs differ, plus one for
// amax and one for the flags where they do; or FP8RT_CHECK_MALFORMED. The first few differences go
// to stderr.
uint32_t fp8rt_check_run(const fp8rt_check_record *record, fp8rt_check_resolve resolve,
                         void *context, fp8rt_check_counters *counters);

// Row `row` < record->m of D as the program left it, and its size; NULL if it is outside memory or
// the record names no format of D.
const void *fp8rt_check_d_row(const fp8rt_check_record *record, uint32_t row,
                              fp8rt_check_resolve resolve, void *context, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
