// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 multiplication, to nearest even, with subnormals. Four stages: multiply | add | normalise | round.
//
// A value enters in every cycle, and its result is in result_o four cycles later. Every NaN result is Fp32Nan. invalid_o: 0 * Inf. overflow_o: finite operands, infinite result.
// Flags belong to the value in result_o.
module fp8mac_fp32_mul (
  input  logic        clk_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] result_o,
  output logic        invalid_o,
  output logic        overflow_o
);
  import fp8mac_pkg::*;

  localparam int unsigned ExpW   = 8;
  localparam int unsigned FracW  = 23;
  localparam int unsigned Sig32W   = FracW + 1;   // 1.fraction, or 0.fraction of a subnormal
  localparam int unsigned ProdW  = 2 * Sig32W;
  localparam int unsigned CountW = $clog2(ProdW + 1);
  localparam int unsigned SumW   = ExpW + 1;    // sum of two biased exponents
  localparam int unsigned WideW  = SumW + 2;    // that sum minus the bias and the leading zeros: signed
  localparam int signed   Bias   = 127;
  localparam logic [ExpW-1:0] ExpMax = '1;

  typedef logic signed [WideW-1:0] wide_t;

  // Beside the product of the significands
  typedef struct packed {
    fp32_special_t    special;
    logic [SumW-1:0]  exp_sum;  // of biased exponents; a subnormal has 1
  } beside_t;

  typedef struct packed {
    beside_t          beside;
    logic [ProdW-1:0] prod;     // of significands
  } multiplied_t;

  beside_t          beside_q;
  logic [ProdW-1:0] sum, carry, sum_q, carry_q;
  multiplied_t      multiplied_q;
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
    classify.is_inf     = a_inf || b_inf;
  endfunction

  function automatic logic [ExpW-1:0] exponent(logic [ExpW-1:0] field);
    return field == '0 ? ExpW'(1) : field;
  endfunction

  always_ff @(posedge clk_i) begin
    beside_q <= '{special: classify(a_i, b_i),
                  exp_sum: SumW'(exponent(a_i[FracW +: ExpW])) + SumW'(exponent(b_i[FracW +: ExpW]))};
    sum_q    <= sum;
    carry_q  <= carry;
  end

  fp8mac_fp32_product u_product (
    .a_i({a_i[FracW +: ExpW] != '0, a_i[FracW-1:0]}), .b_i({b_i[FracW +: ExpW] != '0, b_i[FracW-1:0]}),
    .sum_o(sum), .carry_o(carry)
  );

  always_ff @(posedge clk_i) multiplied_q <= '{beside: beside_q, prod: sum_q + carry_q};

  // ---------------------------------------------------------------------------------------------------------------
  // Normalise
  // ---------------------------------------------------------------------------------------------------------------
  // Leading zeros, by repeated halving; ProdW if x is zero
  function automatic logic [CountW-1:0] leading_zeros(logic [ProdW-1:0] x);
    logic [63:0] rest;
    leading_zeros = '0;
    rest = {x, {(64 - ProdW){1'b1}}};
    for (int unsigned step = 32; step > 0; step = step / 2) begin
      if ((rest >> (64 - step)) == '0) begin
        leading_zeros = leading_zeros + CountW'(step);
        rest = rest << step;
      end
    end
  endfunction

  // The leading one moves to bit 47. Where the exponent would fall below 1, the product moves to exponent 1 instead:
  // the shift is exp_sum - Bias, which may be to the right. A right shift is done as Sig32W places to the right and
  // then some to the left. The bits that this loses are below the guard bit in any case:
  //
  //   bit           47                    24 23 22                  0
  //   left by n    | p[47-n .........             ...... p[0] 0 .. 0 |  n = leading zeros, or exp_sum - Bias >= 0
  //   right by n   | 0 .. 0 p[47] ....    p[24] 0 ................ 0 |  n = Bias - exp_sum in 1..Sig32W; p[23:0] sticky
  //                |<------- kept ------>| g |<----- sticky ------->|
  //
  // More than Sig32W places to the right leave only sticky.
  function automatic fp32_unrounded_t normalise(multiplied_t x);
    logic [CountW-1:0] zeros, amount;
    logic [ProdW-1:0]  shifted;
    wide_t             top_exp, limit;  // exponent with the leading one at bit 47; shift that makes the exponent 1
    logic              below, to_right, vanishes, lost;
    zeros    = leading_zeros(x.prod);
    limit    = wide_t'({2'b0, x.beside.exp_sum}) - wide_t'(Bias);
    top_exp  = limit + wide_t'(1) - wide_t'({5'b0, zeros});
    below    = top_exp < wide_t'(1) || x.prod == '0;
    to_right = below && limit < wide_t'(0);
    vanishes = limit < -wide_t'(Sig32W);
    amount   = !below ? zeros : CountW'(to_right ? limit + wide_t'(Sig32W) : limit);
    shifted  = !to_right ? x.prod : vanishes ? '0 : ProdW'(x.prod[ProdW-1:Sig32W]);
    lost     = to_right && (x.prod[Sig32W-1:0] != '0 || (vanishes && x.prod != '0));
    shifted  = shifted << amount;
    normalise.special = x.beside.special;
    normalise.exp     = below ? '0 : top_exp[RoundFieldW-1:0];
    normalise.frac    = shifted[ProdW-2 -: FracW];
    normalise.guard   = shifted[Sig32W-1];
    normalise.sticky  = shifted[Sig32W-2:0] != '0 || lost;
  endfunction

  always_ff @(posedge clk_i) begin
    normalised_q <= normalise(multiplied_q);
  end

  // ---------------------------------------------------------------------------------------------------------------
  // Round, and select the special result
  // ---------------------------------------------------------------------------------------------------------------
  fp8mac_fp32_round u_round (
    .clk_i, .x_i(normalised_q), .result_o, .invalid_o, .overflow_o
  );

endmodule
