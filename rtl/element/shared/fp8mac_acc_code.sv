// SPDX-License-Identifier: Apache-2.0
// Encodes an accumulator:
//
//   format                     code
//   FP32                       FP32's
//   FP16                       FP16's
//   FP16_CHOICE, fp16_i = 0    FP32's
//   FP16_CHOICE, fp16_i = 1    the value as an FP32 pattern. Below 2^-14 the field stays at that of 2^-14, the
//                              significand has no leading bit, and the lowest fraction bit is set (fp8mac_acc_pattern)
//
// Without FP16_CHOICE a significand without its leading bit is zero or subnormal, and has the field
// 0 in the code. Combinational.
module fp8mac_acc_code
  import fp8mac_pkg::*;
#(
  parameter bit ACC_FP16 = 1'b0,
  parameter bit FP16_CHOICE = 1'b0,  // FP32, or with fp16_i FP16; no ACC_FP16
  localparam int unsigned MantW = ACC_FP16 ? Fp16MantW : Fp32MantW,
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8,
  localparam int unsigned CodeW = 1 + FieldW + MantW
) (
  input  logic              sign_i,
  input  logic [FieldW-1:0] field_i,
  input  logic [MantW:0]    sig_i,
  input  special_e          special_i,
  input  logic              fp16_i,     // with FP16_CHOICE
  output logic [CodeW-1:0]  code_o
);

  logic fp16, field_last, last;
  assign fp16       = FP16_CHOICE && fp16_i;
  assign field_last = field_i[0] && (fp16 || sig_i[MantW]);
  assign last       = fp16 ? !sig_i[MantW] : sig_i[0];

  always_comb begin
    unique case (special_i)
      SpecialNan:    code_o = {1'b0, {FieldW{1'b1}}, 1'b1, {(MantW - 1){1'b0}}};
      SpecialPosInf: code_o = {1'b0, {FieldW{1'b1}}, {MantW{1'b0}}};
      SpecialNegInf: code_o = {1'b1, {FieldW{1'b1}}, {MantW{1'b0}}};
      default:       code_o = {sign_i, field_i[FieldW-1:1], field_last, sig_i[MantW-1:1], last};
    endcase
  end

endmodule
