// SPDX-License-Identifier: Apache-2.0
// The library's functions refuse every bad argument with its own status, and write nothing then.
#include "gemm_fixture.h"

static const fp8mac_convert_mode mode_bad_rounding = {(fp8mac_rounding)2, FP8MAC_OVERFLOW_SATURATE};
static const fp8mac_convert_mode mode_bad_overflow = {FP8MAC_ROUND_NEAREST_EVEN,
                                                      (fp8mac_overflow)3};

static void test_status_strings(void)
{
    for (int s = FP8MAC_OK; s <= FP8MAC_ERR_COMMAND; s++) {
        const char *text = fp8mac_status_string((fp8mac_status)s);
        CHECK(text != NULL && strlen(text) > 5);
        for (int other = FP8MAC_OK; other < s; other++) {
            CHECK(strcmp(text, fp8mac_status_string((fp8mac_status)other)) != 0);
        }
    }
    CHECK(fp8mac_status_string((fp8mac_status)-1) != NULL);
    CHECK(fp8mac_status_string((fp8mac_status)1000) != NULL);
}

static void test_format_lookup(void)
{
    static const char *const names[] = {"e4m3fn",  "e5m2",     "e4m3fnuz", "e5m2fnuz",
                                        "float16", "bfloat16", "float32",  "int8"};
    for (int id = 0; id < FP8MAC_ARRAY_FORMAT_COUNT; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)id);
        CHECK(f != NULL && strcmp(f->name, names[id]) == 0);
        CHECK(fp8mac_format_by_name(names[id]) == f);
        CHECK(fp8mac_format_validate(f) == FP8MAC_OK);
        CHECK(fp8mac_format_bits(f) == (id < 4 || id == 7 ? 8u : id < 6 ? 16u : 32u));
        CHECK(fp8mac_format_bytes(f) == (id < 4 || id == 7 ? 1u : id < 6 ? 2u : 4u));
    }
    for (int id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)id);
        CHECK(f != NULL && fp8mac_format_by_name(f->name) == f);
        CHECK(fp8mac_format_validate(f) == FP8MAC_OK && fp8mac_format_refusal(f) == NULL);
        CHECK(fp8mac_format_bytes(f) * 8 >= fp8mac_format_bits(f));
    }
    CHECK(fp8mac_format_get(FP8MAC_FORMAT_COUNT) == NULL);
    CHECK(fp8mac_format_get((fp8mac_format_id)-1) == NULL);
    CHECK(fp8mac_format_by_name(NULL) == NULL);
    CHECK(fp8mac_format_by_name("") == NULL);
    CHECK(fp8mac_format_by_name("e4m4") == NULL);
    CHECK(fp8mac_format_by_name("1-6-9") == row(FP8MAC_E6M9));
    CHECK(fp8mac_format_by_name("fp16") == row(FP8MAC_FP16));
    CHECK(fp8mac_format_by_name("bf16") == row(FP8MAC_BF16));
    CHECK(fp8mac_format_by_name("fp32") == row(FP8MAC_FP32));
}

static void test_format_validate(void)
{
    const fp8mac_format good = *row(FP8MAC_E4M3FN);
    fp8mac_format f;
    CHECK(fp8mac_format_validate(NULL) == FP8MAC_ERR_FORMAT);
#define REFUSED(field, value)                                                                      \
    f = good, f.field = value,                                                                     \
    CHECK(fp8mac_format_validate(&f) == FP8MAC_ERR_FORMAT &&                                       \
          strlen(fp8mac_format_refusal(&f)) > 10)
    REFUSED(is_signed, false); // with -0
    REFUSED(exponent_bits, 0);
    REFUSED(exponent_bits, 9);
    REFUSED(mantissa_bits, 24);
    REFUSED(bias, -129);
    REFUSED(bias, 256);
    REFUSED(has_inf, true);
    REFUSED(nan_encoding, FP8MAC_NAN_IEEE);          // without Inf
    REFUSED(nan_encoding, FP8MAC_NAN_NEGATIVE_ZERO); // with -0
    REFUSED(nan_encoding, (fp8mac_nan_encoding)4);
    REFUSED(exponent_zero, (fp8mac_exponent_zero)3);
#undef REFUSED
    f = good, f.exponent_zero = FP8MAC_EXPONENT_ZERO_NORMAL;
    CHECK(fp8mac_format_validate(&f) == FP8MAC_OK);
    f = good, f.exponent_zero = FP8MAC_EXPONENT_ZERO_AT_BIAS;
    CHECK(fp8mac_format_validate(&f) == FP8MAC_OK);
    f = good, f.is_signed = false, f.has_negative_zero = false;
    CHECK(fp8mac_format_validate(&f) == FP8MAC_OK && fp8mac_format_bits(&f) == 7);
    CHECK(fp8mac_format_refusal(NULL) != NULL);
}

static void test_convert_refusals(void)
{
    const fp8mac_format *e4 = row(FP8MAC_E4M3FN), *e5 = row(FP8MAC_E5M2);
    fp8mac_format bad = *e4;
    bad.exponent_bits = 0;
    uint8_t src[4] = {1, 2, 3, 4}, dst[4];
    fp8mac_flags flags = 0x100;
    memset(dst, UNTOUCHED, sizeof dst);
#define REFUSED(status, ...) CHECK(fp8mac_convert(__VA_ARGS__, &flags) == status)
    REFUSED(FP8MAC_ERR_NULL, e4, NULL, e5, src, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_NULL, e4, dst, e5, NULL, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_FORMAT, NULL, dst, e5, src, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_FORMAT, e4, dst, NULL, src, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_FORMAT, &bad, dst, e5, src, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_FORMAT, e4, dst, &bad, src, 4, mode_saturate);
    REFUSED(FP8MAC_ERR_ROUNDING, e4, dst, e5, src, 4, mode_bad_rounding);
    REFUSED(FP8MAC_ERR_OVERFLOW_MODE, e4, dst, e5, src, 4, mode_bad_overflow);
    REFUSED(FP8MAC_ERR_OVERFLOW_MODE, &e2m5, dst, e5, src, 4, mode_ieee);
#undef REFUSED
    CHECK(fp8mac_convert_mode_validate(NULL, mode_saturate) == FP8MAC_ERR_FORMAT);
    CHECK(fp8mac_convert_mode_validate(row(FP8MAC_FP32), mode_bad_overflow) ==
          FP8MAC_ERR_OVERFLOW_MODE);
    CHECK(all_bytes_are(dst, sizeof dst, UNTOUCHED) && flags == 0x100);
    CHECK(fp8mac_convert(e4, NULL, e5, NULL, 0, mode_saturate, NULL) == FP8MAC_OK);
    CHECK(fp8mac_convert(e4, dst, e5, src, 3, mode_saturate, NULL) == FP8MAC_OK);
    CHECK(dst[3] == UNTOUCHED);
}

static void test_quantize_refusals(void)
{
    static const uint32_t bad_scales[] = {0,          0x80000000, 0xbf800000, 0x7f800000,
                                          0xff800000, 0x7fc00000, 0x80000001};
    const fp8mac_format *e4 = row(FP8MAC_E4M3FN);
    float src[2] = {1.0f, 2.0f}, out[2];
    uint8_t codes[2] = {0x38, 0x40}, dst[2];
    fp8mac_flags flags = 0;
    memset(dst, UNTOUCHED, sizeof dst);
    memset(out, UNTOUCHED, sizeof out);
    CHECK(fp8mac_quantize(e4, NULL, src, 2, 1.0f, mode_saturate, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_quantize(e4, dst, NULL, 2, 1.0f, mode_saturate, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_quantize(NULL, dst, src, 2, 1.0f, mode_saturate, &flags) == FP8MAC_ERR_FORMAT);
    CHECK(fp8mac_quantize(e4, dst, src, 2, 1.0f, mode_bad_rounding, &flags) == FP8MAC_ERR_ROUNDING);
    CHECK(fp8mac_quantize(e4, dst, src, 2, 1.0f, mode_bad_overflow, &flags) ==
          FP8MAC_ERR_OVERFLOW_MODE);
    CHECK(fp8mac_dequantize(NULL, e4, codes, 2, 1.0f) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dequantize(out, e4, NULL, 2, 1.0f) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dequantize(out, NULL, codes, 2, 1.0f) == FP8MAC_ERR_FORMAT);
    for (size_t i = 0; i < sizeof bad_scales / sizeof bad_scales[0]; i++) {
        float scale = fp8mac_float_from_bits(bad_scales[i]);
        CHECK(fp8mac_quantize(e4, dst, src, 2, scale, mode_saturate, &flags) == FP8MAC_ERR_SCALE);
        CHECK(fp8mac_dequantize(out, e4, codes, 2, scale) == FP8MAC_ERR_SCALE);
    }
    CHECK(flags == 0 && all_bytes_are(dst, sizeof dst, UNTOUCHED) &&
          all_bytes_are(out, sizeof out, UNTOUCHED));
    CHECK(fp8mac_quantize(e4, dst, src, 2, 1.0f, mode_saturate, NULL) == FP8MAC_OK);
    CHECK(dst[0] == 0x38 && dst[1] == 0x40);
    CHECK(fp8mac_dequantize(out, e4, codes, 2, 0.5f) == FP8MAC_OK && out[0] == 0.5f &&
          out[1] == 1.0f);
    CHECK(fp8mac_dequantize(NULL, e4, NULL, 0, 0.5f) == FP8MAC_OK);
}

static void test_dot_config(void)
{
    const fp8mac_dot_config good = e4m3_config();
    fp8mac_dot_config c;
    CHECK(fp8mac_dot_config_validate(NULL) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot_config_validate(&good) == FP8MAC_OK);
#define STATUS(status, ...) c = good, __VA_ARGS__, CHECK(fp8mac_dot_config_validate(&c) == status)
    STATUS(FP8MAC_ERR_FORMAT, c.a.format = NULL);
    STATUS(FP8MAC_ERR_FORMAT, c.b.format = NULL);
    STATUS(FP8MAC_ERR_FORMAT, c.a.format = row(FP8MAC_FP16));
    STATUS(FP8MAC_ERR_FORMAT, c.b.format = row(FP8MAC_FP32));
    STATUS(FP8MAC_OK, c.b.format = &e3m4);
    STATUS(FP8MAC_ERR_ACCUMULATOR, c.acc_format = (fp8mac_acc_format)7);
    STATUS(FP8MAC_ERR_ACCUMULATOR, c.acc_format = (fp8mac_acc_format)-1);
    STATUS(FP8MAC_ERR_ACCUMULATOR, c.guard_bits = 16);
    STATUS(FP8MAC_OK, c.acc_format = FP8MAC_ACC_FIXED, c.guard_bits = 40);
    STATUS(FP8MAC_ERR_ACCUMULATOR, c.acc_format = FP8MAC_ACC_FIXED, c.guard_bits = 41);
    STATUS(FP8MAC_ERR_ACCUMULATOR, c.acc_format = FP8MAC_ACC_FIXED, c.acc_saturate = true);
    STATUS(FP8MAC_OK, c.acc_format = FP8MAC_ACC_FP16, c.acc_saturate = true);
    STATUS(FP8MAC_OK, c.group = 1024);
    STATUS(FP8MAC_ERR_GROUP, c.group = 1025);
    STATUS(FP8MAC_OK, c.a.scale_exp = 32, c.b.scale_exp = -32);
    STATUS(FP8MAC_ERR_SCALE_EXPONENT, c.a.scale_exp = 33);
    STATUS(FP8MAC_ERR_SCALE_EXPONENT, c.a.scale_exp = -33);
    STATUS(FP8MAC_ERR_SCALE_EXPONENT, c.b.scale_exp = 33);
    STATUS(FP8MAC_ERR_SCALE_EXPONENT, c.b.scale_exp = -33);
#undef STATUS
}

static void test_dot_refusals(void)
{
    const fp8mac_dot_config good = e4m3_config();
    fp8mac_dot_config bad = good, fixed = good;
    bad.group = 1025;
    fixed.acc_format = FP8MAC_ACC_FIXED;
    fixed.guard_bits = 2;
    fixed.group = 8;
    const uint8_t x[8] = {0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f}; // NaNs, to see flags
    fp8mac_acc acc, before;
    memset(&acc, 0, sizeof acc);
    acc.code = 0x12345678;
    before = acc;
    fp8mac_flags flags = 0;
    CHECK(fp8mac_dot_step(NULL, &acc, x, x, 1, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot_step(&good, NULL, x, x, 1, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot_step(&good, &acc, NULL, x, 1, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot_step(&good, &acc, x, NULL, 1, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot_step(&good, &acc, x, x, 0, &flags) == FP8MAC_ERR_SHAPE);
    CHECK(fp8mac_dot_step(&good, &acc, x, x, 2, &flags) == FP8MAC_ERR_GROUP); // group 0 means 1
    CHECK(fp8mac_dot_step(&bad, &acc, x, x, 1, &flags) == FP8MAC_ERR_GROUP);
    CHECK(fp8mac_dot_step(&fixed, &acc, x, x, 5, &flags) == FP8MAC_ERR_K_LIMIT);
    CHECK(fp8mac_dot(NULL, &acc, x, x, 8, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot(&good, NULL, x, x, 8, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot(&good, &acc, NULL, x, 8, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot(&good, &acc, x, NULL, 8, &flags) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_dot(&good, &acc, x, x, 0, &flags) == FP8MAC_ERR_SHAPE);
    CHECK(fp8mac_dot(&bad, &acc, x, x, 8, &flags) == FP8MAC_ERR_GROUP);
    CHECK(fp8mac_dot(&fixed, &acc, x, x, 5, &flags) == FP8MAC_ERR_K_LIMIT);
    CHECK(flags == 0 && memcmp(&acc, &before, sizeof acc) == 0);
    CHECK(fp8mac_dot(&good, &acc, x, x, 1, NULL) == FP8MAC_OK && acc.code == FP8MAC_FP32_NAN);
}

static void refuse_gemm(const fp8mac_gemm_desc *desc, fp8mac_status expected, const char *what,
                        int line)
{
    fp8mac_gemm_result result;
    memset(&result, UNTOUCHED, sizeof result);
    check(fp8mac_gemm(desc, &result) == expected, what, line);
    check(fp8mac_gemm(desc, NULL) == expected, what, line);
    check(all_bytes_are(gemm_d, sizeof gemm_d, UNTOUCHED), "D was written", line);
    check(all_bytes_are(&result, sizeof result, UNTOUCHED), "the result was written", line);
}

#define REFUSED(status, ...)                                                                       \
    do {                                                                                           \
        fp8mac_gemm_desc x = good_desc();                                                          \
        __VA_ARGS__;                                                                               \
        refuse_gemm(&x, status, #__VA_ARGS__, __LINE__);                                           \
    } while (0)

static void test_gemm_refuses_pointers_and_formats(void)
{
    CHECK(fp8mac_gemm(NULL, NULL) == FP8MAC_ERR_NULL);
    REFUSED(FP8MAC_ERR_NULL, x.a.codes = NULL);
    REFUSED(FP8MAC_ERR_NULL, x.b.codes = NULL);
    REFUSED(FP8MAC_ERR_NULL, x.c = NULL);
    REFUSED(FP8MAC_ERR_NULL, x.d = NULL);
    REFUSED(FP8MAC_ERR_NULL, x.a.scale.values = NULL);
    REFUSED(FP8MAC_ERR_NULL, x.b.scale = (fp8mac_scale){FP8MAC_SCALE_TENSOR, NULL});
    REFUSED(FP8MAC_ERR_FORMAT, x.dot.a.format = NULL);
    REFUSED(FP8MAC_ERR_FORMAT, x.dot.b.format = row(FP8MAC_BF16));
    REFUSED(FP8MAC_ERR_FORMAT, x.c_format = NULL);
    REFUSED(FP8MAC_ERR_FORMAT, x.c_format = row(FP8MAC_E2M1FN));
    REFUSED(FP8MAC_ERR_FORMAT, x.d_format = NULL);
    REFUSED(FP8MAC_ERR_ROUNDING, x.d_mode = mode_bad_rounding);
    REFUSED(FP8MAC_ERR_OVERFLOW_MODE, x.d_mode = mode_bad_overflow);
    REFUSED(FP8MAC_ERR_FORMAT, (x.d_format = &e2m5, x.d_mode = mode_ieee));
    REFUSED(FP8MAC_ERR_ACCUMULATOR, x.dot.acc_format = (fp8mac_acc_format)9);
    REFUSED(FP8MAC_ERR_GROUP, x.dot.group = 2000);
    REFUSED(FP8MAC_ERR_SCALE_EXPONENT, x.dot.a.scale_exp = -40);
}

static void test_gemm_refuses_shapes(void)
{
    REFUSED(FP8MAC_ERR_SHAPE, x.m = 0);
    REFUSED(FP8MAC_ERR_SHAPE, x.n = 0);
    REFUSED(FP8MAC_ERR_SHAPE, x.k = 0);
    REFUSED(FP8MAC_ERR_SHAPE, (x.m = SIZE_MAX / 2, x.a.stride = 8));
    REFUSED(FP8MAC_ERR_STRIDE, x.a.stride = K - 1);
    REFUSED(FP8MAC_ERR_STRIDE, x.b.stride = K - 1);
    REFUSED(FP8MAC_ERR_STRIDE, x.ldc = N - 1);
    REFUSED(FP8MAC_ERR_STRIDE, x.ldd = N - 1);
    REFUSED(FP8MAC_ERR_K_LIMIT, (x.dot.acc_format = FP8MAC_ACC_FIXED, x.dot.guard_bits = 2));
    REFUSED(FP8MAC_ERR_ACCUMULATOR, (x.dot.acc_format = FP8MAC_ACC_FIXED, x.dot.frac_bits = 34,
                                     x.dot.static_exponent = 16));
}

static void test_gemm_refuses_scales_and_activations(void)
{
    static const uint32_t bad_scales[] = {0,          0x80000000, 0xbf800000,
                                          0x7f800000, 0xff800000, 0x7fc00000};
    for (size_t i = 0; i < sizeof bad_scales / sizeof bad_scales[0]; i++) {
        float bad = fp8mac_float_from_bits(bad_scales[i]);
        REFUSED(FP8MAC_ERR_SCALE, gemm_scale_a[1] = bad);
        REFUSED(FP8MAC_ERR_SCALE, gemm_scale_b[2] = bad);
        REFUSED(FP8MAC_ERR_SCALE, (x.a.scale = (fp8mac_scale){FP8MAC_SCALE_TENSOR, &bad}));
        REFUSED(FP8MAC_ERR_SCALE, gemm_scale_d = bad);
    }
    REFUSED(FP8MAC_ERR_SCALE, x.a.scale.mode = (fp8mac_scale_mode)3);
    const float inf = fp8mac_float_from_bits(0x7f800000), nan = fp8mac_float_from_bits(0x7fc00000);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.activation = (fp8mac_activation)FP8MAC_ACTIVATIONS);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.clamp_lo = 21.0f);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.clamp_lo = -inf);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.clamp_hi = inf);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.clamp_lo = nan);
    REFUSED(FP8MAC_ERR_ACTIVATION, x.clamp_hi = nan);
}

static void test_image(void)
{
    static const uint8_t pixels[2 * 8] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const fp8mac_image good = {.data = pixels,
                               .line_bytes = 8,
                               .pixel_bytes = 4,
                               .height = 2,
                               .width = 2,
                               .channels = 3,
                               .kernel_w = 2,
                               .stride_y = 1,
                               .stride_x = 1,
                               .dilation_y = 1,
                               .dilation_x = 1,
                               .pad_left = 1,
                               .out_w = 2};
    fp8mac_image x = good;
    uint8_t codes[12];
    static const uint8_t row_2[12] = {0, 0, 0, 9, 10, 11}; // of pixel (1, 0): padding, then itself
    CHECK(fp8mac_image_row(&x, 2, 0, 12, codes) == FP8MAC_OK && memcmp(codes, row_2, 12) == 0);
    CHECK(fp8mac_image_row(&x, 2, 0, 0, NULL) == FP8MAC_OK);
    memset(codes, UNTOUCHED, sizeof codes);
    CHECK(fp8mac_image_row(NULL, 2, 0, 12, codes) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_image_row(&x, 2, 0, 12, NULL) == FP8MAC_ERR_NULL);
#define REFUSED_IMAGE(status, change)                                                              \
    x = good, change, CHECK(fp8mac_image_row(&x, 2, 0, 12, codes) == (status))
    REFUSED_IMAGE(FP8MAC_ERR_NULL, x.data = NULL);
    REFUSED_IMAGE(FP8MAC_ERR_SHAPE, x.out_w = 0);
    REFUSED_IMAGE(FP8MAC_ERR_SHAPE, x.channels = 0);
    REFUSED_IMAGE(FP8MAC_ERR_SHAPE, x.kernel_w = 0);
    REFUSED_IMAGE(FP8MAC_ERR_STRIDE, x.pixel_bytes = 2);
#undef REFUSED_IMAGE
    x = good;
    CHECK(fp8mac_image_row(&x, 2, UINT32_MAX - 10, 12, codes) == FP8MAC_ERR_SHAPE);
    CHECK(all_bytes_are(codes, sizeof codes, UNTOUCHED));
    // Numbers near 2^32: line 1 * (2^32 - 1) - (2^32 - 2) is line 1.
    x.stride_y = UINT32_MAX, x.pad_top = UINT32_MAX - 1;
    CHECK(fp8mac_image_row(&x, 2, 3, 3, codes) == FP8MAC_OK && codes[0] == 9);
    // Line (2^32 - 1)^2 + (2^32 - 1)^2 has no 64 bits; a wrapped one would be inside.
    x = good, x.out_w = x.kernel_w = x.channels = 1, x.pad_left = 0;
    x.stride_y = x.dilation_y = UINT32_MAX;
    x.pad_top = 2; // (2^32 - 1)^2 * 2 mod 2^64 = 2^64 - 2^34 + 2
    CHECK(fp8mac_image_row(&x, UINT32_MAX, UINT32_MAX, 1, codes) == FP8MAC_OK && codes[0] == 0);
    x.height = UINT32_MAX;
    CHECK(fp8mac_image_row(&x, UINT32_MAX, UINT32_MAX, 1, codes) == FP8MAC_OK && codes[0] == 0);
    CHECK(fp8mac_image_row(&x, 0, UINT32_MAX, 1, codes) == FP8MAC_OK && codes[0] == 0);
}

int main(void)
{
    test_image();
    test_status_strings();
    test_format_lookup();
    test_format_validate();
    test_convert_refusals();
    test_quantize_refusals();
    test_dot_config();
    test_dot_refusals();
    test_gemm_refuses_pointers_and_formats();
    test_gemm_refuses_shapes();
    test_gemm_refuses_scales_and_activations();
    return report();
}
