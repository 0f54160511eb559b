// SPDX-License-Identifier: Apache-2.0
// ROWS x COLS elements of one kind, output-stationary: every element computes one output of each of its BANKS_M *
// BANKS_N accumulator banks. fp8mac_nest holds the operand feeds and the elements; this module adds the pipeline of the
// steps' controls, one result register per element and bank, and the read-out as FP32. Everything said here holds for
// all kinds unless a kind is named; fp8mac_catalogue_pkg describes the kinds.
//
// Timing of a step that is issued in cycle t, with S = element_latency(ELEMENT), 7 to 9 cycles:
//   t              the feeds decode, and masks are applied
//   t+1 .. t+S-2   the elements compute
//   t+S-1          the elements show the step's result and flags
//   t+S            flags_o has the step's flags. If the step was a bank's last, bank_full_o rises, and the bank can be
//                  read: read_bank_i and read_row_i in one cycle, read_data_o in the next
// busy_o is high from t+1 to t+S, so all flags have been shown once it is low.
//
// Rules for the module that issues steps, which assertions check:
// - A bank's last step is issued in cycle t only if the bank is empty, or being released, by cycle t+S-1, and no other
//   last step of the bank is in flight. bank_release_i, a pulse, may come with the bank's last read_row_i.
// - Kinds with indexed accumulators (element_rotating_banks(ELEMENT) = 0): steps of one bank are at least LoopCycles
//   apart.
// - Kinds whose accumulators rotate: the step issued in cycle t belongs to accumulator t mod 4, and there are 4 banks.
//   From a bank's first step to its last, its steps are a multiple of 4 cycles apart, and no other bank has a step in
//   those cycles. Cycles without a step, in any number, change no result.
// - Fixed-point accumulators: formats, scale_sum and bounds are the same for all steps of a result, and a result has at
//   most 2^element_terms_log2(ELEMENT) products. INT8: at most 131071 products.
// - FeedBounded: no finite operand of an enabled row, column and lane is above its row's or column's bound. The bound
//   need not be the least one. Only these kinds read bounds.
// - Kinds that do not take E5M2: a_fmt and b_fmt are E4M3 formats.
// - acc_fmt is the kind's accumulator format, or AccFp32 where the accumulator is an integer. INT8 ignores formats and
//   scaling exponents.
//
// Elements of rows or columns that are not enabled raise no flags and have results without meaning. Lanes that are not
// enabled are absent from the sum.
module fp8mac_array
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 8,             // of elements
  parameter int unsigned COLS      = 8,
  parameter int unsigned LANES     = 4,             // products of an element per step
  parameter int unsigned BANKS_M   = 2,             // accumulator banks down, and across
  parameter int unsigned BANKS_N   = 2,
  parameter int unsigned ELEMENT   = ElementExact,  // the kind of element
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),  // of the alignment window
  localparam int unsigned Banks = BANKS_M * BANKS_N,
  localparam int unsigned BankW = $clog2(Banks),
  localparam int unsigned RowW = (ROWS > 1) ? $clog2(ROWS) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // One step of one bank in every element; the configuration travels with the step.
  input  logic                            step_valid_i,
  input  logic [BankW-1:0]                step_bank_i,
  input  logic                            step_first_i,  // the accumulator starts from +0
  input  logic                            step_last_i,   // the result moves to the result register
  input  step_cfg_t                       step_cfg_i,
  input  logic [ROWS-1:0]                 row_en_i,
  input  logic [COLS-1:0]                 col_en_i,
  input  logic [LANES-1:0]                lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0] a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0] b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]     a_bound_i,     // FeedBounded
  input  logic [COLS-1:0][BoundW-1:0]     b_bound_i,

  // Results, FP32 patterns
  output logic [Banks-1:0]                bank_full_o,
  input  logic [Banks-1:0]                bank_release_i,
  input  logic [BankW-1:0]                read_bank_i,
  input  logic [RowW-1:0]                 read_row_i,
  output logic [COLS-1:0][31:0]           read_data_o,   // one cycle after read_bank_i and read_row_i

  output flags_t                          flags_o,       // of the step that finished, else 0
  output logic                            busy_o         // steps in flight
);

  // Stage s holds the step issued s cycles ago, up to the one whose results the elements show.
  localparam int unsigned Shown = element_latency(ELEMENT) - 1;
  logic [Shown:0]            valid, first, last;
  logic [Shown:0][BankW-1:0] bank;
  logic [Shown:0][ROWS-1:0]  row_en;
  logic [Shown:0][COLS-1:0]  col_en;
  logic [Shown:1]            valid_q, first_q, last_q;
  logic [Shown:1][BankW-1:0] bank_q;
  logic [Shown:1][ROWS-1:0]  row_en_q;
  logic [Shown:1][COLS-1:0]  col_en_q;
  logic                      finished_q;

  assign valid  = {valid_q, step_valid_i};
  assign first  = {first_q, step_first_i};
  assign last   = {last_q, step_last_i};
  assign bank   = {bank_q, step_bank_i};
  assign row_en = {row_en_q, row_en_i};
  assign col_en = {col_en_q, col_en_i};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      finished_q <= 1'b0;
    end else begin
      valid_q    <= valid[Shown-1:0];
      finished_q <= valid[Shown];
    end
    first_q  <= first[Shown-1:0];
    last_q   <= last[Shown-1:0];
    bank_q   <= bank[Shown-1:0];
    row_en_q <= row_en[Shown-1:0];
    col_en_q <= col_en[Shown-1:0];
  end

  assign busy_o = finished_q || valid_q != '0;

  // Operand feeds and elements. FRAC_BITS counts where there is a choice.
  localparam int unsigned FracBits =
      element_window_lanes(ELEMENT) != 0 ? FRAC_BITS : element_default_frac_bits(ELEMENT);
  localparam int unsigned ResultW = result_width(ELEMENT, FracBits);
  localparam bit Fixed = element_has_fixed(ELEMENT);
  localparam bit Bounded = element_feed(ELEMENT) == FeedBounded;
  logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result;
  flags_t                                 flags;

  fp8mac_nest #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .ELEMENT(ELEMENT), .FRAC_BITS(FracBits)
  ) u_nest (
    .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .last_i(last), .bank_i(bank), .row_en_i(row_en),
    .col_en_i(col_en), .cfg_i(step_cfg_i), .lane_en_i, .a_code_i, .b_code_i, .a_bound_i, .b_bound_i,
    .result_o(result), .flags_o(flags)
  );

  // Results: one register per element and bank, so that a bank can be read while its accumulators go on. Results are in
  // the accumulator's format until they are read out.
  logic [COLS-1:0][ResultW-1:0] result_q [Banks][ROWS];
  logic [COLS-1:0][ResultW-1:0] read_q;
  logic [COLS-1:0][7:0]         read_field_one;
  logic [Banks-1:0]             full_q, filled;
  logic                         result_valid;

  assign result_valid = valid[Shown] && last[Shown];

  always_ff @(posedge clk_i) begin
    if (result_valid) begin
      for (int unsigned r = 0; r < ROWS; r++) result_q[bank[Shown]][r] <= result[r];
    end
  end

  always_comb begin
    filled = '0;
    filled[bank[Shown]] = result_valid;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) full_q <= '0;
    else full_q <= (full_q & ~bank_release_i) | filled;
  end

  assign bank_full_o = full_q;

  always_ff @(posedge clk_i) read_q <= result_q[read_bank_i][read_row_i];

  // The value of an integer's last bit, as FP32's exponent field. Scaling exponents and bounds are applied when a
  // result is read; they are stored with the bank's last step.
  if (Fixed) begin : g_unit
    typedef struct packed {
      scale_sum_t                  scale_sum;
      logic [ROWS-1:0][BoundW-1:0] a_bound;
      logic [COLS-1:0][BoundW-1:0] b_bound;
    } unit_t;
    localparam int signed FieldOfBounds = Fp32Bias - 2 * int'(BoundBias) - int'(FracBits);

    unit_t                       unit, read;
    unit_t [Shown:1]             unit_q;
    unit_t [Banks-1:0]           bank_unit_q;
    logic [7:0]                  row_field_q;
    logic [COLS-1:0][BoundW-1:0] col_bound_q;

    always_comb begin
      unit.scale_sum = fnuz_adjust(step_cfg_i.scale_sum, step_cfg_i.a_fmt, step_cfg_i.b_fmt);
      unit.a_bound   = Bounded ? a_bound_i : {ROWS{BoundW'(FormatBound)}};
      unit.b_bound   = Bounded ? b_bound_i : {COLS{BoundW'(FormatBound)}};
    end

    assign read = bank_unit_q[read_bank_i];

    always_ff @(posedge clk_i) begin
      unit_q <= {unit_q[Shown-1:1], unit};
      if (result_valid) bank_unit_q[bank[Shown]] <= unit_q[Shown];
      row_field_q <= 8'(FieldOfBounds) + 8'(read.scale_sum) + 8'(read.a_bound[read_row_i]);
      col_bound_q <= read.b_bound;
    end

    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      assign read_field_one[c] = row_field_q + 8'(col_bound_q[c]);
    end
  end else begin : g_no_unit
    assign read_field_one = {COLS{8'(Fp32Bias)}};
  end

  if (!Bounded) begin : g_no_bound
    logic unused_bound;
    assign unused_bound = a_bound_i != '0 || b_bound_i != '0;
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : g_readout
    fp8mac_readout #(.ELEMENT(ELEMENT), .FRAC_BITS(FracBits)) u_readout (
      .result_i(read_q[c]), .field_one_i(read_field_one[c]), .pattern_o(read_data_o[c])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flags_o <= '0;
    else flags_o <= flags;
  end

  // A result is read before the next one takes its place.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(result_valid && full_q[bank[Shown]] && !bank_release_i[bank[Shown]]));
  assert property (@(posedge clk_i) disable iff (!rst_ni) (bank_release_i & ~full_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    !step_valid_i || (step_cfg_i.scale_sum >= scale_sum_t'(2 * ScaleExpMin) &&
                      step_cfg_i.scale_sum <= scale_sum_t'(2 * ScaleExpMax)));

  // Accumulators that rotate: a bank's steps find its accumulator where the bank's first step put it.
  if (element_rotating_banks(ELEMENT) != 0) begin : g_rotates
    logic [BankW-1:0]            turn_q;
    logic [Banks-1:0][BankW-1:0] turn_of_q;  // of each bank
    logic [Banks-1:0][BankW-1:0] owner_q;    // of each turn

    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else turn_q <= turn_q + BankW'(1);
      if (step_valid_i && step_first_i) begin
        turn_of_q[step_bank_i] <= turn_q;
        owner_q[turn_q]        <= step_bank_i;
      end
    end

    a_bank_in_its_turn : assert property (@(posedge clk_i) disable iff (!rst_ni)
      !step_valid_i || step_first_i || (turn_of_q[step_bank_i] == turn_q && owner_q[turn_q] == step_bank_i));

    // A fixed-point accumulator has one unit.
    if (Fixed) begin : g_one_unit
      localparam int unsigned BoundsW = (ROWS + COLS) * BoundW;
      step_cfg_t [Banks-1:0]          cfg_q;
      logic [Banks-1:0][BoundsW-1:0]  bounds_q;
      always_ff @(posedge clk_i) begin
        if (step_valid_i) begin
          cfg_q[step_bank_i]    <= step_cfg_i;
          bounds_q[step_bank_i] <= {a_bound_i, b_bound_i};
        end
      end
      a_one_unit : assert property (@(posedge clk_i) disable iff (!rst_ni)
        !step_valid_i || step_first_i || (cfg_q[step_bank_i] == step_cfg_i &&
          (!Bounded || bounds_q[step_bank_i] == {a_bound_i, b_bound_i})));
    end
  end

endmodule
