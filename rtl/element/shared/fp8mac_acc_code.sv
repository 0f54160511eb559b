// SPDX-License-Identifier: Apache-2.0
// Encodes an accumulator in its format. A significand without its leading bit is zero or subnormal, and has the field 0
// in the code.
module fp8mac_acc_code
  import fp8mac_pkg::*;
#(
  parameter bit ACC_FP16 = 1'b0,
  localparam int unsigned MantW = ACC_FP16 ? Fp16MantW : Fp32MantW,
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8,
  localparam int unsigned CodeW = 1 + FieldW + MantW
) (
  input  logic              sign_i,
  input  logic [FieldW-1:0] field_i,
  input  logic [MantW:0]    sig_i,
  input  special_e          special_i,
  output logic [CodeW-1:0]  code_o
);

  always_comb begin
    unique case (special_i)
      SpecialNan:    code_o = {1'b0, {FieldW{1'b1}}, 1'b1, {(MantW - 1){1'b0}}};
      SpecialPosInf: code_o = {1'b0, {FieldW{1'b1}}, {MantW{1'b0}}};
      SpecialNegInf: code_o = {1'b1, {FieldW{1'b1}}, {MantW{1'b0}}};
      default:       code_o = {sign_i, field_i[FieldW-1:1], field_i[0] && sig_i[MantW], sig_i[MantW-1:0]};
    endcase
  end

endmodule
