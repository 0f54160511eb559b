// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 multiplication, to nearest even, with subnormals. Four stages: multiply | add | shift | round.
//
// A value enters in every cycle, and its result is in result_o four cycles later. Every NaN result is Fp32Nan.
// invalid_o: 0 * Inf. overflow_o: finite operands, infinite result. Flags belong to the value in result_o.
module fp8mac_fp32_mul (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic        invalid_o,
  output logic        overflow_o
);
  import fp8mac_pkg::*;

  localparam int unsigned ExpW    = 8;
  localparam int unsigned FracW   = 23;
  localparam int unsigned Sig32W  = FracW + 1;             // 1.fraction, or 0.fraction of a subnormal
  localparam int unsigned ProdW   = 2 * Sig32W;
  localparam int unsigned CountW  = $clog2(ProdW + 1);     // leading zeros of the product
  localparam int unsigned WideW   = ExpW + 3;              // an exponent of the product: signed
  localparam int signed   Bias    = 127;
  localparam logic [ExpW-1:0] ExpMax = '1;

  typedef logic signed [WideW-1:0] wide_t;

  // Beside the product of the significands
  typedef struct packed {
    fp32_special_t     special;
    logic              zero;
    logic [CountW-1:0] zeros;  // leading zeros of both operands: the product has as many, or one more
    wide_t             limit;  // sum of the biased exponents less Bias: a shift by it gives the exponent 1
  } beside_t;

  typedef struct packed {
    fp32_special_t     special;
    wide_t             exp;       // if the product has no more leading zeros than its operands
    logic              below;     // the shift ends at exponent 1
    logic              to_right;
    logic              vanishes;
    logic [CountW-1:0] amount;
  } shift_t;

  beside_t          beside_q;
  shift_t           shift_q;
  logic [ProdW-1:0] sum, carry, sum_q, carry_q, prod_q;
  fp32_unrounded_t  normalised_q;

  // ---------------------------------------------------------------------------------------------------------------
  // Decode and multiply
  // ---------------------------------------------------------------------------------------------------------------
  function automatic fp32_special_t classify(logic [31:0] a, logic [31:0] b);
    logic a_nan, b_nan, a_inf, b_inf, a_zero, b_zero;
    a_nan  = a[FracW +: ExpW] == ExpMax && a[FracW-1:0] != '0;
    b_nan  = b[FracW +: ExpW] == ExpMax && b[FracW-1:0] != '0;
    a_inf  = a[FracW +: ExpW] == ExpMax && a[FracW-1:0] == '0;
    b_inf  = b[FracW +: ExpW] == ExpMax && b[FracW-1:0] == '0;
    a_zero = a[30:0] == '0;
    b_zero = b[30:0] == '0;
    classify.sign    = a[31] ^ b[31];
    classify.invalid = (a_inf && b_zero) || (a_zero && b_inf);
    classify.nan     = a_nan || b_nan || classify.invalid;
    classify.is_inf  = a_inf || b_inf;
  endfunction

  function automatic logic [Sig32W-1:0] significand(logic [30:0] x);
    return {x[FracW +: ExpW] != '0, x[FracW-1:0]};
  endfunction

  function automatic wide_t exponent(logic [ExpW-1:0] field);
    return wide_t'({3'b0, field == '0 ? ExpW'(1) : field});
  endfunction

  function automatic logic [CountW-1:0] zeros_before(logic [Sig32W-1:0] x);
    return CountW'(leading_zeros({x, {(32 - Sig32W){1'b1}}}));
  endfunction

  function automatic beside_t decode(logic [31:0] a, logic [31:0] b);
    decode.special = classify(a, b);
    decode.zero    = a[30:0] == '0 || b[30:0] == '0;
    decode.zeros   = zeros_before(significand(a[30:0])) + zeros_before(significand(b[30:0]));
    decode.limit   = exponent(a[FracW +: ExpW]) + exponent(b[FracW +: ExpW]) - wide_t'(Bias);
  endfunction

  fp8mac_fp32_product u_product (
    .a_i(significand(a_i[30:0])), .b_i(significand(b_i[30:0])), .sum_o(sum), .carry_o(carry)
  );

  always_ff @(posedge clk_i) begin
    beside_q <= decode(a_i, b_i);
    sum_q    <= sum;
    carry_q  <= carry;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Add the words of the product, and find its shift
  // ---------------------------------------------------------------------------------------------------------------
  // The leading one moves to bit 47 or 46. Where the exponent would fall below 1, the product moves to exponent 1
  // instead: the shift is `limit`, which may be to the right.
  function automatic shift_t find_shift(beside_t x);
    find_shift.special  = x.special;
    find_shift.exp      = x.limit + wide_t'(1) - wide_t'({5'b0, x.zeros});
    find_shift.below    = x.zero || find_shift.exp <= wide_t'(1);
    find_shift.to_right = x.limit < wide_t'(0);
    find_shift.vanishes = x.limit < -wide_t'(Sig32W);
    find_shift.amount   = find_shift.to_right ? CountW'(x.limit + wide_t'(Sig32W)) :
                          find_shift.below ? x.limit[CountW-1:0] : x.zeros;
  endfunction

  always_ff @(posedge clk_i) begin
    shift_q <= find_shift(beside_q);
    prod_q  <= sum_q + carry_q;
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Shift
  // ---------------------------------------------------------------------------------------------------------------
  // A right shift is done as Sig32W places to the right and then some to the left. The bits that this loses are below
  // the guard bit in any case:
  //
  //   bit           47                    24 23 22                  0
  //   left by n    | p[47-n .........             ...... p[0] 0 .. 0 |  n = zeros, or limit >= 0
  //   right by n   | 0 .. 0 p[47] ....    p[24] 0 ................ 0 |  n = -limit in 1..Sig32W; p[23:0] sticky
  //                |<------- kept ------>| g |<----- sticky ------->|
  //
  // More than Sig32W places to the right leave only sticky. If the leading one is at bit 46 and the exponent is above
  // 1, everything moves by one more place.
  function automatic fp32_unrounded_t shift(shift_t x, logic [ProdW-1:0] prod);
    logic [ProdW-1:0] shifted;
    logic             lost, top, once_more;
    shifted   = !x.to_right ? prod : x.vanishes ? '0 : ProdW'(prod[ProdW-1:Sig32W]);
    lost      = x.to_right && (prod[Sig32W-1:0] != '0 || (x.vanishes && prod != '0));
    shifted   = shifted << x.amount;
    top       = shifted[ProdW-1];
    once_more = !x.below && !top;
    shift.special = x.special;
    shift.exp     = x.below ? RoundFieldW'(top) : RoundFieldW'(top ? x.exp : x.exp - wide_t'(1));
    shift.frac    = once_more ? shifted[ProdW-3 -: FracW] : shifted[ProdW-2 -: FracW];
    shift.guard   = once_more ? shifted[Sig32W-2] : shifted[Sig32W-1];
    shift.sticky  = shifted[Sig32W-3:0] != '0 || (!once_more && shifted[Sig32W-2]) || lost;
  endfunction

  always_ff @(posedge clk_i) normalised_q <= shift(shift_q, prod_q);

  // ---------------------------------------------------------------------------------------------------------------
  // Round, and select the special result
  // ---------------------------------------------------------------------------------------------------------------
  fp8mac_fp32_round u_round (.clk_i, .x_i(normalised_q), .result_o, .invalid_o, .overflow_o);

endmodule
