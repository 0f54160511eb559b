// SPDX-License-Identifier: Apache-2.0
// The INT8 operand decoder of a column: recodes its operands as four radix-4 digits each, and sums
// up what their negative digits need. Combinational.
//
// The three lower digits are -1 to 2, the highest one is -2 to 2. A digit takes two bits of the
// operand and the carry c of the digit below:
//
//   lower digits                              highest digit
//   b[2j+1] b[2j] c   digit  next c           b[7] b[6] c   digit
//      0      0   0     0      0                0    0  0     0
//      0      0   1     1      0                0    0  1     1
//      0      1   0     1      0                0    1  0     1
//      0      1   1     2      0                0    1  1     2
//      1      0   0     2      0                1    0  0    -2
//      1      0   1    -1      1                1    0  1    -1
//      1      1   0    -1      1                1    1  0    -1
//      1      1   1     0      1                1    1  1     0
//
// A product of a negative digit is a one's complement, to which 1 must be added at its last bit.
// The sum of these over all lanes depends on B alone, so it is computed here, once for all
// elements of the column.
module fp8mac_digit_recode
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  localparam int unsigned NegativesW = negatives_width(LANES)
) (
  input  logic [LANES-1:0][7:0]  code_i,
  output digits_t [LANES-1:0]    digits_o,
  output logic [NegativesW-1:0]  negatives_o   // sum of 4^j over the negative digits j of all lanes
);

  localparam int unsigned Top = Int8Digits - 1;

  logic [LANES-1:0][NegativesW-1:0] addend;

  always_comb begin
    for (int unsigned lane = 0; lane < LANES; lane++) begin
      logic carry, low, high, odd, negative;
      carry        = 1'b0;
      addend[lane] = '0;
      for (int unsigned j = 0; j < Int8Digits; j++) begin
        low  = code_i[lane][2*j];
        high = code_i[lane][2*j+1];
        odd  = low ^ carry;
        // The highest digit is 0 where all of its bits are 1.
        negative = j == Top ? high && !(low && carry) : high && odd;
        digits_o[lane].negative_n[j] = !negative;
        digits_o[lane].one[j]        = odd && (j == Top || !high);
        digits_o[lane].two[j]        = !odd && (high ^ low);
        addend[lane][2*j]            = negative;
        carry                        = high && (low || carry);
      end
    end
  end

  if (LANES == 1) begin : g_one
    assign negatives_o = addend[0];
  end else begin : g_sum
    localparam logic [NegativesW-1:0] Mask = NegativesW'('h55);
    logic [NegativesW-1:0] sum, carry;
    logic                  unused_carry;
    fp8mac_compressor_tree #(.ADDENDS(LANES), .W(NegativesW), .MASK({LANES{Mask}})) u_tree (
      .addend_i(addend), .sum_o(sum), .carry_o(carry)
    );
    fp8mac_adder #(.W(NegativesW)) u_add (
      .a_i(sum), .b_i(carry), .carry_i(1'b0), .sum_o(negatives_o), .carry_o(unused_carry)
    );
  end

endmodule
