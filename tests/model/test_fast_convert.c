// SPDX-License-Identifier: Apache-2.0
// Array conversions of every instruction set give the codes and flags of the definition:
// - float32 of every exponent, with significands around every rounding boundary, to every format,
//   with or without a kernel;
// - every code of every format to float32;
// - stochastic rounding and scaled conversions.
//
//   test_fast_convert [SHARE]   with one of SHARE values
#include <stdlib.h>

#include "check.h"
#include "core/convert.h"
#include "fast/fast.h"

enum { HIGH_BITS = 11, LOW_PATTERNS = 5, COUNT = 512 * (1 << HIGH_BITS) * LOW_PATTERNS / 2 };

static float *source;
static uint32_t *random_words, *draws;
static uint8_t *want, *got;

static uint64_t random_state = 20240621;

static uint32_t random_bits(void) // splitmix64
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

// Every sign and exponent; the first bits of the significand in full, the others all zero, one, or
// nearly so. A quarter of them, at random and shuffled, and one element more than whole vectors.
static size_t make_source(void)
{
    static const uint32_t low[LOW_PATTERNS] = {0, 1, 0x7ff, 0x800, 0xfff};
    size_t n = 0;
    for (uint32_t top = 0; top < 1u << (9 + HIGH_BITS); top++) {
        for (unsigned i = 0; i < LOW_PATTERNS; i++) {
            if (random_bits() % 4 == 0 && n < COUNT) {
                source[n++] = fp8mac_float_from_bits(top << (23 - HIGH_BITS) | low[i]);
            }
        }
    }
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = random_bits() % (i + 1);
        float x = source[i];
        source[i] = source[j];
        source[j] = x;
    }
    return n % 16 == 1 ? n : n - n % 16 - 15;
}

static const fp8mac_kernels *kernels_of(int isa)
{
    const fp8mac_kernels *kernels;
    return fp8mac_kernels_find((fp8mac_isa)isa, &kernels) ? kernels : NULL;
}

static void compare(const fp8mac_format *f, int isa, size_t bytes, fp8mac_flags want_flags,
                    fp8mac_flags got_flags)
{
    bool equal = memcmp(want, got, bytes) == 0 && want_flags == got_flags;
    CHECK(equal);
    for (size_t i = 0; !equal && i < bytes; i++) {
        if (want[i] != got[i] || i + 1 == bytes) {
            printf("%s, %s: byte %zu of %zu, flags %x and %x\n", f->name,
                   fp8mac_isa_name((fp8mac_isa)isa), i, bytes, want_flags, got_flags);
            break;
        }
    }
}

// Ragged lengths too: `n` from `first` on.
static void test_encode(const fp8mac_format *f, fp8mac_convert_mode mode, size_t first, size_t n)
{
    const fp8mac_format *fp32 = row(FP8MAC_FP32);
    fp8mac_run run = {.isa = FP8MAC_ISA_DEFINED};
    fp8mac_flags want_flags = 0;
    if (fp8mac_convert_run(f, want, fp32, source + first, n, mode, &run, &want_flags) !=
        FP8MAC_OK) {
        return;
    }
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        run.isa = (fp8mac_isa)isa;
        if (fp8mac_isa_available(run.isa)) {
            fp8mac_flags got_flags = 0;
            memset(got, UNTOUCHED, 4 * n);
            CHECK(fp8mac_convert_run(f, got, fp32, source + first, n, mode, &run, &got_flags) ==
                  FP8MAC_OK);
            compare(f, isa, n * fp8mac_format_bytes(f), want_flags, got_flags);
        }
    }
}

static void test_decode(const fp8mac_format *f)
{
    size_t n = fp8mac_format_bytes(f) == 1 ? 256 : 65536;
    static uint8_t codes[2 * 65536];
    for (size_t i = 0; i < n; i++) {
        fp8mac_store_code(codes, i, fp8mac_format_bytes(f), (uint32_t)i);
    }
    fp8mac_convert_mode mode = {FP8MAC_ROUND_NEAREST_EVEN, FP8MAC_OVERFLOW_SATURATE};
    fp8mac_run run = {.isa = FP8MAC_ISA_DEFINED};
    CHECK(fp8mac_convert_run(row(FP8MAC_FP32), want, f, codes, n, mode, &run, NULL) == FP8MAC_OK);
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        run.isa = (fp8mac_isa)isa;
        for (size_t count = n - 17; fp8mac_isa_available(run.isa) && count <= n; count += 17) {
            memset(got, UNTOUCHED, 4 * n);
            CHECK(fp8mac_convert_run(row(FP8MAC_FP32), got, f, codes, count, mode, &run, NULL) ==
                  FP8MAC_OK);
            CHECK(all_bytes_are(got + 4 * count, 4 * (n - count), UNTOUCHED));
            compare(f, isa, 4 * count, 0, 0);
        }
    }
}

static unsigned long stochastic_taken;

static void test_stochastic(const fp8mac_format *f, fp8mac_overflow overflow, unsigned bits,
                            size_t n)
{
    fp8mac_flags want_flags = 0;
    for (size_t i = 0; i < n; i++) {
        draws[i] = random_words[i] >> (32 - bits);
        fp8mac_value x = fp8mac_decode(row(FP8MAC_FP32), fp8mac_float_bits(source[i]));
        uint32_t code = fp8mac_encode_stochastic(f, x, overflow, draws[i], bits, &want_flags);
        fp8mac_store_code(want, i, fp8mac_format_bytes(f), code);
    }
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        fp8mac_flags got_flags = 0;
        const fp8mac_kernels *kernels = kernels_of(isa);
        if (kernels != NULL &&
            fp8mac_fast_convert_stochastic(kernels, f, got, row(FP8MAC_FP32), source, n, overflow,
                                           draws, bits, &got_flags)) {
            stochastic_taken++;
            compare(f, isa, n, want_flags, got_flags);
        }
    }
}

static void test_scaled(const fp8mac_format *f, float scale, size_t n)
{
    fp8mac_flags want_flags = 0;
    fp8mac_quantize_defined(f, want, source, n, scale, mode_saturate, &want_flags);
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        fp8mac_flags got_flags = 0;
        const fp8mac_kernels *kernels = kernels_of(isa);
        if (kernels != NULL &&
            fp8mac_fast_quantize(kernels, f, got, source, n, scale, mode_saturate, &got_flags)) {
            compare(f, isa, n * fp8mac_format_bytes(f), want_flags, got_flags);
        }
    }
    uint8_t codes[256];
    for (unsigned i = 0; i < sizeof codes; i++) {
        codes[i] = (uint8_t)i;
    }
    size_t count = sizeof codes / fp8mac_format_bytes(f);
    fp8mac_dequantize_defined((float *)(void *)want, f, codes, count, scale);
    for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
        const fp8mac_kernels *kernels = kernels_of(isa);
        if (kernels != NULL &&
            fp8mac_fast_dequantize(kernels, (float *)(void *)got, f, codes, count, scale)) {
            compare(f, isa, 4 * count, 0, 0);
        }
    }
}

// Drawn in blocks or one by one; where n carries into m, too.
static void test_draw(void)
{
    for (unsigned i = 0; i < 60; i++) {
        size_t n = 1 + random_bits() % 3000;
        fp8mac_random_source drawn = {.bits = 1 + i % 24,
                                      .seed = (uint64_t)random_bits() << 32 | random_bits(),
                                      .m = random_bits(),
                                      .n = i % 3 == 0 ? UINT32_MAX - 1500 : random_bits(),
                                      .step = (uint64_t)(random_bits() & 0xfffffff) << 32 |
                                              random_bits()};
        for (size_t j = 0; j < n; j++) {
            uint64_t position = ((uint64_t)drawn.m << 32 | drawn.n) + j;
            draws[j] =
                fp8mac_random_bits(drawn.seed, (uint32_t)(position >> 32), (uint32_t)position,
                                   drawn.step, FP8MAC_RANDOM_CONVERT, drawn.bits);
        }
        for (int isa = FP8MAC_ISA_PORTABLE; isa <= FP8MAC_ISA_AVX512; isa++) {
            fp8mac_draw at = {.m = drawn.m,
                              .n = 7 + (uint32_t)isa + (uint32_t)i % 4,
                              .step_low = (uint32_t)drawn.step,
                              .step_high = (uint32_t)(drawn.step >> 32),
                              .key = {(uint32_t)drawn.seed, (uint32_t)(drawn.seed >> 32)},
                              .bits = drawn.bits};
            const fp8mac_kernels *kernels = kernels_of(isa);
            bool equal = true;
            if (kernels != NULL) {
                kernels->draw((uint32_t *)(void *)want, n, &at);
            }
            for (uint32_t j = 0; kernels != NULL && j < n; j++) {
                equal = equal && fp8mac_load_code(want, j, 4) ==
                                     fp8mac_random_bits(drawn.seed, at.m, at.n + j, drawn.step,
                                                        FP8MAC_RANDOM_STEP, drawn.bits);
            }
            CHECK(equal);
        }
        fp8mac_random_source given = {.r = draws, .bits = drawn.bits};
        const fp8mac_format *f =
            row((fp8mac_format_id)(i % 5)); // FP16, too, for which there is no kernel
        fp8mac_flags want_flags = 0, got_flags = 0;
        CHECK(fp8mac_convert_stochastic(f, want, row(FP8MAC_FP32), source, n,
                                        FP8MAC_OVERFLOW_SATURATE, &given,
                                        &want_flags) == FP8MAC_OK);
        CHECK(fp8mac_convert_stochastic(f, got, row(FP8MAC_FP32), source, n,
                                        FP8MAC_OVERFLOW_SATURATE, &drawn, &got_flags) == FP8MAC_OK);
        compare(f, FP8MAC_ISA_BEST, n * fp8mac_format_bytes(f), want_flags, got_flags);
    }
}

static void test_row(const fp8mac_format *f, size_t n)
{
    static const unsigned bits[] = {1, 7, 13, 20, 21, 24};
    static const float scales[] = {1.0f, 0.3f, 0x1p-140f, 0x1.8p100f};
    bool own = f->exponent_bits == 8 && f->mantissa_bits > 8;
    for (unsigned i = 0; i < 6; i++) {
        fp8mac_convert_mode mode = {(fp8mac_rounding)(i / 3), (fp8mac_overflow)(i % 3)};
        test_encode(f, mode, 0, i < 3 ? n : n / 16);
    }
    for (size_t i = 1; i < 40; i++) { // without any overflow among them, some
        test_encode(f, mode_ieee, n / 4 + 100 * i, i);
    }
    for (unsigned i = 0; i < 6 && fp8mac_format_bytes(f) == 1; i++) {
        test_stochastic(f, (fp8mac_overflow)(f->nan_encoding == FP8MAC_NAN_NONE ? 0 : i % 3),
                        bits[i], n / 4);
    }
    for (unsigned i = 0; i < 4 && !own; i++) {
        test_scaled(f, scales[i], n / 16);
    }
    if (fp8mac_format_bytes(f) < 4) {
        test_decode(f);
    }
}

int main(int argc, char **argv)
{
    const size_t share = argc > 1 ? (size_t)atoi(argv[1]) : 1;
    source = malloc(COUNT * sizeof(float));
    random_words = malloc(COUNT * sizeof(uint32_t));
    draws = malloc(COUNT * sizeof(uint32_t));
    want = malloc(COUNT * 4);
    got = malloc(COUNT * 4);
    size_t n = make_source();
    for (size_t i = 0; i < n; i++) {
        random_words[i] = random_bits();
    }
    for (int id = 0; id < FP8MAC_FORMAT_COUNT; id++) {
        test_row(row((fp8mac_format_id)id), n / share / (id < 4 ? 1 : 8));
    }
    test_draw();
    CHECK(stochastic_taken > 24);
    printf("%zu values, one of %zu of them; %lu stochastic conversions by kernels\n", n, share,
           stochastic_taken);
    free(source);
    free(random_words);
    free(draws);
    free(want);
    free(got);
    return report();
}
