// SPDX-License-Identifier: Apache-2.0
// The fixed-point functions of the layers beside those of math.h: tanh, sigmoid and the power of two at every
// argument where they are not constant, 1 / sqrt at the ends and the middle of every power of two and at others.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "fixed.h"
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

static void check_table(void)
{
    for (int i = 0; i <= FP8RT_TANH_STEPS; i++) {
        const long value = lrint(tanh(i / 64.0) * 32768.0);
        check("table of tanh", i, value == fp8rt_tanh_table[i]);
    }
}

static void check_sigmoid_and_tanh(void)
{
    const int32_t last = (8 << 15) + 100;
    for (int32_t x = -last; x <= last; x++) {
        const double t = ldexp(tanh(ldexp(x, -15)), 15);
        const double s = ldexp(1.0 / (1.0 + exp(-ldexp(x, -14))), 15);
        check("tanh", x, fabs(fp8rt_fixed_tanh(x) - t) < 2.0);
        check("sigmoid", x, fabs(fp8rt_fixed_sigmoid(x) - s) < 2.0);
    }
    check("tanh", INT32_MAX, fp8rt_fixed_tanh(INT32_MAX) == 32768);
    check("tanh", -INT32_MAX, fp8rt_fixed_tanh(-INT32_MAX) == -32768);
}

static void check_root(float x)
{
    const double error = (double)fp8rt_inverse_root(x) * sqrt((double)x) - 1.0;
    check("1 / sqrt", (double)x, fabs(error) < 0x1p-23);
}

int main(void)
{
    check_table();
    check_sigmoid_and_tanh();
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
