// SPDX-License-Identifier: Apache-2.0
// The FP32 value of a code, exact. A NaN becomes the canonical one, except those of BF16 and FP32.
// Combinational.
//
// The FP8 formats and FP16 have at most 10 fraction bits and 5 exponent bits. Their significands
// are aligned to FP16's; a subnormal is normalised, because FP32 holds it as a normal number. The
// magnitude of INT8 is such a subnormal.
module fp8mac_fmt_to_fp32
  import fp8mac_pkg::*;
(
  input  dst_fmt_e    fmt_i,
  input  logic [31:0] code_i,  // right-justified
  output logic [31:0] x_o
);
  localparam int unsigned FracW = Fp16MantW;

  logic             sign, nan, is_inf;
  logic [4:0]       field;
  logic [FracW-1:0] frac, normal_frac;
  logic [7:0]       rebias;   // from field to FP32's
  logic [3:0]       zeros;    // leading, of frac
  logic [7:0]       exponent;

  always_comb begin
    sign   = code_i[7];
    field  = code_i[6:2];
    frac   = {code_i[1:0], (FracW-2)'(0)};
    nan    = 1'b0;
    is_inf = 1'b0;
    rebias = 8'd112;
    unique case (fmt_i)
      DstE4m3fn, DstE4m3fnuz: begin
        field  = {1'b0, code_i[6:3]};
        frac   = {code_i[2:0], (FracW-3)'(0)};
        rebias = (fmt_i == DstE4m3fn) ? 8'd120 : 8'd119;
        nan    = (fmt_i == DstE4m3fn) ? &code_i[6:0] : code_i[7:0] == 8'h80;
      end
      DstE5m2: begin
        nan    = &field && frac != '0;
        is_inf = &field && frac == '0;
      end
      DstE5m2fnuz: begin
        rebias = 8'd111;
        nan    = code_i[7:0] == 8'h80;
      end
      DstInt8: begin
        field  = '0;
        frac   = {sign ? -code_i[7:0] : code_i[7:0], (FracW-8)'(0)};
        rebias = 8'd134;  // the leading fraction bit is 2^7
      end
      default: begin  // FP16
        sign   = code_i[15];
        field  = code_i[14:10];
        frac   = code_i[9:0];
        nan    = &field && frac != '0;
        is_inf = &field && frac == '0;
      end
    endcase
  end

  always_comb begin
    zeros = 4'd0;
    for (int unsigned i = 0; i < FracW; i++) begin
      if (frac[i]) zeros = 4'(FracW - 1 - i);
    end
  end

  // 0.frac * 2^(1 - bias) = 1.xxx * 2^(-bias - zeros)
  assign normal_frac = (field != '0) ? frac : frac << zeros << 1;
  assign exponent    = (field != '0) ? 8'(field) + rebias : rebias - 8'(zeros);

  always_comb begin
    x_o = {sign, exponent, normal_frac, (Fp32MantW-FracW)'(0)};
    if (field == '0 && frac == '0) x_o[30:0] = '0;
    if (is_inf) x_o = {sign, Fp32Inf[30:0]};
    if (nan) x_o = Fp32Nan;
    if (fmt_i == DstBf16) x_o = {code_i[15:0], 16'd0};
    if (fmt_i == DstFp32) x_o = code_i;
  end

endmodule
