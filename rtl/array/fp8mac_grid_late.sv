// SPDX-License-Identifier: Apache-2.0
// Edges and elements of an array of fp8mac_element_late. A cycle without a step, a row and a column that are not enabled,
// a lane that is absent: their operands are zero. The ports of all grids are alike (see fp8mac_array).
module fp8mac_grid_late
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_array_pkg::*;
#(
  parameter int unsigned ROWS  = 8,
  parameter int unsigned COLS  = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned SHOWN = ArrayStages + 1,
  parameter bit ACC_FP16 = 1'b0,
  parameter int unsigned FRAC_BITS = 25,  // of no concern with LANES = 1
  localparam int unsigned ResultW = ACC_FP16 ? 16 : 32
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
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,  // its code; meaningless where the step was not enabled
  output flags_t                                flags_o     // of all elements together, 0 if there was no step
);

  localparam int unsigned MantW = ACC_FP16 ? Fp16MantW : Fp32MantW;
  localparam int unsigned FieldW = ACC_FP16 ? 5 : 8;
  localparam int unsigned DistanceW = $clog2(FRAC_BITS + 3);

  // An element's cycle s is the step's cycle s + 3. The base joins a bound in cycle 2.
  base_t base_1_q, base_2_q;

  always_ff @(posedge clk_i) begin
    base_1_q <= base_of(fnuz_adjust(cfg_i.scale_sum, cfg_i.a_fmt, cfg_i.b_fmt), ACC_FP16, OperandExpW);
    base_2_q <= base_1_q;
  end

  // Edges
  lane_t [ROWS-1:0][LANES-1:0] a_lane;
  lane_t [COLS-1:0][LANES-1:0] b_lane;
  base_t [ROWS-1:0]            a_field;
  base_t [COLS-1:0]            b_field;  // the bound alone
  logic [ROWS-1:0]             a_none, a_nan;
  logic [COLS-1:0]             b_none, b_nan;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW), .OWN_BOUND(1'b1), .SIDE_A(1'b1)) u_feed (
      .clk_i, .valid_i(valid_i[0] && row_en_i[0][r]), .lane_en_i, .code_i(a_code_i[r]), .fmt_i(cfg_i.a_fmt),
      .bound_i('0), .lane_o(a_lane[r]), .nan_o(a_nan[r]), .base_i(base_2_q), .field_o(a_field[r]), .none_o(a_none[r])
    );
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW), .OWN_BOUND(1'b1)) u_feed (
      .clk_i, .valid_i(valid_i[0] && col_en_i[0][c]), .lane_en_i, .code_i(b_code_i[c]), .fmt_i(cfg_i.b_fmt),
      .bound_i('0), .lane_o(b_lane[c]), .nan_o(b_nan[c]), .base_i('0), .field_o(b_field[c]), .none_o(b_none[c])
    );
  end

  flags_t [ROWS-1:0][COLS-1:0] flags;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      logic              sign;
      logic [FieldW-1:0] field;
      logic [MantW:0]    sig;
      special_e          special;

      fp8mac_element_late #(.LANES(LANES), .FRAC_BITS(FRAC_BITS), .ACC_FP16(ACC_FP16)) u_pe (
        .clk_i,
        .a_i         (a_lane[r]),
        .b_i         (b_lane[c]),
        .field_a_i   (a_field[r]),
        .bound_b_i   (b_field[c][OperandExpW:0]),
        .none_i      (a_none[r] || b_none[c]),
        .nan_i       (a_nan[r] || b_nan[c]),
        .step_first_i(valid_i[4] && first_i[4]),
        .sign_o      (sign),
        .field_o     (field),
        .sig_o       (sig),
        .special_o   (special),
        .flags_o     (flags[r][c])
      );
      fp8mac_acc_code #(.ACC_FP16(ACC_FP16)) u_code (
        .sign_i(sign), .field_i(field), .sig_i(sig), .special_i(special), .code_o(result_o[r][c])
      );
    end
  end

  fp8mac_array_flags #(.ROWS(ROWS), .COLS(COLS)) u_flags (
    .valid_i(valid_i[SHOWN]), .row_en_i(row_en_i[SHOWN]), .col_en_i(col_en_i[SHOWN]), .flags_i(flags), .flags_o
  );

  if (BANKS != 4 || SHOWN != array_stages(ElementLateFp32) - 1) begin : g_check_banks
    $error("an accumulate loop of four cycles: BANKS_M * BANKS_N must be 4");
  end

  a_accumulator_format : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || cfg_i.acc_fmt == (ACC_FP16 ? AccFp16 : AccFp32));

endmodule
