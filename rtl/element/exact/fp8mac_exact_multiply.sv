// SPDX-License-Identifier: Apache-2.0
// Multiply: LANES products as significand, exponent and sign. NaN, Inf and zero are handled
// beside them, in class_o.
module fp8mac_exact_multiply
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  operand_t [LANES-1:0] a_i,
  input  operand_t [LANES-1:0] b_i,
  output product_t [LANES-1:0] product_o,  // registered
  output products_class_t      class_o     // registered
);

  function automatic product_t multiply(operand_t a, operand_t b);
    return '{
      sign:  a.sign ^ b.sign,
      shift: ProductShiftW'(a.exp) + ProductShiftW'(b.exp) - ProductShiftW'(2),
      sig:   ProductSigW'(a.sig) * ProductSigW'(b.sig)
    };
  endfunction

  // One product. Its sign is the XOR of the operands' signs, also for zeros.
  function automatic products_class_t classify(operand_t a, operand_t b);
    logic is_inf, negative;
    negative = a.sign ^ b.sign;
    is_inf      = (a.is_inf && !b.nan && !b.zero) || (b.is_inf && !a.nan && !a.zero);
    return '{
      nan:      a.nan || b.nan,
      invalid:  (a.is_inf && b.zero) || (a.zero && b.is_inf),
      pos_inf:  is_inf && !negative,
      neg_inf:  is_inf && negative,
      neg_zero: (a.zero || b.zero) && negative
    };
  endfunction

  function automatic products_class_t merge(products_class_t x, products_class_t y);
    products_class_t c;
    c          = x | y;
    c.neg_zero = x.neg_zero && y.neg_zero;
    return c;
  endfunction

  function automatic products_class_t classify_all(operand_t [LANES-1:0] a, operand_t [LANES-1:0] b);
    products_class_t c;
    c = classify(a[0], b[0]);
    for (int unsigned lane = 1; lane < LANES; lane++) c = merge(c, classify(a[lane], b[lane]));
    return c;
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      for (int unsigned lane = 0; lane < LANES; lane++) product_o[lane] <= multiply(a_i[lane], b_i[lane]);
      class_o <= classify_all(a_i, b_i);
    end
  end

endmodule
