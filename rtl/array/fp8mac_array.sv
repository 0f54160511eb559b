// SPDX-License-Identifier: Apache-2.0
// ROWS x COLS elements of one kind, output-stationary, and the accumulator memory: TILES tiles of
// ROWS x COLS accumulators. Everything said here holds for all kinds unless a kind is named;
// fp8mac_catalogue_pkg describes them.
//
// A step is LANES products of every element, in one cycle. A block is 1 to element_block() / LANES
// consecutive steps of one tile; cycles without a step may lie between them. All kinds but those
// with block accumulation have blocks of one step. With a block's last step its sum joins the
// accumulators of its tile. SHARE = element_share() neighbouring rows share the accumulate units of
// their columns: row = row of the bundle * SHARE + phase.
//
// Timing, with the last step of a block issued in cycle t, S = element_latency(ELEMENT) and p = 0
// .. SHARE-1. Cycles are those with advance_i = 1:
//   t + S + p      flags_o has the flags of the rows of phase p, and result_meta_o is meta_i. With acc_last_i,
//                  result_valid_o is 1, and the results of these rows are shown; result_phase_o is p
// busy_o is high until all results and flags have been shown.
//
// advance_i = 0 freezes the array: nothing in it changes, inputs are not taken, and flags_o is 0.
// The outputs of results stay. A result that is not taken in its cycle needs advance_i = 0.
// result_valid_o comes from a register, so advance_i may depend on it. The array gates its own
// clock (fp8mac_clock_gate); the clock also stops while the array is idle. Reset needs a running
// clk_i, whatever advance_i is.
//
// Rules for the module that issues steps, which assertions check. Cycles are those with advance_i =
// 1:
// - Last steps of two blocks are at least SHARE cycles apart.
// - Last steps of two blocks of the same tile are at least element_loop() cycles apart, unless the
//   later one has acc_first_i and so reads no accumulator.
// - Tile, acc_first_i, acc_last_i, step_cfg_i, bounds, MX scales, meta_i and the enables of
//   rows and columns are the same in all steps of a block. A block of one step has
//   block_first_i = block_last_i = 1.
// - Integer accumulators: formats, scale_sum and bounds are the same in all blocks of a result, and
//   a result has at most 2^element_terms_log2(ELEMENT) products.
// - FeedBounded: no finite operand of an enabled row, column and lane is above its row's or
//   column's bound. The bound need not be the least one for kind `static`. For block accumulation
//   it is the least one of the block's enabled operands, or of those and NaN and Inf, and BoundNone
//   if they are all zero. Only these kinds read bounds.
// - Kinds that do not take E5M2: a_fmt and b_fmt are E4M3 formats.
// - acc_fmt is a format of the kind's accumulator, or AccFp32 where the accumulator is an integer.
//   It is the same in all blocks of a result. INT8 ignores formats and scaling exponents.
//
// Elements of rows or columns that are not enabled raise no flags and have results without meaning.
// Lanes that are not enabled are absent from the sum.
module fp8mac_array
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,             // of elements
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,            // products of an element per step
  parameter int unsigned ELEMENT   = ElementBlock,  // the kind of element
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),  // of the alignment window
  parameter int unsigned TILES     = 256,           // of the accumulator memory
  parameter bit          MX        = 1'b0,          // FamilyBlock: blocks have MX scales
  parameter bit          INT32_RESULTS = 1'b0,      // of a kind that sums INT32: results are the sums, no FP32 patterns
  parameter int unsigned META_W    = 17,            // what travels with a block to its results
  localparam int unsigned Share  = element_share(ELEMENT, LANES, ROWS),
  localparam int unsigned Bundle = ROWS / Share,  // rows of a bundle
  localparam int unsigned TileW  = (TILES > 1) ? $clog2(TILES) : 1,
  localparam int unsigned PhaseW = (Share > 1) ? $clog2(Share) : 1,
  localparam int unsigned PlaceW = place_width(MX)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              advance_i,      // 0: frozen

  // One step of one tile; the configuration travels with the step.
  input  logic                              step_valid_i,
  input  logic [TileW-1:0]                  step_tile_i,
  input  logic                              block_first_i,
  input  logic                              block_last_i,
  input  logic                              acc_first_i,    // the accumulators start from +0
  input  logic                              acc_last_i,     // the accumulators leave as results
  input  step_cfg_t                         step_cfg_i,
  input  logic [ROWS-1:0]                   row_en_i,
  input  logic [COLS-1:0]                   col_en_i,
  input  logic [LANES-1:0]                  lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]   a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]   b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]       a_bound_i,      // FeedBounded
  input  logic [COLS-1:0][BoundW-1:0]       b_bound_i,
  input  logic [ROWS-1:0][ScaleW-1:0]       a_scale_i,      // MX: E8M0 codes of the block
  input  logic [COLS-1:0][ScaleW-1:0]       b_scale_i,
  input  logic [META_W-1:0]                 meta_i,

  // Results, FP32 patterns
  output logic                              result_valid_o,
  output logic [PhaseW-1:0]                 result_phase_o,
  output logic [Bundle-1:0][COLS-1:0][31:0] result_o,
  output logic [META_W-1:0]                 result_meta_o,

  output flags_t                            flags_o,        // of blocks that finish in this cycle, else 0
  output logic                              busy_o          // blocks in flight
);

  localparam int unsigned AccCycle = element_acc_cycle(ELEMENT);        // of the block's phase 0
  localparam int unsigned ResultCycle = element_result_cycle(ELEMENT);
  localparam int unsigned ReadCycle = AccCycle - 1;             // the accumulator memory answers a cycle later
  localparam int unsigned Latency = element_latency(ELEMENT);
  localparam int unsigned Loop = element_loop(ELEMENT, LANES, ROWS);
  localparam bit Forwards = element_forwards(ELEMENT, LANES, ROWS);
  // FRAC_BITS counts where there is a choice.
  localparam int unsigned FracBits =
      element_window_lanes(ELEMENT) != 0 ? FRAC_BITS : element_default_frac_bits(ELEMENT);
  localparam int unsigned ResultW = result_width(ELEMENT, FracBits);
  localparam bit Fixed = element_has_fixed(ELEMENT);
  localparam bit Bounded = element_feed(ELEMENT) == FeedBounded;

  // ---- clock ------------------------------------------------------------------------------------
  // The array is idle without a step and with all results and flags shown.
  logic clk, active;

  assign active = step_valid_i || busy_o;
  fp8mac_clock_gate u_clock (.clk_i, .en_i(!rst_ni || (advance_i && active)), .clk_o(clk));

  // ---- control of blocks ------------------------------------------------------------------------
  // What is known of a block, from the issue of its last step on
  typedef struct packed {
    logic [TileW-1:0]              tile;
    logic                          first;
    logic                          last;
    step_cfg_t                     cfg;
    logic [COLS-1:0]               col_en;
    logic [COLS-1:0][PlaceW-1:0]   b_place;  // bounds, and with MX scales
    logic [META_W-1:0]             meta;
  } block_t;

  // The rows of one phase of a block
  typedef struct packed {
    block_t                        block;
    logic [PhaseW-1:0]             phase;
    logic [Bundle-1:0]             row_en;
    logic [Bundle-1:0][PlaceW-1:0] a_place;
  } part_t;

  logic                        issued;
  block_t                      issued_block, block_q;
  logic [ROWS-1:0]             row_en_q;
  logic [ROWS-1:0][PlaceW-1:0] a_place, a_place_q;
  logic [COLS-1:0][PlaceW-1:0] b_place;
  logic [PhaseW-1:0]           phase_q;

  // Index s: phase p of the block whose last step was issued s + p cycles ago
  logic [Latency:1]     valid_q;
  part_t [Latency:1]    part;
  part_t [Latency:2]    part_q;
  logic                 more;  // phases of the block in stage 1 are still to come

  assign issued       = step_valid_i && block_last_i;
  assign issued_block = '{tile: step_tile_i, first: acc_first_i, last: acc_last_i, cfg: step_cfg_i, col_en: col_en_i,
                          b_place: b_place, meta: meta_i};
  for (genvar r = 0; r < int'(ROWS); r++) begin : g_a_place
    assign a_place[r] = MX ? PlaceW'(place_of(a_bound_i[r], a_scale_i[r])) : PlaceW'(a_bound_i[r]);
  end
  for (genvar c = 0; c < int'(COLS); c++) begin : g_b_place
    assign b_place[c] = MX ? PlaceW'(place_of(b_bound_i[c], b_scale_i[c])) : PlaceW'(b_bound_i[c]);
  end
  assign more         = valid_q[1] && phase_q != PhaseW'(Share - 1);

  always_ff @(posedge clk) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-1:1], issued || more};
    if (issued) begin
      block_q   <= issued_block;
      row_en_q  <= row_en_i;
      a_place_q <= a_place;
    end
    phase_q <= issued ? '0 : phase_q + PhaseW'(more);
    part_q  <= part[Latency-1:1];
  end

  always_comb begin
    part[1].block = block_q;
    part[1].phase = phase_q;
    for (int unsigned g = 0; g < Bundle; g++) begin
      part[1].row_en[g]  = row_en_q[g*Share+32'(phase_q)];
      part[1].a_place[g] = a_place_q[g*Share+32'(phase_q)];
    end
    part[Latency:2] = part_q;
  end

  assign busy_o = valid_q != '0;

  // ---- operand feeds and elements ---------------------------------------------------------------
  typedef logic [Bundle-1:0][COLS-1:0][ResultW-1:0] word_t;  // an accumulator of every accumulate unit
  word_t                          taken, result;
  flags_t [Bundle-1:0][COLS-1:0]  unit_flags;

  fp8mac_grid #(.ROWS(ROWS), .COLS(COLS), .LANES(LANES), .ELEMENT(ELEMENT), .FRAC_BITS(FracBits), .MX(MX)) u_grid (
    .clk_i(clk), .rst_ni, .step_valid_i, .block_first_i, .block_last_i, .cfg_i(step_cfg_i), .row_en_i, .col_en_i,
    .lane_en_i, .a_code_i, .b_code_i, .a_bound_i, .b_bound_i, .a_scale_i, .b_scale_i,
    .unit_cfg_i(part[1].block.cfg), .unit_a_place_i(part[1].a_place), .unit_b_place_i(part[1].block.b_place),
    .acc_first_i(part[AccCycle].block.first), .acc_i(taken), .result_o(result), .flags_o(unit_flags)
  );

  // ---- accumulators -----------------------------------------------------------------------------
  localparam int unsigned Depth = TILES * Share;
  localparam int unsigned AddressW = (Depth > 1) ? $clog2(Depth) : 1;
  typedef logic [AddressW-1:0] address_t;

  function automatic address_t address_of(logic [TileW-1:0] tile, logic [PhaseW-1:0] phase);
    return address_t'(32'(tile) * Share + 32'(phase));
  endfunction

  address_t read_address, result_address;
  logic     read;
  word_t    stored;

  assign read           = valid_q[ReadCycle] && !part[ReadCycle].block.first;
  assign read_address   = address_of(part[ReadCycle].block.tile, part[ReadCycle].phase);
  assign result_address = address_of(part[ResultCycle].block.tile, part[ResultCycle].phase);

  fp8mac_acc_memory #(.DEPTH(Depth), .WIDTH($bits(word_t))) u_accumulators (
    .clk_i(clk), .write_i(valid_q[ResultCycle]), .write_address_i(result_address), .write_data_i(result),
    .read_i(read), .read_address_i(read_address), .read_data_o(stored)
  );

  if (Forwards) begin : g_forward
    // A result that is being written is used at once, and in the next cycle, when the
    // memory cannot have it yet.
    address_t acc_address_q;
    logic     written_now, written_q;
    word_t    written_word_q;

    assign written_now = valid_q[ResultCycle] && result_address == acc_address_q;
    always_ff @(posedge clk) begin
      acc_address_q <= read_address;
      written_q     <= valid_q[ResultCycle] && result_address == read_address;
      if (valid_q[ResultCycle]) written_word_q <= result;
    end
    assign taken = written_now ? result : written_q ? written_word_q : stored;
  end else begin : g_no_forward
    assign taken = stored;
  end

  // ---- flags ------------------------------------------------------------------------------------
  flags_t                         flags;
  flags_t [Latency:ResultCycle+1] flags_q;

  always_comb begin
    flags = '0;
    for (int unsigned g = 0; g < Bundle; g++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        if (valid_q[ResultCycle] && part[ResultCycle].row_en[g] && part[ResultCycle].block.col_en[c]) begin
          flags = flags | unit_flags[g][c];
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_ni) flags_q <= '0;
    else flags_q <= ((Latency - ResultCycle) * $bits(flags_t))'({flags_q, flags});
  end
  assign flags_o = advance_i ? flags_q[Latency] : '0;

  // ---- results ----------------------------------------------------------------------------------
  // Stage ResultCycle + 1 has them as the accumulator memory does. If these codes are no FP32
  // patterns, the next stage has the patterns.
  word_t result_q;
  logic  result_valid_q;

  always_ff @(posedge clk) begin
    if (valid_q[ResultCycle] && part[ResultCycle].block.last) result_q <= result;
    if (!rst_ni) result_valid_q <= 1'b0;
    else result_valid_q <= valid_q[Latency-1] && part[Latency-1].block.last;
  end
  assign result_valid_o = result_valid_q;
  assign result_phase_o = part[Latency].phase;
  assign result_meta_o  = part[Latency].block.meta;

  if (result_is_pattern(ELEMENT)) begin : g_pattern
    assign result_o = result_q;
  end else if (INT32_RESULTS) begin : g_int32
    word_t int32_q;
    always_ff @(posedge clk) begin
      if (valid_q[Latency-1] && part[Latency-1].block.last) int32_q <= result_q;
    end
    assign result_o = int32_q;
  end else begin : g_convert

    // The value of an integer's last bit, as FP32's exponent field. Scaling exponents and
    // bounds are applied here.
    localparam int signed FieldOfBounds = Fp32Bias - 2 * int'(BoundBias) - int'(FracBits);
    scale_sum_t                        scale_sum;
    acc_fmt_e                          acc_fmt_q;
    logic [Bundle-1:0][7:0]            row_field_q;
    logic [COLS-1:0][7:0]              col_field_q;
    logic [Bundle-1:0][COLS-1:0][31:0] pattern, pattern_q;

    assign scale_sum = fnuz_adjust(part[ResultCycle].block.cfg.scale_sum, part[ResultCycle].block.cfg.a_fmt,
                                   part[ResultCycle].block.cfg.b_fmt);
    always_ff @(posedge clk) begin
      acc_fmt_q <= part[ResultCycle].block.cfg.acc_fmt;
      for (int unsigned g = 0; g < Bundle; g++) begin
        row_field_q[g] <= 8'(FieldOfBounds) + 8'(scale_sum) +
                          (Bounded ? 8'(part[ResultCycle].a_place[g]) : 8'(FormatBound));
      end
      for (int unsigned c = 0; c < COLS; c++) begin
        col_field_q[c] <= Bounded ? 8'(part[ResultCycle].block.b_place[c]) : 8'(FormatBound);
      end
    end

    for (genvar g = 0; g < int'(Bundle); g++) begin : g_row
      for (genvar c = 0; c < int'(COLS); c++) begin : g_col
        fp8mac_readout #(.ELEMENT(ELEMENT), .FRAC_BITS(FracBits)) u_readout (
          .result_i(result_q[g][c]), .acc_fmt_i(acc_fmt_q),
          .field_one_i(Fixed ? row_field_q[g] + col_field_q[c] : 8'(Fp32Bias)), .pattern_o(pattern[g][c])
        );
      end
    end
    always_ff @(posedge clk) begin
      if (valid_q[Latency-1] && part[Latency-1].block.last) pattern_q <= pattern;
    end
    assign result_o = pattern_q;

  end

  // ---- rules ------------------------------------------------------------------------------------
  if (ROWS % Share != 0 || TILES == 0) begin : g_check_shape
    $error("ROWS must be a multiple of element_share(), and TILES at least 1");
  end

  a_phases_do_not_meet : assert property (@(posedge clk) disable iff (!rst_ni) !(issued && more));

  for (genvar s = 1; s < int'(Loop); s++) begin : g_loop
    a_accumulator_is_ready : assert property (@(posedge clk) disable iff (!rst_ni)
      !(issued && !acc_first_i && valid_q[s] && part[s].phase == '0 && part[s].block.tile == step_tile_i));
  end

  // A block's steps follow one another, and have all but their operands in common.
  logic   open_q;
  block_t open_block_q;
  logic [ROWS-1:0]             open_row_en_q;
  logic [ROWS-1:0][PlaceW-1:0] open_a_place_q;

  always_ff @(posedge clk) begin
    if (!rst_ni) open_q <= 1'b0;
    else if (step_valid_i) open_q <= !block_last_i;
    if (step_valid_i) begin
      open_block_q   <= issued_block;
      open_row_en_q  <= row_en_i;
      open_a_place_q <= a_place;
    end
  end

  a_block_begins_once : assert property (@(posedge clk) disable iff (!rst_ni) !step_valid_i || block_first_i || open_q);
  a_block_is_one : assert property (@(posedge clk) disable iff (!rst_ni)
    !step_valid_i || block_first_i ||
    (issued_block == open_block_q && row_en_i == open_row_en_q && (!Bounded || a_place == open_a_place_q)));
  a_one_step : assert property (@(posedge clk) disable iff (!rst_ni)
    !step_valid_i || element_block_products(ELEMENT) != 0 || (block_first_i && block_last_i));

  a_tile : assert property (@(posedge clk) disable iff (!rst_ni) !step_valid_i || 32'(step_tile_i) < TILES);
  a_scale : assert property (@(posedge clk) disable iff (!rst_ni)
    !step_valid_i || (step_cfg_i.scale_sum >= scale_sum_t'(2 * ScaleExpMin) &&
                      step_cfg_i.scale_sum <= scale_sum_t'(2 * ScaleExpMax)));

  // A fixed-point accumulator has one unit.
  if (Fixed) begin : g_one_unit
    typedef struct packed {
      step_cfg_t                   cfg;
      logic [ROWS-1:0][BoundW-1:0] a_bound;
      logic [COLS-1:0][BoundW-1:0] b_bound;
    } unit_t;
    unit_t unit, stored_unit, unit_q [TILES];

    assign unit = '{cfg: step_cfg_i, a_bound: Bounded ? a_bound_i : '0, b_bound: Bounded ? b_bound_i : '0};
    assign stored_unit = unit_q[step_tile_i];
    always_ff @(posedge clk) if (issued) unit_q[step_tile_i] <= unit;
    a_one_unit : assert property (@(posedge clk) disable iff (!rst_ni)
      !issued || acc_first_i || stored_unit == unit);
  end

endmodule
