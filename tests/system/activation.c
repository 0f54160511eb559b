// SPDX-License-Identifier: Apache-2.0
// Tables of activations beside the functions in long double: every code is the one whose number is
// nearest, for all formats and several scales. Arguments that are not possible are refused.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "fp8mac/convert.h"
#include "fp8rt/activation.h"

static uint64_t passed, failed;

static void check(const char *what, bool good)
{
    passed += good;
    failed += !good;
    if (!good && failed < 20) {
        printf("FAIL %s\n", what);
    }
}

static long double sigmoid(long double x)
{
    return 1.0L / (1.0L + expl(-x));
}
static long double silu(long double x)
{
    return x == -INFINITY ? 0.0L : x / (1.0L + expl(-x));
}
static long double gelu(long double x)
{
    return x == -INFINITY ? 0.0L : 0.5L * x * erfcl(-x / sqrtl(2.0L));
}

static const struct {
    const char *name;
    fp8rt_function *function;
    long double (*exact)(long double);
} kinds[] = {{"sigmoid", fp8rt_sigmoid, sigmoid},
             {"SiLU", fp8rt_silu, silu},
             {"GELU", fp8rt_gelu, gelu},
             {"tanh", tanh, tanhl}};

static double number(fp8mac_format_id format, uint8_t code)
{
    double value;
    fp8mac_convert_to_double(&value, fp8mac_format_get(format), &code, 1);
    return value;
}

// The distance of the nearest finite number. It is all that a saturating table may be away, but for
// the rounding to FP32.
static long double least_distance(fp8mac_format_id format, long double wanted)
{
    long double least = INFINITY;
    for (unsigned code = 0; code < FP8RT_TABLE_CODES; code++) {
        const double candidate = number(format, (uint8_t)code);
        if (format == FP8MAC_INT8 && code == 0x80) {
            continue; // conversions to INT8 end at -127
        }
        if (isfinite(candidate) && fabsl((long double)candidate - wanted) < least) {
            least = fabsl((long double)candidate - wanted);
        }
    }
    return least;
}

static void check_table(unsigned kind, fp8mac_format_id from, fp8mac_format_id to, float from_scale,
                        float to_scale)
{
    uint8_t codes[FP8RT_TABLE_CODES];
    const fp8rt_activation activation = {kinds[kind].function,    from, from_scale, to, to_scale,
                                         FP8MAC_OVERFLOW_SATURATE};
    check("a table is made", fp8rt_activation_table(activation, codes) == FP8RT_OK);
    for (unsigned code = 0; code < FP8RT_TABLE_CODES; code++) {
        const double x = number(from, (uint8_t)code), got = number(to, codes[code]);
        const long double wanted =
            kinds[kind].exact((long double)x * (long double)from_scale) * (long double)to_scale;
        if (isnan(x)) {
            check("NaN stays NaN, in INT8 0", to == FP8MAC_INT8 ? got == 0 : isnan(got));
        } else if (isinf(wanted)) {
            check("Inf saturates", isfinite(got) && (got > 0) == (wanted > 0));
        } else {
            const long double slack = fabsl(wanted) * 0x1p-23L;
            check(kinds[kind].name,
                  fabsl((long double)got - wanted) <= least_distance(to, wanted) + slack);
        }
    }
}

static void check_refusals(void)
{
    uint8_t codes[FP8RT_TABLE_CODES] = {0};
    const fp8rt_activation good = {.function = fp8rt_silu};
    fp8rt_activation bad = good;
    check("no codes", fp8rt_activation_table(good, NULL) == FP8RT_ERR_NULL);
    bad.function = NULL;
    check("no function", fp8rt_activation_table(bad, codes) == FP8RT_ERR_NULL);
    bad = good, bad.from = FP8MAC_FP16;
    check("from FP16", fp8rt_activation_table(bad, codes) == FP8RT_ERR_FORMAT);
    bad = good, bad.to = FP8MAC_E2M1FN;
    check("to FP4", fp8rt_activation_table(bad, codes) == FP8RT_ERR_FORMAT);
    bad = good, bad.from_scale = -1.0f;
    check("a negative scale", fp8rt_activation_table(bad, codes) == FP8RT_ERR_SCALE);
    bad = good, bad.to_scale = INFINITY;
    check("an infinite scale", fp8rt_activation_table(bad, codes) == FP8RT_ERR_SCALE);
    bad = good, bad.overflow = (fp8mac_overflow)3;
    check("an unknown overflow", fp8rt_activation_table(bad, codes) == FP8RT_ERR_OVERFLOW_MODE);
    bad = good, bad.to = FP8MAC_INT8, bad.overflow = FP8MAC_OVERFLOW_IEEE;
    check("INT8 with IEEE overflow", fp8rt_activation_table(bad, codes) == FP8RT_ERR_OVERFLOW_MODE);
    for (unsigned code = 0; code < FP8RT_TABLE_CODES; code++) {
        check("refused: not written", codes[code] == 0);
    }
}

int main(void)
{
    static const fp8mac_format_id formats[] = {FP8MAC_E4M3FN, FP8MAC_E5M2, FP8MAC_E4M3FNUZ,
                                               FP8MAC_E5M2FNUZ, FP8MAC_INT8};
    static const float scales[][2] = {{1.0f, 1.0f}, {0.037f, 240.0f}, {0.5f, 0.3f}};
    for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (unsigned pair = 0; pair < 25; pair++) {
            for (unsigned s = 0; s < sizeof scales / sizeof *scales; s++) {
                check_table(kind, formats[pair % 5], formats[pair / 5], scales[s][0], scales[s][1]);
            }
        }
    }
    check_refusals();
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
