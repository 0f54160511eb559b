// SPDX-License-Identifier: Apache-2.0
// Decodes an accumulator from the code that fp8mac_acc_code made. The field of a zero or subnormal FP16 is that of the
// smallest binade, 1. There are no FP32 subnormals.
module fp8mac_acc_decode
  import fp8mac_pkg::*;
#(
  parameter bit ACC_FP16 = 1'b0,
  localparam int unsigned MantW = ACC_FP16 ? Fp16MantW : Fp32MantW,
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8,
  localparam int unsigned CodeW = 1 + FieldW + MantW
) (
  input  logic [CodeW-1:0]  code_i,
  output logic              sign_o,
  output logic [FieldW-1:0] field_o,
  output logic [MantW:0]    sig_o,
  output special_e          special_o
);

  logic [FieldW-1:0] field;
  logic              normal;

  assign sign_o  = code_i[CodeW-1];
  assign field   = code_i[MantW+:FieldW];
  assign normal  = field != '0;
  assign field_o = {field[FieldW-1:1], field[0] || (ACC_FP16 && !normal)};
  assign sig_o   = {normal, code_i[MantW-1:0]};

  always_comb begin
    special_o = SpecialNone;
    if (field == '1) special_o = code_i[MantW-1] ? SpecialNan : sign_o ? SpecialNegInf : SpecialPosInf;
  end

endmodule
