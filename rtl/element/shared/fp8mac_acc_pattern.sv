// SPDX-License-Identifier: Apache-2.0
// The FP32 pattern of an accumulator code that fp8mac_acc_code made with FP16_CHOICE. Codes of FP32
// are their own pattern. A code of FP16 is one too, unless the value is below 2^-14: then the
// exponent field stays at that of 2^-14, the significand has no leading bit, and the lowest
// fraction bit, which FP16 does not use, is set. Combinational.
module fp8mac_acc_pattern
  import fp8mac_pkg::*;
(
  input  logic        acc_fp16_i,
  input  logic [31:0] acc_i,
  output logic [31:0] pattern_o
);

  logic                 below, zero;
  logic [Fp16MantW-1:0] frac, shifted;
  logic [3:0]           places;  // of the leading bit below 2^-14, minus 1

  assign frac  = acc_i[Fp32MantW-1-:Fp16MantW];
  assign below = acc_fp16_i && acc_i[0];
  assign zero  = frac == '0;

  always_comb begin
    shifted = frac;
    places  = '0;
    for (int l = 3; l >= 0; l--) begin
      if ((shifted >> (int'(Fp16MantW) - (1 << l))) == '0) begin
        shifted   = shifted << (1 << l);
        places[l] = 1'b1;
      end
    end
  end

  always_comb begin
    pattern_o = {acc_i[31:1], acc_i[0] && !acc_fp16_i};
    if (below && zero) pattern_o = {acc_i[31], 31'b0};
    else if (below) begin
      pattern_o = {acc_i[31], 8'(Fp16FieldMin - 1) - 8'(places), shifted[Fp16MantW-2:0],
                   {(Fp32MantW + 1 - Fp16MantW){1'b0}}};
    end
  end

endmodule
