// SPDX-License-Identifier: Apache-2.0
// The dot product's fast step equals its definition in one wide integer: code and flags, for
// every pair of formats, accumulator and scaling, with corner codes, cancellation, and terms
// far apart. And an alignment by operands is one by products that may not go below the bound
// which the operands give.
#include "check.h"

static uint64_t random_state = 20240607;

static uint32_t random_bits(void) // splitmix64
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint8_t random_code(unsigned kind)
{
    static const uint8_t corners[] = {0x00, 0x80, 0x01, 0x81, 0x7e, 0xfe,
                                      0x7b, 0xfb, 0x7f, 0x7c, 0xfc, 0x38};
    uint32_t r = random_bits();
    switch (kind % 4) {
    case 0: return (uint8_t)r; // any
    case 1: return corners[r % sizeof corners];
    case 2: return (uint8_t)(r & 0x83);                 // tiny
    default: return (uint8_t)((r & 0x80) | (r % 0x7b)); // finite in every built-in format
    }
}

static uint32_t random_acc(const fp8mac_format *f)
{
    uint32_t r = random_bits(), top = fp8mac_format_max_code(f);
    switch (random_bits() % 6) {
    case 0: return r;
    case 1: return r & 0x80008003;
    case 2: return top - (r & 3);
    case 3: return (r % (top + 1)) & ~((UINT32_C(1) << f->mantissa_bits) - 1); // a power of two
    default: return r % (top + 1);
    }
}

static const fp8mac_format *random_operand_format(void)
{
    static const fp8mac_format low = {
        "low", true, 4, 3, -128, false, true, FP8MAC_NAN_ALL_ONES, FP8MAC_EXPONENT_ZERO_SUBNORMAL};
    static const fp8mac_format high = {"high",
                                       true,
                                       5,
                                       2,
                                       255,
                                       false,
                                       false,
                                       FP8MAC_NAN_NEGATIVE_ZERO,
                                       FP8MAC_EXPONENT_ZERO_SUBNORMAL};
    uint32_t r = random_bits() % 16;
    const fp8mac_format *const own[] = {&low, &high, &e3m4, &e2m5};
    return r < 12 ? row((fp8mac_format_id)(r % 4)) : own[r - 12];
}

static void compare_with_definition(void)
{
    enum { MOST = 40 };
    uint8_t a[MOST], b[MOST];
    fp8mac_dot_config c = {
        .a.format = random_operand_format(),
        .b.format = random_operand_format(),
        .acc_format = random_bits() % 2 != 0 ? FP8MAC_ACC_FP32 : FP8MAC_ACC_FP16,
        .group = MOST,
        .a.scale_exp = (int)(random_bits() % 65) - 32,
        .b.scale_exp = (int)(random_bits() % 65) - 32,
        .acc_saturate = random_bits() % 4 == 0,
    };
    unsigned n = 1 + (random_bits() % 8 == 0 ? random_bits() % MOST : random_bits() % 4);
    unsigned kind = random_bits();
    for (unsigned i = 0; i < n; i++) {
        a[i] = random_code(kind);
        b[i] = random_code(kind / 4);
    }
    if (n >= 2 && random_bits() % 2 == 0) { // cancellation: only FNUZ zeros change their meaning
        a[1] = a[0] ^ 0x80;
        b[1] = b[0];
    }
    fp8mac_acc fast = {.code = random_acc(fp8mac_acc_rounded_format(c.acc_format))};
    fp8mac_acc slow = fast;
    fp8mac_flags fast_flags = 0, slow_flags = 0;
    CHECK(fp8mac_dot_step(&c, &fast, a, b, n, &fast_flags) == FP8MAC_OK);
    fp8mac_dot_step_definition(&c, &slow, a, b, n, &slow_flags);
    bool equal = fast.code == slow.code && fast_flags == slow_flags;
    CHECK(equal);
    if (!equal) {
        printf("%s x %s, acc %d, n %u, sa+sb %d: fast %08x flags %x, definition %08x flags %x\n",
               c.a.format->name, c.b.format->name, c.acc_format, n, c.a.scale_exp + c.b.scale_exp,
               fast.code, fast_flags, slow.code, slow_flags);
    }
}

enum { NO_EXPONENT = -10000 };

static int larger(int x, int y)
{
    return x > y ? x : y;
}

// floor(log2 |x|) of a code.
static int exponent_of(const fp8mac_format *f, uint8_t code)
{
    fp8mac_value x = fp8mac_decode(f, code);
    if (x.cls != FP8MAC_CLASS_FINITE) {
        return NO_EXPONENT;
    }
    for (; x.significand > 1; x.significand /= 2) {
        x.exponent++;
    }
    return x.exponent;
}

// A zero now and then, else a finite normal number: alignment by products takes no other
// exponent for such a one.
static uint8_t normal_code(const fp8mac_format *f)
{
    uint8_t code = (uint8_t)random_bits();
    bool normal = exponent_of(f, code) >= 1 - f->bias;
    return normal && random_bits() % 4 != 0 ? code : 0;
}

static unsigned long bounded, raised;

static void compare_with_least_exponent(void)
{
    static const unsigned late_bits[] = {0, 13, 25, 31};
    enum { MOST = 8 };
    uint8_t a[MOST], b[MOST];
    fp8mac_dot_config c = {
        .a.format = row((fp8mac_format_id)(random_bits() % 4)),
        .b.format = row((fp8mac_format_id)(random_bits() % 4)),
        .acc_format = random_bits() % 2 != 0 ? FP8MAC_ACC_FP32 : FP8MAC_ACC_FP16,
        .group = MOST,
        .a.scale_exp = (int)(random_bits() % 33) - 32,
        .b.scale_exp = (int)(random_bits() % 33) - 32,
        .lscale = random_bits() % 16,
        .frac_bits = 1 + random_bits() % 30,
        .align_round = (fp8mac_align_round)(random_bits() % 3),
        .acc_late = random_bits() % 2 != 0,
    };
    if (c.acc_late) {
        c.late_bits_sum = c.late_bits_acc = late_bits[random_bits() % 4];
        c.late_round = (fp8mac_align_round)(random_bits() % 3);
    }
    unsigned n = 1 + random_bits() % MOST;
    int row_most = NO_EXPONENT, column_most = NO_EXPONENT;
    for (unsigned i = 0; i < n; i++) {
        a[i] = normal_code(c.a.format);
        b[i] = normal_code(c.b.format);
        row_most = larger(row_most, exponent_of(c.a.format, a[i]));
        column_most = larger(column_most, exponent_of(c.b.format, b[i]));
    }
    bool none = row_most == NO_EXPONENT || column_most == NO_EXPONENT;
    int bound = row_most + column_most + c.a.scale_exp + c.b.scale_exp - (int)c.lscale;
    if (!none && (bound < -126 || bound > -1)) {
        return; // not a least exponent, or below the usual one
    }
    uint32_t start = fp8mac_acc_rounded_format(c.acc_format) == row(FP8MAC_FP32)
                         ? 0x20000000 + random_bits() % 0x20000000
                         : random_bits() % 0x3c00;
    fp8mac_acc by_operands = {.code = start}, by_products = by_operands, plainly = by_operands;
    fp8mac_flags flags = 0, same_flags = 0;
    fp8mac_dot_step_definition(&c, &plainly, a, b, n, &flags);
    c.align_by = FP8MAC_ALIGN_BY_OPERANDS;
    flags = 0;
    CHECK(fp8mac_dot_step(&c, &by_operands, a, b, n, &flags) == FP8MAC_OK);
    c.align_by = FP8MAC_ALIGN_BY_PRODUCTS;
    c.min_exponent = none ? 0 : bound;
    CHECK(fp8mac_dot_step(&c, &by_products, a, b, n, &same_flags) == FP8MAC_OK);
    CHECK(by_operands.code == by_products.code && flags == same_flags);
    bounded++;
    raised += by_operands.code != plainly.code;
}

int main(void)
{
    for (int i = 0; i < 200000; i++) {
        compare_with_definition();
        compare_with_least_exponent();
    }
    printf("%lu steps by operands, of which %lu are another by products\n", bounded, raised);
    CHECK(bounded > 100000 && raised > 10000);
    return report();
}
