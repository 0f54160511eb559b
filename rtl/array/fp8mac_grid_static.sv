// SPDX-License-Identifier: Apache-2.0
// Edges and elements of an array of fp8mac_element_static. Exact: both formats are E4M3 ones, whose largest exponent the
// window hangs from. STATIC: it hangs from bounds that come with the operands. The accumulator's format, AccFp32, is
// that of the read-out. A cycle without a step, a row and a column that are not enabled, a lane that is absent: their
// operands are zero. The ports of all grids are alike (see fp8mac_array).
module fp8mac_grid_static
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_array_pkg::*;
#(
  parameter int unsigned ROWS  = 8,
  parameter int unsigned COLS  = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned SHOWN = ArrayStages,
  parameter bit STATIC = 1'b0,
  parameter int unsigned FRAC_BITS = FixedFracBits,
  localparam int unsigned AccW = fixed_acc_width(FRAC_BITS),
  localparam int unsigned ResultW = AccW + (STATIC ? 2 : 1)
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
  input  logic [ROWS-1:0][BoundW-1:0]           a_bound_i,  // STATIC
  input  logic [COLS-1:0][BoundW-1:0]           b_bound_i,

  // Of the step that was issued SHOWN cycles ago. {NaN, integer} or, STATIC, {special_e, integer}; meaningless where
  // the step was not enabled
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,
  output flags_t                                flags_o     // of all elements together, 0 if there was no step
);

  localparam int unsigned DistanceW = STATIC ? $clog2(FRAC_BITS + 3) : 4;

  if (!STATIC && FRAC_BITS != FixedFracBits) begin : g_check_frac_bits
    $error("FRAC_BITS must be FixedFracBits: fewer would not be exact, and no product needs more");
  end

  lane_t [ROWS-1:0][LANES-1:0] a;
  lane_t [COLS-1:0][LANES-1:0] b;
  logic [ROWS-1:0]             a_nan;
  logic [COLS-1:0]             b_nan;

  if (STATIC) begin : g_static
    for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
      fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW)) u_feed (
        .clk_i, .valid_i(valid_i[0] && row_en_i[0][r]), .lane_en_i, .code_i(a_code_i[r]), .fmt_i(cfg_i.a_fmt),
        .bound_i(a_bound_i[r]), .lane_o(a[r]), .nan_o(a_nan[r]), .base_i('0), .field_o(), .none_o()
      );
    end
    for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
      fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DistanceW)) u_feed (
        .clk_i, .valid_i(valid_i[0] && col_en_i[0][c]), .lane_en_i, .code_i(b_code_i[c]), .fmt_i(cfg_i.b_fmt),
        .bound_i(b_bound_i[c]), .lane_o(b[c]), .nan_o(b_nan[c]), .base_i('0), .field_o(), .none_o()
      );
    end
  end else begin : g_exact
    for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
      fp8mac_feed_kulisch #(.LANES(LANES)) u_feed (
        .clk_i, .valid_i(valid_i[0] && row_en_i[0][r]), .lane_en_i, .code_i(a_code_i[r]), .fmt_i(cfg_i.a_fmt),
        .lane_o(a[r]), .nan_o(a_nan[r])
      );
    end
    for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
      fp8mac_feed_kulisch #(.LANES(LANES)) u_feed (
        .clk_i, .valid_i(valid_i[0] && col_en_i[0][c]), .lane_en_i, .code_i(b_code_i[c]), .fmt_i(cfg_i.b_fmt),
        .lane_o(b[c]), .nan_o(b_nan[c])
      );
    end
    logic unused_bound;
    assign unused_bound = a_bound_i != '0 || b_bound_i != '0;

    a_formats_are_e4m3 : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !valid_i[0] || (cfg_i.a_fmt inside {FmtE4m3fn, FmtE4m3fnuz} && cfg_i.b_fmt inside {FmtE4m3fn, FmtE4m3fnuz}));
  end

  flags_t [ROWS-1:0][COLS-1:0] flags;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      special_e special;

      fp8mac_element_static #(
        .LANES(LANES), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(DistanceW), .HIDDEN_ONE(STATIC),
        .INF(STATIC), .GUARD(FixedGuard)
      ) u_pe (
        .clk_i,
        .step_first_i(valid_i[1] && first_i[1]),
        .a_i         (a[r]),
        .b_i         (b[c]),
        .nan_i       (a_nan[r] || b_nan[c]),
        .acc_o       (result_o[r][c][AccW-1:0]),
        .special_o   (special),
        .flags_o     (flags[r][c])
      );
      if (STATIC) begin : g_special
        assign result_o[r][c][AccW+:2] = special;
      end else begin : g_nan
        assign result_o[r][c][AccW] = special != SpecialNone;  // there is no Inf
      end
    end
  end

  // Flags are known long before the results.
  localparam int unsigned FlagsKnown = 3;
  flags_t                        flags_known;
  flags_t [SHOWN:FlagsKnown + 1] flags_q;

  fp8mac_array_flags #(.ROWS(ROWS), .COLS(COLS)) u_flags (
    .valid_i(valid_i[FlagsKnown]), .row_en_i(row_en_i[FlagsKnown]), .col_en_i(col_en_i[FlagsKnown]), .flags_i(flags),
    .flags_o(flags_known)
  );

  always_ff @(posedge clk_i) flags_q <= {flags_q[SHOWN-1:FlagsKnown+1], flags_known};
  assign flags_o = flags_q[SHOWN];

  if (BANKS != 4 || SHOWN != array_stages(ElementKulisch) - 1) begin : g_check_banks
    $error("BANKS_M * BANKS_N must be 4: results are expected four turns' cycles after the sum of products");
  end

  a_accumulator_format : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || cfg_i.acc_fmt == AccFp32);

endmodule
