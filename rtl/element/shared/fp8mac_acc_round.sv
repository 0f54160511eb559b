// SPDX-License-Identifier: Apache-2.0
// Round: adds up_i to the significand and adapts its exponent field. Overflow is detected after
// rounding. Special values are selected last. A significand without its leading bit is zero or,
// with the smallest field, subnormal. Combinational.
module fp8mac_acc_round
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned SIG_W = 24,
  parameter int unsigned FIELD_W = 8,
  parameter int unsigned FIELD_MIN = 0,  // the field of a significand without leading bit
  parameter bit FLUSH = 1'b0,            // 1: a result below FIELD_MIN after rounding becomes zero of its sign
  parameter bit FP16_CHOICE = 1'b0,      // FP32, or with fp16_i FP16 as FP32 field and significand; no FLUSH
  parameter int unsigned EXP_W = BaseW   // of field_i
) (
  input  logic [SIG_W-1:0]   sig_i,
  input  logic               up_i,
  input  logic               carry_i,     // out of the significand
  input  logic               sign_i,
  input  logic signed [EXP_W-1:0] field_i,
  input  outcome_t           outcome_i,
  input  logic               fp16_i,      // with FP16_CHOICE
  output logic [SIG_W-1:0]   sig_o,
  output logic [FIELD_W-1:0] field_o,
  output special_e           special_o,
  output logic               overflow_o
);

  typedef logic signed [EXP_W-1:0] exp_t;
  localparam int unsigned FieldInf = (1 << FIELD_W) - 1;

  logic             finite;
  logic [SIG_W-1:0] kept, rounded;
  exp_t             field, field_min;

  // Rounding up can create the leading bit, in a subnormal or in the magnitude of -1 unit.
  // field_i is then its field.
  assign field  = sig_i[SIG_W-1] || up_i ? field_i + exp_t'({1'b0, carry_i}) : field_min;
  assign finite = outcome_i.special == SpecialNone;

  if (FP16_CHOICE) begin : g_unit_choice
    // Ones below FP16's last bit carry into it.
    localparam int unsigned Drop = Fp32MantW - Fp16MantW;
    assign field_min = fp16_i ? exp_t'(Fp16FieldMin) : exp_t'(FIELD_MIN);
    assign rounded   = (sig_i | {{(SIG_W - Drop){1'b0}}, {Drop{fp16_i}}}) + SIG_W'(up_i);
    assign kept      = rounded & ~{{(SIG_W - Drop){1'b0}}, {Drop{fp16_i}}};
  end else begin : g_unit
    logic unused;
    assign unused    = fp16_i;
    assign field_min = exp_t'(FIELD_MIN);
    assign rounded   = sig_i + SIG_W'(up_i);
    assign kept      = rounded;
  end

  // Without FLUSH the field is at least FIELD_MIN, so an overflow is any field that is at least
  // Inf's as an unsigned number.
  if (FLUSH) begin : g_flush
    logic flush;
    assign flush      = field < exp_t'(FIELD_MIN);
    assign sig_o      = {kept[SIG_W-1] || carry_i, kept[SIG_W-2:0]} & {SIG_W{!flush}};
    assign field_o    = flush ? FIELD_W'(FIELD_MIN) : field[FIELD_W-1:0];
    assign overflow_o = finite && !flush && field >= exp_t'(FieldInf);
  end else if (FP16_CHOICE) begin : g_choice
    assign sig_o      = {kept[SIG_W-1] || carry_i, kept[SIG_W-2:0]};
    assign field_o    = field[FIELD_W-1:0];
    assign overflow_o = finite && field >= (fp16_i ? exp_t'(Fp16FieldInf) : exp_t'(FieldInf));
  end else begin : g_keep
    assign sig_o      = {kept[SIG_W-1] || carry_i, kept[SIG_W-2:0]};
    assign field_o    = field[FIELD_W-1:0];
    assign overflow_o = finite && (field[EXP_W-1:FIELD_W] != '0 || field[FIELD_W-1:0] == FIELD_W'(FieldInf));
  end

  assign special_o  = !overflow_o ? outcome_i.special : sign_i ? SpecialNegInf : SpecialPosInf;

endmodule
