// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt of the layers beside that of math.h, at the ends and the middle of every power
// of two and at others.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "root.h"

static uint64_t passed, failed;

static void check(const char *what, double argument, bool good)
{
    passed += good;
    failed += !good;
    if (!good && failed < 20) {
        printf("FAIL %s at %.9g\n", what, argument);
    }
}

static void check_root(float x)
{
    const double error = (double)fp8rt_inverse_root(x) * sqrt((double)x) - 1.0;
    check("1 / sqrt", (double)x, fabs(error) < 0x1p-23);
}

int main(void)
{
    for (float power = FLT_MIN; power < FLT_MAX / 2; power *= 2) {
        check_root(power);
        check_root(nextafterf(2 * power, 0));
        for (float x = power; x < 2 * power; x += power / 97) {
            check_root(x);
        }
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
