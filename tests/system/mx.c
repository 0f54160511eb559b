// SPDX-License-Identifier: Apache-2.0
// The firmware's MX quantiser beside the model's recipe: codes, scales and flags of every element
// format, for FP32 words of all kinds and every FP16 and BF16 number, in blocks of every length.
// Bytes that it must not write stay.
#include "fp8rt/mx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp8mac/convert.h"
#include "fp8mac/recipe_published.h"

enum { BEAT = 16, COLS = 100, CODES_STRIDE = 112, SCALES_STRIDE = 16, UNWRITTEN = 0xa5 };

static const fp8rt_caps caps = {.beat_bytes = BEAT};
static const fp8mac_format_id formats[] = {FP8MAC_E4M3FN,   FP8MAC_E5M2,   FP8MAC_E4M3FNUZ,
                                           FP8MAC_E5M2FNUZ, FP8MAC_E3M2FN, FP8MAC_E2M3FN,
                                           FP8MAC_E2M1FN};
static unsigned passed, failed;

static void expect(int good, const char *what, const char *format)
{
    good ? passed++ : failed++;
    if (!good && failed < 20) {
        printf("FAIL %s, %s\n", what, format);
    }
}

// One row. The flags are compared too.
static int row_is_right(fp8mac_format_id format, fp8mac_format_id values_format, const void *values,
                        uint32_t cols)
{
    float floats[COLS];
    uint8_t codes[CODES_STRIDE], scales[SCALES_STRIDE], want[COLS], want_scales[SCALES_STRIDE];
    fp8mac_flags flags = 0, want_flags = 0;
    memset(codes, UNWRITTEN, sizeof codes);
    memset(scales, UNWRITTEN, sizeof scales);
    fp8mac_convert(fp8mac_format_get(FP8MAC_FP32), floats, fp8mac_format_get(values_format), values,
                   cols, (fp8mac_convert_mode){0}, NULL);
    fp8mac_recipe_mx_quantize(fp8mac_format_get(format), want, want_scales, floats, cols,
                              &want_flags);
    const fp8rt_mx_desc desc = {.rows = 1,
                                .cols = cols,
                                .values = values,
                                .values_format = values_format,
                                .codes = codes,
                                .format = format,
                                .scales = scales};
    const uint32_t blocks = fp8rt_mx_blocks(cols);
    return fp8rt_mx_quantize(&caps, &desc, &flags) == FP8RT_OK && flags == want_flags &&
           memcmp(codes, want, cols) == 0 && memcmp(scales, want_scales, blocks) == 0 &&
           codes[cols] == UNWRITTEN && scales[blocks] == UNWRITTEN;
}

static uint32_t word(void)
{
    return (uint32_t)rand() << 16 ^ (uint32_t)rand();
}

// All words; and words whose exponents are near one that a row has in common.
static void run_words(fp8mac_format_id format)
{
    const char *name = fp8mac_format_get(format)->name;
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t words[COLS];
        const uint32_t base = (uint32_t)rand() % 256, cols = 1 + round % COLS;
        for (uint32_t i = 0; i < cols; i++) {
            const uint32_t exponent = (base + (uint32_t)rand() % 24) % 255;
            words[i] = round % 8 == 0 ? word() : (word() & 0x807fffffu) | exponent << 23;
            words[i] = rand() % 16 == 0 ? words[i] & 0x80000000u : words[i];
        }
        expect(row_is_right(format, FP8MAC_FP32, words, cols), "float32", name);
    }
}

static void run_halves(fp8mac_format_id format, fp8mac_format_id values_format)
{
    uint16_t halves[32];
    for (uint32_t first = 0; first < 65536; first += 32) {
        for (uint32_t i = 0; i < 32; i++) { // neighbours, and the same with a larger range
            halves[i] = (uint16_t)(first + i);
        }
        expect(row_is_right(format, values_format, halves, 32),
               fp8mac_format_get(values_format)->name, fp8mac_format_get(format)->name);
        for (uint32_t i = 0; i < 32; i++) {
            halves[i] = (uint16_t)(first / 32 + i * 2048);
        }
        halves[rand() % 32] = 0x7f00; // a large number of BF16, a NaN of FP16
        expect(row_is_right(format, values_format, halves, 32),
               fp8mac_format_get(values_format)->name, fp8mac_format_get(format)->name);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        run_words(formats[i]);
        run_halves(formats[i], FP8MAC_FP16);
        run_halves(formats[i], FP8MAC_BF16);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
