// SPDX-License-Identifier: Apache-2.0
// ROWS x COLS elements of one kind (fp8mac_array_pkg), output-stationary: each cycle's operand codes are decoded once
// at the edge and broadcast, a row of A along the columns and a column of B along the rows. Edges and elements are the
// grid's (fp8mac_grid_*); what is here is common to all kinds.
//
// Cycle by cycle, for a step issued in cycle t, with S = array_stages(ELEMENT): 7, 8 with ElementKulisch and
// ElementStatic, 9 with ElementLate*:
//   t              decode, masks
//   t+1 .. t+S-2   the element (see fp8mac_element_exact and its siblings)
//   t+S-1          the element shows the step's result and flags
//   t+S            flags_o holds the step's flags; if it was a bank's last, bank_full_o is up and the results
//                  can be read: read_bank_i and read_row_i in one cycle, read_data_o in the next
// busy_o is up from t+1 to t+S, so flags are complete once it is down.
//
// The issuer's part: a bank's last step is issued in cycle t only if the bank is empty, or being released, by cycle
// t+S-1, and has no other last step in flight. bank_release_i, a pulse, may come with the bank's last read_row_i. And:
//
// - ElementExact: steps of one bank are at least LoopCycles (3) apart.
// - The others have no banks in their accumulators, which rotate: the step issued in cycle t belongs to accumulator
//   t mod 4. There are 4 banks; steps of one bank are a multiple of 4 cycles apart, from its first step to its last,
//   and no other bank has a step in those turns. Cycles without a step, in any number, change no result.
// - ElementKulisch and ElementStatic: formats, scale_sum and bounds are the same for all steps of a result, which has
//   at most FixedTermsMax products. ElementKulisch: a_fmt and b_fmt are E4M3 ones. ElementStatic: no finite operand of
//   an enabled row, column and lane is above its row's or column's bound (see BoundBias), which need not be the least
//   one; only this kind looks at bounds. ElementInt8: a result has at most 131071 products.
// - acc_fmt is the accumulator's of the element's name, AccFp32 where that is an integer; ElementInt8 has no formats
//   and no scaling exponents.
//
// Elements of rows or columns that are not enabled raise nothing and their results mean nothing. Lanes that are not
// enabled are absent from the sum.
module fp8mac_array
  import fp8mac_pkg::*;
  import fp8mac_array_pkg::*;
#(
  parameter int unsigned ROWS    = 8,
  parameter int unsigned COLS    = 8,
  parameter int unsigned LANES   = 4,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  parameter int unsigned ELEMENT = ElementExact,
  parameter int unsigned FRAC_BITS = default_frac_bits(ELEMENT),  // of the window, where there is one
  localparam int unsigned Banks = BANKS_M * BANKS_N,
  localparam int unsigned BankW = $clog2(Banks),
  localparam int unsigned RowW = (ROWS > 1) ? $clog2(ROWS) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // One step of one bank in every element; the configuration travels with the step.
  input  logic                            step_valid_i,
  input  logic [BankW-1:0]                step_bank_i,
  input  logic                            step_first_i,  // start from +0
  input  logic                            step_last_i,   // hand the result over
  input  step_cfg_t                       step_cfg_i,
  input  logic [ROWS-1:0]                 row_en_i,
  input  logic [COLS-1:0]                 col_en_i,
  input  logic [LANES-1:0]                lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0] a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0] b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]     a_bound_i,     // ElementStatic
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
  localparam int unsigned Shown = array_stages(ELEMENT) - 1;
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

  // Edges and elements
  localparam int unsigned FracBits = ELEMENT == ElementKulisch ? FixedFracBits : FRAC_BITS;
  localparam int unsigned ResultW = result_width(ELEMENT, FracBits);
  logic [ROWS-1:0][COLS-1:0][ResultW-1:0] result;
  flags_t                                 flags;

  if (ELEMENT == ElementExact) begin : g_exact
    fp8mac_grid_exact #(.ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .SHOWN(Shown)) u_grid (
      .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .last_i(last), .bank_i(bank), .row_en_i(row_en),
      .col_en_i(col_en), .cfg_i(step_cfg_i), .lane_en_i, .a_code_i, .b_code_i, .result_o(result), .flags_o(flags)
    );
  end else if (is_aligned(ELEMENT)) begin : g_window
    fp8mac_grid_aligned #(
      .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .SHOWN(Shown), .ACC_FP16(acc_is_fp16(ELEMENT)),
      .FRAC_BITS(FracBits)
    ) u_grid (
      .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .row_en_i(row_en), .col_en_i(col_en), .cfg_i(step_cfg_i),
      .lane_en_i, .a_code_i, .b_code_i, .result_o(result), .flags_o(flags)
    );
  end else if (is_late(ELEMENT)) begin : g_late
    fp8mac_grid_late #(
      .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .SHOWN(Shown), .ACC_FP16(acc_is_fp16(ELEMENT)),
      .FRAC_BITS(FracBits)
    ) u_grid (
      .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .row_en_i(row_en), .col_en_i(col_en), .cfg_i(step_cfg_i),
      .lane_en_i, .a_code_i, .b_code_i, .result_o(result), .flags_o(flags)
    );
  end else if (is_fixed(ELEMENT)) begin : g_fixed
    fp8mac_grid_static #(
      .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .SHOWN(Shown), .STATIC(ELEMENT == ElementStatic),
      .FRAC_BITS(FracBits)
    ) u_grid (
      .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .row_en_i(row_en), .col_en_i(col_en), .cfg_i(step_cfg_i),
      .lane_en_i, .a_code_i, .b_code_i, .a_bound_i, .b_bound_i, .result_o(result), .flags_o(flags)
    );
  end else if (ELEMENT == ElementInt8) begin : g_int8
    fp8mac_grid_int8 #(.ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS(Banks), .SHOWN(Shown)) u_grid (
      .clk_i, .valid_i(valid), .first_i(first), .row_en_i(row_en), .col_en_i(col_en), .lane_en_i, .a_code_i,
      .b_code_i, .result_o(result), .flags_o(flags)
    );
  end else begin : g_check_element
    $error("ELEMENT is none of fp8mac_array_pkg's");
  end

  // Results: one register per element and bank, so that a bank is read while its accumulators go on. They are in the
  // accumulator's format; what is read out becomes FP32.
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

  // What an integer's 1 means, as FP32's exponent field. Scaling exponents and bounds are applied when it is read; they
  // are kept from the bank's last step.
  if (is_fixed(ELEMENT)) begin : g_unit
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
      unit.a_bound   = ELEMENT == ElementStatic ? a_bound_i : {ROWS{BoundW'(FixedBound)}};
      unit.b_bound   = ELEMENT == ElementStatic ? b_bound_i : {COLS{BoundW'(FixedBound)}};
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

  if (ELEMENT != ElementStatic) begin : g_no_bound
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
  if (rotates(ELEMENT)) begin : g_rotates
    logic [BankW-1:0]            turn_q;
    logic [Banks-1:0][BankW-1:0] turn_of_q;  // of each bank
    logic [Banks-1:0][BankW-1:0] owner_q;    // of each turn

    if (Banks != 4) begin : g_check_banks
      $error("BANKS_M * BANKS_N must be 4: accumulators that rotate are four");
    end

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
    if (is_fixed(ELEMENT)) begin : g_one_unit
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
          (ELEMENT != ElementStatic || bounds_q[step_bank_i] == {a_bound_i, b_bound_i})));
    end
  end

endmodule
