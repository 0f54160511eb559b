// SPDX-License-Identifier: Apache-2.0
// Edges and elements of an array of fp8mac_element_int8: codes are INT8, and a step's formats and scaling exponents mean
// nothing. A cycle without a step, a row and a column that are not enabled, a lane that is absent: their operands are
// zero. The ports of all grids are alike (see fp8mac_array).
module fp8mac_grid_int8
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS  = 8,
  parameter int unsigned COLS  = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned SHOWN = ArrayStages - 1,
  localparam int unsigned ResultW = 32
) (
  input  logic                                  clk_i,

  // Index s: of the step that was issued s cycles ago. The rest is of the step that is being issued.
  input  logic [SHOWN:0]                        valid_i,
  input  logic [SHOWN:0]                        first_i,
  input  logic [SHOWN:0][ROWS-1:0]              row_en_i,
  input  logic [SHOWN:0][COLS-1:0]              col_en_i,
  input  logic [LANES-1:0]                      lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]       a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]       b_code_i,

  // Of the step that was issued SHOWN cycles ago; meaningless where it was not enabled
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,
  output flags_t                                flags_o
);

  logic [ROWS-1:0][LANES-1:0][7:0] a;
  booth_t [COLS-1:0][LANES-1:0]    b;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
    fp8mac_feed_int8 #(.LANES(LANES), .RECODE(1'b0)) u_feed (
      .clk_i, .valid_i(valid_i[0] && row_en_i[0][r]), .lane_en_i, .code_i(a_code_i[r]), .operand_o(a[r]), .digit_o()
    );
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
    fp8mac_feed_int8 #(.LANES(LANES), .RECODE(1'b1)) u_feed (
      .clk_i, .valid_i(valid_i[0] && col_en_i[0][c]), .lane_en_i, .code_i(b_code_i[c]), .operand_o(), .digit_o(b[c])
    );
  end

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      fp8mac_element_int8 #(.LANES(LANES), .BANKS(BANKS)) u_pe (
        .clk_i,
        .step_first_i(valid_i[1] && first_i[1]),
        .a_i         (a[r]),
        .b_i         (b[c]),
        .acc_o       (result_o[r][c])
      );
    end
  end

  assign flags_o = '0;

  if (BANKS != 4 || SHOWN != ArrayStages - 1) begin : g_check_banks
    $error("BANKS_M * BANKS_N must be 4: results are expected four turns' cycles after the sum of products");
  end

endmodule
