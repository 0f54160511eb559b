// SPDX-License-Identifier: Apache-2.0
// Scaling recipes compute the scale that quantises a tensor from its largest magnitude (amax).
//
// A scale multiplies on the way into FP8, as scale_d of the GEMM does. The dequantising scale,
// which the next GEMM takes as a.scale, is fp8mac_recipe_inverse(scale).
//
// The formula, from Transformer Engine's DelayedScaling (NVIDIA/TransformerEngine,
// transformer_engine/common/recipe and _default_sf_compute in its framework parts). Each operation
// is one FP32 nearest-even operation:
//
//   FP8MAC_RECIPE_RATIO          scale = (fp8_max / amax) / 2^margin
//   FP8MAC_RECIPE_POWER_OF_TWO   scale = 2^(floor(log2(fp8_max / amax)) - margin)      (its older
//                                                                                      form)
//
//   FP8MAC_RECIPE_DIVISION_SOURCE   fp8_max / amax = fp8_max * (1 / amax), rounded twice: PyTorch
//                                   computes a number divided by a tensor so, and Transformer
//                                   Engine is written in PyTorch
//   FP8MAC_RECIPE_DIVISION_IEEE     fp8_max / amax, rounded once: at most 1 unit in the last place
//                                   apart, unless 1 / amax is subnormal or infinite
//
//   amax 0, Inf or NaN     the previous scale stays
//   scale infinite         becomes the largest float
//   scale underflows to 0  becomes the smallest positive float, because 0 cannot dequantise; with
//                          FP8MAC_RECIPE_UNDERFLOW_ZERO it stays 0, as Transformer Engine leaves it
//
// floor(log2 x) is taken from the exponent field of x, subnormals normalised. The sign of an amax
// is ignored. An amax observed together with amax_nonfinite counts as Inf. The functions allocate
// nothing and call no libm. They only divide and multiply floats, so that a core without floating
// point computes the same bits.
#ifndef FP8MAC_RECIPE_H
#define FP8MAC_RECIPE_H

#include <stddef.h>

#include "fp8mac/format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FP8MAC_RECIPE_MARGIN_MIN (-32)
#define FP8MAC_RECIPE_MARGIN_MAX 32

// ---- what recipes are made of -------------------------------------------------------------------

// The largest finite value of `format`, which must be valid and at most FP32: 448 for e4m3fn, 57344
// for e5m2.
float fp8mac_recipe_format_max(const fp8mac_format *format);
// floor(log2(x)) of a finite x > 0: -149..127.
int fp8mac_recipe_floor_log2(float x);
// 2^exponent, which must be -149..127.
float fp8mac_recipe_power_of_two(int exponent);
// The dequantising scale, 1 / scale: one FP32 division. Inf if scale is too small for its inverse
// to be a float.
float fp8mac_recipe_inverse(float scale);
// The maximum of the magnitudes of n amaxes, say one per rank or per part of a tensor; NaN if any
// is NaN (0x7fc00000), else Inf if any is Inf, +0 if n is 0.
float fp8mac_recipe_reduce(const float *amaxes, size_t n);

typedef enum fp8mac_recipe_form {
    FP8MAC_RECIPE_RATIO = 0,
    FP8MAC_RECIPE_POWER_OF_TWO = 1,
} fp8mac_recipe_form;

typedef enum fp8mac_recipe_division {
    FP8MAC_RECIPE_DIVISION_SOURCE = 0,
    FP8MAC_RECIPE_DIVISION_IEEE = 1,
} fp8mac_recipe_division;

typedef enum fp8mac_recipe_underflow {
    FP8MAC_RECIPE_UNDERFLOW_SMALLEST = 0,
    FP8MAC_RECIPE_UNDERFLOW_ZERO = 1,
} fp8mac_recipe_underflow;

typedef struct fp8mac_recipe_formula {
    // finite, > 0: the value that amax is to become, fp8mac_recipe_format_max as a rule
    float fp8_max;
    // Powers of two left free above amax; FP8MAC_RECIPE_MARGIN_MIN..FP8MAC_RECIPE_MARGIN_MAX
    int margin;
    fp8mac_recipe_form form;
    fp8mac_recipe_division division;
    fp8mac_recipe_underflow underflow;
} fp8mac_recipe_formula;

// FP8MAC_OK; FP8MAC_ERR_SCALE (fp8_max), FP8MAC_ERR_SCALE_EXPONENT (margin), FP8MAC_ERR_UNSUPPORTED
// (unknown form, division or underflow).
fp8mac_status fp8mac_recipe_formula_validate(fp8mac_recipe_formula formula);
// The formula above with all its edge cases. `formula` must be valid.
float fp8mac_recipe_scale(fp8mac_recipe_formula formula, float amax, float previous);

// ---- static, dynamic ----------------------------------------------------------------------------
// `*scale` is the previous scale on entry, which must be finite and > 0 (1 if there is none), and
// the new one on return. Errors leave it alone.

// Sets the given scale. FP8MAC_ERR_NULL; FP8MAC_ERR_SCALE unless `given` is finite and > 0.
fp8mac_status fp8mac_recipe_static(float given, float *scale);
// Sets the scale from the amax of the tensor itself. FP8MAC_ERR_NULL; FP8MAC_ERR_SCALE (previous
// scale); those of fp8mac_recipe_formula_validate.
fp8mac_status fp8mac_recipe_dynamic(fp8mac_recipe_formula formula, float amax, bool amax_nonfinite,
                                    float *scale);

// ---- delayed ------------------------------------------------------------------------------------
// The scale for this step comes from the amaxes of the steps before it, so a tensor is quantised
// while it is made.
//
//   config.history = memory; state = init(config, 1.0f); update(state, calibration amax)
//   each step: make the tensor with state.scale, read its amax back, update(state, amax)

typedef enum fp8mac_recipe_window {
    FP8MAC_RECIPE_MAX = 0,         // fp8mac_recipe_reduce of the whole history
    FP8MAC_RECIPE_MOST_RECENT = 1, // history[0]
} fp8mac_recipe_window;

// history[0] is the newest of `length` amaxes. Entries not yet filled are +0. Both functions run in
// the library's floating-point environment: nearest even, with subnormals, no traps.
typedef float (*fp8mac_recipe_amax_fn)(const float *history, size_t length, void *context);
// Replaces the formula. A result that is not finite and > 0 is treated as the formula's would be:
// Inf becomes the largest float; NaN, zero or a negative value keep the previous scale.
typedef float (*fp8mac_recipe_scale_fn)(float amax, float previous, fp8mac_recipe_formula formula,
                                        void *context);

// All zero but formula.fp8_max, history and history_length is Transformer Engine's default,
// recomputed at every step.
typedef struct fp8mac_recipe_delayed_config {
    fp8mac_recipe_formula formula;
    // The scale is recomputed by the first update and every interval-th after it; the history takes
    // part in all of them. 0 means 1
    size_t interval;
    fp8mac_recipe_window window;
    fp8mac_recipe_amax_fn amax_fn;   // instead of `window`, or NULL
    fp8mac_recipe_scale_fn scale_fn; // instead of `formula`, or NULL
    void *context;                   // handed to the two functions
    float *history;                  // the caller's memory, which lives as long as the recipe
    size_t history_length;           // >= 1: the steps that are looked at, the newest included
} fp8mac_recipe_delayed_config;

typedef struct fp8mac_recipe_delayed {
    fp8mac_recipe_delayed_config config;
    float scale;    // to be used now
    size_t updates; // since init, modulo interval
} fp8mac_recipe_delayed;

// Clears the history and sets the scale. FP8MAC_ERR_NULL (recipe, history), FP8MAC_ERR_SHAPE
// (history_length 0), FP8MAC_ERR_SCALE (scale), FP8MAC_ERR_UNSUPPORTED (unknown window), those of
// fp8mac_recipe_formula_validate.
fp8mac_status fp8mac_recipe_delayed_init(fp8mac_recipe_delayed *recipe,
                                         fp8mac_recipe_delayed_config config, float scale);
// Adds the amax of the finished step to the history, drops the oldest one, and returns the scale
// for the next step. An amax of Inf or NaN keeps the scale as long as it is within the window.
// `recipe` must be initialised.
float fp8mac_recipe_delayed_update(fp8mac_recipe_delayed *recipe, float amax, bool amax_nonfinite);

#ifdef __cplusplus
}
#endif
#endif
