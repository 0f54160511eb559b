// SPDX-License-Identifier: Apache-2.0
// Converts an FP32 value to a D format, to nearest even or stochastically. Two stages: align |
// round.
//
// A value enters in every cycle, and its code is in code_o, right-justified, two cycles
// later. fmt_i, stochastic_i and overflow_mode_i must be constant while a value is inside,
// and fmt_i also in the cycle before. overflow_mode_i has no effect on FP16, BF16, FP32 and
// INT8, which always saturates.
// Stochastic rounding adds random_i / 2^16 of the last place to the magnitude and truncates.
// random_i belongs to x_i. Every NaN written is the format's positive one, also for a negative
// overflow in a format without Inf. INT8 has no NaN: 0 is written. overflow_o: a finite value
// became Inf or NaN. saturated_o: +-max was written for a larger magnitude. invalid_o: a NaN became
// 0. Flags belong to the value in code_o.
module fp8mac_fp32_to_fmt (
  input  logic                  clk_i,
  input  fp8mac_pkg::dst_fmt_e  fmt_i,
  input  fp8mac_pkg::overflow_e overflow_mode_i,
  input  logic                  stochastic_i,
  input  logic [15:0]           random_i,
  input  logic [31:0]           x_i,
  output logic [31:0]           code_o,
  output logic                  invalid_o,
  output logic                  overflow_o,
  output logic                  saturated_o
);
  import fp8mac_pkg::*;

  localparam int unsigned ExpW    = 8;
  localparam int unsigned FracW   = 23;
  localparam int unsigned Sig32W  = FracW + 1;
  localparam int unsigned RandomW = 16;
  localparam int unsigned WideW   = ExpW + 2;  // an exponent that changes from one bias to another: signed
  localparam int signed   Bias    = 127;
  localparam logic [ExpW-1:0] ExpMax = '1;

  typedef logic signed [WideW-1:0] wide_t;

  // A destination format. If it has an Inf, the Inf's code is max + 1. INT8 has the values of
  // subnormals: their last place is 2^(1 - bias - mantissa_bits) = 1. What is above them is above
  // max. The largest magnitude is 127.
  typedef struct packed {
    logic [4:0]  mantissa_bits;
    logic signed [8:0] bias;
    logic [31:0] sign_bit;
    logic [30:0] max;
    logic        has_inf;
    logic [31:0] nan;
    logic        has_negative_zero;
    logic        always_ieee;
    logic        integral;
  } destination_t;

  function automatic destination_t destination_of(dst_fmt_e fmt);
    unique case (fmt)
      //                    m      bias     sign bit      max           Inf   NaN           -0    ieee  integral
      DstE4m3fn:   return '{5'd3,  9'sd7,   32'h80,       31'h7e,       1'b0, 32'h7f,       1'b1, 1'b0, 1'b0};
      DstE5m2:     return '{5'd2,  9'sd15,  32'h80,       31'h7b,       1'b1, 32'h7e,       1'b1, 1'b0, 1'b0};
      DstE4m3fnuz: return '{5'd3,  9'sd8,   32'h80,       31'h7f,       1'b0, 32'h80,       1'b0, 1'b0, 1'b0};
      DstE5m2fnuz: return '{5'd2,  9'sd16,  32'h80,       31'h7f,       1'b0, 32'h80,       1'b0, 1'b0, 1'b0};
      DstFp16:     return '{5'd10, 9'sd15,  32'h8000,     31'h7bff,     1'b1, 32'h7e00,     1'b1, 1'b1, 1'b0};
      DstBf16:     return '{5'd7,  9'sd127, 32'h8000,     31'h7f7f,     1'b1, 32'h7fc0,     1'b1, 1'b1, 1'b0};
      DstInt8:     return '{5'd7, -9'sd6,   32'h80,       31'h7f,       1'b0, 32'h0,        1'b0, 1'b0, 1'b1};
      default:     return '{5'd23, 9'sd127, 32'h80000000, 31'h7f7fffff, 1'b1, 32'h7fc00000, 1'b1, 1'b1, 1'b0};
    endcase
  endfunction

  typedef struct packed {
    logic        sign;
    logic        is_inf;
    logic        nan;
    logic [31:0] pattern;  // magnitude {exponent, mantissa} in the destination's layout; the exponent is not limited
    logic [RandomW-1:0] dropped;  // the bits below the pattern
    logic        sticky;          // a bit below those is 1
  } aligned_t;

  destination_t     format;
  aligned_t aligned_q;

  assign format = destination_of(fmt_i);

  // -----------------------------------------------------------------------------------------------
  // Align to the destination's last place
  // -----------------------------------------------------------------------------------------------
  // The significand moves right by 23 - m, plus the distance of its exponent below the
  // destination's exponent 1:
  //
  //   bit       63                   40 39        24 23        0
  //   sig      | 1 f22 ........... f0  | 0 ................... 0 |
  //   shifted  | 0 .... 0 1 f22 .... fs | dropped  |<- sticky ->|
  //             |<------- kept ------->|
  //
  // 40 places leave only sticky. A source subnormal is not normalised: either the destination has
  // the same exponent range (BF16, FP32), or the value is far below half the destination's smallest
  // subnormal. A result with a normal exponent has no integer bit: the exponent takes its place.
  localparam int unsigned ShiftMax = Sig32W + RandomW;

  function automatic aligned_t align(logic [31:0] x, logic [4:0] mantissa_bits, logic signed [8:0] bias);
    wide_t                      exp, deficit, amount;
    logic                       normal;
    logic [Sig32W+ShiftMax-1:0] shifted;
    logic [31:0]                base;
    exp     = wide_t'({2'b0, x[FracW +: ExpW] == '0 ? ExpW'(1) : x[FracW +: ExpW]})
              - wide_t'(Bias) + wide_t'(bias);
    deficit = exp < wide_t'(1) ? wide_t'(1) - exp : '0;
    amount  = wide_t'(FracW) - wide_t'({5'b0, mantissa_bits}) + deficit;
    normal  = x[FracW +: ExpW] != '0 && deficit == '0;
    shifted = {x[FracW +: ExpW] != '0 && !normal, x[FracW-1:0], ShiftMax'(0)}
              >> (amount > wide_t'(ShiftMax) ? wide_t'(ShiftMax) : amount);
    base    = normal ? {{(32 - WideW){1'b0}}, exp} << mantissa_bits : '0;
    align.sign    = x[31];
    align.is_inf  = x[FracW +: ExpW] == ExpMax && x[FracW-1:0] == '0;
    align.nan     = x[FracW +: ExpW] == ExpMax && x[FracW-1:0] != '0;
    align.pattern = base | 32'(shifted[ShiftMax +: Sig32W]);
    align.dropped = shifted[ShiftMax-1 -: RandomW];
    align.sticky  = shifted[ShiftMax-RandomW-1:0] != '0;
  endfunction

  // Registered, because the format reaches all outputs of a transfer
  logic [4:0] mantissa_bits_q;
  logic signed [8:0] bias_q;
  logic [RandomW-1:0] random_q;

  always_ff @(posedge clk_i) begin
    mantissa_bits_q <= format.mantissa_bits;
    bias_q          <= format.bias;
    aligned_q       <= align(x_i, mantissa_bits_q, bias_q);
    random_q        <= random_i;
  end

  // -----------------------------------------------------------------------------------------------
  // Round, judge overflow, and select
  // -----------------------------------------------------------------------------------------------
  // Both results are compared with the largest code while the direction is found.
  logic [31:0] rounded;
  logic        nearest_up, carry, up, above, saturate, too_large;

  fp8mac_round_even u_round (
    .last_i(aligned_q.pattern[0]), .guard_i(aligned_q.dropped[RandomW-1]),
    .rest_i(aligned_q.dropped[RandomW-2:0] != '0 || aligned_q.sticky), .inverted_i(1'b0), .up_o(nearest_up)
  );
  assign carry   = aligned_q.dropped > ~random_q;  // dropped + random >= 2^16
  assign up      = stochastic_i ? carry : nearest_up;
  assign rounded = up ? aligned_q.pattern + 32'd1 : aligned_q.pattern;

  // Patterns have the order of their magnitudes, also above the destination's largest
  // exponent. Inf is above all.
  assign above     = up ? aligned_q.pattern >= {1'b0, format.max} : aligned_q.pattern > {1'b0, format.max};
  assign too_large = !aligned_q.nan && (aligned_q.is_inf || above);
  assign saturate  = !format.always_ieee
                     && (overflow_mode_i == OvfSaturate || (overflow_mode_i == OvfSaturateFinite && !aligned_q.is_inf)
                         || format.integral);

  // Two's complement of a magnitude of 7 bits: the bits are inverted, 1 is added, and the sign bit
  // is set.
  function automatic logic [31:0] with_sign(logic [30:0] magnitude, logic sign, logic [31:0] sign_bit,
                                            logic integral);
    logic [6:0] low;
    low = sign && integral ? -magnitude[6:0] : magnitude[6:0];
    return {1'b0, magnitude[30:7], low} | (sign ? sign_bit : '0);
  endfunction

  always_ff @(posedge clk_i) begin
    invalid_o   <= aligned_q.nan && format.integral;
    overflow_o  <= too_large && !saturate && !aligned_q.is_inf;
    saturated_o <= too_large && saturate;
    if (aligned_q.nan || (too_large && !saturate && !format.has_inf)) code_o <= format.nan;
    else if (too_large && !saturate) code_o <= with_sign(format.max + 31'd1, aligned_q.sign, format.sign_bit, 1'b0);
    else if (too_large) code_o <= with_sign(format.max, aligned_q.sign, format.sign_bit, format.integral);
    else code_o <= with_sign(rounded[30:0], aligned_q.sign && (format.has_negative_zero || rounded != '0),
                             format.sign_bit, format.integral);
  end

endmodule
