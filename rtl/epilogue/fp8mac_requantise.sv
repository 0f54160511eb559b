// SPDX-License-Identifier: Apache-2.0
// The integer requantiser: finishes WIDTH INT8 outputs per transfer, one transfer per cycle,
// without floating point. It has the interface of fp8mac_epilogue. NUMERICS.md, "Integer
// requantisation", has the rules.
//
//   x = t0 + bias    y = x * 2^max(shift, 0)    z = floor((y * multiplier + 2^30) / 2^31)
//   q = z / 2^max(-shift, 0), to nearest, ties away from zero
//   D = q + zero point, clamped to lo .. hi
//
// With d_fmt DstFp32, D is x, an INT32: its multiplier is 2^31, and its shift 0.
//
// Both roundings are one addend of the product. A tie of the second one goes away from zero, so its
// addend depends on the sign. The sign of y serves: where y < 0 and z = 0, both addends give 0.
// With n = max(-shift, 0) and n > 0:
//
//   q = floor((y * multiplier + 2^30 + half * 2^31) / 2^(31+n))    half = 2^(n-1), less 1 where y < 0
//
//   stage  1             2             3                4                  5        6             7
//          x = t0+bias   y = x << .    product: two     carry out of the   sum of   shift right   clamp, add the
//          recode        half          words            lower 31 bits      the rest               zero point
//
// The last stage adds while it compares: a number within the limits, less the zero point,
// needs 8 bits of the sum.
//
// cfg_i gives the zero point as scale_d, and with ActClamp the limits as clamp_lo and clamp_hi,
// all three as legal integers. Nothing raises flags, and there is no amax. Transfers enter and
// leave as in fp8mac_epilogue.
module fp8mac_requantise #(
  parameter int unsigned WIDTH  = 8,   // outputs per transfer
  parameter int unsigned COLS   = 4,   // of which a row has COLS
  parameter int unsigned META_W = 16   // bits that travel with a transfer unchanged
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  fp8mac_pkg::epilogue_cfg_t cfg_i,
  output logic                      busy_o,

  input  logic                      in_valid_i,
  input  logic [WIDTH-1:0][31:0]    t0_i,          // INT32, row by row
  input  logic [COLS-1:0][31:0]     multiplier_i,  // 0 .. 2^31 - 1
  input  logic [COLS-1:0][5:0]      shift_i,       // -31 .. 30
  input  logic [COLS-1:0][31:0]     bias_i,        // 0 without cfg_i.bias_en
  input  logic [META_W-1:0]         meta_i,

  output logic                      out_valid_o,
  output logic [WIDTH-1:0][31:0]    d_o,           // codes, right-justified
  output logic [META_W-1:0]         meta_o
);
  import fp8mac_pkg::*;

  localparam int unsigned W      = 32;
  localparam int unsigned Digits = W / 2;
  localparam int unsigned Depth  = 7;
  localparam int unsigned NearW  = 10;  // holds a limit less the zero point, -255 .. 255, and numbers beyond it

  typedef struct packed {
    logic [Digits-1:0] minus_n;
    logic [Digits-1:0] one;
    logic [Digits-1:0] two;
  } digits_t;

  typedef logic signed [NearW-1:0] near_t;

  // -----------------------------------------------------------------------------------------------
  // The transfers
  // -----------------------------------------------------------------------------------------------
  logic [Depth:1]    valid_q;
  logic [META_W-1:0] meta_q [1:Depth];
  logic              clk;

  assign busy_o      = valid_q != '0;
  assign out_valid_o = valid_q[Depth];
  assign meta_o      = meta_q[Depth];

  fp8mac_clock_gate u_clock (.clk_i, .en_i(!rst_ni || in_valid_i || busy_o), .clk_o(clk));

  always_ff @(posedge clk) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Depth-1:1], in_valid_i};
    meta_q[1] <= meta_i;
    for (int unsigned i = 1; i < Depth; i++) meta_q[i+1] <= meta_q[i];
  end

  // -----------------------------------------------------------------------------------------------
  // What is common to all outputs: the limits, less the zero point
  // -----------------------------------------------------------------------------------------------
  logic  sums;
  near_t lo_q, hi_q, lo, hi, zero_point;
  logic [7:0] lo_code_q, hi_code_q;

  assign sums       = cfg_i.d_fmt == DstFp32;
  assign zero_point = near_t'($signed(cfg_i.scale_d[7:0]));
  assign lo         = (cfg_i.act == ActClamp) ? near_t'($signed(cfg_i.clamp_lo[7:0])) : -near_t'(128);
  assign hi         = (cfg_i.act == ActClamp) ? near_t'($signed(cfg_i.clamp_hi[7:0])) : near_t'(127);

  always_ff @(posedge clk) begin
    lo_q      <= lo - zero_point;
    hi_q      <= hi - zero_point;
    lo_code_q <= lo[7:0];
    hi_code_q <= hi[7:0];
  end

  // -----------------------------------------------------------------------------------------------
  // Columns: the digits of the multiplier, and the shifts
  // -----------------------------------------------------------------------------------------------
  // carry[j+1] = high[j] && (low[j] || carry[j]), as a prefix computation. A multiplier up to 2^31
  // has no carry out of its last digit.
  function automatic digits_t recode(logic [W-1:0] x);
    logic [Digits-1:0] low, high, odd, generates, passes;
    for (int unsigned j = 0; j < Digits; j++) {high[j], low[j]} = x[2*j +: 2];
    generates = high & low;
    passes    = high;
    for (int unsigned distance = 1; distance < Digits; distance *= 2) begin
      generates = generates | (passes & (generates << distance));
      passes    = passes & (passes << distance);
    end
    odd = low ^ {generates[Digits-2:0], 1'b0};
    return '{minus_n: ~(high & odd), one: odd & ~high, two: ~odd & (high ^ low)};
  endfunction

  // Bit n-1, for ties up. The bits below it are what is added to negative numbers.
  function automatic logic [W-2:0] half_of(logic [4:0] n);
    return (n == '0) ? '0 : (W-1)'(1) << (n - 5'd1);
  endfunction

  digits_t [COLS-1:0]              digits_q1, digits_q2;
  logic    [COLS-1:0][4:0]         left_q1, right_q1;
  logic    [COLS-1:0][4:0]         right_q [2:5];
  logic    [COLS-1:0][W-2:0]       half_q2, below_q2;

  for (genvar c = 0; c < int'(COLS); c++) begin : g_column
    logic [5:0]   shift;
    logic [W-2:0] half;

    assign shift = sums ? '0 : shift_i[c];
    assign half  = half_of(right_q1[c]);

    always_ff @(posedge clk) begin
      digits_q1[c]  <= recode(sums ? W'(1) << (W - 1) : multiplier_i[c]);
      left_q1[c]    <= shift[5] ? '0 : shift[4:0];
      right_q1[c]   <= shift[5] ? -shift[4:0] : '0;
      digits_q2[c]  <= digits_q1[c];
      half_q2[c]    <= half;
      below_q2[c]   <= (right_q1[c] == '0) ? '0 : half - (W-1)'(1);
      right_q[2][c] <= right_q1[c];
      for (int unsigned i = 2; i < 5; i++) right_q[i+1][c] <= right_q[i][c];
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Outputs
  // -----------------------------------------------------------------------------------------------
  // The sum of the product's words from bit 31 on has 33 bits, because it has `half` too.
  localparam int unsigned LowW = W - 1, HighW = W + 1;

  for (genvar w = 0; w < int'(WIDTH); w++) begin : g_output
    localparam int unsigned C = w % COLS;

    logic        [W-1:0]     x_q, y_q, d_q;
    logic        [W-2:0]     half;
    logic        [2*W-1:0]   sum, carry;
    logic        [2*W-1:0]   sum_q, carry_q;
    logic        [HighW-1:0] high_a_q, high_b_q;
    logic                    low_carry_q, is_near, below, above;
    logic        [LowW-1:0]  unused_low;
    logic                    low_carry;
    logic signed [HighW-1:0] z_q, q_q;
    near_t                   near;
    logic        [7:0]       code;

    assign half = y_q[W-1] ? below_q2[C] : half_q2[C];

    fp8mac_requantise_product u_product (
      .y_i(y_q), .minus_n_i(digits_q2[C].minus_n), .one_i(digits_q2[C].one), .two_i(digits_q2[C].two),
      .round_i({half, 1'b1}), .sum_o(sum), .carry_o(carry)
    );

    assign {low_carry, unused_low} = {1'b0, sum_q[LowW-1:0]} + {1'b0, carry_q[LowW-1:0]};

    always_ff @(posedge clk) begin
      x_q         <= t0_i[w] + bias_i[C];
      y_q         <= x_q << left_q1[C];
      sum_q       <= sum;
      carry_q     <= carry;
      low_carry_q <= low_carry;
      high_a_q    <= sum_q[2*W-1:LowW];
      high_b_q    <= carry_q[2*W-1:LowW];
      z_q         <= $signed(high_a_q) + $signed(high_b_q) + HighW'(low_carry_q);
      q_q         <= z_q >>> right_q[5][C];
      d_q         <= sums ? q_q[W-1:0] : {(W-8)'(0), code};
    end

    // A number that is not near is beyond both limits, on the side of its sign.
    assign is_near = q_q[HighW-1:NearW-1] == {(HighW-NearW+1){q_q[HighW-1]}};
    assign near    = near_t'(q_q);
    assign below   = is_near ? near < lo_q : q_q[HighW-1];
    assign above   = is_near ? near > hi_q : !q_q[HighW-1];
    assign code    = below ? lo_code_q : above ? hi_code_q : near[7:0] + zero_point[7:0];
    assign d_o[w]  = d_q;
  end

  logic unused;
  assign unused = ^cfg_i;

endmodule
