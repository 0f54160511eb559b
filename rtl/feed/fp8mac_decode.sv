// SPDX-License-Identifier: Apache-2.0
// Operand decoder: one FP8 code to an operand. Nothing behind it depends on the format,
// except for FNUZ's larger bias, which the array adds to the step's scaling exponent
// (fnuz_adjust). Combinational.
//
//   code      s eeee mmm (E4M3)      s eeeee mm (E5M2)
//   operand   exp = max(eeee,1) + 8   exp = max(eeeee,1)
//             sig = h.mmm             sig = h.mm0         h = (field != 0): a subnormal has the minimum exponent
module fp8mac_decode
  import fp8mac_pkg::*;
(
  input  logic [7:0] code_i,
  input  fp8_fmt_e   fmt_i,
  output operand_t   operand_o
);

  localparam int unsigned FracW = SigW - 1;
  localparam int unsigned E5m2Bias = 15;

  fp8_format_t            format;
  logic [6:0]             magnitude;
  logic [OperandExpW-1:0] field, offset;
  logic [FracW-1:0]       frac;
  logic                   exponent_ones, mantissa_ones, zero, is_inf, nan;

  always_comb begin
    format       = fp8_format(fmt_i);
    magnitude = code_i[6:0];

    // The fraction's bits move to the top of FracW, what is above them is the exponent field.
    field = OperandExpW'(magnitude >> format.mantissa_bits);
    frac  = FracW'(magnitude << (4'(FracW) - format.mantissa_bits));

    exponent_ones = field == OperandExpW'((6'd1 << format.exponent_bits) - 6'd1);
    mantissa_ones = frac == FracW'(4'b1111 << (4'(FracW) - format.mantissa_bits));
    unique case (format.nan_encoding)
      NanIeee:    nan = exponent_ones && frac != '0;
      NanAllOnes: nan = exponent_ones && mantissa_ones;
      default:    nan = code_i == 8'h80;
    endcase
    is_inf  = format.has_inf && exponent_ones && frac == '0;
    zero = magnitude == '0 && !nan;

    // E4M3's exponents start 8 above E5M2's, in both families.
    offset = OperandExpW'(E5m2Bias) - format.bias + OperandExpW'(is_fnuz(fmt_i));

    operand_o.sign = code_i[7];
    operand_o.exp  = (field == '0 ? OperandExpW'(1) : field) + offset;
    operand_o.sig  = (zero || is_inf || nan) ? '0 : {field != '0, frac};
    operand_o.zero = zero;
    operand_o.is_inf  = is_inf;
    operand_o.nan  = nan;
  end

  logic unused_format;
  assign unused_format = format.has_negative_zero;

endmodule
