// SPDX-License-Identifier: Apache-2.0
// Values as the host's doubles, for people and tests. Nothing that computes a result uses these.
#include "internal.h"

// 2^e for -1022 <= e <= 1023.
static double power_of_two(int32_t e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double with_sign(bool sign, uint64_t magnitude_bits)
{
    uint64_t bits = magnitude_bits | (sign ? UINT64_C(1) << 63 : 0);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double fp8mac_value_to_double(fp8mac_value value)
{
    switch (value.cls) {
    case FP8MAC_CLASS_ZERO: return with_sign(value.sign, 0);
    case FP8MAC_CLASS_INF: return with_sign(value.sign, UINT64_C(0x7ff) << 52);
    case FP8MAC_CLASS_NAN: return with_sign(value.sign, UINT64_C(0xfff) << 51);
    case FP8MAC_CLASS_FINITE: break;
    }
    double x = (double)value.significand;
    int32_t e = value.exponent;
    while (e < -1022 && x != 0) {
        x *= power_of_two(-1022);
        e += 1022;
    }
    while (e > 1023 && x <= power_of_two(1023)) {
        x *= power_of_two(1023);
        e -= 1023;
    }
    if (e >= -1022 && e <= 1023) {
        x *= power_of_two(e);
    }
    return value.sign ? -x : x;
}

fp8mac_value fp8mac_value_from_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int32_t field = (int32_t)(bits >> 52 & 0x7ff);
    fp8mac_value value = {.cls = FP8MAC_CLASS_ZERO, .sign = bits >> 63 != 0};
    if (field == 0x7ff) {
        value.cls = mantissa == 0 ? FP8MAC_CLASS_INF : FP8MAC_CLASS_NAN;
    } else if (field != 0 || mantissa != 0) {
        value.cls = FP8MAC_CLASS_FINITE;
        value.significand = field == 0 ? mantissa : mantissa | UINT64_C(1) << 52;
        value.exponent = (field == 0 ? 1 : field) - 1023 - 52;
    }
    return value;
}
