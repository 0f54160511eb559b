// SPDX-License-Identifier: Apache-2.0
// Arguments at the edges of what the library takes: it refuses them or computes them, without
// undefined behaviour. Runs under the sanitizers.
#include "gemm_fixture.h"

#include <stdlib.h>

// ---- text of values far beyond the formats ------------------------------------------------------

static fp8mac_value finite(uint64_t significand, int32_t exponent)
{
    return (fp8mac_value){
        .cls = FP8MAC_CLASS_FINITE, .exponent = exponent, .significand = significand};
}

static bool text_is(fp8mac_value value, fp8mac_text_style style, const char *want)
{
    char text[2300];
    size_t length = fp8mac_value_text(value, style, text, sizeof text);
    return length == strlen(want) && strcmp(text, want) == 0;
}

// The number of digits, and the last ones.
static bool decimal_ends(fp8mac_value value, size_t length, const char *end)
{
    char text[2300];
    return fp8mac_value_text(value, FP8MAC_TEXT_DECIMAL, text, sizeof text) == length &&
           strspn(text, "0123456789.") == length && strcmp(text + length - strlen(end), end) == 0;
}

static void test_text_of_far_values(void)
{
    fp8mac_value tiny = fp8mac_value_from_double(0x1p-1074);
    fp8mac_value squared = fp8mac_value_mul(tiny, tiny, NULL);
    // 2^-2148 = 5^2148 / 10^2148, and powers of 5 end in 25.
    CHECK(decimal_ends(squared, 2150, "25"));
    CHECK(text_is(squared, FP8MAC_TEXT_HEX, "0x1p-2148"));
    CHECK(decimal_ends(finite(1, 2046), 616, "4")); // floor(2046 log10 2) + 1 digits; 2^(4 i + 2)
    CHECK(decimal_ends(finite(UINT64_MAX, -2148), 2150, "5"));
    CHECK(decimal_ends(finite(UINT64_MAX, 2048), 636, "0"));
    static const struct {
        int32_t exponent;
        const char *text;
    } far[] = {{-2149, "0x1p-2149"},           {2049, "0x1p+2049"},
               {100000, "0x1p+100000"},        {-100000, "0x1p-100000"},
               {INT32_MAX, "0x1p+2147483647"}, {INT32_MIN, "0x1p-2147483648"}};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        CHECK(text_is(finite(1, far[i].exponent), FP8MAC_TEXT_DECIMAL, far[i].text));
        CHECK(text_is(finite(1, far[i].exponent), FP8MAC_TEXT_HEX, far[i].text));
    }
    CHECK(text_is(finite(UINT64_C(1) << 63, INT32_MAX), FP8MAC_TEXT_HEX, "0x1p+2147483710"));
    CHECK(text_is(finite(UINT64_MAX, INT32_MAX), FP8MAC_TEXT_DECIMAL,
                  "0x1.fffffffffffffffep+2147483710"));
}

// ---- GEMM: memory -------------------------------------------------------------------------------

#define STATUS_OF(...)                                                                             \
    do {                                                                                           \
        fp8mac_gemm_desc x = good_desc();                                                          \
        __VA_ARGS__;                                                                               \
        got = fp8mac_gemm(&x, NULL);                                                               \
    } while (0)

static void test_strides(void)
{
    const size_t most = PTRDIFF_MAX;
    fp8mac_status got;
    const size_t strides[] = {most + 1, most + 2, SIZE_MAX / 2 + 5, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 0; i < 5; i++) {
        size_t stride = strides[i];
        for (size_t rows = 1; rows <= 2; rows++) {
            STATUS_OF((x.m = rows, x.a.stride = stride));
            CHECK(got == FP8MAC_ERR_STRIDE);
            STATUS_OF((x.n = rows, x.b.stride = stride));
            CHECK(got == FP8MAC_ERR_STRIDE);
            STATUS_OF((x.m = rows, x.ldc = stride));
            CHECK(got == FP8MAC_ERR_STRIDE);
            STATUS_OF((x.m = rows, x.ldd = stride / 4 + 1));
            CHECK(got == FP8MAC_ERR_STRIDE);
        }
    }
    STATUS_OF(x.a.stride = most - K + 1);
    CHECK(got == FP8MAC_ERR_SHAPE); // the second row ends behind PTRDIFF_MAX
    STATUS_OF((x.m = 1, x.a.stride = most, x.a.scale.mode = FP8MAC_SCALE_TENSOR));
    CHECK(got == FP8MAC_OK); // one row has no second one
}

static void test_overlap(void)
{
    fp8mac_status got;
    STATUS_OF(x.d = gemm_c);
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.d = gemm_c, x.beta = 0)); // C is not read then
    CHECK(got == FP8MAC_OK);
    STATUS_OF(x.d = gemm_scale_a);
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF(x.d = gemm_scale_b);
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF(x.d = gemm_bias);
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF(x.d = &gemm_scale_d);
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.acc = gemm_d, x.ldacc = LDD));
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.a.mx = (const uint8_t *)gemm_d, x.a.mx_stride = 1));
    CHECK(got == FP8MAC_ERR_OVERLAP);
    // A's last byte is D's first one, then the byte before it.
    uint8_t *memory = calloc(1, 200);
    size_t a_size = LDA + K, d_size = (LDD + N) * sizeof(float);
    STATUS_OF((x.a.codes = memory, x.d = memory + a_size - 1));
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.a.codes = memory, x.d = memory + a_size));
    CHECK(got == FP8MAC_OK);
    STATUS_OF((x.b.codes = memory + d_size - 1, x.d = memory));
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.b.codes = memory + d_size, x.d = memory));
    CHECK(got == FP8MAC_OK);
    free(memory);
    // Rows of C and of D alternate in one matrix: no element is shared.
    static float both[2 * M * 2 * LDC];
    STATUS_OF((x.c = both, x.ldc = 2 * LDC, x.d = both + LDC, x.ldd = 2 * LDC));
    CHECK(got == FP8MAC_OK);
    STATUS_OF((x.c = both, x.ldc = 2 * LDC, x.d = both + N - 1, x.ldd = 2 * LDC));
    CHECK(got == FP8MAC_ERR_OVERLAP);
    STATUS_OF((x.c = both, x.ldc = 2 * LDC, x.d = both + 2 * LDC - 1, x.ldd = 2 * LDC));
    CHECK(got == FP8MAC_ERR_OVERLAP); // D's first row holds the first element of C's second row
}

static void test_origin(void)
{
    fp8mac_status got;
    STATUS_OF(x.origin_m = UINT32_MAX - M + 1);
    CHECK(got == FP8MAC_OK);
    STATUS_OF(x.origin_m = UINT32_MAX - M + 2);
    CHECK(got == FP8MAC_ERR_SHAPE);
    STATUS_OF(x.origin_n = UINT32_MAX - N + 1);
    CHECK(got == FP8MAC_OK);
    STATUS_OF(x.origin_n = UINT32_MAX - N + 2);
    CHECK(got == FP8MAC_ERR_SHAPE);
}

// ---- GEMM: formats of C and D, loaded accumulators ----------------------------------------------

static void test_formats_of_c_and_d(void)
{
    static double room[M * LDD];
    for (unsigned id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        fp8mac_status got;
        STATUS_OF((x.d_format = row((fp8mac_format_id)id), x.d = room));
        CHECK(got == (id < FP8MAC_ARRAY_FORMAT_COUNT ? FP8MAC_OK : FP8MAC_ERR_FORMAT));
        STATUS_OF(x.c_format = row((fp8mac_format_id)id));
        CHECK(got == (id < FP8MAC_ARRAY_FORMAT_COUNT ? FP8MAC_OK : FP8MAC_ERR_FORMAT));
    }
    fp8mac_format own = *row(FP8MAC_E5M2); // the same format in another place, with another name
    own.name = "own";
    fp8mac_status got;
    STATUS_OF((x.d_format = &own, x.d = room));
    CHECK(got == FP8MAC_OK);
    own.bias = 14;
    STATUS_OF((x.d_format = &own, x.d = room));
    CHECK(got == FP8MAC_ERR_FORMAT);
}

// D of a GEMM without epilogue, from accumulators that hold `code`.
static float from_acc(fp8mac_dot_config dot, uint32_t code)
{
    fp8mac_gemm_desc x = good_desc();
    uint32_t acc[M * LDD];
    float d[M * N];
    for (size_t i = 0; i < M * LDD; i++) {
        fp8mac_store_code(acc, i, fp8mac_format_bytes(fp8mac_acc_loaded_format(&dot)), code);
    }
    x.dot = dot;
    x.a.scale = x.b.scale = (fp8mac_scale){.values = NULL};
    x.bias = NULL;
    x.beta = 0;
    x.activation = FP8MAC_ACT_NONE;
    x.acc = acc;
    x.ldacc = LDD;
    x.d = d;
    x.ldd = N;
    CHECK(fp8mac_gemm(&x, NULL) == FP8MAC_OK);
    for (size_t i = 1; i < M * N; i++) {
        CHECK(d[i] == d[0]);
    }
    return d[0];
}

static void test_loaded_accumulators(void)
{
    fp8mac_dot_config dot = e4m3_config(), fp16 = dot, promoted = dot, chunked = dot;
    fp16.acc_format = FP8MAC_ACC_FP16;
    promoted.acc_format = FP8MAC_ACC_FP16;
    promoted.promote = 2;
    chunked.acc_format = FP8MAC_ACC_FP16;
    chunked.chunk = 2;
    // The five products are 2 each.
    CHECK(from_acc(dot, 0x3f800000) == 11.0f);
    CHECK(from_acc(fp16, 0x3c00) == 11.0f);
    CHECK(from_acc(fp16, 0x6800) == 2048.0f + 10.0f); // the spacing of FP16 is 2 there
    CHECK(from_acc(fp16, 0x6c00) == 4096.0f);         // 4, so every step is a tie
    // 4 + 4 + 2 at the second accumulator.
    CHECK(from_acc(promoted, 0x45800000) == 4096.0f + 10.0f);
    CHECK(from_acc(chunked, 0x6c00) == 4096.0f + 8.0f);
    fp8mac_status got;
    float acc[M * N] = {0};
    STATUS_OF((x.acc = acc, x.ldacc = N - 1));
    CHECK(got == FP8MAC_ERR_STRIDE);
    STATUS_OF((x.acc = acc, x.ldacc = N, x.dot.acc_format = FP8MAC_ACC_FIXED));
    CHECK(got == FP8MAC_ERR_ACCUMULATOR);
    fp8mac_acc state = {0};
    dot.acc_format = FP8MAC_ACC_FIXED;
    CHECK(fp8mac_acc_loaded_format(&dot) == NULL);
    CHECK(fp8mac_acc_load(&dot, &state, 1) == FP8MAC_ERR_ACCUMULATOR && state.code == 0);
    CHECK(fp8mac_acc_load(NULL, &state, 1) == FP8MAC_ERR_NULL);
    CHECK(fp8mac_acc_load(&dot, NULL, 1) == FP8MAC_ERR_NULL);
}

// ---- conversions: alignment, ties ---------------------------------------------------------------

// Every array is one byte off.
static void test_misaligned_conversions(void)
{
    enum { COUNT = 67 };
    static uint8_t from[8 * COUNT + 1], to[8 * COUNT + 1], back[8 * COUNT + 1];
    for (size_t i = 0; i < COUNT; i++) {
        double x = (double)i - 30.0;
        memcpy(from + 1 + 8 * i, &x, sizeof x);
    }
    const double *doubles = (const void *)(from + 1);
    double *doubles_back = (void *)(back + 1);
    for (unsigned id = 0; id <= FP8MAC_FP32; id++) {
        const fp8mac_format *f = row((fp8mac_format_id)id), *fp32 = row(FP8MAC_FP32);
        CHECK(fp8mac_convert_from_double(f, to + 1, doubles, COUNT, mode_saturate, NULL) ==
              FP8MAC_OK);
        CHECK(fp8mac_convert_to_double(doubles_back, f, to + 1, COUNT) == FP8MAC_OK);
        double got, want = id <= FP8MAC_E5M2FNUZ ? 32.0 : 33.0;
        memcpy(&got, back + 1 + 8 * 63, sizeof got);
        CHECK(got == want);
        CHECK(fp8mac_convert(fp32, back + 1, f, to + 1, COUNT, mode_saturate, NULL) == FP8MAC_OK);
        CHECK(fp8mac_convert(f, to + 1, fp32, back + 1, COUNT, mode_saturate, NULL) == FP8MAC_OK);
        CHECK(fp8mac_quantize(f, to + 1, (const void *)(back + 1), COUNT, 2.0f, mode_saturate,
                              NULL) == FP8MAC_OK);
        CHECK(fp8mac_dequantize((void *)(back + 1), f, to + 1, COUNT, 0.5f) == FP8MAC_OK);
        float single;
        memcpy(&single, back + 1 + 4 * 63, sizeof single);
        CHECK((double)single == want);
    }
}

// In a format without mantissa bits every significand is 1, which is odd: a tie between powers of
// two goes to the larger one.
static void test_ties_without_mantissa(void)
{
    const fp8mac_format e5m0 = {
        "e5m0", true, 5, 0, 15, true, true, FP8MAC_NAN_NONE, FP8MAC_EXPONENT_ZERO_SUBNORMAL};
    fp8mac_format f = e5m0;
    f.has_inf = false;
    CHECK(fp8mac_format_validate(&f) == FP8MAC_OK);
    for (uint32_t code = 1; code < fp8mac_format_max_code(&f); code++) {
        fp8mac_value low = fp8mac_decode(&f, code), tie = finite(3, low.exponent - 1);
        CHECK(low.significand == 1 && fp8mac_encode(&f, tie, mode_saturate, NULL) == code + 1);
    }
    // Half of the smallest number is a tie between 0, which is even, and that number.
    CHECK(fp8mac_encode(&f, finite(1, fp8mac_decode(&f, 1).exponent - 1), mode_saturate, NULL) ==
          0);
}

// ---- INT32 --------------------------------------------------------------------------------------

static void test_int32_limit(void)
{
    size_t k = FP8MAC_INT8_K_MAX + 1;
    uint8_t *ones = malloc(k);
    memset(ones, 1, k);
    fp8mac_dot_config c = {
        .a.format = row(FP8MAC_INT8), .b.format = row(FP8MAC_INT8), .acc_format = FP8MAC_ACC_INT32};
    fp8mac_acc acc = {0};
    CHECK(fp8mac_dot(&c, &acc, ones, ones, k, NULL) == FP8MAC_ERR_K_LIMIT);
    CHECK(strstr(fp8mac_status_string(FP8MAC_ERR_K_LIMIT), "131071 for int32") != NULL);
    CHECK(fp8mac_dot(&c, &acc, ones, ones, k - 1, NULL) == FP8MAC_OK && acc.code == k - 1);
    free(ones);
}

int main(void)
{
    test_text_of_far_values();
    test_strides();
    test_overlap();
    test_origin();
    test_formats_of_c_and_d();
    test_loaded_accumulators();
    test_misaligned_conversions();
    test_ties_without_mantissa();
    test_int32_limit();
    return report();
}
