// SPDX-License-Identifier: Apache-2.0
// Exact accumulation, without the accumulators: acc' = round(acc + 2^scale_sum * sum of a_i * b_i).
// The sum is exact and is rounded once, to nearest even in FP32 or FP16. Operands come decoded, so
// there is no format logic.
//
//   cycle    0          1            2               3             4          5
//         multiply -> align     -> add           -> normalise -> round    -> acc_o, flags_o
//                     products     acc and sum
//                                  ^ accumulator
//
// It takes one step per cycle. In both formats the accumulator is an FP32 pattern, because
// every FP16 value is an FP32 value. acc_fmt_i only changes the quantum and the range of
// rounding. The only NaN is Fp32Nan.
module fp8mac_exact_pipeline
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Cycle 0
  input  logic                 step_valid_i,  // without a step the registers keep their values
  input  acc_fmt_e             acc_fmt_i,
  input  scale_sum_t           scale_sum_i,   // sa + sb, FNUZ-adjusted
  input  operand_t [LANES-1:0] a_i,
  input  operand_t [LANES-1:0] b_i,

  // Cycle 2
  input  logic [31:0]          acc_i,         // FP32 pattern

  // Cycle 5, ElementStages after the step
  output logic                 valid_o,       // there was a step
  output logic [31:0]          acc_o,
  output flags_t               flags_o        // 0 if there was no step
);

  localparam int unsigned SumW = sum_width(LANES);
  localparam int unsigned FrameW = SumW + AccSigW + 2;

  // Index s: of the step whose data are in the registers after stage s, s = 1 for multiply.
  logic [ElementStages:1] valid_q;
  acc_fmt_e [4:1]         acc_fmt_q;
  scale_sum_t [2:1]       scale_sum_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[ElementStages-1:1], step_valid_i};
  end

  always_ff @(posedge clk_i) begin
    if (step_valid_i) begin
      acc_fmt_q[1]   <= acc_fmt_i;
      scale_sum_q[1] <= scale_sum_i;
    end
    for (int unsigned s = 2; s <= 4; s++) begin
      if (valid_q[s-1]) acc_fmt_q[s] <= acc_fmt_q[s-1];
    end
    if (valid_q[1]) scale_sum_q[2] <= scale_sum_q[1];
  end

  // Multiply
  product_t [LANES-1:0]   products_1;
  products_class_t        class_1, class_2_q;

  fp8mac_exact_multiply #(.LANES(LANES)) u_multiply (
    .clk_i, .en_i(step_valid_i), .a_i, .b_i, .product_o(products_1), .class_o(class_1)
  );

  // Align
  logic signed [SumW-1:0] sum_2;

  fp8mac_exact_align #(.LANES(LANES)) u_align (
    .clk_i, .en_i(valid_q[1]), .product_i(products_1), .sum_o(sum_2)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) class_2_q <= class_1;
  end

  // Add
  logic signed [FrameW-1:0] frame_3;
  logic [7:0]               field_3;
  logic                     neg_zero_3, invalid_3, nan_3, invalid_4_q, nan_4_q;
  special_e                 special_3, special_4_q;

  fp8mac_exact_add #(.LANES(LANES)) u_add (
    .clk_i, .en_i(valid_q[2]), .sum_i(sum_2), .scale_sum_i(scale_sum_q[2]), .class_i(class_2_q), .acc_i,
    .frame_o(frame_3), .field_o(field_3), .neg_zero_o(neg_zero_3),
    .special_o(special_3), .invalid_o(invalid_3), .nan_o(nan_3)
  );

  // Normalise
  normalised_t normalised_4;

  fp8mac_exact_normalise #(.LANES(LANES)) u_normalise (
    .clk_i, .en_i(valid_q[3]), .frame_i(frame_3), .field_i(field_3), .neg_zero_i(neg_zero_3),
    .normalised_o(normalised_4)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin
      special_4_q <= special_3;
      invalid_4_q <= invalid_3;
      nan_4_q     <= nan_3;
    end
  end

  // Round
  logic overflow_5, invalid_5_q, nan_5_q;

  fp8mac_exact_round u_round (
    .clk_i, .en_i(valid_q[4]), .acc_fmt_i(acc_fmt_q[4]), .normalised_i(normalised_4), .special_i(special_4_q), .acc_o,
    .overflow_o(overflow_5)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) begin
      invalid_5_q <= invalid_4_q;
      nan_5_q     <= nan_4_q;
    end
  end

  assign valid_o = valid_q[ElementStages];
  assign flags_o = valid_o ? '{nan: nan_5_q, saturated: 1'b0, overflow: overflow_5, invalid: invalid_5_q} : '0;

endmodule
