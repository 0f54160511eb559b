// SPDX-License-Identifier: Apache-2.0
// Types and functions of the row commands' part of the epilogue (fp8mac_rows).
package fp8mac_rows_pkg;
  import fp8mac_pkg::*;

  parameter int unsigned BandRows = 16;
  parameter int unsigned Pairs    = BandRows / 2;  // of rows: those of a transfer
  parameter int unsigned Groups   = 4;             // partial sums of a lane, for every fourth group of four columns
  parameter int unsigned Cols     = 4;             // of a transfer
  parameter int unsigned Width    = 2 * Cols;
  typedef logic [2:0] pair_t;
  typedef logic [1:0] group_t;

  // Of a transfer's first row: both are neighbours, or one row is between.
  function automatic pair_t pair_of(logic [3:0] row, logic neighbours);
    return {row[3:2], neighbours ? row[1] : row[0]};
  endfunction

  // Lane w is column w % Cols of row w / Cols.
  function automatic logic [Width-1:0][31:0] both_rows(logic [1:0][31:0] x);
    return {{Cols{x[1]}}, {Cols{x[0]}}};
  endfunction

  // Lanes of a row change places with their neighbours, or with the next but one.
  function automatic logic [Width-1:0][31:0] exchanged(logic [Width-1:0][31:0] x, logic by_two);
    for (int unsigned w = 0; w < Width; w++) exchanged[w] = by_two ? x[w ^ 2] : x[w ^ 1];
  endfunction

  parameter logic [31:0] Fp32NegZero = 32'h8000_0000;
  parameter logic [31:0] Fp32NegInf  = 32'hff80_0000;
  parameter logic [31:0] LeastMagnitude = 32'h0d80_0000;  // 2^-100

  // The steps of fp8mac_rows_program
  typedef enum logic [3:0] {
    ActionLoad, ActionG1, ActionG2, ActionG3, ActionL1, ActionL2, ActionMean, ActionVar,
    ActionR1, ActionR2, ActionR3, ActionR4, ActionC1, ActionC2, ActionC3, ActionEnd
  } action_e;

  typedef struct packed {
    logic    valid;
    pair_t   pair;
    action_e action;
  } place_t;

  // A positive number whose reciprocal or reciprocal square root is computed: 1.fraction *
  // 2^exponent, with an exponent of two's complement; or what it is instead.
  parameter logic [8:0] ExponentZero = 9'h100;
  parameter logic [8:0] ExponentInf  = 9'h101;
  parameter logic [8:0] ExponentNan  = 9'h102;

  typedef struct packed {
    logic [8:0]  exponent;
    logic [22:0] fraction;
  } split_t;

  function automatic split_t split(logic [30:0] x);
    logic [4:0] zeros;
    zeros          = leading_zeros({x[22:0], 9'h1ff});
    split.exponent = 9'(x[30:23]) - 9'd127;
    split.fraction = x[22:0];
    if (x[30:23] == '0) begin
      split.exponent = -9'd127 - 9'(zeros);
      split.fraction = 23'({x[22:0], 1'b0} << zeros);
    end
    if (x == '0) split.exponent = ExponentZero;
    if (x == Fp32Inf[30:0]) split.exponent = ExponentInf;
    if (x > Fp32Inf[30:0]) split.exponent = ExponentNan;
    if (split.exponent inside {ExponentZero, ExponentInf, ExponentNan}) split.fraction = '0;
  endfunction

  // Its significand, from 1 up to 2; of a root, up to 4, so that an even exponent remains
  function automatic logic [31:0] significand(split_t x, logic root);
    return {1'b0, (root && x.exponent[0]) ? 8'd128 : 8'd127, x.fraction};
  endfunction

  // The result from Newton's iteration, `twice` the function of the significand; exponent: of what
  // it is computed from. Where a reciprocal is subnormal, only its fraction counts: see below.
  function automatic logic [31:0] rescaled(logic [30:0] twice, logic [8:0] exponent, logic root);
    rescaled = {1'b0, twice[30:23] - (root ? exponent[8:1] : exponent[7:0]) - 8'd1, twice[22:0]};
    if (exponent == ExponentZero) rescaled = Fp32Inf;
    if (exponent == ExponentInf) rescaled = '0;
    if (exponent == ExponentNan) rescaled = Fp32Nan;
  endfunction

  // Bits that a reciprocal of a number from 2^126 on loses, because it is subnormal: none, one or
  // two. `two`: the result of Newton's iteration is 2, and less otherwise.
  function automatic logic [1:0] lost_bits(logic two, logic [8:0] exponent);
    return (exponent[8:1] == 8'd63) ? 2'(exponent[0]) + 2'(!two) : 2'd0;
  endfunction

  // The gain, rounded to nearest even where it loses bits
  function automatic logic [31:0] subnormal(logic [31:0] x, logic [1:0] lost);
    subnormal = x;
    if (lost == 2'd1) subnormal = {8'd0, {2'b01, x[22:1]} + 24'(x[0] && x[1])};
    if (lost == 2'd2) subnormal = {8'd0, {3'b001, x[22:2]} + 24'(x[1] && (x[0] || x[2]))};
  endfunction

  // The E8M0 scale of an MX block, from the exponent field of its largest magnitude; 255 for Inf
  // and NaN
  function automatic logic [7:0] mx_scale(logic [7:0] exponent, dst_fmt_e fmt);
    logic [3:0] emax;  // of the format's largest number
    unique case (fmt)
      DstE4m3fn:   emax = 4'd8;
      DstE4m3fnuz: emax = 4'd7;
      default:     emax = 4'd15;
    endcase
    if (exponent == '1) return '1;
    return (exponent < 8'(emax)) ? '0 : exponent - 8'(emax);
  endfunction

  // 2^(127 - scale), or Inf for the scale 255
  function automatic logic [31:0] mx_gain(logic [7:0] scale);
    return {1'b0, 8'd254 - scale, 23'd0};
  endfunction

  function automatic logic [31:0] half(logic [31:0] x);
    return {x[31], x[30:23] - 8'd1, x[22:0]};
  endfunction

  function automatic logic is_nan(logic [30:0] x);
    return x > Fp32Inf[30:0];
  endfunction

  function automatic logic [31:0] negative(logic [31:0] x);
    return {!x[31], x[30:0]};
  endfunction

  // The larger one, where -0 is below +0; a canonical NaN is above all.
  function automatic logic [31:0] larger(logic [31:0] a, logic [31:0] b);
    logic [31:0] x, y;
    x = a[31] ? ~a : {1'b1, a[30:0]};
    y = b[31] ? ~b : {1'b1, b[30:0]};
    return x > y ? a : b;
  endfunction

  function automatic logic equal(logic [31:0] a, logic [31:0] b);
    return a == b || (a[30:0] == '0 && b[30:0] == '0);
  endfunction

endpackage
