// SPDX-License-Identifier: Apache-2.0
// Every pair of formats of A and B with every format of D, by products of a few numbers
// that every format has.
#include "formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fp32_bits.h"
#include "fp8rt/matrix.h"
#include "fp8rt/registers.h"
#include "operand_format.h"

enum { SIDE = 4, BEAT_MOST = 32, RESULTS = FP8MAC_ARRAY_FORMAT_COUNT };

static const fp8mac_format_id operands[] = {
    FP8MAC_E4M3FN, FP8MAC_E5M2,   FP8MAC_E4M3FNUZ, FP8MAC_E5M2FNUZ,
    FP8MAC_E3M2FN, FP8MAC_E2M3FN, FP8MAC_E2M1FN,   FP8MAC_INT8,
};
enum { OPERANDS = sizeof operands / sizeof operands[0] };

// Numbers of e2m1fn; int8 has the integers alone.
static const float a_values[SIDE] = {1.5f, -1.0f, 3.0f, 6.0f},
                   b_values[SIDE] = {2.0f, -3.0f, 0.5f, 1.0f};
static const float a_integers[SIDE] = {5, -1, 3, 6}, b_integers[SIDE] = {2, -3, 7, 1};

typedef struct formats {
    fp8rt_device *dev;
    report *r;
    uint8_t *a, *b, *d; // a beat from row to row; D's rows have BEAT_MOST bytes
    uint8_t *want;      // for each format of D: SIDE x SIDE codes of up to 4 bytes
    bool failed[OPERANDS][OPERANDS][RESULTS];
} formats;

static bool takes(const formats *f, unsigned operand)
{
    return fp8rt_element_takes(&f->dev->caps.element, operands[operand]);
}

static bool gives(const formats *f, unsigned result)
{
    return result != FP8MAC_INT8 || (f->dev->caps.functions & FP8MAC_FUNCTION_INT8) != 0;
}

static bool is_int8(const formats *f)
{
    return f->dev->caps.element.int8;
}

// A column of codes, a beat apart.
static void encode(const formats *f, fp8mac_format_id format, const float *values, uint8_t *to)
{
    const uint32_t beat = f->dev->caps.beat_bytes;
    uint8_t codes[SIDE];
    fp8rt_quantize(format, codes, SIDE, values, SIDE, 1, SIDE, 1.0f, FP8MAC_OVERFLOW_SATURATE,
                   NULL);
    memset(to, 0, SIDE * beat);
    for (uint32_t i = 0; i < SIDE; i++) {
        to[i * beat] = codes[i];
    }
}

static uint8_t *wanted(const formats *f, unsigned result)
{
    return f->want + result * SIDE * SIDE * 4u;
}

static void expect_results(const formats *f)
{
    float values[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        values[i] = is_int8(f) ? a_integers[i / SIDE] * b_integers[i % SIDE]
                               : a_values[i / SIDE] * b_values[i % SIDE];
    }
    for (unsigned result = 0; result < RESULTS; result++) {
        fp8rt_quantize((fp8mac_format_id)result, wanted(f, result), SIDE * SIDE * 4u, values,
                       SIDE * SIDE, 1, SIDE * SIDE, 1.0f, FP8MAC_OVERFLOW_SATURATE, NULL);
    }
}

static fp8rt_status multiply(const formats *f, unsigned a, unsigned b, unsigned result)
{
    const uint32_t beat = f->dev->caps.beat_bytes;
    fp8rt_command command = {
        .a.addr = (uintptr_t)f->a,
        .b.addr = (uintptr_t)f->b,
        .d.addr = (uintptr_t)f->d,
        .a.stride = beat,
        .b.stride = beat,
        .d.stride = BEAT_MOST,
        .d.fmt = (uint8_t)result,
        .m = SIDE,
        .n = SIDE,
        .k = 1,
        .mode.pass_shape = FP8MAC_PASS_AUTOMATIC,
        .a.scale = FP8RT_FP32_ONE,
        .b.scale = FP8RT_FP32_ONE,
        .d.scale = FP8RT_FP32_ONE,
    };
    fp8rt_set_formats(&command, &f->dev->caps.element, operands[a], operands[b]);
    fp8rt_status status = fp8rt_device_submit(f->dev, &command);
    if (status == FP8RT_OK) {
        status = fp8rt_device_wait(f->dev);
    }
    if (status != FP8RT_OK) {
        fp8rt_device_clear(f->dev, FP8RT_CLEAR_ERROR);
    }
    return status;
}

static bool is_right(const formats *f, unsigned result)
{
    const uint32_t row = SIDE * fp8mac_format_bytes(fp8mac_format_get((fp8mac_format_id)result));
    const uint8_t *want = wanted(f, result);
    for (uint32_t i = 0; i < SIDE; i++) {
        if (memcmp(f->d + i * BEAT_MOST, want + i * row, row) != 0) {
            return false;
        }
    }
    return true;
}

// The failures of one format in one role: of all, or none.
static bool all_fail(const formats *f, unsigned role, unsigned format)
{
    for (unsigned a = 0; a < OPERANDS; a++) {
        for (unsigned b = 0; b < OPERANDS; b++) {
            for (unsigned d = 0; d < RESULTS; d++) {
                const unsigned own = role == 0 ? a : role == 1 ? b : d;
                if (own == format && takes(f, a) && takes(f, b) && gives(f, d) &&
                    !f->failed[a][b][d]) {
                    return false;
                }
            }
        }
    }
    return true;
}

static void name_formats(const formats *f, unsigned failures)
{
    static const char *const roles[] = {"A", "B", "D"};
    bool named = false;
    for (unsigned role = 0; role < 3; role++) {
        for (unsigned i = 0; i < OPERANDS; i++) {
            const fp8mac_format_id id = role == 2 ? (fp8mac_format_id)i : operands[i];
            if ((role == 2 ? gives(f, i) : takes(f, i)) && all_fail(f, role, i)) {
                char part[REPORT_NAME];
                snprintf(part, sizeof part, "format %s of %s", fp8mac_format_get(id)->name,
                         roles[role]);
                report_broken(f->r, part, "every product with it is wrong");
                named = true;
            }
        }
    }
    if (!named) {
        report_broken(f->r, "formats", "%u combinations of A, B and D are wrong", failures);
    }
}

static unsigned run_all(formats *f, unsigned *failures)
{
    unsigned count = 0;
    for (unsigned a = 0; a < OPERANDS; a++) {
        for (unsigned b = 0; takes(f, a) && b < OPERANDS; b++) {
            if (!takes(f, b)) {
                continue;
            }
            encode(f, operands[a], is_int8(f) ? a_integers : a_values, f->a);
            encode(f, operands[b], is_int8(f) ? b_integers : b_values, f->b);
            for (unsigned d = 0; d < RESULTS; d++) {
                if (gives(f, d)) {
                    f->failed[a][b][d] = multiply(f, a, b, d) != FP8RT_OK || !is_right(f, d);
                    *failures += f->failed[a][b][d];
                    count++;
                }
            }
        }
    }
    return count;
}

void check_formats(fp8rt_device *dev, fp8rt_arena arena, report *r)
{
    static formats f;
    f = (formats){.dev = dev, .r = r};
    f.a = fp8rt_arena_alloc(&arena, SIDE * BEAT_MOST);
    f.b = fp8rt_arena_alloc(&arena, SIDE * BEAT_MOST);
    f.d = fp8rt_arena_alloc(&arena, SIDE * BEAT_MOST);
    f.want = fp8rt_arena_alloc(&arena, RESULTS * SIDE * SIDE * 4u);
    if (f.want == NULL) {
        report_broken(r, "memory", "too little for the formats");
        return;
    }
    unsigned failures = 0;
    expect_results(&f);
    const unsigned count = run_all(&f, &failures);
    r->passed += count - failures;
    if (failures != 0) {
        name_formats(&f, failures);
    }
}
