// SPDX-License-Identifier: Apache-2.0
// The epilogue: finishes WIDTH outputs per transfer, one transfer per cycle. A transfer has
// outputs of WIDTH / COLS rows. Its rows have one scale_a. Its scales come in the cycle
// before it, with next_i.
//
//   s = scale_a * scale_b    t1 = t0 * s    t2 = t1 + bias    T = act(t2)    D = convert(T * scale_d)
//
// With c_en, T = act(t2 + beta * C), and with maximum, T = act(the larger of both addends). With
// x_en, X takes the place of t0. With multiply, which needs both, s * C takes the place of s, and T
// = act(t1): the bias must be off. C is needed at stage 8, and X at stage 4; with multiply, C at
// stage 4, and X at stage 9. A transfer with c_en leaves an addition and a stage later. In row
// commands the operators have the operands of fp8mac_rows, and transfers enter later.
//
// s has no multipliers of its own: the multipliers of C compute it, those of one row of outputs,
// which next_row_i names. If it names none, s is that of the last transfer for which it named one,
// in all columns. Without c_en, it names a row for every transfer. With c_en these multipliers are
// wanted for the term of C, too, 9 cycles after s (5 with multiply). Hence the rule with c_en,
// which one of these meets:
//
//   one s for all      next_row_i names a row only if no transfer is inside
//   every second cycle all transfers enter in odd cycles, or all in even ones
//   rows in turn       a transfer has outputs of one row, the one that is named; even rows enter in odd cycles and
//                      odd ones in even cycles, or the other way round
//
// Every operation has its operands from registers. Where an operand is selected, a stage is
// before the operation.
//
// Each operation is one FP32 operation, rounded to nearest even. amax_o is the largest |T| over the
// finite present outputs of the transfer, or +0 if there is none. nonfinite_o tells whether a
// present output was not finite. flags_o are the flags that the present outputs raised. Absent
// outputs (in_en_i = 0) have no effect, and their d_o is meaningless.
//
// Stochastic rounding of D takes 16 random bits for each output (fp8mac_simon64). They depend on
// the seed and on the output's row and column in the whole D: cfg_i.first_m, first_n, and the
// position in the tile at the input.
//
// A transfer enters in any cycle, and leaves a fixed number of cycles later. Nothing stops it, so
// the receiver must have room for it. cfg_i must be constant while transfers are inside (busy_o),
// and in the cycle in which one enters.
module fp8mac_epilogue #(
  parameter int unsigned WIDTH  = 8,   // outputs per transfer
  parameter int unsigned COLS   = 4,   // of which a row has COLS
  parameter int unsigned ROW_STEP = 1, // distance of a transfer's rows in D
  parameter bit          STOCHASTIC = 1'b1,  // D may be rounded stochastically
  parameter bit          ADD_C = 1'b1,       // 0: c_en and multiply have no effect outside row commands
  parameter int unsigned META_W = 16,  // bits that travel with a transfer unchanged
  parameter bit          ROW_COMMANDS = 1'b0  // only with COLS <= 16
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  fp8mac_pkg::epilogue_cfg_t cfg_i,
  output logic                      busy_o,

  // A transfer enters in the next cycle: its scales, and the row of outputs whose multipliers
  // compute s, one hot or none
  input  logic                      next_i,
  input  logic [WIDTH/COLS-1:0]     next_row_i,
  input  logic [31:0]               scale_a_i,
  input  logic [COLS-1:0][31:0]     scale_b_i,

  input  logic                      in_valid_i,
  input  logic [WIDTH-1:0]          in_en_i,
  input  logic [WIDTH-1:0][31:0]    t0_i,       // accumulators as FP32, row by row
  input  logic [COLS-1:0][31:0]     bias_i,     // has no effect unless cfg_i.bias_en
  // The values of a transfer that entered earlier; no effect without c_en, x_en
  input  logic [WIDTH-1:0][31:0]    c_i,
  input  logic [WIDTH-1:0][31:0]    x_i,
  input  logic [META_W-1:0]         meta_i,
  input  logic [15:0]               row_i,      // row of its first row, in the tile
  input  logic [15:0]               col_i,      // column of its first column, in the tile
  input  logic                      rows_first_i,  // the first transfer of a row command's phase
  input  logic                      rows_end_i,    // the last one

  output logic                      out_valid_o,
  output logic [WIDTH-1:0][31:0]    d_o,        // codes, right-justified
  output logic [META_W-1:0]         meta_o,
  output logic [31:0]               amax_o,
  output logic                      nonfinite_o,
  output fp8mac_pkg::flags_t        flags_o
);
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;

  localparam int unsigned ExpW  = 8;
  localparam int unsigned FracW = 23;
  localparam logic [ExpW-1:0] ExpMax = '1;
  // Whether there are operators for C. Row commands use them too.
  localparam bit Terms = ADD_C || ROW_COMMANDS;
  localparam int unsigned Rows = WIDTH / COLS;
  // What has no effect on a sum: the bias where there is none, and the addend of a maximum. t1 +
  // (-0) is t1 for every t1.
  localparam logic [31:0] Fp32NegZero = 32'h8000_0000;

  // The stage of each operation's input. The difference to the next one is the operation's latency.
  // Without c_en, transfers skip the stages between CStage and ActStage.
  localparam int unsigned MulStages     = 4;
  localparam int unsigned AddStages     = 4;
  localparam int unsigned ConvertStages = 2;
  localparam int unsigned ScaleStage    = 0;
  localparam int unsigned SelectStage   = ScaleStage + MulStages;  // s is there
  localparam int unsigned ProductStage  = SelectStage + 1;
  localparam int unsigned BiasStage     = ProductStage + MulStages;
  localparam int unsigned CStage        = BiasStage + AddStages;   // t2 is there
  localparam int unsigned SumStage      = CStage + 1;
  localparam int unsigned TermStage     = SumStage - 1 - MulStages;  // of beta * C
  localparam int unsigned ActStage      = SumStage + AddStages;
  localparam int unsigned ScaleDStage   = ActStage + 1;
  localparam int unsigned ConvertStage  = ScaleDStage + MulStages;
  localparam int unsigned Depth         = ConvertStage + ConvertStages;

  // The part of a transfer that is common to its outputs
  typedef struct packed {
    logic [WIDTH-1:0]  en;
    logic [META_W-1:0] meta;
    logic [15:0]       row;
    logic [15:0]       col;
    flags_t            flags;
  } travel_t;

  function automatic logic is_nan(logic [30:0] magnitude);
    return magnitude > {ExpMax, FracW'(0)};
  endfunction

  // -----------------------------------------------------------------------------------------------
  // The common part of each transfer, and the flags that it collects
  // -----------------------------------------------------------------------------------------------
  logic [Depth:1] valid_q;
  travel_t        travel_q [1:Depth];
  flags_t         raised [Depth+1];  // by the operation whose results are at this stage, for present outputs only

  // Row commands: what takes the place of other operands
  logic                   rows, rows_busy, rows_quiet, rows_nonfinite, term_used, power_used;
  flags_t                 rows_flags, main_flags;
  logic                   main_valid;
  logic [WIDTH-1:0]       main_en, lower;
  logic [META_W-1:0]      main_meta;
  logic [15:0]            main_row, main_col;
  logic [COLS-1:0][31:0]  main_bias, row_c_factor;
  logic [WIDTH-1:0][31:0] minuend, other, row_c, row_value, row_factor, term, coarse;

  logic c_en, multiply;
  assign c_en     = Terms && cfg_i.c_en;
  assign multiply = Terms && cfg_i.multiply;

  assign busy_o = valid_q != '0 || rows_busy;

  // Rows whose multipliers of C take the scales of the next transfer. Only the first row has some
  // without C.
  logic [Rows-1:0] next_row;
  assign next_row = next_i ? (Terms ? next_row_i : Rows'(1)) : '0;

  // The pipeline's clock stops while it is empty.
  logic clk;
  fp8mac_clock_gate u_clock (.clk_i, .en_i(!rst_ni || next_i || in_valid_i || busy_o), .clk_o(clk));

  always_ff @(posedge clk) begin
    if (!rst_ni) valid_q <= '0;
    else begin
      valid_q             <= {valid_q[Depth-1:1], rows ? main_valid : in_valid_i};
      valid_q[CStage+1]   <= valid_q[CStage] && c_en;
      valid_q[ActStage+1] <= c_en ? valid_q[ActStage] : valid_q[CStage];
    end
  end

  always_ff @(posedge clk) begin
    travel_q[1] <= '{en: in_en_i, meta: meta_i, row: row_i, col: col_i, flags: raised[0]};
    if (rows) travel_q[1] <= '{en: main_en, meta: main_meta, row: main_row, col: main_col, flags: main_flags};
    for (int unsigned i = 1; i < Depth; i++) begin
      travel_q[i+1]       <= travel_q[i];
      travel_q[i+1].flags <= travel_q[i].flags | raised[i];
    end
    if (!c_en) begin
      travel_q[ActStage+1]       <= travel_q[CStage];
      travel_q[ActStage+1].flags <= travel_q[CStage].flags | raised[CStage];
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Columns: the scales' product, and the bias until t1 is there
  // -----------------------------------------------------------------------------------------------
  logic [COLS-1:0][31:0]           s, bias;
  logic [COLS-1:0]                 scale_nan_q, bias_nan, s_invalid, s_overflow;
  logic [Rows-1:0]                 s_row_q [ScaleStage:SelectStage];  // whose multipliers gave s in SelectStage
  logic [Rows-1:0][COLS-1:0][31:0] product;                           // of the multipliers of C
  logic [Rows-1:0][COLS-1:0]       product_invalid, product_overflow;
  logic [31:0]                     s_held_q;
  logic                            s_invalid_q, s_overflow_q;

  always_ff @(posedge clk) begin
    if (!rst_ni) begin
      for (int unsigned i = ScaleStage; i <= SelectStage; i++) s_row_q[i] <= '0;
    end else begin
      s_row_q[ScaleStage] <= rows ? '0 : next_row;
      for (int unsigned i = ScaleStage; i < SelectStage; i++) s_row_q[i+1] <= s_row_q[i];
    end
    if (s_row_q[SelectStage] != '0) begin
      s_held_q     <= s[0];
      s_invalid_q  <= s_invalid[0];
      s_overflow_q <= s_overflow[0];
    end
  end

  for (genvar c = 0; c < int'(COLS); c++) begin : gen_column
    logic [31:0] bias_q [ScaleStage+1:BiasStage-1];

    assign bias_nan[c] = cfg_i.bias_en & is_nan(bias_i[c][30:0]);
    assign bias[c]     = bias_q[BiasStage-1];

    always_ff @(posedge clk) begin
      scale_nan_q[c] <= is_nan(scale_a_i[30:0]) | is_nan(scale_b_i[c][30:0]);
      bias_q[ScaleStage+1] <= !cfg_i.bias_en ? Fp32NegZero : rows ? main_bias[c] : bias_i[c];
      for (int unsigned i = ScaleStage + 1; i < BiasStage - 1; i++) bias_q[i+1] <= bias_q[i];
    end

    always_comb begin
      s[c]          = s_held_q;
      s_invalid[c]  = s_invalid_q;
      s_overflow[c] = s_overflow_q;
      for (int unsigned r = 0; r < Rows; r++) begin
        if (s_row_q[SelectStage][r]) begin
          s[c]          = product[r][c];
          s_invalid[c]  = product_invalid[r][c];
          s_overflow[c] = product_overflow[r][c];
        end
      end
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Random bits: a block serves RandomColumns outputs of a row
  // -----------------------------------------------------------------------------------------------
  localparam int unsigned RandomColumns = 4;
  localparam int unsigned RandomStages  = 2;
  localparam int unsigned PositionStage = ConvertStage - RandomStages - 1;  // of the positions' sums
  localparam int unsigned RowBlocks     = (COLS + RandomColumns - 1) / RandomColumns;

  logic [WIDTH-1:0][15:0] random;

  if (STOCHASTIC) begin : gen_random
    for (genvar r = 0; r < int'(WIDTH / COLS); r++) begin : gen_random_row
      logic [31:0]                                   m_q, n_q;
      logic [RandomStages-1:0][$clog2(RandomColumns)-1:0] n_low_q;
      logic [RowBlocks-1:0][RandomColumns-1:0][15:0] bits;

      always_ff @(posedge clk) begin
        m_q <= cfg_i.first_m + 32'(travel_q[PositionStage].row) + 32'(r * ROW_STEP);
        n_q <= cfg_i.first_n + 32'(travel_q[PositionStage].col);
        n_low_q <= {n_low_q[RandomStages-2:0], n_q[$clog2(RandomColumns)-1:0]};
      end

      for (genvar b = 0; b < int'(RowBlocks); b++) begin : gen_block
        fp8mac_simon64 u_random (
          .clk_i    (clk),
          .seed_i   (cfg_i.seed),
          .m_i      (m_q),
          .n_block_i((n_q >> $clog2(RandomColumns)) + 32'(b)),
          .random_o (bits[b])
        );
      end

      // Fewer columns than a block's begin at a multiple of their number.
      for (genvar c = 0; c < int'(COLS); c++) begin : gen_column
        logic [$clog2(RandomColumns)-1:0] at;
        assign at = n_low_q[RandomStages-1] + ($clog2(RandomColumns))'(c);
        assign random[r * COLS + c] = bits[c / RandomColumns][at];
      end
    end
  end else begin : gen_no_random
    assign random = '0;
  end

  // -----------------------------------------------------------------------------------------------
  // Outputs
  // -----------------------------------------------------------------------------------------------
  logic [WIDTH-1:0][31:0] t1, t2, t3, td, w_c;  // w_c: the term or the factor of C
  logic [WIDTH-1:0][31:0] act_q;
  logic [WIDTH-1:0] t1_invalid, t1_overflow, t2_invalid, t2_overflow, t3_invalid, t3_overflow, w_invalid, w_overflow;
  logic [WIDTH-1:0] c_nan, x_nan;
  logic [WIDTH-1:0] td_invalid, td_overflow, d_invalid, d_overflow, d_saturated;

  // ReLU: a value with the sign bit set becomes +0. Clamp compares values, so that a zero of either
  // sign equals a zero bound and stays. NaN stays in both.
  function automatic logic less(logic [31:0] a, logic [31:0] b);
    if (a[30:0] == '0 && b[30:0] == '0) return 1'b0;
    if (a[31] != b[31]) return a[31];
    return a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
  endfunction

  function automatic logic [31:0] activate(logic [31:0] x, activation_e act, logic [31:0] lo, logic [31:0] hi);
    if (is_nan(x[30:0])) return x;
    if (act == ActRelu) return x[31] ? '0 : x;
    if (act == ActClamp) return less(x, lo) ? lo : less(hi, x) ? hi : x;
    return x;
  endfunction

  for (genvar w = 0; w < int'(WIDTH); w++) begin : gen_output
    logic [31:0] t0_q [ScaleStage+1:SelectStage];
    logic [31:0] c_q, c_factor_q, value_q, factor_q, bias_q, t2_q, w_q, scale_d_q;
    logic        for_s;  // the multiplier of C takes scales
    assign for_s = !Terms || (next_row[w / COLS] && !rows);

    // The accumulator is delayed until s is there. With multiply, X is selected with w_c,
    // which comes later than s.
    always_ff @(posedge clk) begin
      t0_q[ScaleStage+1] <= t0_i[w];
      for (int unsigned i = ScaleStage + 1; i < SelectStage; i++) t0_q[i+1] <= t0_q[i];
      c_q        <= rows ? row_c[w] : for_s ? scale_a_i : c_i[w];
      c_factor_q <= rows ? row_c_factor[w % COLS] : for_s ? scale_b_i[w % COLS] : multiply ? s[w % COLS] : cfg_i.beta;
      value_q  <= rows ? row_value[w] : cfg_i.x_en ? x_i[w] : t0_q[SelectStage];
      factor_q <= rows ? row_factor[w] : multiply ? w_c[w] : s[w % COLS];
      bias_q   <= term_used ? term[w] : bias[w % COLS];
      t2_q     <= rows ? minuend[w] : cfg_i.maximum ? fp8mac_rows_pkg::larger(t2[w], w_c[w]) : t2[w];
      w_q      <= rows ? other[w] : cfg_i.maximum ? Fp32NegZero : w_c[w];
      scale_d_q <= power_used ? coarse[w] : cfg_i.scale_d;
    end

    assign c_nan[w] = is_nan(c_q[30:0]);
    assign x_nan[w] = is_nan(x_i[w][30:0]);

    fp8mac_fp32_mul u_t1 (
      .clk_i     (clk),
      .a_i       (value_q),
      .b_i       (factor_q),
      .result_o  (t1[w]),
      .invalid_o (t1_invalid[w]),
      .overflow_o(t1_overflow[w])
    );

    fp8mac_fp32_add u_t2 (
      .clk_i     (clk),
      .a_i       (t1[w]),
      .b_i       (bias_q),
      .result_o  (t2[w]),
      .invalid_o (t2_invalid[w]),
      .overflow_o(t2_overflow[w])
    );

    if (Terms || w < int'(COLS)) begin : gen_factor
      fp8mac_fp32_mul u_c (
        .clk_i     (clk),
        .a_i       (c_q),
        .b_i       (c_factor_q),
        .result_o  (product[w / COLS][w % COLS]),
        .invalid_o (product_invalid[w / COLS][w % COLS]),
        .overflow_o(product_overflow[w / COLS][w % COLS])
      );
    end else begin : gen_no_factor
      assign product[w / COLS][w % COLS]          = '0;
      assign product_invalid[w / COLS][w % COLS]  = 1'b0;
      assign product_overflow[w / COLS][w % COLS] = 1'b0;

      logic unused;
      assign unused = ^{c_q, c_factor_q};
    end

    if (Terms) begin : gen_term
      assign w_c[w]        = product[w / COLS][w % COLS];
      assign w_invalid[w]  = product_invalid[w / COLS][w % COLS];
      assign w_overflow[w] = product_overflow[w / COLS][w % COLS];

      fp8mac_fp32_add u_t3 (
        .clk_i     (clk),
        .a_i       (t2_q),
        .b_i       (w_q),
        .result_o  (t3[w]),
        .invalid_o (t3_invalid[w]),
        .overflow_o(t3_overflow[w])
      );
    end else begin : gen_no_term
      assign {w_c[w], t3[w], w_invalid[w], w_overflow[w], t3_invalid[w], t3_overflow[w]} = '0;

      logic unused;
      assign unused = ^{t2_q, w_q};
    end

    always_ff @(posedge clk) begin
      act_q[w] <= activate((c_en && !multiply) ? t3[w] : t2[w], cfg_i.act, cfg_i.clamp_lo, cfg_i.clamp_hi);
      // Columns that a row does not see are +0.
      if (rows && !travel_q[CStage].en[w]) act_q[w] <= '0;
      // t2 is between 1/2 and 1 here.
      if (power_used) act_q[w] <= {t2[w][31:30], t2[w][29] && !lower[w], t2[w][28:0]};
    end

    fp8mac_fp32_mul u_td (
      .clk_i     (clk),
      .a_i       (act_q[w]),
      .b_i       (scale_d_q),
      .result_o  (td[w]),
      .invalid_o (td_invalid[w]),
      .overflow_o(td_overflow[w])
    );

    fp8mac_fp32_to_fmt u_d (
      .clk_i          (clk),
      .fmt_i          (cfg_i.d_fmt),
      .overflow_mode_i(cfg_i.overflow),
      .stochastic_i   (cfg_i.stochastic),
      .random_i       (random[w]),
      .x_i            (td[w]),
      .code_o         (d_o[w]),
      .invalid_o      (d_invalid[w]),
      .overflow_o     (d_overflow[w]),
      .saturated_o    (d_saturated[w])
    );
  end

  // -----------------------------------------------------------------------------------------------
  // Row commands
  // -----------------------------------------------------------------------------------------------
  if (ROW_COMMANDS) begin : gen_rows
    logic [15:0] row_at [1:CStage];
    logic [15:0] col_at [1:CStage];

    always_comb begin
      for (int unsigned i = 1; i <= CStage; i++) begin
        row_at[i] = travel_q[i].row;
        col_at[i] = travel_q[i].col;
      end
    end

    fp8mac_rows #(.WIDTH(WIDTH), .COLS(COLS), .ROW_STEP(ROW_STEP), .META_W(META_W)) u_rows (
      .clk_i        (clk),
      .rst_ni,
      .cfg_i,
      .on_o         (rows),
      .busy_o       (rows_busy),
      .in_valid_i,
      .in_en_i,
      .in_meta_i    (meta_i),
      .in_row_i     (row_i),
      .in_col_i     (col_i),
      .next_i,
      .next_scale_a_i(scale_a_i),
      .next_scale_b_i(scale_b_i),
      .in_bias_i    (bias_i),
      .in_first_i   (rows_first_i),
      .in_end_i     (rows_end_i),
      .main_valid_o (main_valid),
      .main_en_o    (main_en),
      .main_meta_o  (main_meta),
      .main_row_o   (main_row),
      .main_col_o   (main_col),
      .main_bias_o  (main_bias),
      .main_flags_o (main_flags),
      .main_valid_i (valid_q[CStage:1]),
      .main_row_i   (row_at),
      .main_col_i   (col_at),
      .main_en_i    (travel_q[SelectStage].en),
      .x_i,
      .t3_i         (t3),
      .w_i          (w_c),
      .t2_i         (t2),
      .td_i         (td),
      .w_invalid_i  (w_invalid),
      .w_overflow_i (w_overflow),
      .t1_invalid_i (t1_invalid),
      .t1_overflow_i(t1_overflow),
      .t2_invalid_i (t2_invalid),
      .t2_overflow_i(t2_overflow),
      .t3_invalid_i (t3_invalid),
      .t3_overflow_i(t3_overflow),
      .minuend_o    (minuend),
      .other_o      (other),
      .c_o          (row_c),
      .c_factor_o   (row_c_factor),
      .value_o      (row_value),
      .factor_o     (row_factor),
      .term_used_o  (term_used),
      .term_o       (term),
      .power_used_o (power_used),
      .lower_o      (lower),
      .coarse_o     (coarse),
      .quiet_o      (rows_quiet),
      .flags_o      (rows_flags),
      .nonfinite_o  (rows_nonfinite)
    );
  end else begin : gen_no_rows
    logic unused;
    assign unused = rows_first_i ^ rows_end_i;
    assign {rows, rows_busy, rows_quiet, rows_nonfinite, term_used, power_used} = '0;
    assign {rows_flags, main_flags, main_valid} = '0;
    assign {main_en, lower, main_meta, main_row, main_col, main_bias, row_c_factor} = '0;
    assign {minuend, other, row_c, row_value, row_factor, term, coarse} = '0;
  end

  // What the columns raise, for each present output
  always_comb begin
    for (int unsigned i = 0; i <= Depth; i++) raised[i] = '0;
    raised[ScaleStage].nan        = |({Rows{scale_nan_q | bias_nan}} & in_en_i);
    raised[SelectStage].invalid   = |({Rows{s_invalid}} & travel_q[SelectStage].en) && !rows;
    raised[SelectStage].overflow  = |({Rows{s_overflow}} & travel_q[SelectStage].en) && !rows;
    raised[SelectStage].nan       = |(((cfg_i.x_en && !multiply && !rows) ? x_nan : '0) &
                                      travel_q[SelectStage].en);
    raised[ProductStage].nan      = |((multiply ? c_nan : '0) & travel_q[ProductStage].en);
    raised[BiasStage].invalid     = |((multiply ? w_invalid : t1_invalid) & travel_q[BiasStage].en);
    raised[BiasStage].overflow    = |((multiply ? w_overflow : t1_overflow) & travel_q[BiasStage].en);
    // TermStage is BiasStage.
    raised[TermStage].nan         = |((multiply ? x_nan : c_en ? c_nan | {WIDTH{is_nan(cfg_i.beta[30:0])}}
                                                                     : '0) & travel_q[TermStage].en);
    raised[CStage].invalid        = |((multiply ? '0 : c_en ? t2_invalid | w_invalid : t2_invalid) &
                                      travel_q[CStage].en);
    raised[CStage].overflow       = |((multiply ? '0 : c_en ? t2_overflow | w_overflow : t2_overflow) &
                                      travel_q[CStage].en);
    // Behind CStage come only transfers with c_en.
    raised[SumStage].invalid      = |((multiply ? t1_invalid : '0) & travel_q[SumStage].en);
    raised[SumStage].overflow     = |((multiply ? t1_overflow : '0) & travel_q[SumStage].en);
    raised[ActStage].invalid      = |((multiply ? t2_invalid : t3_invalid) & travel_q[ActStage].en);
    raised[ActStage].overflow     = |((multiply ? t2_overflow : t3_overflow) & travel_q[ActStage].en);
    raised[ConvertStage].invalid  = |(td_invalid & travel_q[ConvertStage].en);
    raised[ConvertStage].overflow = |(td_overflow & travel_q[ConvertStage].en);
    raised[Depth].invalid         = |(d_invalid & travel_q[Depth].en);
    raised[Depth].overflow        = |(d_overflow & travel_q[Depth].en);
    raised[Depth].saturated       = |(d_saturated & travel_q[Depth].en);
    if (rows_quiet) begin
      raised[ConvertStage] = '0;
      raised[Depth]        = '0;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // amax of T, beside the last multiplication and the conversion: a tree with one level of
  // comparisons per stage
  // -----------------------------------------------------------------------------------------------
  localparam int unsigned Levels = $clog2(WIDTH);
  localparam int unsigned First  = ScaleDStage + 1;

  // Patterns without signs: finite magnitudes have their order.
  logic [Depth:First][(1 << Levels)-1:0][30:0] max_q, max_d;
  logic [WIDTH-1:0]               infinite;
  logic [Depth:First]             nonfinite_q;

  always_comb begin
    for (int unsigned w = 0; w < WIDTH; w++) infinite[w] = act_q[w][FracW +: ExpW] == ExpMax;
  end

  always_comb begin
    max_d[First] = '0;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      if (travel_q[ScaleDStage].en[w] && !infinite[w] && !rows_quiet) max_d[First][w] = act_q[w][30:0];
    end
    for (int unsigned i = First; i < Depth; i++) begin
      max_d[i+1] = (i >= First + Levels) ? max_q[i] : '0;
      for (int unsigned j = 0; i < First + Levels && j < ((1 << Levels) >> (i - First + 1)); j++) begin
        max_d[i+1][j] = max_q[i][2*j] > max_q[i][2*j+1] ? max_q[i][2*j] : max_q[i][2*j+1];
      end
    end
  end

  always_ff @(posedge clk) begin
    max_q       <= max_d;
    nonfinite_q <= {nonfinite_q[Depth-1:First], |(infinite & travel_q[ScaleDStage].en) && !rows_quiet};
  end

  // -----------------------------------------------------------------------------------------------
  // Out
  // -----------------------------------------------------------------------------------------------
  assign out_valid_o = valid_q[Depth];
  assign meta_o      = travel_q[Depth].meta;
  assign flags_o     = travel_q[Depth].flags | raised[Depth] | rows_flags;
  assign amax_o      = {1'b0, max_q[Depth][0]};
  assign nonfinite_o = nonfinite_q[Depth] | rows_nonfinite;

  if (WIDTH % COLS != 0 || Levels > Depth - First) begin : g_width
    $error("WIDTH must be a multiple of COLS, and its maximum must be found in %0d stages", Depth - First);
  end

  // -----------------------------------------------------------------------------------------------
  // Assertions
  // -----------------------------------------------------------------------------------------------
`ifndef SYNTHESIS
  AssertCfgLegal: assert property (@(posedge clk_i) disable iff (!rst_ni)
    in_valid_i |-> is_overflow(cfg_i.overflow) && is_activation(cfg_i.act));
  AssertCfgHeld: assert property (@(posedge clk_i) disable iff (!rst_ni) busy_o |-> $stable(cfg_i));
  AssertScalesBefore: assert property (@(posedge clk_i) disable iff (!rst_ni) next_i |=> in_valid_i);
  AssertOneRow: assert property (@(posedge clk_i) disable iff (!rst_ni) next_i |-> $onehot0(next_row_i));

  // A multiplier that takes scales is not wanted for C.
  logic [Rows-1:0] wanted;
  always_comb begin
    wanted = '0;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      if (multiply ? valid_q[SelectStage] && travel_q[SelectStage].en[w]
                   : c_en && valid_q[TermStage-1] && travel_q[TermStage-1].en[w]) wanted[w / COLS] = 1'b1;
    end
  end
  AssertNotBoth: assert property (@(posedge clk_i) disable iff (!rst_ni || rows) (next_row & wanted) == '0);
`endif

endmodule
