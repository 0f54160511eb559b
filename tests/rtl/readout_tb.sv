// SPDX-License-Identifier: Apache-2.0
// Read-outs of three kinds of accumulators, side by side: FP16, FP32 or FP16 at run time, INT32.
module readout_tb
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
(
  input  logic [15:0] fp16_i,
  output logic [31:0] fp16_o,
  input  logic        choice_fp16_i,  // the code of choice_i is FP16's
  input  logic [31:0] choice_i,
  output logic [31:0] choice_o,
  input  logic [31:0] int32_i,
  output logic [31:0] int32_o
);
  localparam logic [7:0] FieldOfOne = 8'd127;

  fp8mac_readout #(.ELEMENT(ElementLateFp16)) u_fp16 (
    .result_i(fp16_i), .acc_fmt_i(AccFp16), .field_one_i('0), .pattern_o(fp16_o)
  );

  fp8mac_readout #(.ELEMENT(ElementBlock)) u_choice (
    .result_i(choice_i), .acc_fmt_i(choice_fp16_i ? AccFp16 : AccFp32), .field_one_i('0), .pattern_o(choice_o)
  );

  fp8mac_readout #(.ELEMENT(ElementInt8)) u_int32 (
    .result_i(int32_i), .acc_fmt_i(AccFp32), .field_one_i(FieldOfOne), .pattern_o(int32_o)
  );
endmodule
