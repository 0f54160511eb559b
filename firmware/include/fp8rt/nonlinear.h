// SPDX-License-Identifier: Apache-2.0
// Sigmoid, tanh, SiLU and GELU, in three ways. ReLU and clamps are part of every layer that has
// fp8rt_fused.
//
//   way            x            cycles of the core for a value   error
//   table          FP8          0                                that of the codes
//   interpolated   any format   31 to 36                         2^-11.6 * max(1, |f(x)|)
//   float          any format   2,300 to 3,000                   2^-23 * max(1, |f(x)|)
//
// The cycles are those of tensors of 800 (float: 160) FP32 values on the chip (`make run
// APP=layers`). Formats other than FP32 are converted by the accelerator before and behind. A layer
// with fp8rt_fused.coding.table needs no command for its table. The table is made by
// fp8rt_activation_table and loaded by fp8rt_device_load_table.
#ifndef FP8RT_NONLINEAR_H
#define FP8RT_NONLINEAR_H

#include "fp8rt/activation.h"
#include "fp8rt/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fp8rt_curve {
    FP8RT_CURVE_SIGMOID = 0,
    FP8RT_CURVE_TANH,
    FP8RT_CURVE_SILU,
    FP8RT_CURVE_GELU,
} fp8rt_curve;

// y[i] = f(x[i]), linear between 16 points for each power of two of |x|, without floating point. y
// may be x. NaN gives NaN (0x7fc00000). `curve` is one of the four.
void fp8rt_interpolate(fp8rt_curve curve, const float *x, float *y, size_t count);
// The same curve in double precision, for tables and references; NULL: not one of the four.
fp8rt_function *fp8rt_curve_function(fp8rt_curve curve);

typedef enum fp8rt_nonlinear_way {
    FP8RT_NONLINEAR_INTERPOLATED = 0,
    FP8RT_NONLINEAR_FLOAT, // the functions of math.h
    FP8RT_NONLINEAR_TABLE,
} fp8rt_nonlinear_way;

typedef struct fp8rt_nonlinear_desc {
    const fp8rt_tensor *x; // of any format; for a table FP8
    fp8rt_curve curve;     // not for a table, which has its own
    fp8rt_nonlinear_way way;
    uint32_t table;    // 1 to FP8RT_TABLES, loaded for codes of x's format
    fp8rt_tensor *out; // as x. For a table of x's format, with the scale of the table's codes
} fp8rt_nonlinear_desc;

// FP8RT_ERR_NULL, FP8RT_ERR_SHAPE, FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE, FP8RT_ERR_ALIGNMENT,
// FP8RT_ERR_STRIDE, FP8RT_ERR_SCRATCH, FP8RT_ERR_ACTIVATION (no such curve or way),
// FP8RT_ERR_UNSUPPORTED (no such table, or a table and a scale that is not static): nothing was
// written. Others as fp8rt_elementwise.
fp8rt_status fp8rt_nonlinear(fp8rt_run *run, const fp8rt_nonlinear_desc *desc);

#ifdef __cplusplus
}
#endif
#endif
