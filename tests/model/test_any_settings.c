// SPDX-License-Identifier: Apache-2.0
// Whatever the settings, formats, codes and random bits: under the sanitizers every call returns,
// an accepted configuration gives the same state in one piece and in two, a refused one writes
// nothing, and text fits its buffer.
#include "check.h"

static uint64_t random_state = 20240607;

static uint32_t random_bits(void) // splitmix64
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

static uint32_t below(uint32_t n)
{
    return random_bits() % n;
}

// Zero as often as not, else up to `most`, and seldom anything.
static unsigned option(unsigned most)
{
    switch (below(16)) {
    case 0: return random_bits();
    case 1: return most + below(3);
    case 2:
    case 3:
    case 4:
    case 5:
    case 6: return below(most + 1);
    default: return 0;
    }
}

static fp8mac_format random_format(void)
{
    if (below(4) != 0) {
        return *row((fp8mac_format_id)below(FP8MAC_FORMAT_COUNT));
    }
    return (fp8mac_format){
        "own",
        below(8) != 0,
        (uint8_t)below(10),
        (uint8_t)below(26),
        (int16_t)(below(500) - 190),
        below(2) != 0,
        below(2) != 0,
        (fp8mac_nan_encoding)below(5),
        (fp8mac_exponent_zero)below(4),
    };
}

static fp8mac_dot_config random_config(const fp8mac_format *a, const fp8mac_format *b)
{
    fp8mac_dot_config c = {.a.format = a, .b.format = b, .acc_format = (fp8mac_acc_format)below(8)};
    c.group = below(3) == 0 ? 0 : 1u << below(6);
    c.a.scale_exp = (int)below(67) - 33;
    c.b.scale_exp = (int)below(65) - 32;
    c.guard_bits = below(8) == 0 ? option(42) : 0;
    c.acc_saturate = below(3) == 0;
    c.acc_rounding = (fp8mac_rounding)below(below(8) == 0 ? 6 : 4);
    c.random_bits = c.acc_rounding == FP8MAC_ROUND_STOCHASTIC ? 1 + below(24) : below(16) == 0;
    c.seed = random_bits();
    c.frac_bits = option(64);
    if (c.frac_bits != 0 || below(16) == 0) {
        c.align_round = (fp8mac_align_round)below(3);
        c.align_by = (fp8mac_align_by)(below(16) == 0 ? below(4) : below(2));
        c.min_exponent = below(2) == 0 ? 1 - (int)below(1103) : 0;
        c.acc_late = below(2) == 0;
    }
    if (c.acc_late) {
        c.late_bits_sum = below(4) == 0 ? 0 : 1 + below(64);
        c.late_bits_acc = c.late_bits_sum == 0 ? 0 : 1 + below(64);
        c.late_drop = option(1000);
        c.late_round = (fp8mac_align_round)below(3);
        c.even_odd = below(c.align_by == FP8MAC_ALIGN_BY_PRODUCTS ? 2 : 16) == 0;
    }
    c.flush = below(4) == 0;
    c.nan_code = below(6) == 0 ? random_bits() | 0x7f800000u : 0;
    c.lscale = below(4) == 0 ? option(127) : 0;
    c.promote = below(3) == 0 ? 32 * option(4) : 0;
    c.chunk = below(3) == 0 ? 32 * option(4) : 0;
    if (c.acc_format != FP8MAC_ACC_FIXED || below(2) == 0) {
        c.static_exponent = below(8) == 0 ? (int)below(900) - 550 : 0;
        return c;
    }
    return (fp8mac_dot_config){.a.format = a,
                               .b.format = b,
                               .acc_format = FP8MAC_ACC_FIXED,
                               .group = c.group,
                               .a.scale_exp = c.a.scale_exp,
                               .guard_bits = c.guard_bits,
                               .frac_bits = 1 + below(64),
                               .static_exponent =
                                   below(2) == 0 ? (int)below(60) - 20 : (int)below(848) - 524};
}

static void any_dot(void)
{
    enum { K = 160, CUT = 96, BLOCKS = K / FP8MAC_MX_BLOCK };
    uint8_t a[K], b[K], mx[2][BLOCKS];
    for (size_t i = 0; i < K; i++) {
        a[i] = (uint8_t)random_bits();
        b[i] = (uint8_t)random_bits();
    }
    for (size_t i = 0; i < 2 * BLOCKS; i++) {
        mx[i % 2][i / 2] = (uint8_t)(below(3) == 0 ? random_bits() : 100 + below(50));
    }
    fp8mac_format fa = random_format(), fb = random_format();
    fp8mac_dot_config c = random_config(&fa, &fb);
    fp8mac_acc start = {
        .code = c.acc_format == FP8MAC_ACC_FIXED ? 0 : random_bits(), .m = 3, .n = 5};
    fp8mac_acc whole = start, parts = start;
    fp8mac_flags flags = 0, flags_of_parts = 0;
    bool scaled = below(2) == 0;
    const uint8_t *mx_a = scaled ? mx[0] : NULL, *mx_b = scaled && below(2) == 0 ? mx[1] : NULL;
    fp8mac_status status = fp8mac_dot_mx(&c, &whole, (fp8mac_dot_terms){a, mx_a},
                                         (fp8mac_dot_terms){b, mx_b}, K, &flags);
    bool valid = fp8mac_dot_config_validate(&c) == FP8MAC_OK;
    if (status != FP8MAC_OK) {
        CHECK(memcmp(&whole, &start, sizeof whole) == 0 && flags == 0);
        bool other = status == FP8MAC_ERR_ACCUMULATOR || status == FP8MAC_ERR_K_LIMIT;
        CHECK(!valid || (other && fp8mac_acc_rounded_format(c.acc_format) == NULL));
        return;
    }
    CHECK(valid);
    CHECK(fp8mac_dot_mx(&c, &parts, (fp8mac_dot_terms){a, mx_a}, (fp8mac_dot_terms){b, mx_b}, CUT,
                        &flags_of_parts) == FP8MAC_OK);
    mx_a = mx_a == NULL ? NULL : mx_a + CUT / FP8MAC_MX_BLOCK;
    mx_b = mx_b == NULL ? NULL : mx_b + CUT / FP8MAC_MX_BLOCK;
    CHECK(fp8mac_dot_mx(&c, &parts, (fp8mac_dot_terms){a + CUT, mx_a},
                        (fp8mac_dot_terms){b + CUT, mx_b}, K - CUT, &flags_of_parts) == FP8MAC_OK);
    CHECK(memcmp(&whole, &parts, sizeof whole) == 0 && flags == flags_of_parts);
    CHECK(fp8mac_acc_to_fp32(&c, &whole, &flags) ==
          fp8mac_acc_to_fp32(&c, &parts, &flags_of_parts));
}

// Plain and INT32 dot products too, which do not go through block scales.
static void any_plain_dot(void)
{
    uint8_t a[64], b[64];
    for (size_t i = 0; i < 64; i++) {
        a[i] = (uint8_t)random_bits();
        b[i] = (uint8_t)random_bits();
    }
    fp8mac_format fa = random_format(), fb = random_format();
    fp8mac_dot_config c = random_config(&fa, &fb);
    if (below(2) == 0) {
        c = (fp8mac_dot_config){
            .a.format = &fa, .b.format = &fb, .acc_format = c.acc_format, .group = c.group};
    }
    if (below(8) == 0) {
        c = (fp8mac_dot_config){.a.format = row(FP8MAC_INT8),
                                .b.format = row(FP8MAC_INT8),
                                .acc_format = FP8MAC_ACC_INT32,
                                .group = c.group};
    }
    fp8mac_acc whole = {0}, parts = {0};
    fp8mac_flags flags = 0;
    fp8mac_status status = fp8mac_dot(&c, &whole, a, b, 64, &flags);
    if (status == FP8MAC_OK) {
        CHECK(fp8mac_dot(&c, &parts, a, b, 32, &flags) == FP8MAC_OK);
        CHECK(fp8mac_dot(&c, &parts, a + 32, b + 32, 32, &flags) == FP8MAC_OK);
        CHECK(memcmp(&whole, &parts, sizeof whole) == 0);
        fp8mac_acc_to_fp32(&c, &whole, &flags);
    } else {
        bool by_operands = status == FP8MAC_ERR_K_LIMIT ||
                           (status == FP8MAC_ERR_SCALE_EXPONENT && c.frac_bits != 0);
        CHECK(fp8mac_dot_config_validate(&c) != FP8MAC_OK ||
              (by_operands && c.acc_format == FP8MAC_ACC_FIXED));
        CHECK(memcmp(&whole, &parts, sizeof whole) == 0 && flags == 0);
    }
}

static void any_conversion(void)
{
    fp8mac_format from = random_format(), to = random_format();
    uint32_t src[4], r[4];
    uint8_t dst[16];
    double doubles[4];
    for (size_t i = 0; i < 4; i++) {
        src[i] = random_bits();
        r[i] = random_bits() & 0xffffff;
        uint64_t bits = (uint64_t)random_bits() << 32 | random_bits();
        memcpy(&doubles[i], &bits, sizeof bits);
    }
    fp8mac_convert_mode mode = {(fp8mac_rounding)below(4), (fp8mac_overflow)below(4)};
    fp8mac_random_source source = {below(2) == 0 ? r : NULL,  option(25), 7, 1, 2, 3,
                                   (fp8mac_generator)below(3)};
    fp8mac_flags flags = 0;
    bool rows_ok =
        fp8mac_format_validate(&from) == FP8MAC_OK && fp8mac_format_validate(&to) == FP8MAC_OK;
    CHECK(fp8mac_convert(&to, dst, &from, src, 4, mode, &flags) != FP8MAC_OK || rows_ok);
    CHECK(fp8mac_convert_stochastic(&to, dst, &from, src, 4, mode.overflow, &source, &flags) !=
              FP8MAC_OK ||
          rows_ok);
    fp8mac_convert_from_double(&to, dst, doubles, 4, mode, &flags);
    fp8mac_convert_to_double(doubles, &from, src, 4);
    if (rows_ok) {
        char text[400];
        fp8mac_record record = fp8mac_record_of(&from, src[0]);
        CHECK(fp8mac_value_text(fp8mac_decode(&from, src[0]), FP8MAC_TEXT_DECIMAL, text,
                                sizeof text) < sizeof text);
        CHECK(fp8mac_value_text(fp8mac_value_from_double(doubles[1]), FP8MAC_TEXT_HEX, text,
                                below(12)) > 0);
        fp8mac_value_text(fp8mac_value_from_double(doubles[2]), FP8MAC_TEXT_DECIMAL, text,
                          below(400));
        fp8mac_convert_mode saturate = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE};
        uint32_t sum = fp8mac_add(&from, src[0], src[1], saturate, &flags);
        uint32_t product = fp8mac_mul(&from, src[0], src[1], saturate, &flags);
        uint32_t mask = (uint32_t)((UINT64_C(1) << fp8mac_format_bits(&from)) - 1);
        CHECK((sum & ~mask) == 0 && (product & ~mask) == 0 && (record.code & ~mask) == 0);
        CHECK((fp8mac_neg(&from, src[0], &flags) & ~mask) == 0 &&
              (fp8mac_abs(&from, src[0], &flags) & ~mask) == 0);
        fp8mac_order order =
            fp8mac_compare(fp8mac_decode(&from, src[0]), fp8mac_decode(&to, src[1]));
        fp8mac_order back =
            fp8mac_compare(fp8mac_decode(&to, src[1]), fp8mac_decode(&from, src[0]));
        CHECK(order == FP8MAC_UNORDERED ? back == order : (int)order == -(int)back);
    }
}

static void any_recipe(void)
{
    float x[40];
    uint8_t codes[40], scales[2];
    for (size_t i = 0; i < 40; i++) {
        x[i] = fp8mac_float_from_bits(below(4) == 0 ? random_bits() : random_bits() & 0x4fffffff);
    }
    fp8mac_flags flags = 0;
    fp8mac_format element = random_format();
    fp8mac_status status = fp8mac_recipe_mx_quantize(&element, codes, scales, x, 40, &flags);
    CHECK((status == FP8MAC_OK) ==
          (fp8mac_format_validate(&element) == FP8MAC_OK && fp8mac_format_bits(&element) <= 8));
    float q[40], d[40];
    fp8mac_recipe_static_scales((fp8mac_recipe_scheme)below(4), x[0], x, below(40), q, d);
    int bias = 0;
    fp8mac_recipe_qualcomm_bias((fp8mac_format_id)(12 + below(6)), x, below(5),
                                (int)below(40) - 140, (int)below(40) - 120, &bias);
    float next = fp8mac_recipe_xla_next(448.0f, x[0], 1.0f),
          mu = fp8mac_recipe_fp8lm_mu(1.5f, below(9), below(9));
    CHECK(next > 0 && next <= 3.4028235e38f && mu > 0);
    float scale = fp8mac_recipe_pytorch_scale(448.0f, x[1], below(2) == 0, 1.0f);
    CHECK(scale > 0 && scale <= 3.4028235e38f);
    int b = fp8mac_recipe_graphcore_amax_bias(448.0f, x[2], (int)random_bits());
    CHECK(b >= FP8MAC_SCALE_EXPONENT_MIN && b <= FP8MAC_SCALE_EXPONENT_MAX);
}

int main(void)
{
    for (int i = 0; i < 20000; i++) {
        any_dot();
        any_plain_dot();
        any_conversion();
        any_recipe();
    }
    return report();
}
