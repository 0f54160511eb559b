// SPDX-License-Identifier: Apache-2.0
// The epilogue's leaves side by side, fed every cycle: one multiplier, one adder, one converter per
// D format, the converter from the formats of C and X, and the generator of random bits. While
// pairs_i is 1, multiplier and adder have the clock, otherwise the others: so a simulation
// evaluates what it tests. Operands come through registers, because a simulation evaluates what is
// behind inputs twice a cycle.
module fp32_tb_top (
  input  logic             clk_i,
  input  logic             pairs_i,
  input  logic [31:0]      a_i,
  input  logic [31:0]      b_i,
  output logic [31:0]      mul_o,
  output logic             mul_invalid_o,
  output logic             mul_overflow_o,
  output logic [31:0]      add_o,
  output logic             add_invalid_o,
  output logic             add_overflow_o,
  input  logic [7:0][2:0]  fmt_i,
  input  logic [1:0]       overflow_mode_i,
  input  logic [31:0]      x_i,
  input  logic [2:0]       value_fmt_i,
  input  logic [31:0]      value_code_i,
  output logic [31:0]      value_o,
  output logic [7:0][31:0] code_o,
  output logic [7:0]       invalid_o,
  output logic [7:0]       overflow_o,
  output logic [7:0]       saturated_o,
  input  logic             stochastic_i,
  input  logic [15:0]      random_i,
  input  logic [31:0]      seed_i,
  input  logic [31:0]      m_i,
  input  logic [31:0]      n_block_i,
  output logic [3:0][15:0] random_o
);

  logic        clk_pairs, clk_others;
  logic [31:0] a_q, b_q, x_q;
  logic [15:0] random_q;

  assign clk_pairs  = clk_i && pairs_i;
  assign clk_others = clk_i && !pairs_i;

  always_ff @(posedge clk_pairs) begin
    a_q <= a_i;
    b_q <= b_i;
  end

  always_ff @(posedge clk_others) begin
    x_q      <= x_i;
    random_q <= random_i;
  end

  fp8mac_fp32_mul u_mul (
    .clk_i     (clk_pairs),
    .a_i       (a_q),
    .b_i       (b_q),
    .result_o  (mul_o),
    .invalid_o (mul_invalid_o),
    .overflow_o(mul_overflow_o)
  );

  fp8mac_fp32_add u_add (
    .clk_i     (clk_pairs),
    .a_i       (a_q),
    .b_i       (b_q),
    .result_o  (add_o),
    .invalid_o (add_invalid_o),
    .overflow_o(add_overflow_o)
  );

  fp8mac_fmt_to_fp32 u_value (
    .fmt_i(fp8mac_pkg::dst_fmt_e'(value_fmt_i)), .code_i(value_code_i), .x_o(value_o)
  );

  fp8mac_simon64 u_random (.clk_i(clk_others), .seed_i, .m_i, .n_block_i, .random_o);

  for (genvar f = 0; f < 8; f++) begin : gen_converter
    fp8mac_fp32_to_fmt u_convert (
      .clk_i          (clk_others),
      .fmt_i          (fp8mac_pkg::dst_fmt_e'(fmt_i[f])),
      .overflow_mode_i(fp8mac_pkg::overflow_e'(overflow_mode_i)),
      .stochastic_i,
      .random_i       (random_q),
      .x_i            (x_q),
      .code_o         (code_o[f]),
      .invalid_o      (invalid_o[f]),
      .overflow_o     (overflow_o[f]),
      .saturated_o    (saturated_o[f])
    );
  end

endmodule
