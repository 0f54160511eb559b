// SPDX-License-Identifier: Apache-2.0
// fp8mac_pe_fixed with its window hung from a bound, behind the edges of its row and column. A step's result is seen
// nine cycles later, its flags five.
module anchored_tb
  import fp8mac_pkg::*;
  import fp8mac_window_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned FRAC_BITS = 13,
  localparam int unsigned AccW = FRAC_BITS + 3 + 16
) (
  input  logic                  clk_i,
  input  logic                  step_first_i,
  input  logic [LANES-1:0]      lane_en_i,
  input  logic [LANES-1:0][7:0] a_code_i,
  input  logic [LANES-1:0][7:0] b_code_i,
  input  logic [1:0]            a_fmt_i,
  input  logic [1:0]            b_fmt_i,
  input  logic [5:0]            a_bound_i,
  input  logic [5:0]            b_bound_i,
  output logic [63:0]           acc_o,
  output logic [1:0]            special_o,
  output logic [3:0]            flags_o,
  output logic [15:0]           parameters_o
);

  lane_t [LANES-1:0]     a, b;
  logic                  a_nan, b_nan;
  logic [2:0]            first_q;
  logic signed [AccW-1:0] acc;
  special_e              special;
  flags_t                flags;

  assign parameters_o = {8'(LANES), 8'(FRAC_BITS)};

  fp8mac_window_edge #(.LANES(LANES), .NORMALISE(1'b1), .ANCHORED(1'b1), .SIDE_A(1'b1)) u_a (
    .clk_i, .valid_i(1'b1), .lane_en_i, .code_i(a_code_i), .fmt_i(fp8_fmt_e'(a_fmt_i)), .bound_i(a_bound_i),
    .exp_o(), .zero_o(), .half_o(), .lane_o(a), .nan_o(a_nan)
  );
  fp8mac_window_edge #(.LANES(LANES), .NORMALISE(1'b1), .ANCHORED(1'b1)) u_b (
    .clk_i, .valid_i(1'b1), .lane_en_i, .code_i(b_code_i), .fmt_i(fp8_fmt_e'(b_fmt_i)), .bound_i(b_bound_i),
    .exp_o(), .zero_o(), .half_o(), .lane_o(b), .nan_o(b_nan)
  );

  always_ff @(posedge clk_i) first_q <= {first_q[1:0], step_first_i};

  fp8mac_pe_fixed #(
    .LANES(LANES), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(5), .HIDDEN_ONE(1'b1), .INF(1'b1)
  ) u_pe (
    .clk_i, .step_first_i(first_q[2]), .a_i(a), .b_i(b), .nan_i(a_nan || b_nan),
    .acc_o(acc), .special_o(special), .flags_o(flags)
  );

  assign acc_o     = 64'(acc);
  assign special_o = special;
  assign flags_o   = flags;

endmodule
