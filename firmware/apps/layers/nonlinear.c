// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "fp8rt/reference_elementwise.h"

enum { ROWS = 8, COLS = 100 };

static const char *const curve_names[] = {"sigmoid", "tanh", "SiLU", "GELU"};
static const char *const way_names[] = {"interpolated", "float", "table"};

static fp8rt_status call(fp8rt_run *run, const void *desc)
{
    return fp8rt_nonlinear(run, desc);
}

static void refer(fp8rt_reference *reference, const void *desc)
{
    fp8rt_reference_nonlinear(reference, desc);
}

static void run_case(layers_test *test, fp8rt_curve curve, fp8rt_nonlinear_way way,
                     fp8mac_format_id x_format, fp8mac_format_id out_format, uint32_t cols)
{
    char name[64];
    const fp8rt_arena arena = test->arena;
    fp8rt_tensor x = layers_codes(test, ROWS, cols, x_format);
    fp8rt_tensor out = layers_empty(test, ROWS, cols, out_format);
    x.scale = x_format == FP8MAC_FP32 ? 1.0f : 0.03125f;
    out.scale = x.scale;
    const fp8rt_nonlinear_desc desc = {
        .x = &x, .curve = curve, .way = way, .table = 1, .out = &out};
    snprintf(name, sizeof name, "%s of %d values, %s, %s", curve_names[curve], (int)(ROWS * cols),
             fp8mac_format_get(out_format)->name, way_names[way]);
    test->table = way == FP8RT_NONLINEAR_TABLE;
    const unsigned before = test->recorded;
    layers_try(test, name, call, refer, &desc, &out);
    layers_expect_recorded(test, "a function is recorded", before);
    test->table = false;
    test->arena = arena;
}

// The codes of the table are the curve's, rounded to nearest.
static void run_table(layers_test *test, fp8rt_curve curve)
{
    uint8_t codes[FP8RT_TABLE_CODES];
    const fp8rt_activation activation = {
        .function = fp8rt_curve_function(curve), .from_scale = 0.03125f, .to_scale = 32.0f};
    const bool good = fp8rt_activation_table(activation, codes) == FP8RT_OK &&
                      fp8rt_device_load_table(&test->dev, 1, codes) == FP8RT_OK;
    layers_expect(test, "a table is loaded", good);
    run_case(test, curve, FP8RT_NONLINEAR_TABLE, FP8MAC_E4M3FN, FP8MAC_E4M3FN, COLS);
}

// What an interpolation makes of numbers far from 0 and of those that are none.
static void run_limits(layers_test *test)
{
    static const uint32_t words[] = {0,          0x80000000u, 1,          0x80000001u,
                                     0x7f7fffff, 0xff7fffff,  0x7f800000, 0xff800000,
                                     0x7fc00000, 0xffc00000,  0x7f800001, 0x42c80000};
    static const uint32_t limits[][12] = {
        [FP8RT_CURVE_SIGMOID] = {0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000, 0x3f800000, 0,
                                 0x3f800000, 0, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x3f800000},
        [FP8RT_CURVE_TANH] = {0, 0x80000000u, 1, 0x80000001u, 0x3f800000, 0xbf800000, 0x3f800000,
                              0xbf800000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x3f800000},
        [FP8RT_CURVE_SILU] = {0, 0x80000000u, 0, 0x80000000u, 0x7f7fffff, 0x80000000u, 0x7f800000,
                              0x80000000u, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x42c80000},
        [FP8RT_CURVE_GELU] = {0, 0x80000000u, 0, 0x80000000u, 0x7f7fffff, 0x80000000u, 0x7f800000,
                              0x80000000u, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x42c80000},
    };
    for (int curve = 0; curve <= FP8RT_CURVE_GELU; curve++) {
        float values[12];
        memcpy(values, words, sizeof values);
        fp8rt_interpolate((fp8rt_curve)curve, values, values, 12);
        layers_expect(test, curve_names[curve], memcmp(values, limits[curve], sizeof values) == 0);
    }
}

// The C libraries of host and chip differ in the last bits of FP32, hardly in those of BF16.
static void run_curve(layers_test *test, fp8rt_curve curve)
{
    const fp8rt_nonlinear_way interpolated = FP8RT_NONLINEAR_INTERPOLATED;
    run_case(test, curve, interpolated, FP8MAC_FP32, FP8MAC_FP32, COLS);
    run_case(test, curve, interpolated, FP8MAC_E4M3FN, FP8MAC_E4M3FN, COLS);
    run_case(test, curve, FP8RT_NONLINEAR_FLOAT, FP8MAC_FP32, FP8MAC_BF16, COLS / 5);
    // Some millions of cycles of the core for each table. The data of later cases stay as on the
    // chip.
    if (fp8rt_app_is_host) {
        const fp8rt_random random = test->random;
        run_case(test, curve, FP8RT_NONLINEAR_FLOAT, FP8MAC_FP32, FP8MAC_FP32, COLS);
        run_table(test, curve);
        test->random = random;
    }
}

void layers_nonlinear(layers_test *test)
{
    for (int curve = 0; curve <= FP8RT_CURVE_GELU; curve++) {
        run_curve(test, (fp8rt_curve)curve);
    }
    run_limits(test);
}
