// SPDX-License-Identifier: Apache-2.0
// What the C tests of the model share: counted checks, formats and modes.
#ifndef FP8MAC_TESTS_CHECK_H
#define FP8MAC_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

#include "core/dot_definition.h"
#include "core/dot_engine.h"

static unsigned long passed, failed;

static inline void check(bool ok, const char *what, int line)
{
    if (ok) {
        passed++;
    } else if (failed++ < 50) {
        printf("line %d: %s\n", line, what);
    }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

// The last line of a test, and its exit status: a run of no checks is a failure.
static inline int report(void)
{
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0 || passed == 0;
}

static inline const fp8mac_format *row(fp8mac_format_id id)
{
    return fp8mac_format_get(id);
}

static inline fp8mac_dot_config e4m3_config(void)
{
    return (fp8mac_dot_config){.a.format = row(FP8MAC_E4M3FN), .b.format = row(FP8MAC_E4M3FN)};
}

// Rows of the caller's own. IEEE-like, bias 3, largest value 15.5; and one in which
// every code is finite.
static const fp8mac_format e3m4 = {
    "e3m4", true, 3, 4, 3, true, true, FP8MAC_NAN_IEEE, FP8MAC_EXPONENT_ZERO_SUBNORMAL};
static const fp8mac_format e2m5 = {
    "e2m5", true, 2, 5, 1, false, true, FP8MAC_NAN_NONE, FP8MAC_EXPONENT_ZERO_SUBNORMAL};

static const fp8mac_convert_mode mode_saturate = {FP8MAC_ROUND_NEAREST_EVEN,
                                                  FP8MAC_OVERFLOW_SATURATE};
static const fp8mac_convert_mode mode_ieee = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_IEEE};

// What outputs are filled with before a call that must not write them.
enum { UNTOUCHED = 0xa5 };

static inline bool all_bytes_are(const void *memory, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++) {
        if (((const uint8_t *)memory)[i] != value) {
            return false;
        }
    }
    return true;
}

#endif
