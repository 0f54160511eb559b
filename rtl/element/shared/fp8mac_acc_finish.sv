// SPDX-License-Identifier: Apache-2.0
// Normalises and rounds the sum in an alignment window, in the last two cycles of an accumulate
// loop. Results come one cycle after the inputs.
module fp8mac_acc_finish
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned SUM_W = 32,
  parameter int unsigned INT_W = 6,      // integer bits: the window's exponent is that of column SUM_W - 1 - INT_W
  parameter bit ACC_FP16 = 1'b0,
  parameter bit SUBNORMALS = 1'b1,       // 0: an FP16 result below 2^-14 is zero
  parameter bit FP16_CHOICE = 1'b0,      // FP32, or with fp16_i FP16 as FP32 field and significand; no ACC_FP16
  parameter bit MX = 1'b0,               // exponents include MX scales, so FP32 results may be subnormal; SUBNORMALS
  localparam int unsigned WindowFieldW = window_field_bits(ACC_FP16, MX),
  localparam int unsigned SigBits = ACC_FP16 ? Fp16MantW + 1 : AccSigW,
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8
) (
  input  logic                    clk_i,

  input  logic [SUM_W-1:0]        sum_i,       // two's complement
  input  logic                    minus_zero_i,
  input  logic [WindowFieldW-1:0] field_i,     // the window's exponent, as the accumulator's field
  input  outcome_t                outcome_i,
  input  logic                    fp16_i,      // with FP16_CHOICE; with 1 field_i is at least Fp16FieldMin

  // A cycle later
  output logic                    sign_o,
  output logic [FieldW-1:0]       field_o,
  output logic [SigBits-1:0]      sig_o,
  output special_e                special_o,
  output logic                    fp16_o,      // fp16_i
  output flags_t                  flags_o
);

  localparam int unsigned NormW = $clog2(SUM_W - 1);
  localparam int unsigned FieldMin = ACC_FP16 ? 1 : 0;

  // Normalise. top_field is the field of the magnitude's top bit. A shift by the limit leaves the
  // field of the smallest normal number, 1 or with FP16_CHOICE Fp16FieldMin. A field below 0
  // belongs to a zero, which has no field, or without SUBNORMALS to a result that becomes zero.
  localparam int unsigned ExpW = field_width(MX);
  localparam int unsigned TopFieldW = ACC_FP16 && SUBNORMALS && !MX ? WindowFieldW : ExpW;
  logic               sign, up, carry, sign_q, up_q, carry_q;
  logic [SigBits-1:0] sig, sig_q;
  logic [NormW-1:0]   shift;
  outcome_t           outcome_q;
  logic               fp16_q;

  logic [TopFieldW-1:0] top_field, limit, field_q;
  assign top_field = TopFieldW'(field_i) + TopFieldW'(INT_W - 1);
  if (FP16_CHOICE && MX) begin : g_limit
    assign limit = TopFieldW'(field_i) + (fp16_i ? TopFieldW'(int'(INT_W) - 1 - int'(Fp16FieldMin))
                                                 : TopFieldW'(int'(INT_W) - 2));
  end else begin : g_limit
    assign limit = TopFieldW'(field_i) + TopFieldW'(int'(INT_W) - 1 - (FP16_CHOICE ? int'(Fp16FieldMin) : 1));
  end

  fp8mac_acc_normalise #(
    .SUM_W(SUM_W), .SIG_W(SigBits), .LIMITED((ACC_FP16 && SUBNORMALS) || FP16_CHOICE || MX),
    .FP16_CHOICE(FP16_CHOICE)
  ) u_normalise (
    .sum_i, .limit_i(limit[NormW-1:0]), .unlimited_i(limit[TopFieldW-1:NormW] != '0 || (FP16_CHOICE && !MX && !fp16_i)),
    .fp16_i,
    .sign_o(sign), .sig_o(sig), .up_o(up), .carry_o(carry), .shift_o(shift)
  );
  always_ff @(posedge clk_i) begin
    sign_q    <= sign || minus_zero_i;
    sig_q     <= sig;
    up_q      <= up;
    carry_q   <= carry;
    field_q   <= top_field - TopFieldW'(shift);
    outcome_q <= outcome_i;
    fp16_q    <= fp16_i;
  end

  // Round
  logic overflow;

  fp8mac_acc_round #(
    .SIG_W(SigBits), .FIELD_W(FieldW), .FIELD_MIN(FieldMin), .FLUSH(ACC_FP16 && !SUBNORMALS),
    .FP16_CHOICE(FP16_CHOICE), .EXP_W(ExpW)
  ) u_round (
    .sig_i(sig_q), .up_i(up_q), .carry_i(carry_q), .sign_i(sign_q), .field_i(ExpW'(field_q)), .outcome_i(outcome_q),
    .fp16_i(fp16_q), .sig_o, .field_o, .special_o, .overflow_o(overflow)
  );
  assign sign_o  = sign_q;
  assign fp16_o  = fp16_q;
  assign flags_o = '{nan: outcome_q.nan, saturated: 1'b0, overflow: overflow, invalid: outcome_q.invalid};

endmodule
