// SPDX-License-Identifier: Apache-2.0
// Exact element with BANKS indexed accumulators of its own, around fp8mac_exact_pipeline.
// The area study weighs this element. fp8mac_array has the pipeline, and the accumulators in
// its accumulator memory.
//
// The element takes one step per cycle. Steps of one bank are at least LoopCycles apart.
// Accumulators are FP32 patterns in both formats.
module fp8mac_element_exact
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  localparam int unsigned BankW = $clog2(BANKS)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 step_valid_i,
  input  logic [BankW-1:0]     step_bank_i,
  input  logic                 step_first_i,    // the accumulator starts from +0
  input  logic                 step_last_i,     // raises result_valid_o with this step's result
  input  acc_fmt_e             acc_fmt_i,
  input  scale_sum_t           scale_sum_i,     // sa + sb, FNUZ-adjusted
  input  operand_t [LANES-1:0] a_i,
  input  operand_t [LANES-1:0] b_i,

  output logic                 result_valid_o,  // ElementStages after a step with step_last_i
  output logic [BankW-1:0]     result_bank_o,
  output logic [31:0]          result_o,        // FP32 pattern
  output flags_t               flags_o          // of the step issued ElementStages ago; 0 if there was none
);

  if (BANKS < LoopCycles) begin : g_check_banks
    $error("BANKS is less than the accumulate loop: a round over the banks would overtake its own results");
  end

  typedef struct packed {
    logic [BankW-1:0] bank;
    logic             first;
    logic             last;
  } control_t;

  // Index s: of the step that was issued s cycles ago
  logic [2:1]                 valid_q;
  control_t [ElementStages:1] control_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[1], step_valid_i};
    control_q <= {control_q[ElementStages-1:1], control_t'{bank: step_bank_i, first: step_first_i, last: step_last_i}};
  end

  // A step takes the result that is shown, or else its bank's accumulator.
  logic [BANKS-1:0][31:0] acc_q;
  logic [31:0]            acc;
  logic                   valid_5;

  always_ff @(posedge clk_i) if (valid_5) acc_q[control_q[5].bank] <= result_o;

  always_comb begin
    acc = acc_q[control_q[2].bank];
    if (valid_5 && control_q[5].bank == control_q[2].bank) acc = result_o;
    if (control_q[2].first) acc = '0;
  end

  fp8mac_exact_pipeline #(.LANES(LANES)) u_pipeline (
    .clk_i, .rst_ni, .step_valid_i, .acc_fmt_i, .scale_sum_i, .a_i, .b_i, .acc_i(acc), .valid_o(valid_5),
    .acc_o(result_o), .flags_o
  );

  assign result_valid_o = valid_5 && control_q[5].last;
  assign result_bank_o  = control_q[5].bank;

  // No step is issued to a bank whose preceding step has not yet reached its accumulator.
  always_ff @(posedge clk_i) begin
    if (rst_ni && step_valid_i) begin
      assert (!(valid_q[1] && control_q[1].bank == step_bank_i));
      assert (!(valid_q[2] && control_q[2].bank == step_bank_i));
    end
  end

endmodule
