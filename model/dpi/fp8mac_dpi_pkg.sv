// SPDX-License-Identifier: Apache-2.0
// libfp8mac for SystemVerilog testbenches. Link fp8mac_dpi.c, model/cli/settings.c and libfp8mac.a.
//
//   // A handle. 0 if refused: fp8mac_message() says why.
//   int dot = fp8mac_dot_new("preset=hopper-fp8 a-format=e5m2");
//   void'(fp8mac_dot_term(dot, a_code, b_code));                     // terms of the step to come
//   void'(fp8mac_dot_step(dot));                                     // the step
//   expected = fp8mac_dot_result(dot);                               // the accumulator as an FP32 pattern
//
// Formats are named as in C ("e4m3fn", "cfloat8_e4m3:9"). A format's handle is positive; 0 means
// that no format has that name. A configuration is a list of the command-line tool's settings,
// "name=value", separated by spaces. Functions that return a status return 0 for success and
// otherwise the C status; fp8mac_message() then says why. No call ends the simulation. Handles
// belong to the process: make all calls from one thread.
package fp8mac_dpi_pkg;

  typedef enum int {
    RoundNearestEven = 0,
    RoundTowardZero  = 1
  } fp8mac_rounding_e;

  typedef enum int {
    OverflowSaturate       = 0,
    OverflowSaturateFinite = 1,
    OverflowIeee           = 2
  } fp8mac_overflow_e;

  typedef enum int {
    ClassZero   = 0,
    ClassFinite = 1,
    ClassInf    = 2,
    ClassNan    = 3
  } fp8mac_class_e;

  // Bits of the flags that functions OR into their inout argument.
  parameter int FlagInvalid = 1, FlagOverflow = 2, FlagSaturated = 4, FlagNan = 8;

  // The sentence of the last call that failed.
  import "DPI-C" fp8mac_dpi_message = function string fp8mac_message();

  // ---- formats and conversions

  import "DPI-C" fp8mac_dpi_format = function int fp8mac_format(input string name);
  import "DPI-C" fp8mac_dpi_bits = function int fp8mac_bits(input int format);
  // (-1)^sign * significand * 2^exponent for ClassFinite.
  import "DPI-C" fp8mac_dpi_decode_code = function int fp8mac_decode_code(
    input int format, input int unsigned code, output int cls, output bit sign,
    output int exponent, output longint unsigned significand);
  import "DPI-C" fp8mac_dpi_to_real = function real fp8mac_to_real(
    input int format, input int unsigned code);
  // The exact value in decimal, with every digit.
  import "DPI-C" fp8mac_dpi_to_text = function string fp8mac_to_text(
    input int format, input int unsigned code);
  // Converts a real, or a code of another format, and rounds once. `rounding` is a
  // fp8mac_rounding_e, `overflow` a fp8mac_overflow_e.
  import "DPI-C" fp8mac_dpi_from_real = function int unsigned fp8mac_from_real(
    input int format, input real value, input int rounding, input int overflow,
    inout int unsigned flags);
  import "DPI-C" fp8mac_dpi_cast = function int unsigned fp8mac_cast(
    input int to_format, input int from_format, input int unsigned code, input int rounding,
    input int overflow, inout int unsigned flags);
  // The same with stochastic rounding: n = 1..24 random bits r < 2^n.
  import "DPI-C" fp8mac_dpi_cast_stochastic = function int unsigned fp8mac_cast_stochastic(
    input int to_format, input int from_format, input int unsigned code, input int overflow,
    input int unsigned r, input int n, inout int unsigned flags);

  // ---- dot products

  import "DPI-C" fp8mac_dpi_dot_new = function int fp8mac_dot_new(input string settings);
  import "DPI-C" fp8mac_dpi_dot_free = function int fp8mac_dot_free(input int dot);
  // Sets the accumulator to +0 and clears flags and waiting terms. (m, n) is the position that the
  // generator of stochastic rounding uses.
  import "DPI-C" fp8mac_dpi_dot_clear = function int fp8mac_dot_clear(
    input int dot, input int unsigned m, input int unsigned n);
  // Loads a floating-point accumulator with a code of its own format.
  import "DPI-C" fp8mac_dpi_dot_load = function int fp8mac_dot_load(
    input int dot, input int unsigned code);
  // Sets the scaling exponents of the following steps, -32..+32 each.
  import "DPI-C" fp8mac_dpi_dot_scale = function int fp8mac_dot_scale(
    input int dot, input int scale_exp_a, input int scale_exp_b);
  import "DPI-C" fp8mac_dpi_dot_term = function int fp8mac_dot_term(
    input int dot, input byte unsigned a, input byte unsigned b);
  // One step over the terms that wait, at most `group`.
  import "DPI-C" fp8mac_dpi_dot_step = function int fp8mac_dot_step(input int dot);
  import "DPI-C" fp8mac_dpi_dot_result = function int unsigned fp8mac_dot_result(input int dot);  // FP32 pattern
  // The accumulator's code in its own format.
  import "DPI-C" fp8mac_dpi_dot_code = function int unsigned fp8mac_dot_code(input int dot);
  import "DPI-C" fp8mac_dpi_dot_flags = function int unsigned fp8mac_dot_flags(input int dot);

  // ---- epilogue: D = convert(act(t0 * (scale_a * scale_b) + bias + beta * c) * scale_d),
  // floats as FP32 patterns

  // Returns a handle, or 0 if the settings are refused. activation: 0 none, 1 ReLU, 2 clamp to
  // lo..hi.
  import "DPI-C" fp8mac_dpi_epilogue_new = function int fp8mac_epilogue_new(
    input int d_format, input int rounding, input int overflow, input int unsigned scale_d,
    input bit has_bias, input int unsigned beta, input int activation, input int unsigned lo,
    input int unsigned hi);
  // Returns the code of D. Updates amax (an FP32 pattern) and amax_nonfinite.
  import "DPI-C" fp8mac_dpi_epilogue = function int unsigned fp8mac_epilogue(
    input int epilogue, input int unsigned t0, input int unsigned scale_a,
    input int unsigned scale_b, input int unsigned bias, input int unsigned c,
    inout int unsigned amax, inout bit amax_nonfinite, inout int unsigned flags);

endpackage
