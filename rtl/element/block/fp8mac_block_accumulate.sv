// SPDX-License-Identifier: Apache-2.0
// The accumulate unit of block accumulation: adds a block's sum to an accumulator and rounds to
// FP32 or FP16. It takes one sum a cycle. fp8mac_acc_code makes the accumulator's code.
//
//   cycle   1                         2               3      4            5
//           acc_i, decode, compare -> swap, align  -> add -> normalise -> round, acc_o
module fp8mac_block_accumulate
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned FRAC_BITS = 19,   // of the products' sum
  parameter int unsigned INT_W = 7,
  parameter bit ACC_FP32 = 1'b1,
  parameter bit ACC_FP16 = 1'b1,
  parameter bit MX = 1'b0,                 // the products' exponent includes MX scales
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder, see fp8mac_adder
  localparam int unsigned AccW = ACC_FP32 ? 32 : 16,
  localparam int unsigned ExpW = field_width(MX),
  localparam int unsigned ProductsW = FRAC_BITS + INT_W + 1
) (
  input  logic                 clk_i,

  // Cycle 1
  input  logic signed [ExpW-1:0] field_i,    // the exponent of the products' sum, as a field of the accumulator
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
  localparam int unsigned MantW = OnlyFp16 ? Fp16MantW : Fp32MantW;
  localparam int unsigned LateBits = late_bits_of(MantW, FRAC_BITS);
  localparam int unsigned FieldW = OnlyFp16 ? 5 : 8;
  localparam int unsigned SumW = LateBits + INT_W + 1;
  localparam int unsigned WindowFieldW = window_field_bits(OnlyFp16, MX);

  // Decode
  logic              fp16, acc_sign;
  logic [FieldW-1:0] acc_field;
  logic [MantW:0]    acc_sig;
  special_e          acc_special;

  assign fp16 = Both && acc_fp16_i;
  fp8mac_acc_decode #(.ACC_FP16(OnlyFp16), .FP16_CHOICE(Both), .SUBNORMALS(MX)) u_decode (
    .code_i(acc_i), .first_i(acc_first_i), .fp16_i(fp16), .sign_o(acc_sign), .field_o(acc_field), .sig_o(acc_sig),
    .special_o(acc_special)
  );

  // Compare, swap, align, add
  logic [SumW-1:0]         sum_4;
  logic [WindowFieldW-1:0] field_4;

  fp8mac_late_add #(
    .FRAC_BITS(FRAC_BITS), .LATE_BITS(LateBits), .INT_W(INT_W), .ACC_FP16(OnlyFp16), .MX(MX), .ADD_RIPPLE(ADD_RIPPLE)
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
  logic              fp16_5;

  fp8mac_acc_finish #(.SUM_W(SumW), .INT_W(INT_W), .ACC_FP16(OnlyFp16), .FP16_CHOICE(Both), .MX(MX)) u_finish (
    .clk_i, .sum_i(sum_4), .minus_zero_i(1'b0), .field_i(field_4), .outcome_i(outcome_4_q), .fp16_i(fp16_q[4]),
    .sign_o(sign), .field_o(field), .sig_o(sig), .special_o(special), .fp16_o(fp16_5), .flags_o
  );

  // Encode
  fp8mac_acc_code #(.ACC_FP16(OnlyFp16), .FP16_CHOICE(Both)) u_code (
    .sign_i(sign), .field_i(field), .sig_i(sig), .special_i(special), .fp16_i(fp16_5), .code_o(acc_o)
  );

endmodule
