// SPDX-License-Identifier: Apache-2.0
// Edges and elements of an array of fp8mac_element_exact: operands are decoded at the edge; an element of a row or a column that
// is not enabled does not step. The ports of all grids are alike (see fp8mac_array).
module fp8mac_grid_exact
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS  = 8,
  parameter int unsigned COLS  = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned SHOWN = ArrayStages - 1,
  localparam int unsigned BankW = $clog2(BANKS),
  localparam int unsigned ResultW = 32
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  // Index s: of the step that was issued s cycles ago. The rest is of the step that is being issued.
  input  logic [SHOWN:0]                        valid_i,
  input  logic [SHOWN:0]                        first_i,
  input  logic [SHOWN:0]                        last_i,
  input  logic [SHOWN:0][BankW-1:0]             bank_i,
  input  logic [SHOWN:0][ROWS-1:0]              row_en_i,
  input  logic [SHOWN:0][COLS-1:0]              col_en_i,
  input  step_cfg_t                             cfg_i,
  input  logic [LANES-1:0]                      lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]       a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]       b_code_i,

  // Of the step that was issued SHOWN cycles ago
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,  // if it was a bank's last
  output flags_t                                flags_o     // of all elements together, 0 if there was no step
);

  operand_t [LANES-1:0] a_q [ROWS];
  operand_t [LANES-1:0] b_q [COLS];
  acc_fmt_e             acc_fmt_q;
  scale_sum_t           scale_sum_q;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
    operand_t [LANES-1:0] present, operand;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      fp8mac_decode u_decode (
        .code_i(a_code_i[r][lane]), .fmt_i(cfg_i.a_fmt), .operand_o(present[lane])
      );
      assign operand[lane] = lane_en_i[lane] ? present[lane] : AbsentA;
    end
    always_ff @(posedge clk_i) begin
      if (valid_i[0]) a_q[r] <= operand;
    end
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
    operand_t [LANES-1:0] present, operand;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      fp8mac_decode u_decode (
        .code_i(b_code_i[c][lane]), .fmt_i(cfg_i.b_fmt), .operand_o(present[lane])
      );
      assign operand[lane] = lane_en_i[lane] ? present[lane] : AbsentB;
    end
    always_ff @(posedge clk_i) begin
      if (valid_i[0]) b_q[c] <= operand;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      acc_fmt_q   <= cfg_i.acc_fmt;
      scale_sum_q <= fnuz_adjust(cfg_i.scale_sum, cfg_i.a_fmt, cfg_i.b_fmt);
    end
  end

  flags_t flags [ROWS][COLS];

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      logic             shown;
      logic [BankW-1:0] shown_bank;

      fp8mac_element_exact #(.LANES(LANES), .BANKS(BANKS)) u_pe (
        .clk_i,
        .rst_ni,
        .step_valid_i  (valid_i[1] && row_en_i[1][r] && col_en_i[1][c]),
        .step_bank_i   (bank_i[1]),
        .step_first_i  (first_i[1]),
        .step_last_i   (last_i[1]),
        .acc_fmt_i     (acc_fmt_q),
        .scale_sum_i   (scale_sum_q),
        .a_i           (a_q[r]),
        .b_i           (b_q[c]),
        .result_valid_o(shown),
        .result_bank_o (shown_bank),
        .result_o      (result_o[r][c]),
        .flags_o       (flags[r][c])
      );

      // The array's pipeline speaks for every element that steps.
      always_ff @(posedge clk_i) begin
        if (rst_ni && shown) assert (valid_i[SHOWN] && last_i[SHOWN] && shown_bank == bank_i[SHOWN]);
      end
    end
  end

  always_comb begin
    flags_o = '0;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) flags_o = flags_o | flags[r][c];
    end
  end

endmodule
