// SPDX-License-Identifier: Apache-2.0
// Row-and-column grid: ROWS feeds of A, COLS feeds of B and ROWS x COLS elements of one kind, each
// cycle's operands of A broadcast along a row, those of B along a column. fp8mac_array is built
// around it, and has the accumulators.
//
// SHARE neighbouring rows share the accumulate units of their columns. The rows of phase p are b *
// SHARE + p; what belongs to them comes and goes p cycles after what belongs to phase 0.
//
// In a cycle without a step, in a row or column that is not enabled and in a lane that is not
// enabled, operands are absent.
module fp8mac_grid
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,
  parameter int unsigned ELEMENT   = ElementBlock,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit          MX        = 1'b0,  // FamilyBlock: blocks have MX scales
  localparam int unsigned Share    = element_share(ELEMENT, LANES, ROWS),
  localparam int unsigned Bundle   = ROWS / Share,  // rows of a bundle
  localparam int unsigned ResultW  = result_width(ELEMENT, FRAC_BITS),
  localparam int unsigned PlaceW   = place_width(MX)
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,

  // The step that is being issued
  input  logic                                     step_valid_i,
  input  logic                                     block_first_i,
  input  logic                                     block_last_i,
  input  step_cfg_t                                cfg_i,
  input  logic [ROWS-1:0]                          row_en_i,
  input  logic [COLS-1:0]                          col_en_i,
  input  logic [LANES-1:0]                         lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]          a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]          b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]              a_bound_i,    // FeedBounded
  input  logic [COLS-1:0][BoundW-1:0]              b_bound_i,
  input  logic [ROWS-1:0][ScaleW-1:0]              a_scale_i,    // MX
  input  logic [COLS-1:0][ScaleW-1:0]              b_scale_i,

  // FamilyBlock, of the block whose last step was issued one cycle ago, and of the one of two
  // cycles ago
  input  step_cfg_t                                unit_cfg_i,
  input  logic [Bundle-1:0][PlaceW-1:0]            unit_a_place_i,
  input  logic [COLS-1:0][PlaceW-1:0]              unit_b_place_i,

  // The block whose last step was issued element_acc_cycle(ELEMENT) cycles ago
  input  logic                                     acc_first_i,  // accumulators are +0; acc_i has no meaning
  input  logic [Bundle-1:0][COLS-1:0][ResultW-1:0] acc_i,

  // The block whose last step was issued element_result_cycle(ELEMENT) cycles ago;
  // meaningless where not enabled
  output logic [Bundle-1:0][COLS-1:0][ResultW-1:0] result_o,     // see result_width()
  output flags_t [Bundle-1:0][COLS-1:0]            flags_o
);

  localparam bit IsBlock = element_family(ELEMENT) == FamilyBlock;

  if (!element_exists(ELEMENT)) begin : g_check_element
    $error("ELEMENT=%0d is no number of a kind in fp8mac_catalogue_pkg", ELEMENT);
  end
  if (MX && !element_has_mx(ELEMENT)) begin : g_check_mx
    $error("only kinds that sum blocks of MxBlock products have MX scales");
  end
  if (element_has_mx(ELEMENT) && element_block_products(ELEMENT) != MxBlock) begin : g_check_mx_block
    $error("the catalogue gives MX scales to a kind whose blocks are not MxBlock products");
  end
  if (PassTiles != RulePassTiles) begin : g_check_pass
    $error("fp8mac_pkg and the catalogue's rules differ in the tiles of a pass");
  end
  if (element_block(ELEMENT, LANES) % LANES != 0) begin : g_check_lanes
    $error("LANES must divide the kind's block: element_block_products(ELEMENT)");
  end
  if ((element_has_window(ELEMENT, LANES) || element_window_lanes(ELEMENT) == 0) &&
      (FRAC_BITS < element_least_frac_bits(ELEMENT) || FRAC_BITS > element_most_frac_bits(ELEMENT)))
  begin : g_check_frac_bits
    $error("FRAC_BITS is not within element_least_frac_bits(ELEMENT) .. element_most_frac_bits(ELEMENT)");
  end

  // Scaling exponents and the accumulator's format, as the family takes them. A late accumulation's
  // base joins the largest exponent of a row in the feed of A, in cycle 2.
  scale_sum_t scale_sum;
  base_t      base, base_1_q, base_2_q;
  logic       valid_q;

  assign scale_sum = fnuz_adjust(cfg_i.scale_sum, cfg_i.a_fmt, cfg_i.b_fmt);
  assign base      = element_family(ELEMENT) == FamilyExact ? base_t'(scale_sum)
                                                             : base_of(scale_sum, acc_is_fp16(ELEMENT), OperandExpW);
  always_ff @(posedge clk_i) begin
    base_1_q  <= base;
    base_2_q  <= base_1_q;
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= step_valid_i;
  end

  // The accumulator's format, in the cycle in which fp8mac_element takes it
  localparam int unsigned FmtCycle = element_family(ELEMENT) == FamilyExact ? 1 : element_acc_cycle(ELEMENT);
  logic [FmtCycle:1] fp16_q;
  always_ff @(posedge clk_i) fp16_q <= FmtCycle'({fp16_q, cfg_i.acc_fmt == AccFp16});

  localparam int unsigned AFeedW = feed_width(ELEMENT, LANES, 1'b1);
  localparam int unsigned BFeedW = feed_width(ELEMENT, LANES, 1'b0);
  logic [ROWS-1:0][AFeedW-1:0] a;
  logic [COLS-1:0][BFeedW-1:0] b;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_feed_a
    fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b1), .MX(MX)) u_feed (
      .clk_i, .rst_ni, .valid_i(step_valid_i && row_en_i[r]), .lane_en_i, .code_i(a_code_i[r]), .fmt_i(cfg_i.a_fmt),
      .bound_i(a_bound_i[r]), .nan_i(a_scale_i[r] == ScaleNan), .base_i(base_2_q), .feed_o(a[r])
    );
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_feed_b
    fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b0), .MX(MX)) u_feed (
      .clk_i, .rst_ni, .valid_i(step_valid_i && col_en_i[c]), .lane_en_i, .code_i(b_code_i[c]), .fmt_i(cfg_i.b_fmt),
      .bound_i(b_bound_i[c]), .nan_i(b_scale_i[c] == ScaleNan), .base_i('0), .feed_o(b[c])
    );
  end

  if (IsBlock) begin : g_block

    localparam bit HasFp32 = element_has_fp32(ELEMENT);
    localparam bit HasFp16 = element_has_fp16(ELEMENT);
    localparam int unsigned ExpW = field_width(MX);
    localparam int unsigned LanesW = LANES * $bits(lane_t);
    logic                         first_q, last_q, fp16, fp16_2_q;
    logic signed [ExpW-1:0]       unit_base;
    logic [COLS-1:0][LanesW-1:0]  b_lanes;
    logic [COLS-1:0]              b_nan, b_none, b_none_2_q;
    logic [ROWS-1:0][LanesW-1:0]  a_lanes;
    logic [ROWS-1:0]              a_nan;
    logic [Bundle-1:0]            a_none, a_none_2_q;

    assign fp16      = unit_cfg_i.acc_fmt == AccFp16;
    assign unit_base = ExpW'(block_base(fnuz_adjust(unit_cfg_i.scale_sum, unit_cfg_i.a_fmt, unit_cfg_i.b_fmt),
                                        !HasFp32, MX));

    always_ff @(posedge clk_i) begin
      first_q    <= step_valid_i && block_first_i;
      last_q     <= step_valid_i && block_last_i;
      fp16_2_q   <= fp16;
      a_none_2_q <= a_none;
      b_none_2_q <= b_none;
    end

    for (genvar r = 0; r < int'(ROWS); r++) begin : g_a
      feed_common_t common;
      logic         unused;
      assign a_lanes[r] = a[r][LanesW-1:0];
      assign common     = a[r][AFeedW-1-:$bits(feed_common_t)];
      assign a_nan[r]   = common.nan;
      assign unused     = ^{common.none, common.field};
    end
    for (genvar c = 0; c < int'(COLS); c++) begin : g_b
      feed_common_t common;
      logic         unused;
      assign b_lanes[c] = b[c][LanesW-1:0];
      assign common     = b[c][BFeedW-1-:$bits(feed_common_t)];
      assign b_nan[c]   = common.nan;
      assign b_none[c]  = unit_b_place_i[c] == '1;
      assign unused     = ^{common.none, common.field};
    end

    for (genvar g = 0; g < int'(Bundle); g++) begin : g_row
      logic signed [ExpW-1:0] a_field;
      assign a_none[g] = unit_a_place_i[g] == '1;
      assign a_field   = ExpW'(unit_a_place_i[g]) + unit_base;
      for (genvar c = 0; c < int'(COLS); c++) begin : g_col
        fp8mac_block_cluster #(
          .LANES(LANES), .BLOCK(element_block(ELEMENT, LANES)), .SHARE(Share), .FRAC_BITS(FRAC_BITS),
          .ACC_FP32(HasFp32), .ACC_FP16(HasFp16), .MX(MX)
        ) u_cluster (
          .clk_i,
          .rst_ni,
          .block_first_i(first_q),
          .block_last_i (last_q),
          .a_i          (a_lanes[g*Share+:Share]),
          .b_i          (b_lanes[c]),
          .a_nan_i      (a_nan[g*Share+:Share]),
          .b_nan_i      (b_nan[c]),
          .a_field_i    (a_field),
          .b_place_i    (unit_b_place_i[c]),
          .none_i       (a_none_2_q[g] || b_none_2_q[c]),
          .acc_fp16_i   (fp16_2_q),
          .acc_first_i,
          .acc_i        (acc_i[g][c]),
          .acc_o        (result_o[g][c]),
          .flags_o      (flags_o[g][c])
        );
      end
    end

    logic unused;
    assign unused = ^{valid_q, fp16_q, base_1_q};

  end else begin : g_element

    for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
      for (genvar c = 0; c < int'(COLS); c++) begin : g_col
        fp8mac_element #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS)) u_element (
          .clk_i,
          .rst_ni,
          .step_valid_i(valid_q),
          .base_i      (element_family(ELEMENT) == FamilyAligned ? base_2_q : base_1_q),
          .acc_fmt_i   (acc_fmt_e'(fp16_q[FmtCycle])),
          .a_i         (a[r]),
          .b_i         (b[c]),
          .acc_first_i,
          .acc_i       (acc_i[r][c]),
          .result_o    (result_o[r][c]),
          .flags_o     (flags_o[r][c])
        );
      end
    end

    logic unused;
    assign unused = ^{block_first_i, block_last_i, unit_a_place_i, unit_b_place_i};

  end

  logic unused_unit;  // no kind uses every field
  assign unused_unit = ^unit_cfg_i;

  // What the kind cannot do is not asked of it.
  localparam bit HasFormats = !element_has_int32(ELEMENT);

  a_accumulator : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !step_valid_i || !HasFormats || acc_is_chosen(ELEMENT) ||
    cfg_i.acc_fmt == (acc_is_fp16(ELEMENT) ? AccFp16 : AccFp32));

  a_formats : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !step_valid_i || !HasFormats || element_takes_e5m2(ELEMENT) ||
    (cfg_i.a_fmt inside {FmtE4m3fn, FmtE4m3fnuz} && cfg_i.b_fmt inside {FmtE4m3fn, FmtE4m3fnuz}));

endmodule
