// SPDX-License-Identifier: Apache-2.0
// One lane of exp2(t), for t up to 0: divides the bits of t, and gives the operands of the
// operations between them.
//
//   exp2(t) = (coarse * 2^-a) * (value + slope * r)      |t| = | a, 8 bits | i, 5 bits | j, 5 bits | -r * 2^10 ... |
//
//   cycle 0   t is there, with valid_i
//   cycle 2   r_o and slope_o
//   cycle 6   value_o
//   cycle 11  coarse_o, which has the power of two, and lower_o: a part of the power that the other factor takes
//
// t comes in every second cycle at most: always in odd or always in even ones. A NaN gives
// NaN, and t <= -151 gives +0. Both are operands of the last multiplication: coarse_o. A
// positive t has no meaning.
module fp8mac_exp2_split (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  logic [31:0] t_i,
  output logic [31:0] r_o,
  output logic [31:0] slope_o,
  output logic [31:0] value_o,
  output logic [31:0] coarse_o,
  output logic        lower_o     // 2^-64
);
  import fp8mac_pkg::*;

  localparam int unsigned StepsW = 18;  // a, i and j
  localparam int unsigned RestW  = 23;  // bits behind the last step, of the largest |t|
  localparam logic [7:0]  OneStep = 8'd117;         // exponent of 2^-10
  localparam logic [30:0] TooMuch = 31'h4317_0000;  // 151
  localparam logic [7:0]  Half    = 8'd126;         // exponent of coarse, but for i = 0
  localparam logic [7:0]  Lowered = 8'd96;          // from this a on, the factors share the power

  logic [9:1] valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[8:1], valid_i};
  end

  // ---- cycle 0: the point moves -----------------------------------------------------------------
  //   bit   40 ........ 23 | 22 ................ 0
  //         | a | i | j    | rest, in units of 2^-33      the significand, to the left by exponent - OneStep
  typedef struct packed {
    logic              small_t;  // less than a step
    logic              sign;
    logic [30:0]       magnitude;
    logic              nan;
    logic              zero;     // the power
    logic [StepsW-1:0] steps;
    logic [RestW-1:0]  rest;
  } moved_t;

  moved_t moved, moved_q;

  always_comb begin
    logic [4:0] places;
    places          = 5'(t_i[30:23] - OneStep);
    moved.small_t   = t_i[30:23] < OneStep;
    moved.sign      = t_i[31];
    moved.magnitude = t_i[30:0];
    moved.nan       = t_i[30:0] > Fp32Inf[30:0];
    moved.zero      = t_i[30:0] >= TooMuch;
    {moved.steps, moved.rest} = (StepsW + RestW)'({1'b1, t_i[22:0]}) << places;
  end

  always_ff @(posedge clk_i) moved_q <= moved;

  // ---- cycle 1: r as FP32 -----------------------------------------------------------------------
  typedef struct packed {
    logic       nan;
    logic       zero;
    logic [7:0] a;
    logic [4:0] i;
    logic [4:0] j;
  } parts_t;

  parts_t     parts, parts_q [2:6];
  logic [4:0] zeros;

  assign zeros = leading_zeros({moved_q.rest, {(32 - RestW){1'b1}}});

  always_comb begin
    parts.nan  = moved_q.nan;
    parts.zero = moved_q.zero;
    {parts.a, parts.i, parts.j} = moved_q.small_t ? '0 : moved_q.steps;
  end

  // 2^-11 is the weight of the highest bit of the rest.
  always_ff @(posedge clk_i) begin
    if (moved_q.small_t) r_o <= {moved_q.sign, moved_q.magnitude};
    else if (moved_q.rest == '0 || moved_q.zero) r_o <= '0;
    else r_o <= {moved_q.sign, OneStep - 8'd1 - 8'(zeros), 23'({moved_q.rest, 1'b0} << zeros)};
  end

  // A register takes over when the next one has what it held: in every second cycle.
  always_ff @(posedge clk_i) begin
    if (valid_q[1]) parts_q[2] <= parts;
    if (valid_q[3]) parts_q[3] <= parts_q[2];
    if (valid_q[5]) parts_q[4] <= parts_q[3];
    if (valid_q[7]) parts_q[5] <= parts_q[4];
    if (valid_q[9]) parts_q[6] <= parts_q[5];
  end

  // ---- the tables -------------------------------------------------------------------------------
  // In cycle 6, parts are in register 4; in cycle 11, in register 6.
  logic [31:0] coarse;
  logic [7:0]  exponent;

  fp8mac_exp2_table u_table (
    .i_i(parts_q[6].i), .slope_j_i(parts_q[2].j), .value_j_i(parts_q[4].j), .coarse_o(coarse), .slope_o, .value_o
  );

  logic unused;
  assign unused = coarse[31];

  assign lower_o  = parts_q[6].a >= Lowered;
  assign exponent = (lower_o ? Half + 8'd64 : Half) + 8'(coarse[30:23] != Half) - parts_q[6].a;

  always_comb begin
    coarse_o = {1'b0, exponent, coarse[22:0]};
    if (parts_q[6].zero) coarse_o = '0;
    if (parts_q[6].nan) coarse_o = Fp32Nan;
  end

endmodule
