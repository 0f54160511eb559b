// SPDX-License-Identifier: Apache-2.0
// Values as text with every digit, for people and scoreboards.
#include "core/internal.h"
#include "core/round.h"

// ---- output of at most `size` bytes -------------------------------------------------------------

typedef struct text {
    char *to;
    size_t size, length;
} text;

static void put(text *t, char c)
{
    if (t->length + 1 < t->size) {
        t->to[t->length] = c;
    }
    t->length++;
}

static void put_string(text *t, const char *s)
{
    while (*s != '\0') {
        put(t, *s++);
    }
}

// ---- a large natural number, in limbs of nine decimal digits, least significant first -----------

// The decimal text of an odd significand has all its digits if the exponent is within these bounds,
// as that of every product of two doubles is. 2^64 * 5^2148 has 1521 digits, 2^64 * 2^2048 has 636.
enum { LEAST_EXPONENT = -2148, MOST_EXPONENT = 2048 };
enum { LIMB = 1000000000, LIMB_DIGITS = 9, LIMBS = 170 };

typedef struct decimal {
    uint32_t limb[LIMBS];
    size_t used;
} decimal;

static void times(decimal *x, uint32_t factor)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < x->used || carry != 0; i++) {
        if (i == x->used) {
            x->limb[x->used++] = 0;
        }
        carry += (uint64_t)x->limb[i] * factor;
        x->limb[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
}

static decimal decimal_of(uint64_t number)
{
    decimal x = {{0}, 0};
    for (; number != 0; number /= LIMB) {
        x.limb[x.used++] = (uint32_t)(number % LIMB);
    }
    return x;
}

static char digit_at(const decimal *x, size_t position)
{
    static const uint32_t tens[LIMB_DIGITS] = {1,      10,      100,      1000,     10000,
                                               100000, 1000000, 10000000, 100000000};
    size_t i = position / LIMB_DIGITS;
    return i >= x->used ? '0' : (char)('0' + x->limb[i] / tens[position % LIMB_DIGITS] % 10);
}

// ---- the two styles -----------------------------------------------------------------------------

// significand * 2^exponent, the significand odd; 2^-k is 5^k / 10^k.
static void put_decimal(text *t, uint64_t significand, int64_t exponent)
{
    decimal x = decimal_of(significand);
    for (int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); i++) {
        times(&x, exponent < 0 ? 5 : 2);
    }
    size_t fraction = exponent < 0 ? (size_t)-exponent : 0;
    size_t position = x.used * LIMB_DIGITS;
    while (position > fraction + 1 && digit_at(&x, position - 1) == '0') {
        position--;
    }
    position = position < fraction + 1 ? fraction + 1 : position;
    while (position-- > 0) {
        put(t, digit_at(&x, position));
        if (position == fraction && fraction != 0) {
            put(t, '.');
        }
    }
}

static void put_exponent(text *t, int64_t exponent)
{
    put(t, 'p');
    put(t, exponent < 0 ? '-' : '+');
    decimal x = decimal_of((uint64_t)(exponent < 0 ? -exponent : exponent));
    size_t position = x.used == 0 ? 1 : x.used * LIMB_DIGITS;
    while (position > 1 && digit_at(&x, position - 1) == '0') {
        position--;
    }
    while (position-- > 0) {
        put(t, digit_at(&x, position));
    }
}

static void put_hex(text *t, uint64_t significand, int64_t exponent)
{
    int32_t length = fp8mac_bit_length(significand);
    uint64_t fraction = length == 1 ? 0 : significand << (65 - length);
    put_string(t, fraction != 0 ? "0x1." : "0x1");
    for (; fraction != 0; fraction <<= 4) {
        put(t, "0123456789abcdef"[fraction >> 60]);
    }
    put_exponent(t, exponent + length - 1);
}

static void put_finite(text *t, uint64_t significand, int64_t exponent, fp8mac_text_style style)
{
    while ((significand & 1) == 0) {
        significand >>= 1;
        exponent++;
    }
    bool far = exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT;
    if (style == FP8MAC_TEXT_HEX || far) {
        put_hex(t, significand, exponent);
    } else {
        put_decimal(t, significand, exponent);
    }
}

size_t fp8mac_value_text(fp8mac_value value, fp8mac_text_style style, char *to, size_t size)
{
    text t = {to, to == NULL ? 0 : size, 0};
    if (value.sign) {
        put(&t, '-');
    }
    bool zero = value.cls == FP8MAC_CLASS_ZERO ||
                (value.cls == FP8MAC_CLASS_FINITE && value.significand == 0);
    if (zero) {
        put_string(&t, style == FP8MAC_TEXT_HEX ? "0x0p+0" : "0");
    } else if (value.cls == FP8MAC_CLASS_INF) {
        put_string(&t, "inf");
    } else if (value.cls == FP8MAC_CLASS_NAN) {
        put_string(&t, "nan");
    } else {
        put_finite(&t, value.significand, value.exponent, style);
    }
    if (t.size > 0) {
        to[t.length < size ? t.length : size - 1] = '\0';
    }
    return t.length;
}

fp8mac_record fp8mac_record_of(const fp8mac_format *format, uint32_t code)
{
    fp8mac_value value = fp8mac_decode(format, code);
    unsigned bits = fp8mac_format_bits(format);
    bool finite = value.cls == FP8MAC_CLASS_FINITE;
    return (fp8mac_record){
        .code = bits == 32 ? code : code & ((UINT32_C(1) << bits) - 1),
        .cls = value.cls,
        .sign = value.sign,
        .subnormal = finite && value.significand >> format->mantissa_bits == 0,
        .exponent = finite ? value.exponent + format->mantissa_bits : 0,
        .significand = value.significand,
        .value = fp8mac_value_to_double(value),
    };
}
