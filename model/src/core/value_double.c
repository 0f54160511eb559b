// SPDX-License-Identifier: Apache-2.0
// Exact conversion of values from and to the host's doubles, by their bits and by powers of two.
#include "core/environment.h"
#include "core/internal.h"

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

static double to_double(fp8mac_value value)
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

FP8MAC_APART static double to_double_apart(fp8mac_value value)
{
    return to_double(value);
}

double fp8mac_value_to_double(fp8mac_value value)
{
    FP8MAC_RETURN_WITH_OWN_ENVIRONMENT(double, to_double_apart(value));
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

static double load_double(const double *array, size_t index)
{
    double x;
    memcpy(&x, (const uint8_t *)array + index * sizeof x, sizeof x);
    return x;
}

static void store_double(double *array, size_t index, double x)
{
    memcpy((uint8_t *)array + index * sizeof x, &x, sizeof x);
}

fp8mac_status fp8mac_convert_from_double(const fp8mac_format *dst_format, void *dst,
                                         const double *src, size_t n, fp8mac_convert_mode mode,
                                         fp8mac_flags *flags)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    fp8mac_status status = fp8mac_convert_mode_validate(dst_format, mode);
    if (status != FP8MAC_OK) {
        return status;
    }
    unsigned bytes = fp8mac_format_bytes(dst_format);
    for (size_t i = 0; i < n; i++) {
        uint32_t code =
            fp8mac_encode(dst_format, fp8mac_value_from_double(load_double(src, i)), mode, flags);
        fp8mac_store_code(dst, i, bytes, code);
    }
    return FP8MAC_OK;
}

// Every value of a format is a normal double, so the arithmetic is exact in every environment.
fp8mac_status fp8mac_convert_to_double(double *dst, const fp8mac_format *src_format,
                                       const void *src, size_t n)
{
    if (n > 0 && (dst == NULL || src == NULL)) {
        return FP8MAC_ERR_NULL;
    }
    if (fp8mac_format_validate(src_format) != FP8MAC_OK) {
        return FP8MAC_ERR_FORMAT;
    }
    unsigned bytes = fp8mac_format_bytes(src_format);
    for (size_t i = 0; i < n; i++) {
        fp8mac_value value = fp8mac_decode(src_format, fp8mac_load_code(src, i, bytes));
        store_double(dst, i, to_double(value));
    }
    return FP8MAC_OK;
}
