// SPDX-License-Identifier: Apache-2.0
// Row-and-column nest: ROWS feeds of A, COLS feeds of B and ROWS x COLS elements of one kind, each cycle's operands of
// A broadcast along a row, those of B along a column. fp8mac_array is built around it.
//
// In a cycle without a step, in a row or column that is not enabled and in a lane that is not enabled, operands are
// absent. Flags come from enabled elements alone, so that an Inf or a NaN whose partners are absent raises nothing.
module fp8mac_nest
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 8,
  parameter int unsigned COLS      = 8,
  parameter int unsigned LANES     = 4,
  parameter int unsigned BANKS     = 4,
  parameter int unsigned ELEMENT   = ElementExact,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  localparam int unsigned BankW    = $clog2(BANKS),
  localparam int unsigned ResultW  = result_width(ELEMENT, FRAC_BITS),
  localparam int unsigned Shown    = element_latency(ELEMENT) - 1
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,

  // Index s: the step that was issued s cycles ago
  input  logic [Shown:0]                         valid_i,
  input  logic [Shown:0]                         first_i,
  input  logic [Shown:0]                         last_i,
  input  logic [Shown:0][BankW-1:0]              bank_i,
  input  logic [Shown:0][ROWS-1:0]               row_en_i,
  input  logic [Shown:0][COLS-1:0]               col_en_i,

  // The step that is being issued
  input  step_cfg_t                              cfg_i,
  input  logic [LANES-1:0]                       lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]        a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]        b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]            a_bound_i,  // FeedBounded
  input  logic [COLS-1:0][BoundW-1:0]            b_bound_i,

  // The step that was issued Shown cycles ago
  output logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result_o,   // see result_width(); meaningless where not enabled
  output flags_t                                 flags_o     // of all enabled elements together, 0 if there was no step
);

  localparam int unsigned Control = control_cycle(ELEMENT);
  localparam int unsigned Flags = flags_cycle(ELEMENT);
  localparam int unsigned Rotating = element_rotating_banks(ELEMENT);

  if (!element_exists(ELEMENT)) begin : g_check_element
    $error("ELEMENT is no number of a kind in fp8mac_catalogue_pkg");
  end
  if (Rotating != 0 && BANKS != Rotating) begin : g_check_banks
    $error("BANKS must be element_rotating_banks(ELEMENT): so many accumulators rotate through the loop");
  end
  if ((element_has_window(ELEMENT, LANES) || element_window_lanes(ELEMENT) == 0) &&
      (FRAC_BITS < element_least_frac_bits(ELEMENT) || FRAC_BITS > element_most_frac_bits(ELEMENT)))
  begin : g_check_frac_bits
    $error("FRAC_BITS is not within element_least_frac_bits(ELEMENT) .. element_most_frac_bits(ELEMENT)");
  end

  // Scaling exponents and the accumulator's format, as the family takes them. A late accumulation's base joins the
  // largest exponent of a row in the feed of A, in cycle 2.
  scale_sum_t scale_sum;
  base_t      base, base_1_q, base_2_q;
  acc_fmt_e   acc_fmt_q;

  assign scale_sum = fnuz_adjust(cfg_i.scale_sum, cfg_i.a_fmt, cfg_i.b_fmt);
  assign base      = element_family(ELEMENT) == FamilyExact ? base_t'(scale_sum)
                                                             : base_of(scale_sum, acc_is_fp16(ELEMENT), OperandExpW);
  always_ff @(posedge clk_i) begin
    base_1_q  <= base;
    base_2_q  <= base_1_q;
    acc_fmt_q <= cfg_i.acc_fmt;
  end

  logic [ROWS-1:0][feed_width(ELEMENT, LANES, 1'b1)-1:0] a;
  logic [COLS-1:0][feed_width(ELEMENT, LANES, 1'b0)-1:0] b;
  flags_t [ROWS-1:0][COLS-1:0]                           flags;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
    fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b1)) u_feed (
      .clk_i, .valid_i(valid_i[0] && row_en_i[0][r]), .lane_en_i, .code_i(a_code_i[r]), .fmt_i(cfg_i.a_fmt),
      .bound_i(a_bound_i[r]), .base_i(base_2_q), .feed_o(a[r])
    );
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
    fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b0)) u_feed (
      .clk_i, .valid_i(valid_i[0] && col_en_i[0][c]), .lane_en_i, .code_i(b_code_i[c]), .fmt_i(cfg_i.b_fmt),
      .bound_i(b_bound_i[c]), .base_i('0), .feed_o(b[c])
    );
  end

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      fp8mac_element #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .BANKS(BANKS)) u_element (
        .clk_i,
        .rst_ni,
        .step_valid_i  (valid_i[Control]),
        .step_enabled_i(row_en_i[Control][r] && col_en_i[Control][c]),
        .step_first_i  (first_i[Control]),
        .step_last_i   (last_i[Control]),
        .step_bank_i   (bank_i[Control]),
        .acc_fmt_i     (acc_fmt_q),
        .base_i        (Control == 1 ? base_1_q : base_2_q),
        .a_i           (a[r]),
        .b_i           (b[c]),
        .result_o      (result_o[r][c]),
        .flags_o       (flags[r][c])
      );
    end
  end

  // Flags that are known before the result wait for it.
  flags_t merged;

  always_comb begin
    merged = '0;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        if (valid_i[Flags] && row_en_i[Flags][r] && col_en_i[Flags][c]) merged = merged | flags[r][c];
      end
    end
  end

  if (Flags < Shown) begin : g_flags_wait
    flags_t [Shown:Flags+1] flags_q;
    always_ff @(posedge clk_i) flags_q <= {flags_q[Shown-1:Flags+1], merged};
    assign flags_o = flags_q[Shown];
  end else begin : g_flags
    assign flags_o = merged;
  end

  // What the kind cannot do is not asked of it.
  localparam bit HasFormats = !element_has_int32(ELEMENT);

  a_accumulator : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || !HasFormats || (element_has_fp32(ELEMENT) && element_has_fp16(ELEMENT)) ||
    cfg_i.acc_fmt == (acc_is_fp16(ELEMENT) ? AccFp16 : AccFp32));

  a_formats : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !valid_i[0] || !HasFormats || element_takes_e5m2(ELEMENT) ||
    (cfg_i.a_fmt inside {FmtE4m3fn, FmtE4m3fnuz} && cfg_i.b_fmt inside {FmtE4m3fn, FmtE4m3fnuz}));

endmodule
