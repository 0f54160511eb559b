// SPDX-License-Identifier: Apache-2.0
// Types and functions of the row commands' part of the epilogue (fp8mac_rows).
package fp8mac_rows_pkg;
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;

  // A band has 16 rows. A transfer has `rows` of them, `row_step` apart, with `cols` columns of
  // each. Those rows are a set.
  parameter int unsigned BandRows = 16;
  parameter int unsigned Partials = 16;  // sums of a row
  parameter int unsigned Turn     = 8;   // sets that the program has side by side
  typedef logic [3:0] set_t;
  typedef logic [3:0] group_t;  // of a row's columns, modulo Partials

  function automatic int unsigned sets_of(int unsigned rows, int unsigned row_step);
    int unsigned sets;
    sets = row_step * (rows * row_step < BandRows ? BandRows / (rows * row_step) : 1);
    return sets < BandRows ? sets : BandRows;
  endfunction

  // The set of a transfer with this first row
  function automatic set_t set_of(logic [3:0] row, int unsigned rows, int unsigned row_step);
    return set_t'(32'(row) / (rows * row_step) * row_step + 32'(row) % row_step);
  endfunction

  // Partial maxima of a lane: 8 of a row, or one in each lane
  function automatic int unsigned maxima_of(int unsigned cols);
    return cols < 8 ? 8 / cols : 1;
  endfunction

  parameter logic [31:0] Fp32NegZero = 32'h8000_0000;
  parameter logic [31:0] Fp32NegInf  = 32'hff80_0000;
  parameter logic [31:0] LeastMagnitude = 32'h0d80_0000;  // 2^-100

  // The steps of fp8mac_rows_program. ActionAdd stands for all steps of a sum but the last one.
  typedef enum logic [3:0] {
    ActionTake, ActionAdd, ActionTotal, ActionMean, ActionVar,
    ActionR1, ActionR2, ActionR3, ActionR4, ActionC1, ActionC2, ActionC3, ActionEnd
  } action_e;

  // What a step does with partial sums: it adds those of a group, of the lanes whose numbers have
  // other bits.
  typedef struct packed {
    logic       load;    // to -0, else to the sum at hand
    logic       kept;    // the program wrote that group
    group_t     group;
    logic [3:0] lanes;
    logic       write;   // the sum, as that of group `to`
    group_t     to;
  } sum_step_t;

  typedef logic [4:0] sum_index_t;

  typedef struct packed {
    logic       valid;
    set_t       rows;
    action_e    action;
    sum_index_t index;  // of a sum's step
  } place_t;

  // Steps of a sum
  function automatic int unsigned sum_steps(int unsigned cols);
    return cols >= 4 ? 6 : cols == 2 ? 11 : 19;
  endfunction

  // Step `index` of the sum of a row's partial sums P0 .. P15. Lane l of `cols` has Pi with i %
  // cols = l, in group i / cols. Whatever `cols` is, the order is
  //
  //   Qj = ((Pj + Pj+4) + Pj+8) + Pj+12      (Q0 + Q1) + (Q2 + Q3)
  //
  //   cols    steps
  //   4 .. 16   Q of four lanes; those of neighbours; those of the next but one
  //   2         Q0, Q1; both in each lane; Q2, Q3; both in each lane; all
  //   1         Q0; Q1; both; Q2; Q3; both; all
  function automatic sum_step_t sum_step(int unsigned cols, sum_index_t index);
    int unsigned i, q, t;  // Qq and those in other lanes; term t of it
    i        = 32'(index);
    sum_step = '0;
    q        = 0;
    t        = i;
    if (cols == 2 && i >= 5) begin
      q = 1;
      t = i - 5;
    end
    if (cols == 1) begin
      q = (i < 4) ? 0 : (i < 9) ? 1 : (i < 13) ? 2 : 3;
      t = (i < 4) ? i : (i < 9) ? i - 4 : (i < 13) ? i - 9 : i - 13;
    end
    if (t < 4) begin
      sum_step.load  = t == 0;
      sum_step.group = group_t'((4 * t + q * cols) / cols);
      sum_step.lanes = cols > 4 ? 4'((4 * t) % cols) : 4'd0;
      sum_step.write = t == 3 && (cols > 1 || q == 0 || q == 2);
      sum_step.to    = group_t'(q);
    end else begin
      sum_step.kept = 1'b1;
      if (cols >= 4) begin
        sum_step.lanes = (t == 4) ? 4'd1 : 4'd2;
        sum_step.write = t == 4;
      end else if (cols == 2) begin
        sum_step.lanes = (t == 4) ? 4'd1 : 4'd0;
        sum_step.group = (t == 4) ? group_t'(q) : 4'd0;
        sum_step.write = q == 0;
      end else begin
        sum_step.group = (q == 3 && t == 4) ? 4'd2 : 4'd0;
        sum_step.write = q == 1;
      end
    end
  endfunction

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
