// SPDX-License-Identifier: Apache-2.0
// Normalise: turns the sum into a sign and a significand with its leading bit on top, and decides
// whether rounding to nearest even goes up. Level l shifts by 2^l places if the top 2^l bits are
// zero. limit_i stops the shift at the accumulator's smallest exponent.
//
// With FP16_CHOICE the significand is FP32's, and fp16_i rounds it to FP16's 11 bits.
//
// A negative sum is only inverted, with ones shifted in. Its magnitude is one unit larger, and that
// unit is infinitely far below (fp8mac_round_even).
module fp8mac_acc_normalise
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned SUM_W = 33,
  parameter int unsigned SIG_W = 24,
  parameter bit LIMITED = 1'b0,
  parameter bit FP16_CHOICE = 1'b0,
  localparam int unsigned ShiftW = $clog2(SUM_W - 1)
) (
  input  logic [SUM_W-1:0]  sum_i,
  input  logic [ShiftW-1:0] limit_i,   // the largest shift allowed, if LIMITED and not unlimited_i
  input  logic              unlimited_i,
  input  logic              fp16_i,        // with FP16_CHOICE
  output logic              sign_o,
  output logic [SIG_W-1:0]  sig_o,
  output logic              up_o,
  output logic              carry_o,       // rounding up carries into the exponent: every bit kept is 1
  output logic [ShiftW-1:0] shift_o
);

  localparam int unsigned MagnitudeW = SUM_W - 1;
  localparam int unsigned Width = MagnitudeW > SIG_W + 2 ? MagnitudeW : SIG_W + 2;

  logic [ShiftW:0][Width-1:0] stage /* verilator split_var */;   // stage[ShiftW] is the first
  logic [ShiftW:0]            free /* verilator split_var */;

  assign sign_o = sum_i[SUM_W-1];
  if (Width > MagnitudeW) begin : g_pad
    assign stage[ShiftW] = {sum_i[SUM_W-2:0] ^ {MagnitudeW{sign_o}}, {(Width - MagnitudeW){sign_o}}};
  end else begin : g_same
    assign stage[ShiftW] = sum_i[SUM_W-2:0] ^ {MagnitudeW{sign_o}};
  end
  assign free[ShiftW] = !LIMITED || unlimited_i;

  for (genvar l = int'(ShiftW) - 1; l >= 0; l--) begin : g_level
    localparam int unsigned By = 1 << l;
    logic clear, shift;
    assign clear      = stage[l+1][Width-1-:By] == '0;
    assign shift      = clear && (free[l+1] || limit_i[l]);
    assign free[l]    = free[l+1] || (limit_i[l] && !clear);
    assign shift_o[l] = shift;
    assign stage[l]   = shift ? {stage[l+1][Width-1-By:0], {By{sign_o}}} : stage[l+1];
  end

  logic rest, up, carry;
  assign sig_o = stage[0][Width-1-:SIG_W];
  assign rest  = (stage[0][Width-2-SIG_W:0] ^ {(Width - 1 - SIG_W){sign_o}}) != '0;

  fp8mac_round_even u_round (
    .last_i(sig_o[0]), .guard_i(stage[0][Width-1-SIG_W]), .rest_i(rest), .inverted_i(sign_o), .up_o(up)
  );

  // Computed beside the increment, so that the exponent does not wait for the increment's carry
  assign carry = up && sig_o == '1;

  if (FP16_CHOICE) begin : g_choice
    localparam int unsigned Drop = Fp32MantW - Fp16MantW;
    logic fp16_rest, fp16_up;
    assign fp16_rest = (sig_o[Drop-2:0] ^ {(Drop - 1){sign_o}}) != '0 || stage[0][Width-1-SIG_W] != sign_o || rest;
    fp8mac_round_even u_round_fp16 (
      .last_i(sig_o[Drop]), .guard_i(sig_o[Drop-1]), .rest_i(fp16_rest), .inverted_i(sign_o), .up_o(fp16_up)
    );
    assign up_o    = fp16_i ? fp16_up : up;
    assign carry_o = fp16_i ? fp16_up && sig_o[SIG_W-1:Drop] == '1 : carry;
  end else begin : g_one_format
    logic unused;
    assign unused  = fp16_i;
    assign up_o    = up;
    assign carry_o = carry;
  end

endmodule
