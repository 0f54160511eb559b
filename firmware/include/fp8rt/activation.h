// SPDX-License-Identifier: Apache-2.0
// Activations as tables of codes: sigmoid, tanh, GELU, SiLU, or any function. A table maps each FP8
// code of D to the code of the activation of its value. GEMMs and element-wise commands apply it
// while they write D, at no cost in cycles (fp8rt_coding.table):
//
//   fp8rt_activation silu = {.function = fp8rt_silu, .from_scale = 0.125f};
//   status = fp8rt_activation_table(silu, codes);
//   status = fp8rt_device_load_table(&dev, 1, codes);
//
// The functions compute in double precision. The core of the simulated chip has no floating-point
// unit, so make tables once, or on the host.
#ifndef FP8RT_ACTIVATION_H
#define FP8RT_ACTIVATION_H

#include "fp8rt/device.h"

#ifdef __cplusplus
extern "C" {
#endif

// Besides these, any function of this type, such as tanh of math.h.
typedef double fp8rt_function(double x);
double fp8rt_sigmoid(double x); // 1 / (1 + e^-x)
double fp8rt_silu(double x);    // x / (1 + e^-x)
double fp8rt_gelu(double x);    // x / 2 * (1 + erf(x / sqrt(2)))

typedef struct fp8rt_activation {
    fp8rt_function *function;
    fp8mac_format_id from; // of the codes that are mapped: D's format, FP8 or INT8
    float from_scale;    // a code's value is from_scale times its number. With scale_d: 1 / scale_d
    fp8mac_format_id to; // of the codes in the table, FP8 or INT8
    float to_scale;      // its number is to_scale times the activation
    fp8mac_overflow overflow; // of that number; INT8: saturate
} fp8rt_activation;

// codes[c] = encode(function(decode(c) * from_scale) * to_scale), rounded to FP32 and then to the
// format, each to nearest even. A scale of 0 stands for 1. FP8RT_OK, FP8RT_ERR_NULL,
// FP8RT_ERR_FORMAT, FP8RT_ERR_SCALE (not finite, or below 0), FP8RT_ERR_OVERFLOW_MODE:
// codes are not written.
fp8rt_status fp8rt_activation_table(fp8rt_activation activation, uint8_t codes[FP8RT_TABLE_CODES]);

#ifdef __cplusplus
}
#endif
#endif
