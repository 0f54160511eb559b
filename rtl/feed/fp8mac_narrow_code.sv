// SPDX-License-Identifier: Apache-2.0
// Narrow codes: a code of FP6 or FP4, one in each byte, to the e4m3fn code of the same
// value. Combinational.
//
//   e3m2fn   - - s e e e m m     bias 3
//   e2m3fn   - - s e e m m m     bias 1
//   e2m1fn   - - - - s e e m     bias 1          bits - are ignored
//
// Every code is finite. e4m3fn has all these values, and its exponents reach so far down that
// subnormals become normal.
module fp8mac_narrow_code
  import fp8mac_pkg::*;
(
  input  logic [7:0]  code_i,
  input  narrow_fmt_e fmt_i,
  output logic [7:0]  code_o
);
  localparam logic [3:0] E4m3Bias = 4'd7;

  logic       sign;
  logic [2:0] exponent, fraction;  // 0.fraction or 1.fraction
  logic [3:0] least;               // e4m3fn's exponent field of 2^(1 - bias)

  always_comb begin
    unique case (fmt_i)
      NarrowE3m2fn: {sign, exponent, fraction} = {code_i[5:0], 1'b0};
      NarrowE2m3fn: {sign, exponent, fraction} = {code_i[5], 1'b0, code_i[4:0]};
      default:      {sign, exponent, fraction} = {code_i[3], 1'b0, code_i[2:0], 2'b00};
    endcase
    least = (fmt_i == NarrowE3m2fn) ? 4'd1 - 4'd3 + E4m3Bias : 4'd1 - 4'd1 + E4m3Bias;

    if (exponent != '0) code_o = {sign, least + 4'(exponent) - 4'd1, fraction};
    else if (fraction[2]) code_o = {sign, least - 4'd1, fraction[1:0], 1'b0};
    else if (fraction[1]) code_o = {sign, least - 4'd2, fraction[0], 2'b00};
    else if (fraction[0]) code_o = {sign, least - 4'd3, 3'b000};
    else code_o = {sign, 7'b0};
  end

  logic unused_code;
  assign unused_code = ^code_i[7:6];

endmodule
