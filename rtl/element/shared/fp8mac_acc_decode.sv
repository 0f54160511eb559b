// SPDX-License-Identifier: Apache-2.0
// Decodes an accumulator from the code that fp8mac_acc_code made. The field of a zero or subnormal
// FP16 is that of the smallest binade: 1, or Fp16FieldMin with FP16_CHOICE. With SUBNORMALS that of
// a zero or subnormal FP32 is 1, too; else there are no FP32 subnormals. Combinational.
module fp8mac_acc_decode
  import fp8mac_pkg::*;
#(
  parameter bit ACC_FP16 = 1'b0,
  parameter bit FP16_CHOICE = 1'b0,  // FP32, or with fp16_i FP16; no ACC_FP16
  parameter bit SUBNORMALS = 1'b0,   // FP32 may be subnormal
  localparam int unsigned MantW = ACC_FP16 ? Fp16MantW : Fp32MantW,
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8,
  localparam int unsigned CodeW = 1 + FieldW + MantW
) (
  input  logic [CodeW-1:0]  code_i,
  input  logic              first_i,    // the accumulator is +0; code_i has no meaning
  input  logic              fp16_i,     // with FP16_CHOICE
  output logic              sign_o,
  output logic [FieldW-1:0] field_o,
  output logic [MantW:0]    sig_o,
  output special_e          special_o
);

  logic [CodeW-1:0]  code;
  logic [FieldW-1:0] field;
  logic              normal;

  assign code   = code_i & {CodeW{!first_i}};
  assign sign_o = code[CodeW-1];
  assign field  = code[MantW+:FieldW];

  if (FP16_CHOICE) begin : g_choice
    assign normal  = fp16_i ? !code_i[0] && !first_i : field != '0;
    assign field_o = field | (FieldW'(Fp16FieldMin) & {FieldW{fp16_i && first_i}}) |
                     FieldW'(SUBNORMALS && !fp16_i && !normal);
    assign sig_o   = {normal, code[MantW-1:1], code[0] && !fp16_i};
  end else begin : g_one_format
    logic unused;
    assign unused  = fp16_i;
    assign normal  = field != '0;
    assign field_o = {field[FieldW-1:1], field[0] || ((ACC_FP16 || SUBNORMALS) && !normal)};
    assign sig_o   = {normal, code[MantW-1:0]};
  end

  always_comb begin
    special_o = SpecialNone;
    if (field == '1) special_o = code[MantW-1] ? SpecialNan : sign_o ? SpecialNegInf : SpecialPosInf;
  end

endmodule
