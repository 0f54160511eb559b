// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 multiplication, to nearest even, with subnormals. Four stages: multiply
// | add | shift | round.
//
// A value enters in every cycle, and its result is in result_o four cycles later. Every NaN result
// is Fp32Nan. invalid_o: 0 * Inf. overflow_o: finite operands, infinite result. Flags belong to
// the value in result_o.
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
  localparam int unsigned CountW  = $clog2(Sig32W + 1);    // leading zeros of one operand
  localparam int unsigned WideW   = ExpW + 2;              // an exponent of the product: signed
  localparam int unsigned LowW    = 16;                    // bits of the product that the first stage adds
  localparam int unsigned WindowW = Sig32W + 2;            // a significand, the guard bit, and one bit below it
  localparam int signed   Bias    = 127;
  localparam logic [ExpW-1:0] ExpMax = '1;

  typedef logic signed [WideW-1:0] wide_t;

  // Beside the product of the significands
  typedef struct packed {
    fp32_special_t     special;
    logic              zero;
    logic [CountW-1:0] zeros;  // leading zeros of the operand that is subnormal: the product has as many, or one more
    wide_t             limit;  // sum of the biased exponents less Bias: a shift by it gives the exponent 1
  } beside_t;

  typedef struct packed {
    fp32_special_t          special;
    logic [RoundFieldW-1:0] exp;    // if the product has one leading zero more than its operands; 0 if below
    logic                   below;  // the shift ends at exponent 1
    logic                   high;   // only the product's upper half is shifted
    logic                   whole;  // all of it is shifted; nothing is, if neither
    logic [CountW-1:0]      amount;
  } shift_t;

  beside_t             beside_q;
  shift_t              shift_q;
  logic [ProdW-1:0]    sum, carry, prod_q;
  logic [ProdW-1:LowW] sum_q, carry_q;
  logic [LowW-1:0]     low, low_q;
  logic                low_carry, low_carry_q;
  fp32_unrounded_t     normalised_q;

  // -----------------------------------------------------------------------------------------------
  // Decode and multiply
  // -----------------------------------------------------------------------------------------------
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

  // Of a subnormal 1
  function automatic logic [ExpW-1:0] exponent(logic [ExpW-1:0] field);
    return field | ExpW'(field == '0);
  endfunction

  // A subnormal's significand, or else 0
  function automatic logic [Sig32W-1:0] subnormal(logic [30:0] x);
    return x[FracW +: ExpW] == '0 ? {1'b0, x[FracW-1:0]} : '0;
  endfunction

  // If both operands are subnormal, the product vanishes, and zeros has no effect. -Bias is
  // computed as 1 - 128: the 1 is the carry into the sum.
  function automatic beside_t decode(logic [31:0] a, logic [31:0] b);
    logic [Sig32W-1:0] tiny;
    logic [ExpW:0]     exps;
    tiny = subnormal(a[30:0]) | subnormal(b[30:0]);
    tiny[Sig32W-1] = a[FracW +: ExpW] != '0 && b[FracW +: ExpW] != '0;
    exps = {1'b0, exponent(a[FracW +: ExpW])} + {1'b0, exponent(b[FracW +: ExpW])} + (ExpW + 1)'(1);
    decode.special = classify(a, b);
    decode.zero    = a[30:0] == '0 || b[30:0] == '0;
    decode.zeros   = leading_zeros({tiny, {(32 - Sig32W){1'b1}}});
    decode.limit   = wide_t'({1'b0, exps}) - wide_t'(Bias + 1);
  endfunction

  fp8mac_fp32_product u_product (
    .a_i(significand(a_i[30:0])), .b_i(significand(b_i[30:0])), .sum_o(sum), .carry_o(carry)
  );

  // The lowest columns of the compressor tree are done first, so this stage has time to add them. A
  // chain of full adders is the smallest, and one word takes fewer registers than two.
  fp8mac_adder #(.W(LowW)) u_low (
    .a_i(sum[LowW-1:0]), .b_i(carry[LowW-1:0]), .carry_i(1'b0), .sum_o(low), .carry_o(low_carry)
  );

  always_ff @(posedge clk_i) begin
    beside_q    <= decode(a_i, b_i);
    sum_q       <= sum[ProdW-1:LowW];
    carry_q     <= carry[ProdW-1:LowW];
    low_q       <= low;
    low_carry_q <= low_carry;
  end

  // -----------------------------------------------------------------------------------------------
  // Add the words of the product, and find its shift
  // -----------------------------------------------------------------------------------------------
  // The leading one moves to bit 47 or 46. Where the exponent would fall below 1, the product moves
  // to exponent 1 instead: the shift is `limit`, which may be to the right.
  function automatic shift_t find_shift(beside_t x);
    wide_t exp, from_high;
    exp       = x.limit - wide_t'({1'b0, x.zeros});
    from_high = x.limit + wide_t'(Sig32W);
    find_shift.special = x.special;
    find_shift.below   = x.zero || exp <= wide_t'(0);
    find_shift.exp     = find_shift.below ? '0 : exp[RoundFieldW-1:0];
    find_shift.whole   = x.limit >= wide_t'(0);
    find_shift.high    = !find_shift.whole && from_high >= wide_t'(0);
    find_shift.amount  = !find_shift.whole ? from_high[CountW-1:0] :
                         find_shift.below ? x.limit[CountW-1:0] : x.zeros;
  endfunction

  always_ff @(posedge clk_i) begin
    shift_q <= find_shift(beside_q);
    prod_q  <= {sum_q + carry_q + (ProdW - LowW)'(low_carry_q), low_q};
  end

  // -----------------------------------------------------------------------------------------------
  // Shift
  // -----------------------------------------------------------------------------------------------
  // A right shift is done as Sig32W places to the right and then some to the left. The bits that
  // this loses are below the guard bit in any case:
  //
  //   bit           47                    24 23 22                  0
  //   left by n    | p[47-n .........             ...... p[0] 0 .. 0 |  n = zeros, or limit >= 0
  //   right by n   | 0 .. 0 p[47] ....    p[24] 0 ................ 0 |  n = -limit in 1..Sig32W; p[23:0] sticky
  //                |<------- kept ------>| g |<----- sticky ------->|
  //
  // More than Sig32W places to the right leave 0: without a guard bit, sticky has no effect.
  // Large steps come first, and each step keeps only the bits that the smaller ones can move
  // up to bit 22. If the leading one is at bit 46 and the exponent is above 1, everything
  // moves by one more place.
  function automatic fp32_unrounded_t shift(shift_t x, logic [ProdW-1:0] prod);
    logic [ProdW-1:0]   word, high;
    logic [WindowW-1:0] window;
    logic               lost, once_more;
    high = prod >> Sig32W;
    word = (prod & {ProdW{x.whole}}) | (high & {ProdW{x.high}});
    lost = x.high && prod[Sig32W-1:0] != '0;
    for (int step = int'(CountW) - 1; step >= 0; step--) begin
      int dropped;
      dropped = int'(ProdW - WindowW) + 1 - (1 << step);
      for (int i = 0; i < dropped; i++) lost = lost || (word[i] && !x.amount[step]);
      if (x.amount[step]) word = word << (1 << step);
      for (int i = 0; i < dropped; i++) word[i] = 1'b0;
    end
    window    = word[ProdW-1 -: WindowW];
    once_more = !x.below && !window[WindowW-1];
    shift.special = x.special;
    shift.exp     = x.exp + RoundFieldW'(window[WindowW-1]);
    {shift.frac, shift.guard} = once_more ? window[Sig32W-1:0] : window[Sig32W:1];
    shift.sticky  = lost || (!once_more && window[0]);
  endfunction

  always_ff @(posedge clk_i) normalised_q <= shift(shift_q, prod_q);

  // -----------------------------------------------------------------------------------------------
  // Round, and select the special result
  // -----------------------------------------------------------------------------------------------
  fp8mac_fp32_round u_round (.clk_i, .x_i(normalised_q), .result_o, .invalid_o, .overflow_o);

endmodule
