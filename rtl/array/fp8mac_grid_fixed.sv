// SPDX-License-Identifier: Apache-2.0
// Edges and elements of an array of fp8mac_pe_fixed, exact: both formats are E4M3 ones, and the accumulator's, AccFp32,
// is that of the read-out. A cycle without a step, a row and a column that are not enabled, a lane that is absent:
// their operands are zero. The ports of all grids are alike (see fp8mac_array).
module fp8mac_grid_fixed
  import fp8mac_pkg::*;
  import fp8mac_window_pkg::*;
  import fp8mac_array_pkg::*;
#(
  parameter int unsigned ROWS  = 8,
  parameter int unsigned COLS  = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned SLOTS = 4,
  parameter int unsigned SHOWN = ArrayStages,
  localparam int unsigned ResultW = FixedAccW + 1
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,

  // Index s: of the step that was issued s cycles ago. The rest is of the step that is being issued.
  input  logic [SHOWN:0]                        valid_i,
  input  logic [SHOWN:0]                        first_i,
  input  logic [SHOWN:0][ROWS-1:0]              row_en_i,
  input  logic [SHOWN:0][COLS-1:0]              col_en_i,
  input  step_cfg_t                             cfg_i,
  input  logic [LANES-1:0]                      lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]       a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]       b_code_i,

  // Of the step that was issued SHOWN cycles ago
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,  // {NaN, integer}; meaningless where it was not enabled
  output flags_t                                flags_o     // of all elements together, 0 if there was no step
);

  localparam int unsigned ExpW = 4;

  function automatic lane_t decoded(operand_t operand);
    lane_t lane;
    lane       = '0;
    lane.sign  = operand.sign;
    lane.exp_n = ~(operand.exp - OperandExpW'(exp_offset(ExpW)));
    lane.sig   = operand.sig;
    lane.zero  = operand.zero;
    lane.live  = !operand.zero && !operand.nan;
    return lane;
  endfunction

  lane_t [ROWS-1:0][LANES-1:0] a_q;
  lane_t [COLS-1:0][LANES-1:0] b_q;
  logic [ROWS-1:0]             a_nan_q;
  logic [COLS-1:0]             b_nan_q;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_edge_a
    logic [LANES-1:0] is_nan;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      operand_t present, operand;
      fp8mac_decode u_decode (.code_i(a_code_i[r][lane]), .fmt_i(cfg_i.a_fmt), .operand_o(present));
      assign operand      = valid_i[0] && row_en_i[0][r] && lane_en_i[lane] ? present : AbsentB;
      assign is_nan[lane] = operand.nan;
      always_ff @(posedge clk_i) a_q[r][lane] <= decoded(operand);
    end
    always_ff @(posedge clk_i) a_nan_q[r] <= is_nan != '0;
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_edge_b
    logic [LANES-1:0] is_nan;
    for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
      operand_t present, operand;
      fp8mac_decode u_decode (.code_i(b_code_i[c][lane]), .fmt_i(cfg_i.b_fmt), .operand_o(present));
      assign operand      = valid_i[0] && col_en_i[0][c] && lane_en_i[lane] ? present : AbsentB;
      assign is_nan[lane] = operand.nan;
      always_ff @(posedge clk_i) b_q[c][lane] <= decoded(operand);
    end
    always_ff @(posedge clk_i) b_nan_q[c] <= is_nan != '0;
  end

  special_e special [ROWS][COLS];
  flags_t   flags [ROWS][COLS];

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      fp8mac_pe_fixed #(.LANES(LANES), .SLOTS(SLOTS), .GUARD(FixedGuard)) u_pe (
        .clk_i,
        .step_first_i(valid_i[1] && first_i[1]),
        .a_i         (a_q[r]),
        .b_i         (b_q[c]),
        .nan_i       (a_nan_q[r] || b_nan_q[c]),
        .acc_o       (result_o[r][c][FixedAccW-1:0]),
        .special_o   (special[r][c]),
        .flags_o     (flags[r][c])
      );
      assign result_o[r][c][FixedAccW] = special[r][c] != SpecialNone;  // there is no Inf
    end
  end

  // Flags are known long before the results. A NaN whose partner is not enabled raises nothing.
  localparam int unsigned FlagsKnown = 3;
  flags_t                        flags_any;
  flags_t [SHOWN:FlagsKnown + 1] flags_q;

  always_comb begin
    flags_any = '0;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        if (valid_i[FlagsKnown] && row_en_i[FlagsKnown][r] && col_en_i[FlagsKnown][c]) begin
          flags_any = flags_any | flags[r][c];
        end
      end
    end
  end

  always_ff @(posedge clk_i) flags_q <= {flags_q[SHOWN-1:FlagsKnown+1], flags_any};
  assign flags_o = flags_q[SHOWN];

  if (SLOTS != 4 || SHOWN != ArrayStages) begin : g_check_slots
    $error("SLOTS_M * SLOTS_N must be 4: results are expected four turns' cycles after the sum of products");
  end

  a_formats_are_e4m3 : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || (cfg_i.a_fmt inside {FmtE4m3fn, FmtE4m3fnuz} && cfg_i.b_fmt inside {FmtE4m3fn, FmtE4m3fnuz}));
  a_accumulator_format : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || cfg_i.acc_fmt == AccFp32);

endmodule
