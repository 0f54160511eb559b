// SPDX-License-Identifier: Apache-2.0
// The exact element behind its operand decoders, one accumulator bank in use: the device under
// test of test_element.py.
module element_top
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  logic               first_i,   // start from +0
  input  logic               last_i,    // report the result
  input  logic               fp16_i,    // accumulator: FP16, else FP32
  input  logic [1:0]         a_fmt_i,   // as fp8_fmt_e
  input  logic [1:0]         b_fmt_i,
  input  logic [8*LANES-1:0] a_i,       // codes, the first lane's in the low byte
  input  logic [8*LANES-1:0] b_i,
  output logic               valid_o,
  output logic [31:0]        result_o   // FP32 pattern
);
  fp8_fmt_e             a_fmt, b_fmt;
  operand_t [LANES-1:0] a, b;
  logic [1:0]           unused_bank;
  flags_t               unused_flags;

  assign a_fmt = fp8_fmt_e'(a_fmt_i);
  assign b_fmt = fp8_fmt_e'(b_fmt_i);

  for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
    fp8mac_decode u_a (.code_i(a_i[8*lane +: 8]), .fmt_i(a_fmt), .operand_o(a[lane]));
    fp8mac_decode u_b (.code_i(b_i[8*lane +: 8]), .fmt_i(b_fmt), .operand_o(b[lane]));
  end

  fp8mac_element_exact #(.LANES(LANES)) u_element (
    .clk_i,
    .rst_ni,
    .step_valid_i  (valid_i),
    .step_bank_i   (2'd0),
    .step_first_i  (first_i),
    .step_last_i   (last_i),
    .acc_fmt_i     (fp16_i ? AccFp16 : AccFp32),
    .scale_sum_i   (fnuz_adjust('0, a_fmt, b_fmt)),
    .a_i           (a),
    .b_i           (b),
    .result_valid_o(valid_o),
    .result_bank_o (unused_bank),
    .result_o,
    .flags_o       (unused_flags)
  );

endmodule
