// SPDX-License-Identifier: Apache-2.0
// The counts of the application `recipes` beside the definition, in double precision: overflow,
// zeros, subnormal codes and the ratio of signal to noise, over random values, formats and scales.
#include "../../firmware/apps/recipes/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 256, ROUNDS = 400 };

typedef struct expected {
    uint32_t overflow, zero, subnormal;
    double signal, noise;
} expected;

// The least magnitude that is beyond the format, and its largest, least normal and least subnormal
// number.
typedef struct limits {
    fp8mac_format_id format;
    double beyond, largest, normal, subnormal;
    int overflow_at_tie; // the tie between the largest number and what would follow overflows
} limits;

static const limits formats[] = {
    {FP8MAC_E4M3FN, 464, 448, 0x1p-6, 0x1p-9, 0},
    {FP8MAC_E5M2, 61440, 57344, 0x1p-14, 0x1p-16, 1},
    {FP8MAC_E4M3FNUZ, 248, 240, 0x1p-7, 0x1p-10, 1},
    {FP8MAC_E5M2FNUZ, 61440, 57344, 0x1p-15, 0x1p-17, 1},
};

static float draw(void)
{
    const double fraction = (double)(rand() % (1 << 24)) / (1 << 24) + 1.0;
    const double value = ldexp(fraction, rand() % 36 - 24);
    return rand() % 40 == 0 ? 0.0f : (float)(rand() % 2 != 0 ? -value : value);
}

static double to_format(const limits *f, double scaled, double *dequantised)
{
    const double magnitude = fabs(scaled);
    const int mantissa = f->format == FP8MAC_E5M2 || f->format == FP8MAC_E5M2FNUZ ? 2 : 3;
    const double quantum =
        magnitude < f->normal ? f->subnormal : ldexp(1.0, ilogb(magnitude) - mantissa);
    const double rounded = fmin(nearbyint(magnitude / quantum) * quantum, f->largest);
    *dequantised = copysign(rounded, scaled);
    return rounded;
}

static void expect(expected *e, const limits *f, float value, float scale)
{
    const float scaled = value * scale, inverse = 1.0f / scale;
    const double magnitude = fabs((double)scaled);
    double number;
    const double rounded = to_format(f, (double)scaled, &number);
    const float back = (float)number * inverse;
    e->overflow += magnitude > f->beyond || (f->overflow_at_tie && magnitude == f->beyond);
    e->zero += rounded == 0 && value != 0.0f;
    e->subnormal += rounded != 0 && rounded < f->normal;
    e->signal += (double)value * (double)value;
    e->noise += ((double)value - (double)back) * ((double)value - (double)back);
}

static int one_round(const limits *f, int round)
{
    float values[VALUES], amax = 0;
    uint8_t codes[VALUES];
    expected e = {0};
    tally t = {0};
    // Quarters of a binade around the scale that just fits, and scales that are no powers of two
    const float scale = (float)(f->largest / 4096.0 * pow(2.0, (round % 40 - 20) / 4.0));
    for (int i = 0; i < VALUES; i++) {
        values[i] = i == 0 ? (float)(f->beyond / (double)scale) : draw();
        amax = fmaxf(amax, fabsf(values[i]));
        expect(&e, f, values[i], scale);
    }
    fp8mac_quantize(fp8mac_format_get(f->format), codes, values, VALUES, scale,
                    (fp8mac_convert_mode){0}, NULL);
    tally_add(&t, f->format, values, codes, VALUES, scale, amax);
    const double decibels = 10 * log10(e.signal / e.noise), got = tally_decibels(&t) / 100.0;
    const int good = t.outputs == VALUES && t.overflow == e.overflow && t.zero == e.zero &&
                     t.subnormal == e.subnormal && fabs(decibels - got) < 0.02;
    if (!good) {
        printf("FAIL %s, scale %g: overflow %u of %u, zero %u of %u, subnormal %u of %u, %.2f of "
               "%.2f dB\n",
               fp8mac_format_get(f->format)->name, (double)scale, t.overflow, e.overflow, t.zero,
               e.zero, t.subnormal, e.subnormal, got, decibels);
    }
    return good;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            one_round(&formats[i], round) ? passed++ : failed++;
        }
    }
    const tally exact = {.outputs = 1, .signal = 100}, silent = {.outputs = 1, .noise = 1};
    const tally ratio = {.signal = 1u << 20, .noise = 1u << 10};
    const int ends = tally_decibels(&exact) == TALLY_CLEAN &&
                     tally_decibels(&silent) == -TALLY_CLEAN && tally_decibels(&ratio) == 3010;
    ends ? passed++ : failed++;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
