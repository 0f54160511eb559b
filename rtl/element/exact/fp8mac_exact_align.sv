// SPDX-License-Identifier: Apache-2.0
// Align: shifts the products to their positions in one fixed-point frame and adds them exactly. The
// sum is in two's complement, in units of 2^SumUnitExp before scaling.
//
// A product is shifted by up to ProductShiftMax = 60. shift[4:0] moves it within a term, and
// shift[5] chooses which of two sums it joins. Only the addition of the two sums has the full
// width.
//
//   bit          67         39 38        32 31              2 1  0
//   low term                   [    sig << shift[4:0]       | 0 0 ]     shift[5] = 0, ProductDropW zeros at the end
//   high term    [          sig << shift[4:0]         ]                 shift[5] = 1: bit 0 of the term is bit 32
//   sum          [ high sum + carry of low   ][ low[31:2]   ]
module fp8mac_exact_align
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  localparam int unsigned SumW = sum_width(LANES)
) (
  input  logic                   clk_i,
  input  logic                   en_i,
  input  product_t [LANES-1:0]   product_i,
  output logic signed [SumW-1:0] sum_o       // registered
);

  localparam int unsigned FineW = ProductShiftW - 1;
  localparam int unsigned HalfW = 1 << FineW;                         // 32: weight of the high sum's bit 0
  localparam int unsigned TermW = ProductSigW + HalfW;                // 40: a product shifted by up to 31, and a sign
  localparam int unsigned HalfSumW = TermW + unsigned'($clog2(LANES));

  typedef logic signed [HalfSumW-1:0] half_sum_t;

  function automatic half_sum_t align(product_t p);
    logic [TermW-1:0] term;
    term = TermW'(p.sig) << p.shift[FineW-1:0];
    return p.sign ? -half_sum_t'({1'b0, term}) : half_sum_t'({1'b0, term});
  endfunction

  function automatic logic signed [SumW-1:0] sum_products(product_t [LANES-1:0] products);
    half_sum_t term, low, high;
    low  = '0;
    high = '0;
    for (int unsigned lane = 0; lane < LANES; lane++) begin
      term = align(products[lane]);
      if (products[lane].shift[FineW]) high = high + term;
      else low = low + term;
    end
    high = high + (low >>> HalfW);
    return {high[SumW-1-(HalfW-ProductDropW):0], low[HalfW-1:ProductDropW]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) sum_o <= sum_products(product_i);
  end

endmodule
