// SPDX-License-Identifier: Apache-2.0
// Results worked out by hand: conversions at their edges, FP32 operations, single steps,
// a dot product, a GEMM.
#include "gemm_fixture.h"

static void test_format_codes(void)
{
    static const uint32_t max_code[] = {0x7e, 0x7b, 0x7f, 0x7f, 0x7bff, 0x7f7f, 0x7f7fffff, 0x7f};
    static const uint32_t nan_code[] = {0x7f, 0x7e, 0x80, 0x80, 0x7e00, 0x7fc0, 0x7fc00000, 0};
    static const double max[] = {448, 57344, 240, 57344, 65504};
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)id);
        CHECK(fp8mac_format_max_code(f) == max_code[id]);
        CHECK(fp8mac_format_nan_code(f) == nan_code[id]);
        CHECK(id == FP8MAC_INT8 || fp8mac_decode(f, nan_code[id]).cls == FP8MAC_CLASS_NAN);
        CHECK(id > 4 || fp8mac_value_to_double(fp8mac_decode(f, max_code[id])) == max[id]);
    }
}

static void test_custom_rows(void)
{
    const fp8mac_convert_mode saturate = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE};
    CHECK(fp8mac_format_validate(&e3m4) == FP8MAC_OK);
    CHECK(fp8mac_value_to_double(fp8mac_decode(&e3m4, fp8mac_format_max_code(&e3m4))) == 15.5);
    CHECK(fp8mac_decode(&e3m4, 0x70).cls == FP8MAC_CLASS_INF);
    CHECK(fp8mac_format_validate(&e2m5) == FP8MAC_OK);
    CHECK(fp8mac_value_to_double(fp8mac_decode(&e2m5, 0xff)) == -7.875); // 1.11111 * 2^2
    fp8mac_flags flags = 0;
    CHECK(fp8mac_encode(&e2m5, fp8mac_value_from_double(1e9), saturate, &flags) == 0x7f);
    CHECK(flags == FP8MAC_FLAG_SATURATED);
    flags = 0;
    CHECK(fp8mac_encode(&e2m5, (fp8mac_value){.cls = FP8MAC_CLASS_NAN, .sign = true}, saturate,
                        &flags) == 0);
    CHECK(flags == FP8MAC_FLAG_INVALID);
    CHECK(fp8mac_convert_mode_validate(&e2m5, saturate) == FP8MAC_OK);
    for (int overflow = FP8MAC_OVERFLOW_SATURATE_FINITE; overflow <= FP8MAC_OVERFLOW_IEEE;
         overflow++) {
        fp8mac_convert_mode mode = {FP8MAC_ROUND_NEAREST_EVEN, (fp8mac_overflow)overflow};
        CHECK(fp8mac_convert_mode_validate(&e2m5, mode) == FP8MAC_ERR_OVERFLOW_MODE);
    }
}

static void test_double_round_trip(void)
{
    static const double xs[] = {0.0,       -0.0, 1.0, -1.5, 0x1p-1074, 0x1.fffffffffffffp1023,
                                0x1p-1022, 448.0};
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++) {
        double back = fp8mac_value_to_double(fp8mac_value_from_double(xs[i]));
        CHECK(memcmp(&back, &xs[i], sizeof back) == 0);
    }
    fp8mac_value inf = {.cls = FP8MAC_CLASS_INF, .sign = true};
    CHECK(fp8mac_value_from_double(fp8mac_value_to_double(inf)).cls == FP8MAC_CLASS_INF);
    fp8mac_value nan = {.cls = FP8MAC_CLASS_NAN, .sign = true};
    CHECK(fp8mac_value_from_double(fp8mac_value_to_double(nan)).cls == FP8MAC_CLASS_NAN);
    CHECK(fp8mac_value_from_double(fp8mac_value_to_double(nan)).sign);
    fp8mac_value huge = {.cls = FP8MAC_CLASS_FINITE, .significand = 1, .exponent = INT32_MAX};
    CHECK(fp8mac_value_from_double(fp8mac_value_to_double(huge)).cls == FP8MAC_CLASS_INF);
    huge.exponent = INT32_MIN;
    CHECK(fp8mac_value_to_double(huge) == 0);
}

typedef struct encode_case {
    fp8mac_format_id id;
    double x;
    fp8mac_rounding rounding;
    fp8mac_overflow overflow;
    uint32_t code;
    fp8mac_flags flags;
} encode_case;

static void test_encode_by_hand(void)
{
    const fp8mac_rounding RNE = FP8MAC_ROUND_NEAREST_EVEN, RTZ = FP8MAC_ROUND_TOWARD_ZERO;
    const fp8mac_overflow SAT = FP8MAC_OVERFLOW_SATURATE, FIN = FP8MAC_OVERFLOW_SATURATE_FINITE;
    const fp8mac_overflow IEEE = FP8MAC_OVERFLOW_IEEE;
    enum { S = FP8MAC_FLAG_SATURATED, O = FP8MAC_FLAG_OVERFLOW };
    const double inf = fp8mac_value_to_double((fp8mac_value){.cls = FP8MAC_CLASS_INF});
    const encode_case cases[] = {
        {FP8MAC_E4M3FN, 464, RNE, SAT, 0x7e, 0}, // a tie, to the even 448
        {FP8MAC_E4M3FN, 464, RNE, IEEE, 0x7e, 0},
        {FP8MAC_E4M3FN, 465, RNE, SAT, 0x7e, S},   // rounds to 480: overflow
        {FP8MAC_E4M3FN, -465, RNE, IEEE, 0xff, O}, // no Inf: NaN with the sign
        {FP8MAC_E4M3FN, 465, RTZ, IEEE, 0x7e, 0},
        {FP8MAC_E4M3FN, 480, RTZ, IEEE, 0x7e, S},
        {FP8MAC_E4M3FN, inf, RNE, SAT, 0x7e, S},
        {FP8MAC_E4M3FN, inf, RNE, FIN, 0x7f, 0},
        {FP8MAC_E4M3FN, inf, RTZ, IEEE, 0x7f, 0},
        {FP8MAC_E4M3FN, 0x1p-10, RNE, SAT, 0x00, 0},  // half the smallest subnormal, to even
        {FP8MAC_E4M3FN, -0x1p-10, RNE, SAT, 0x80, 0}, // keeps its sign
        {FP8MAC_E4M3FN, 0x1.8p-9, RNE, SAT, 0x02, 0}, // 1.5 quanta
        {FP8MAC_E4M3FN, 0x1.fp-7, RNE, SAT, 0x08, 0}, // from the largest subnormal into the normals
        {FP8MAC_E4M3FNUZ, 247.99, RNE, SAT, 0x7f, 0},
        {FP8MAC_E4M3FNUZ, 248, RNE, SAT, 0x7f, S}, // a tie, to 256: overflow
        {FP8MAC_E4M3FNUZ, 248, RNE, IEEE, 0x80, O},
        {FP8MAC_E4M3FNUZ, -0x1p-11, RNE, SAT, 0x00, 0}, // there is no -0
        {FP8MAC_E4M3FNUZ, -0.0, RNE, SAT, 0x00, 0},
        {FP8MAC_E5M2, 61439, RNE, IEEE, 0x7b, 0},
        {FP8MAC_E5M2, 61440, RNE, IEEE, 0x7c, O},
        {FP8MAC_E5M2, 61440, RNE, FIN, 0x7b, S},
        {FP8MAC_E5M2, -inf, RNE, FIN, 0xfc, 0},
        {FP8MAC_E5M2, -inf, RNE, SAT, 0xfb, S},
        {FP8MAC_E5M2FNUZ, 61440, RNE, IEEE, 0x80, O},
        {FP8MAC_E5M2FNUZ, 61440, RNE, SAT, 0x7f, S},
        {FP8MAC_FP16, 65520, RNE, SAT, 0x7c00, O}, // always as IEEE 754
        {FP8MAC_FP16, 1e30, RTZ, SAT, 0x7bff, S},
        {FP8MAC_FP16, inf, RNE, SAT, 0x7c00, 0},
        {FP8MAC_BF16, 0x1p-134, RNE, SAT, 0x0000, 0},
        {FP8MAC_FP32, 1 + 0x1p-24, RNE, SAT, 0x3f800000, 0},
        {FP8MAC_FP32, 1 + 0x1.8p-24, RNE, SAT, 0x3f800001, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const encode_case *c = &cases[i];
        fp8mac_flags flags = 0;
        fp8mac_convert_mode mode = {c->rounding, c->overflow};
        uint32_t code = fp8mac_encode(row(c->id), fp8mac_value_from_double(c->x), mode, &flags);
        check(code == c->code && flags == c->flags, row(c->id)->name, (int)i);
        CHECK(fp8mac_encode(row(c->id), fp8mac_value_from_double(c->x), mode, NULL) == c->code);
    }
}

static void test_encode_extremes(void)
{
    fp8mac_flags flags = 0;
    fp8mac_value x = {.cls = FP8MAC_CLASS_FINITE, .significand = UINT64_MAX, .exponent = INT32_MAX};
    CHECK(fp8mac_encode(row(FP8MAC_FP32), x, mode_saturate, &flags) == 0x7f800000 &&
          flags == FP8MAC_FLAG_OVERFLOW);
    x.exponent = INT32_MIN;
    x.sign = true;
    CHECK(fp8mac_encode(row(FP8MAC_FP32), x, mode_saturate, NULL) == 0x80000000);
    x.exponent = -64; // 1 - 2^-64 rounds to 1
    CHECK(fp8mac_encode(row(FP8MAC_FP32), x, mode_saturate, NULL) == 0xbf800000);
    fp8mac_value nan = {.cls = FP8MAC_CLASS_NAN, .sign = true};
    CHECK(fp8mac_encode(row(FP8MAC_E4M3FN), nan, mode_saturate, NULL) == 0xff);
    CHECK(fp8mac_encode(row(FP8MAC_E5M2), nan, mode_saturate, NULL) == 0xfe);
    CHECK(fp8mac_encode(row(FP8MAC_E4M3FNUZ), nan, mode_saturate, NULL) == 0x80);
}

static void test_quantize_by_hand(void)
{
    const float src[3] = {0x1p-14f, 2.0f, 7.0f};
    const float expected[3] = {0x1p-8f, 128.0f, 448.0f};
    uint8_t codes[3];
    float back[3];
    fp8mac_flags flags = 0;
    CHECK(fp8mac_quantize(row(FP8MAC_E4M3FN), codes, src, 3, 64.0f, mode_saturate, &flags) ==
              FP8MAC_OK &&
          flags == 0);
    CHECK(fp8mac_dequantize(back, row(FP8MAC_E4M3FN), codes, 3, 1.0f) == FP8MAC_OK);
    CHECK(memcmp(back, expected, sizeof back) == 0);

    const float big = 0x1p127f;
    CHECK(fp8mac_quantize(row(FP8MAC_E5M2), codes, &big, 1, 4.0f, mode_saturate, &flags) ==
          FP8MAC_OK);
    CHECK(codes[0] == 0x7b && flags == (FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_SATURATED));
}

static void test_fp32_by_hand(void)
{
    enum { I = FP8MAC_FLAG_INVALID, O = FP8MAC_FLAG_OVERFLOW };
    static const struct {
        uint32_t a, b, product, sum;
        fp8mac_flags product_flags, sum_flags;
    } cases[] = {
        {0x7f800000, 0x00000000, 0x7fc00000, 0x7f800000, I, 0},
        {0x7f800000, 0xff800000, 0xff800000, 0x7fc00000, 0, I},
        {0xffc12345, 0x00000000, 0x7fc00000, 0x7fc00000, 0, 0},
        {0x7f7fffff, 0x7f7fffff, 0x7f800000, 0x7f800000, O, O},
        {0x00000001, 0x3f000000, 0x00000000, 0x3f000000, 0,
         0}, // half the smallest subnormal, to even
        {0x00000003, 0x3f000000, 0x00000002, 0x3f000000, 0, 0},
        {0x80000000, 0x80000000, 0x00000000, 0x80000000, 0, 0},
        {0x80000000, 0x00000000, 0x80000000, 0x00000000, 0, 0},
        {0x3f800000, 0xbf800000, 0xbf800000, 0x00000000, 0, 0},
        {0x3f800000, 0x33800000, 0x33800000, 0x3f800000, 0, 0}, // 1 + 2^-24: a tie, to even
        {0x3f800000, 0xb3000000, 0xb3000000, 0x3f800000, 0,
         0}, // 1 - 2^-25: a tie in the lower binade, to even
        {0x3f800000, 0xb3000001, 0xb3000001, 0x3f7fffff, 0, 0},
        {0x4b800000, 0x80000001, 0x80000000 + (1u << 24), 0x4b800000, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fp8mac_flags product_flags = 0, sum_flags = 0;
        uint32_t product = fp8mac_fp32_mul(cases[i].a, cases[i].b, &product_flags);
        uint32_t sum = fp8mac_fp32_add(cases[i].a, cases[i].b, &sum_flags);
        check(product == cases[i].product && product_flags == cases[i].product_flags,
              "fp32 product", (int)i);
        check(sum == cases[i].sum && sum_flags == cases[i].sum_flags, "fp32 sum", (int)i);
        CHECK(fp8mac_fp32_mul(cases[i].b, cases[i].a, NULL) == product);
        CHECK(fp8mac_fp32_add(cases[i].b, cases[i].a, NULL) == sum);
    }
}

static void test_fixed_state(void)
{
    fp8mac_dot_config c = e4m3_config();
    c.acc_format = FP8MAC_ACC_FIXED;
    c.guard_bits = 2;
    c.a.scale_exp = 3;
    const uint8_t ones[4] = {0x38, 0x38, 0x38, 0x38};
    fp8mac_acc acc = {0};
    fp8mac_flags flags = 0;
    CHECK(fp8mac_dot(&c, &acc, ones, ones, 3, &flags) == FP8MAC_OK);
    CHECK(acc.fixed_terms == 3 && acc.fixed_lo == 3u << 18 && acc.fixed_hi == 0);
    CHECK(fp8mac_dot(&c, &acc, ones, ones, 2, &flags) == FP8MAC_ERR_K_LIMIT);
    c.b.scale_exp = 1; // changes sa + sb
    CHECK(fp8mac_dot(&c, &acc, ones, ones, 1, &flags) == FP8MAC_ERR_SCALE_EXPONENT);
    CHECK(acc.fixed_terms == 3 && acc.fixed_lo == 3u << 18);
    c.a.scale_exp = 2; // the same sum again
    CHECK(fp8mac_dot(&c, &acc, ones, ones, 1, &flags) == FP8MAC_OK);
    CHECK(fp8mac_acc_to_fp32(&c, &acc, &flags) == fp8mac_float_bits(32.0f) && flags == 0);

    const fp8mac_acc empty = {0};
    CHECK(fp8mac_acc_to_fp32(&c, &empty, &flags) == 0);
    c.a.format = c.b.format = row(FP8MAC_E5M2);
    const uint8_t inf[2] = {0x7c, 0xfc}, one[2] = {0x3c, 0x3c};
    fp8mac_acc infinite = {0};
    CHECK(fp8mac_dot(&c, &infinite, inf, one, 1, &flags) == FP8MAC_OK && flags == 0);
    CHECK(fp8mac_acc_to_fp32(&c, &infinite, &flags) == 0x7f800000 && flags == 0);
    CHECK(fp8mac_dot(&c, &infinite, inf + 1, one, 1, &flags) == FP8MAC_OK &&
          flags == FP8MAC_FLAG_INVALID);
    CHECK(fp8mac_acc_to_fp32(&c, &infinite, &flags) == FP8MAC_FP32_NAN);
}

static void test_dot_by_hand(void)
{
    static const float expected[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 12, 12, 14, 16};
    float x[16], back[16];
    uint8_t codes[16];
    for (int i = 0; i < 16; i++) {
        x[i] = (float)i;
    }
    const fp8mac_format *e5 = row(FP8MAC_E5M2FNUZ);
    CHECK(fp8mac_quantize(e5, codes, x, 16, 1.0f, mode_saturate, NULL) == FP8MAC_OK);
    CHECK(fp8mac_dequantize(back, e5, codes, 16, 1.0f) == FP8MAC_OK &&
          memcmp(back, expected, sizeof back) == 0);
    for (int acc_format = FP8MAC_ACC_FP32; acc_format <= FP8MAC_ACC_FIXED; acc_format++) {
        for (unsigned group = 1; group <= 16; group++) {
            fp8mac_dot_config c = {.a.format = e5,
                                   .b.format = e5,
                                   .acc_format = (fp8mac_acc_format)acc_format,
                                   .group = group};
            fp8mac_acc acc = {0};
            fp8mac_flags flags = 0;
            CHECK(fp8mac_dot(&c, &acc, codes, codes, 16, &flags) == FP8MAC_OK && flags == 0);
            CHECK(fp8mac_acc_to_fp32(&c, &acc, &flags) == fp8mac_float_bits(1252.0f) && flags == 0);
        }
    }
}

// Signs of zero, specials and their flags, one step each.
static void test_step_by_hand(void)
{
    enum {
        I = FP8MAC_FLAG_INVALID,
        O = FP8MAC_FLAG_OVERFLOW,
        S = FP8MAC_FLAG_SATURATED,
        N = FP8MAC_FLAG_NAN
    };
    static const struct {
        uint32_t acc;
        uint8_t a[2], b[2]; // e5m2: 0x3c is 1, 0x7c Inf, 0x7e NaN, 0x7b 57344
        bool saturate;
        uint32_t expected;
        fp8mac_flags flags;
    } cases[] = {
        {0x80000000, {0x80, 0x80}, {0x00, 0x3c}, false, 0x80000000, 0},
        {0x80000000, {0x80, 0x00}, {0x00, 0x3c}, false, 0x00000000, 0},
        {0x00000000, {0x80, 0x80}, {0x00, 0x3c}, false, 0x00000000, 0},
        {0x80000000, {0x3c, 0xbc}, {0x3c, 0x3c}, false, 0x00000000, 0},
        {0xbf800000, {0x3c, 0x00}, {0x3c, 0x3c}, false, 0x00000000, 0},
        {0x00000000, {0x7c, 0x3c}, {0x3c, 0x3c}, false, 0x7f800000, 0},
        {0xff800000, {0x7c, 0x3c}, {0x3c, 0x3c}, false, 0x7fc00000, I},
        {0x00000000, {0x7c, 0xfc}, {0x3c, 0x3c}, false, 0x7fc00000, I},
        {0x00000000, {0x7c, 0x3c}, {0x80, 0x3c}, false, 0x7fc00000, I},
        {0x00000000, {0xfe, 0x3c}, {0x3c, 0x3c}, false, 0x7fc00000, N},
        {0x00000000, {0x7e, 0x7c}, {0x00, 0x00}, false, 0x7fc00000, N | I},
        {0x00000000, {0x7e, 0x3c}, {0x7c, 0x3c}, false, 0x7fc00000, N},
        {0xffffffff, {0x3c, 0x3c}, {0x3c, 0x3c}, false, 0x7fc00000, 0},
        {0x7f7fffff, {0x7b, 0x3c}, {0x7b, 0x3c}, false, 0x7f7fffff, 0},
        {0x7f7fffff, {0x3c, 0x3c}, {0x3c, 0x3c}, true, 0x7f7fffff, 0},
        {0x7f800000, {0x3c, 0x3c}, {0x3c, 0x3c}, true, 0x7f800000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fp8mac_dot_config c = {.a.format = row(FP8MAC_E5M2),
                               .b.format = row(FP8MAC_E5M2),
                               .group = 2,
                               .acc_saturate = cases[i].saturate};
        fp8mac_acc acc = {.code = cases[i].acc};
        fp8mac_flags flags = 0;
        CHECK(fp8mac_dot_step(&c, &acc, cases[i].a, cases[i].b, 2, &flags) == FP8MAC_OK);
        check(acc.code == cases[i].expected && flags == cases[i].flags, "step", (int)i);
    }
    const uint8_t max = 0x7b;
    fp8mac_dot_config half = {.a.format = row(FP8MAC_E5M2),
                              .b.format = row(FP8MAC_E5M2),
                              .acc_format = FP8MAC_ACC_FP16,
                              .group = 1};
    fp8mac_acc acc = {0};
    fp8mac_flags flags = 0;
    CHECK(fp8mac_dot_step(&half, &acc, &max, &max, 1, &flags) == FP8MAC_OK && acc.code == 0x7c00 &&
          flags == O);
    half.acc_saturate = true;
    acc.code = 0;
    flags = 0;
    CHECK(fp8mac_dot_step(&half, &acc, &max, &max, 1, &flags) == FP8MAC_OK && acc.code == 0x7bff &&
          flags == S);
}

static void test_gemm_by_hand(void)
{
    fp8mac_gemm_desc x = good_desc();
    fp8mac_gemm_result r;
    // t0 = 10, s = 0.5 and 1; t2 = 5 + n and 10 + n; t3 = t2 + 2 * C, C = 4 m + n; clamped at 20.
    static const float expected[M][N] = {{5, 8, 11}, {18, 20, 20}};
    CHECK(fp8mac_gemm(&x, &r) == FP8MAC_OK);
    for (size_t m = 0; m < M; m++) {
        CHECK(memcmp(&gemm_d[m * LDD], expected[m], sizeof expected[m]) == 0);
        CHECK(all_bytes_are(&gemm_d[m * LDD + N], (LDD - N) * sizeof(float), UNTOUCHED));
    }
    CHECK(r.amax == 20.0f && !r.amax_nonfinite && r.flags == 0);

    x = good_desc(); // unused things may be missing
    x.beta = 0;
    x.c = NULL;
    x.c_format = NULL;
    x.ldc = 0;
    x.bias = NULL;
    x.a.scale = x.b.scale = (fp8mac_scale){FP8MAC_SCALE_NONE, NULL};
    x.scale_d = NULL;
    x.activation = FP8MAC_ACT_NONE;
    CHECK(fp8mac_gemm(&x, NULL) == FP8MAC_OK && gemm_d[0] == 10.0f && gemm_d[LDD + N - 1] == 10.0f);
}

static void test_gemm_specials(void)
{
    fp8mac_gemm_desc x = good_desc();
    fp8mac_gemm_result r;
    x.d_format = row(FP8MAC_E4M3FNUZ);
    x.ldd = N;
    x.activation = FP8MAC_ACT_RELU;
    gemm_c[1] = fp8mac_float_from_bits(0xffc00001);
    gemm_c[LDC] = -1000.0f;
    gemm_bias[2] = fp8mac_float_from_bits(0x7f800000);
    CHECK(fp8mac_gemm(&x, &r) == FP8MAC_OK);
    static const uint8_t expected[M * N] = {0x52, 0x80, 0x7f,
                                            0x00, 0x62, 0x7f}; // 5, NaN, max; 0, 21 -> 20, max
    CHECK(memcmp(gemm_d, expected, sizeof expected) == 0);
    CHECK(r.amax == 21.0f && r.amax_nonfinite &&
          r.flags == (FP8MAC_FLAG_NAN | FP8MAC_FLAG_SATURATED));

    x = good_desc();
    gemm_a[0] = 0x7f;
    CHECK(fp8mac_gemm(&x, &r) == FP8MAC_OK && r.flags == FP8MAC_FLAG_NAN && r.amax_nonfinite);
    CHECK(fp8mac_float_bits(gemm_d[0]) == FP8MAC_FP32_NAN);
}

static void test_epilogue_by_hand(void)
{
    fp8mac_epilogue e = {.d_format = row(FP8MAC_FP32), .scale_d = 1.0f};
    uint32_t amax = 0;
    bool nonfinite = false;
    fp8mac_flags flags = 0;
    const uint32_t one = FP8MAC_FP32_ONE;
#define APPLY(t0, sa, sb, bias, c)                                                                 \
    fp8mac_epilogue_apply(&e, t0, sa, sb, bias, c, &amax, &nonfinite, &flags)
    CHECK(APPLY(0x80000000, one, one, 0, 0) == 0x80000000 && flags == 0); // nothing is added to -0
    e.has_bias = true;
    CHECK(APPLY(0x80000000, one, one, 0, 0) == 0 && amax == 0);
    CHECK(APPLY(0x7f800000, one, one, 0xff800000, 0) == FP8MAC_FP32_NAN &&
          flags == FP8MAC_FLAG_INVALID && nonfinite);
    flags = 0;
    CHECK(APPLY(0, 0x7f000000, 0x7f000000, 0, 0) == FP8MAC_FP32_NAN); // s overflows; Inf * 0
    CHECK(flags == (FP8MAC_FLAG_OVERFLOW | FP8MAC_FLAG_INVALID));
    flags = 0;
    CHECK(APPLY(one, 0x00800000, 0x00800000, one, 0) == one && flags == 0); // s underflows to 0
    CHECK(amax == one);
    e.beta = -0.0f; // C is not read, whatever it holds
    CHECK(APPLY(one, one, one, 0, 0x7fc00000) == one && flags == 0);
    e.activation = FP8MAC_ACT_CLAMP;
    e.clamp_lo = 0.0f;
    e.clamp_hi = 0.0f;
    CHECK(APPLY(0x80000000, one, one, 0x80000000, 0) == 0x80000000); // -0 is not below +0
    CHECK(APPLY(0xbf800000, one, one, 0, 0) == 0);
    CHECK(APPLY(0x7fc00000, one, one, 0, 0) == FP8MAC_FP32_NAN && flags == 0);
    e = (fp8mac_epilogue){.d_format = row(FP8MAC_E4M3FN), .d_mode = mode_ieee, .scale_d = 1.0f};
    CHECK(APPLY(0xc4000000, one, one, 0, 0) == 0x7f &&
          flags == FP8MAC_FLAG_OVERFLOW); // -512: NaN without the sign
#undef APPLY
}

int main(void)
{
    test_format_codes();
    test_custom_rows();
    test_double_round_trip();
    test_encode_by_hand();
    test_encode_extremes();
    test_quantize_by_hand();
    test_fp32_by_hand();
    test_fixed_state();
    test_dot_by_hand();
    test_step_by_hand();
    test_gemm_by_hand();
    test_gemm_specials();
    test_epilogue_by_hand();
    return report();
}
