// SPDX-License-Identifier: Apache-2.0
// The INT8 operand decoder: recodes an INT8 operand as four radix-4 Booth digits. Combinational.
//
//   b[2j+1] b[2j] b[2j-1]   digit   negative one two
//      0      0      0         0        0     0   0
//      0      0      1         1        0     1   0
//      0      1      0         1        0     1   0
//      0      1      1         2        0     0   1
//      1      0      0        -2        1     0   1
//      1      0      1        -1        1     1   0
//      1      1      0        -1        1     1   0
//      1      1      1        -0        1     0   0     all ones, and one added: 0
module fp8mac_booth_recode
  import fp8mac_pkg::*;
(
  input  logic [7:0] code_i,
  output booth_t     digit_o
);

  logic [8:0] code;
  assign code = {code_i, 1'b0};

  for (genvar j = 0; j < int'(BoothDigits); j++) begin : g_digit
    logic [2:0] bits;
    assign bits                = code[2*j+:3];
    assign digit_o.negative[j] = bits[2];
    assign digit_o.one[j]      = bits[1] ^ bits[0];
    assign digit_o.two[j]      = (bits == 3'b011) || (bits == 3'b100);
  end

endmodule
