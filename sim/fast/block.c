// SPDX-License-Identifier: Apache-2.0
#include "fast/block.h"

#include <math.h>
#include <string.h>

// A product of two significands has 6 fraction bits.
enum { PRODUCT_FRAC_BITS = 6, SHIFT_MAX = 62 };

enum { FP32_EXPONENT_MIN = -126, FP32_FRAC_BITS = 23, FP32_NAN = 0x7fc00000 };
enum { FP16_EXPONENT_MIN = -14, FP16_FRAC_BITS = 10, FP16_FIELD_MAX = 31, FP16_NAN = 0x7e00 };
enum { SCALE_NAN = 0xff };
static const double fp16_max = 65504;

// ---- operands -----------------------------------------------------------------------------------

static void make_table(const fp8mac_format *format, int8_t *significand, int8_t *exponent,
                       uint8_t *class)
{
    for (unsigned code = 0; code < 256; code++) {
        const fp8mac_value x = fp8mac_decode(format, code);
        significand[code] = 0;
        exponent[code] = 0;
        class[code] = (uint8_t)x.cls;
        if (x.cls == FP8MAC_CLASS_FINITE) {
            int power;
            const double fraction = frexp(fp8mac_value_to_double(x), &power); // 0.5 to 1
            significand[code] = (int8_t)(fraction * 16);
            exponent[code] = (int8_t)(power - 1);
        }
    }
}

bool fp8sim_block_init(fp8sim_block_config *config, const fp8mac_dot_config *dot)
{
    config->dot = *dot;
    make_table(dot->a.format, config->a_significand, config->a_exponent, config->a_class);
    make_table(dot->b.format, config->b_significand, config->b_exponent, config->b_class);
    return dot->group <= FP8SIM_BLOCK_MAX && dot->frac_bits >= PRODUCT_FRAC_BITS &&
           dot->align_by == FP8MAC_ALIGN_BY_OPERANDS && dot->acc_late &&
           dot->align_round == FP8MAC_ALIGN_TOWARD_ZERO && dot->late_round == FP8MAC_ALIGN_ODD &&
           dot->late_bits_sum == dot->late_bits_acc && dot->late_bits_sum >= dot->frac_bits &&
           dot->late_bits_sum <= 29 && dot->late_drop == 0 && !dot->even_odd &&
           (dot->acc_format == FP8MAC_ACC_FP32 || dot->acc_format == FP8MAC_ACC_FP16);
}

static void take(const int8_t *significand, const int8_t *exponent, const uint8_t *class,
                 const uint8_t *codes, unsigned n, uint8_t scale, fp8sim_block_operands *operands)
{
    int largest = INT32_MIN;
    operands->n = n;
    operands->nan = scale == SCALE_NAN;
    operands->special = operands->nan && n != 0;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t code = codes[i];
        operands->code[i] = code;
        operands->significand[i] = significand[code];
        operands->special |= class[code] == FP8MAC_CLASS_INF || class[code] == FP8MAC_CLASS_NAN;
        if (significand[code] != 0 && exponent[code] > largest) {
            largest = exponent[code];
        }
    }
    operands->none = largest == INT32_MIN;
    operands->exponent = operands->none ? 0 : largest + scale - FP8SIM_SCALE_ONE;
    for (unsigned i = 0; i < n; i++) {
        operands->distance[i] = significand[codes[i]] == 0 ? 0 : largest - exponent[codes[i]];
    }
}

void fp8sim_block_a(const fp8sim_block_config *config, const uint8_t *codes, unsigned n,
                    uint8_t scale, fp8sim_block_operands *operands)
{
    take(config->a_significand, config->a_exponent, config->a_class, codes, n, scale, operands);
}

void fp8sim_block_b(const fp8sim_block_config *config, const uint8_t *codes, unsigned n,
                    uint8_t scale, fp8sim_block_operands *operands)
{
    take(config->b_significand, config->b_exponent, config->b_class, codes, n, scale, operands);
}

// ---- a block ------------------------------------------------------------------------------------

// The sum of the truncated products, in units of 2^(largest exponents - frac_bits).
static int64_t sum_of(const fp8sim_block_config *config, const fp8sim_block_operands *a,
                      const fp8sim_block_operands *b)
{
    const unsigned up = config->dot.frac_bits - PRODUCT_FRAC_BITS;
    int64_t sum = 0;
    for (unsigned i = 0; i < a->n; i++) {
        const int32_t product = a->significand[i] * b->significand[i];
        const int32_t distance = a->distance[i] + b->distance[i];
        const uint32_t magnitude = (uint32_t)(product < 0 ? -product : product) << up;
        const int32_t kept = distance > 31 ? 0 : (int32_t)(magnitude >> distance);
        sum += product < 0 ? -kept : kept;
    }
    return sum;
}

// x / 2^shift, rounded to odd.
static int64_t odd_shift(int64_t x, int shift)
{
    if (shift <= 0) {
        return x * ((int64_t)1 << -shift);
    }
    const int amount = shift > SHIFT_MAX ? SHIFT_MAX : shift;
    const int64_t kept = x >> amount; // down
    return kept | ((kept << amount) != x);
}

static double double_of(uint32_t acc, bool fp16)
{
    if (!fp16) {
        float x;
        memcpy(&x, &acc, sizeof x);
        return x;
    }
    const int field = (int)(acc >> FP16_FRAC_BITS & 0x1f);
    const int fraction = (int)(acc & ((1u << FP16_FRAC_BITS) - 1));
    const double x = field == 0 ? ldexp(fraction, FP16_EXPONENT_MIN - FP16_FRAC_BITS)
                                : ldexp(fraction + (1 << FP16_FRAC_BITS),
                                        field - 1 + FP16_EXPONENT_MIN - FP16_FRAC_BITS);
    return (acc >> 15 & 1) != 0 ? -x : x;
}

static uint32_t fp32_of(double x, fp8mac_flags *flags)
{
    const float rounded = (float)x; // nearest even, also for subnormals
    uint32_t code;
    memcpy(&code, &rounded, sizeof code);
    *flags |= isinf(rounded) ? FP8MAC_FLAG_OVERFLOW : 0;
    return code;
}

static uint32_t fp16_of(double x, fp8mac_flags *flags)
{
    const uint32_t sign = signbit(x) ? 1u << 15 : 0;
    int power;
    frexp(x, &power);
    int exponent = power - 1 < FP16_EXPONENT_MIN ? FP16_EXPONENT_MIN : power - 1;
    // 1 + fraction in units of the last place; a carry out of it is the next binade's 1.0.
    const double magnitude = rint(ldexp(fabs(x), FP16_FRAC_BITS - exponent)); // nearest even
    if (ldexp(magnitude, exponent - FP16_FRAC_BITS) > fp16_max) {
        *flags |= FP8MAC_FLAG_OVERFLOW;
        return sign | FP16_FIELD_MAX << FP16_FRAC_BITS;
    }
    const uint32_t field = (uint32_t)(exponent - FP16_EXPONENT_MIN);
    return sign | ((field << FP16_FRAC_BITS) + (uint32_t)magnitude);
}

static bool acc_special(uint32_t acc, bool fp16)
{
    return fp16 ? (acc >> FP16_FRAC_BITS & 0x1f) == FP16_FIELD_MAX
                : (acc >> FP32_FRAC_BITS & 0xff) == 0xff;
}

static bool acc_nan(uint32_t acc, bool fp16)
{
    return (acc & (fp16 ? (1u << FP16_FRAC_BITS) - 1 : (1u << FP32_FRAC_BITS) - 1)) != 0;
}

static uint32_t infinity(bool minus, bool fp16)
{
    return fp16 ? (uint32_t)minus << 15 | FP16_FIELD_MAX << FP16_FRAC_BITS
                : (uint32_t)minus << 31 | 0xffu << FP32_FRAC_BITS;
}

// What is special about the products, beside their finite sum.
typedef struct specials {
    bool nan, invalid, plus, minus;
} specials;

static specials find_specials(const fp8sim_block_config *config, const fp8sim_block_operands *a,
                              const fp8sim_block_operands *b)
{
    specials found = {a->nan || b->nan, false, false, false};
    if (found.nan) {
        return found;
    }
    for (unsigned i = 0; i < a->n; i++) {
        const uint8_t x = config->a_class[a->code[i]], y = config->b_class[b->code[i]];
        const bool infinite = x == FP8MAC_CLASS_INF || y == FP8MAC_CLASS_INF;
        if (x == FP8MAC_CLASS_NAN || y == FP8MAC_CLASS_NAN) {
            found.nan = true;
        } else if (infinite && (x == FP8MAC_CLASS_ZERO || y == FP8MAC_CLASS_ZERO)) {
            found.invalid = true;
        } else if (infinite) {
            const bool minus = ((a->code[i] ^ b->code[i]) & 0x80) != 0;
            found.plus |= !minus;
            found.minus |= minus;
        }
    }
    return found;
}

// A block with an Inf or NaN, among its operands or in the accumulator
static uint32_t join_special(const fp8sim_block_config *config, uint32_t acc,
                             const fp8sim_block_operands *a, const fp8sim_block_operands *b,
                             fp8mac_flags *flags)
{
    const bool fp16 = config->dot.acc_format == FP8MAC_ACC_FP16;
    const bool before = acc_special(acc, fp16), before_nan = before && acc_nan(acc, fp16);
    const bool before_minus = (acc >> (fp16 ? 15 : 31) & 1) != 0;
    specials found = find_specials(config, a, b);
    found.plus |= before && !before_nan && !before_minus;
    found.minus |= before && !before_nan && before_minus;
    found.invalid |= found.plus && found.minus;
    *flags |= (found.nan ? FP8MAC_FLAG_NAN : 0) | (found.invalid ? FP8MAC_FLAG_INVALID : 0);
    if (found.nan || found.invalid || before_nan) {
        return fp16 ? FP16_NAN : FP32_NAN;
    }
    return infinity(found.minus, fp16);
}

uint32_t fp8sim_block_join(const fp8sim_block_config *config, uint32_t acc,
                           const fp8sim_block_operands *a, const fp8sim_block_operands *b,
                           fp8mac_flags *flags)
{
    const bool fp16 = config->dot.acc_format == FP8MAC_ACC_FP16;
    if (a->special || b->special || acc_special(acc, fp16)) {
        return join_special(config, acc, a, b, flags);
    }
    const double before = double_of(acc, fp16);
    if (a->none || b->none) { // the sum is +0, and without an exponent
        return before == 0 ? 0 : acc;
    }
    const int late_bits = (int)config->dot.late_bits_sum;
    const int block = a->exponent + b->exponent + config->dot.a.scale_exp + config->dot.b.scale_exp;
    int larger = block, acc_exponent = 0;
    if (before != 0) {
        const int least = fp16 ? FP16_EXPONENT_MIN : FP32_EXPONENT_MIN;
        acc_exponent = ilogb(before) < least ? least : ilogb(before);
        larger = acc_exponent > block ? acc_exponent : block;
    }
    // Both in units of 2^(larger - late_bits); the accumulator has at most 23 fraction bits.
    int64_t total =
        odd_shift(sum_of(config, a, b) * ((int64_t)1 << (late_bits - (int)config->dot.frac_bits)),
                  larger - block);
    if (before != 0) {
        const int64_t significand = (int64_t)ldexp(before, FP32_FRAC_BITS - acc_exponent);
        total += odd_shift(significand * ((int64_t)1 << (late_bits - FP32_FRAC_BITS)),
                           larger - acc_exponent);
    }
    if (total == 0) {
        return 0;
    }
    const double sum = ldexp((double)total, larger - late_bits);
    return fp16 ? fp16_of(sum, flags) : fp32_of(sum, flags);
}
