// SPDX-License-Identifier: Apache-2.0
// One lane of sigmoid and tanh: divides the bits of the argument, and gives the operands of the
// line that is the result: value + step * rest, as model/NUMERICS.md defines it.
//
//   cycle 0   t_i: the argument and an origin, which makes it a whole number below the point
//             t_i = 1.5 * 2^9 + u for tanh(u), 1.5 * 2^10 + 2 * u for (1 + tanh(u)) / 2
//   cycle 2   rest_o and step_o
//   cycle 6   value_o
//
//   fraction of t_i   | 1 | number, two's complement, in units of 2^-14 of u ... |
//
// A t_i of another binade is an argument of 8 or more in magnitude, whose line is level. A NaN
// gives NaN, in value_o. A new t_i may come in every cycle.
module fp8mac_tanh_split (
  input  logic        clk_i,
  input  logic        sigmoid_i,  // constant while values pass
  input  logic [31:0] t_i,
  output logic [31:0] rest_o,
  output logic [31:0] step_o,
  output logic [31:0] value_o
);
  import fp8mac_pkg::*;

  localparam int unsigned NumberW = 17;  // of magnitudes below 8
  localparam int unsigned RestW   = 9;
  localparam int unsigned ValueW  = 16;  // up to 2^15
  localparam int unsigned SumW    = 17;  // of value and 2^15
  localparam logic [7:0]  Binade  = 8'd136;  // of 1.5 * 2^9

  // ---- cycle 0: the number ----------------------------------------------------------------------
  logic [22:0] number;     // of two's complement
  logic        negative, saturated;
  logic [22:0] magnitude;

  assign number = {!t_i[22], t_i[21:0]};

  always_comb begin
    saturated = t_i[31] || t_i[30:23] != Binade + 8'(sigmoid_i);
    negative  = saturated ? t_i[31] || t_i[30:23] < Binade + 8'(sigmoid_i) : number[22];
    magnitude = number[22] ? -number : number;
  end

  typedef struct packed {
    logic               nan;
    logic               negative;
    logic               saturated;
    logic [NumberW-1:0] number;
  } argument_t;

  argument_t argument_q;

  always_ff @(posedge clk_i) begin
    argument_q.nan       <= t_i[30:0] > Fp32Inf[30:0];
    argument_q.negative  <= negative;
    argument_q.saturated <= saturated || magnitude[22:NumberW] != '0;
    argument_q.number    <= magnitude[NumberW-1:0];
  end

  // ---- cycle 1: the line ------------------------------------------------------------------------
  //   below 2   | interval, 6 bits | rest |      from 2 on   | 1 | interval, 5 bits | rest | 1 bit or 2 |
  typedef struct packed {
    logic       nan;
    logic       negative;
    logic [6:0] interval;
  } line_t;

  line_t             line, line_q [2:4];
  logic [RestW-1:0]  rest;
  logic [ValueW-1:0] value;
  logic [31:0]       step;

  always_comb begin
    line = '{nan: argument_q.nan, negative: argument_q.negative, interval: {1'b0, argument_q.number[14:9]}};
    rest = argument_q.number[8:0];
    if (argument_q.number[15]) begin
      line.interval = {2'b10, argument_q.number[14:10]};
      rest          = argument_q.number[9:1];
    end
    if (argument_q.number[16]) begin
      line.interval = {2'b11, argument_q.number[15:11]};
      rest          = argument_q.number[10:2];
    end
    // The last interval is level, and 1.
    if (argument_q.saturated) line.interval = '1;
  end

  // The value is wanted later, and an interval is shorter.
  fp8mac_tanh_table u_table (.value_i(line_q[4].interval), .step_i(line.interval), .value_o(value), .step_o(step));

  // An integer as FP32. The exponent is that of its highest bit.
  function automatic logic [31:0] float_of(logic sign, logic [SumW-1:0] x, logic [7:0] exponent);
    logic [4:0] zeros;
    zeros = leading_zeros({x, {(32 - SumW){1'b1}}});
    return (x == '0) ? '0 : {sign, exponent - 8'(zeros), (SumW - 1)'(x << zeros), {(24 - SumW){1'b0}}};
  endfunction

  // tanh: value * 2^-15, step, rest * 2^-24; sigmoid: (2^15 +- value) * 2^-16, step, rest * 2^-25
  typedef struct packed {
    logic            nan;
    logic            sign;
    logic [SumW-1:0] value;
  } base_t;

  base_t base, base_q;

  always_comb begin
    base.nan   = line_q[4].nan;
    base.sign  = line_q[4].negative && !sigmoid_i;
    base.value = SumW'(value);
    if (sigmoid_i) base.value = line_q[4].negative ? SumW'(1 << 15) - SumW'(value) : SumW'(1 << 15) + SumW'(value);
  end

  always_ff @(posedge clk_i) begin
    step_o    <= step;
    rest_o    <= float_of(argument_q.negative, {rest, 8'd0}, sigmoid_i ? 8'd110 : 8'd111);
    line_q[2] <= line;
    for (int unsigned i = 2; i < 4; i++) line_q[i+1] <= line_q[i];
    base_q    <= base;
    value_o   <= base_q.nan ? Fp32Nan : float_of(base_q.sign, base_q.value, sigmoid_i ? 8'd127 : 8'd128);
  end

endmodule
