// SPDX-License-Identifier: Apache-2.0
// The accumulate unit of block accumulation: adds a block's sum to an accumulator and rounds to FP32 or FP16. It takes
// one sum a cycle. The accumulator is a code:
//
//   formats      code
//   FP32         FP32's
//   FP16         FP16's
//   both         with acc_fp16_i = 0 FP32's. With 1 an FP16 value in FP32's format. Below 2^-14 the field stays at that
//                of 2^-14, the significand has no leading bit, and the lowest fraction bit is set (fp8mac_block_result)
//
//   cycle   1                       2               3      4            5
//           acc_i, decode, place -> swap, align  -> add -> normalise -> round, acc_o
module fp8mac_block_accumulate
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned FRAC_BITS = 19,   // of the products' sum
  parameter int unsigned INT_W = 7,
  parameter bit ACC_FP32 = 1'b1,
  parameter bit ACC_FP16 = 1'b1,
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder, see fp8mac_adder
  localparam int unsigned AccW = ACC_FP32 ? 32 : 16,
  localparam int unsigned ProductsW = FRAC_BITS + INT_W + 1
) (
  input  logic                 clk_i,

  // Cycle 1
  input  base_t                field_i,      // the exponent of the products' sum, as a field of the accumulator
  input  logic                 none_i,       // all products are zero: field_i has no meaning
  input  block_special_t       special_i,
  input  logic                 acc_fp16_i,   // with both formats: FP16
  input  logic                 acc_first_i,  // acc is +0
  input  logic [AccW-1:0]      acc_i,

  // Cycle 2
  input  logic [ProductsW-1:0] products_i,

  // Cycle 5
  output logic [AccW-1:0]      acc_o,
  output flags_t               flags_o
);

  localparam bit Both = ACC_FP32 && ACC_FP16;
  localparam bit OnlyFp16 = !ACC_FP32;
  localparam int unsigned LateLeast = OnlyFp16 ? Fp16MantW + 2 : Fp32MantW + 2;
  localparam int unsigned LateBits = FRAC_BITS > LateLeast ? FRAC_BITS : LateLeast;
  localparam int unsigned MantW = OnlyFp16 ? Fp16MantW : Fp32MantW;
  localparam int unsigned FieldW = OnlyFp16 ? 5 : 8;
  localparam int unsigned SumW = LateBits + INT_W + 1;
  localparam int unsigned WindowFieldW = window_field_bits(OnlyFp16);

  // Decode
  logic              fp16, acc_sign, hidden;
  logic [FieldW-1:0] field_code, acc_field;
  logic [MantW-1:0]  frac_code;
  logic [MantW:0]    acc_sig;
  special_e          acc_special;

  assign fp16       = Both && acc_fp16_i;
  assign acc_sign   = acc_i[AccW-1] && !acc_first_i;
  assign field_code = acc_i[MantW+:FieldW] & {FieldW{!acc_first_i}};
  assign frac_code  = acc_i[MantW-1:0] & {MantW{!acc_first_i}};
  assign acc_sig    = {hidden, frac_code[MantW-1:1], frac_code[0] && !fp16};

  if (Both) begin : g_both
    // The field of +0 in FP16 is that of 2^-14.
    assign hidden   = fp16 ? !acc_i[0] && !acc_first_i : field_code != '0;
    assign acc_field = field_code | (FieldW'(Fp16FieldMin) & {FieldW{fp16 && acc_first_i}});
  end else begin : g_single
    assign hidden   = field_code != '0;
    assign acc_field = {field_code[FieldW-1:1], field_code[0] || (OnlyFp16 && !hidden)};
  end

  always_comb begin
    acc_special = SpecialNone;
    if (field_code == '1) begin
      acc_special = frac_code[MantW-1] ? SpecialNan : acc_sign ? SpecialNegInf : SpecialPosInf;
    end
  end

  // Place, swap, align, add
  logic [SumW-1:0]         sum_4;
  logic [WindowFieldW-1:0] field_4;

  fp8mac_late_add #(
    .FRAC_BITS(FRAC_BITS), .LATE_BITS(LateBits), .INT_W(INT_W), .ACC_FP16(OnlyFp16), .ADD_RIPPLE(ADD_RIPPLE)
  ) u_add (
    .clk_i, .field_i, .none_i, .acc_sign_i(acc_sign), .acc_sig_i(acc_sig), .acc_field_i(acc_field), .products_i,
    .sum_o(sum_4), .field_o(field_4)
  );

  // Specials
  outcome_t   outcome_1, outcome_2_q, outcome_3_q, outcome_4_q;
  logic       plus, minus;
  logic [4:2] fp16_q;

  assign plus  = special_i.plus || acc_special == SpecialPosInf;
  assign minus = special_i.minus || acc_special == SpecialNegInf;
  always_comb begin
    outcome_1.invalid = special_i.invalid || (plus && minus);
    outcome_1.nan     = special_i.nan;
    outcome_1.special = SpecialNone;
    if (outcome_1.invalid || special_i.nan || acc_special == SpecialNan) outcome_1.special = SpecialNan;
    else if (plus) outcome_1.special = SpecialPosInf;
    else if (minus) outcome_1.special = SpecialNegInf;
  end
  always_ff @(posedge clk_i) begin
    outcome_2_q <= outcome_1;
    outcome_3_q <= outcome_2_q;
    outcome_4_q <= outcome_3_q;
    fp16_q      <= {fp16_q[3:2], fp16};
  end

  // Normalise, round
  logic              sign;
  logic [FieldW-1:0] field;
  logic [MantW:0]    sig;
  special_e          special;

  fp8mac_acc_finish #(.SUM_W(SumW), .INT_W(INT_W), .ACC_FP16(OnlyFp16), .FP16_CHOICE(Both)) u_finish (
    .clk_i, .sum_i(sum_4), .minus_zero_i(1'b0), .field_i(field_4), .outcome_i(outcome_4_q), .fp16_i(fp16_q[4]),
    .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .flags_o
  );

  // Encode
  if (Both) begin : g_code
    logic fp16_5_q;
    always_ff @(posedge clk_i) fp16_5_q <= fp16_q[4];
    always_comb begin
      unique case (special)
        SpecialNan:    acc_o = Fp32Nan;
        SpecialPosInf: acc_o = Fp32Inf;
        SpecialNegInf: acc_o = {1'b1, Fp32Inf[30:0]};
        default: acc_o = {sign, field[FieldW-1:1], field[0] && (fp16_5_q || sig[MantW]), sig[MantW-1:1],
                          fp16_5_q ? !sig[MantW] : sig[0]};
      endcase
    end
  end else begin : g_code
    fp8mac_acc_code #(.ACC_FP16(OnlyFp16)) u_code (
      .sign_i(sign), .field_i(field), .sig_i(sig), .special_i(special), .code_o(acc_o)
    );
    logic unused;
    assign unused = fp16_q[4];
  end

endmodule
