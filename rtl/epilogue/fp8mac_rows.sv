// SPDX-License-Identifier: Apache-2.0
// Row commands in the epilogue: the operands of its operators, and the statistics of the rows of a
// band. X passes once for each phase of a command. A transfer enters here first, and the epilogue's
// own stages (main stage 0, ..) later:
//
//   stage   exponentials else
//   4       the same     X is there; with it the offset of each row (mean, maximum) is selected
//   9       the same     u_t3 gave X - offset
//   10      14           u_c gave (X - offset) * factor, whose bits are split into the operands of
//           17, 21, 26   u_t1, u_t2, u_td: fp8mac_exp2_split
//   6       27           main stage 0
//   10      31           main stage 4: the row value is there, X - offset or its exponential, for u_t1
//
// Sigmoid and tanh: u_c gives X * factor in stage 9, and u_t3 adds an origin to it until stage 14,
// in which the bits are split (fp8mac_tanh_split). Main stage 0 is stage 12, so that the operands
// of u_t1 and u_t2 come in main stages 4 and 8.
//
// Main stages: u_t1 multiplies the row value by itself, by 1, by gain * gamma of u_c, or by the
// gain. In phases that leave sums u_t2 adds the partial sum of stage 8, and gives it back in stage
// 13; else it adds the bias. Partial sums are those of columns modulo 16, and the store engine
// leaves cycles between transfers where one would be needed again in less than 8 (interval_of).
// Partial maxima are compared in main stage 4.
//
// Exponentials need u_t1, u_t2 and u_td twice. A transfer enters in every second cycle then, always
// in odd or always in even ones, and 15 cycles are between both uses.
//
// When the last transfer of a phase has passed, fp8mac_rows_program makes of the partial sums what
// the next phase needs. Flags of all this are sticky, and leave with the transfers behind.
module fp8mac_rows
  import fp8mac_pkg::*;
  import fp8mac_rows_pkg::*;
#(
  parameter int unsigned WIDTH    = 8,
  parameter int unsigned COLS     = 4,  // of a transfer; a power of two, at most 16
  parameter int unsigned ROW_STEP = 2,  // distance of a transfer's rows in D
  parameter int unsigned META_W   = 16,
  localparam int unsigned Rows  = WIDTH / COLS,
  localparam int unsigned Main  = 13    // main stage in which the sum of u_t2 is there
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  epilogue_cfg_t           cfg_i,
  output logic                    on_o,       // a row command
  output logic                    busy_o,

  input  logic                    next_i,     // a transfer enters in the next cycle: its scales
  input  logic [31:0]             next_scale_a_i,
  input  logic [COLS-1:0][31:0]   next_scale_b_i,
  input  logic                    in_valid_i, // transfers, also those that are no row command's
  input  logic [WIDTH-1:0]        in_en_i,
  input  logic [META_W-1:0]       in_meta_i,
  input  logic [15:0]             in_row_i,
  input  logic [15:0]             in_col_i,
  input  logic [COLS-1:0][31:0]   in_bias_i,
  input  logic                    in_first_i, // the first transfer of a phase
  input  logic                    in_end_i,   // the last one

  // Main stage 0, and what transfers are in the stages behind
  output logic                    main_valid_o,
  output logic [WIDTH-1:0]        main_en_o,
  output logic [META_W-1:0]       main_meta_o,
  output logic [15:0]             main_row_o,
  output logic [15:0]             main_col_o,
  output logic [COLS-1:0][31:0]   main_bias_o,
  output flags_t                  main_flags_o,  // of sigmoid and tanh, which leave with their transfer
  input  logic [Main:1]           main_valid_i,
  input  logic [15:0]             main_row_i [1:Main],
  input  logic [15:0]             main_col_i [1:Main],
  input  logic [WIDTH-1:0]        main_en_i,  // of main stage 4

  // What the operators gave, with flags
  input  logic [WIDTH-1:0][31:0]  x_i,        // in stage 4
  input  logic [WIDTH-1:0][31:0]  t3_i,
  input  logic [WIDTH-1:0][31:0]  w_i,        // of u_c
  input  logic [WIDTH-1:0][31:0]  t2_i,
  input  logic [WIDTH-1:0][31:0]  td_i,
  input  logic [WIDTH-1:0]        w_invalid_i,
  input  logic [WIDTH-1:0]        w_overflow_i,
  input  logic [WIDTH-1:0]        t1_invalid_i,
  input  logic [WIDTH-1:0]        t1_overflow_i,
  input  logic [WIDTH-1:0]        t2_invalid_i,
  input  logic [WIDTH-1:0]        t2_overflow_i,
  input  logic [WIDTH-1:0]        t3_invalid_i,
  input  logic [WIDTH-1:0]        t3_overflow_i,

  // Operands, registered behind
  output logic [WIDTH-1:0][31:0]  minuend_o,  // of u_t3
  output logic [WIDTH-1:0][31:0]  other_o,
  output logic [WIDTH-1:0][31:0]  c_o,        // of u_c
  output logic [COLS-1:0][31:0]   c_factor_o,
  output logic [WIDTH-1:0][31:0]  value_o,    // of u_t1
  output logic [WIDTH-1:0][31:0]  factor_o,
  output logic                    term_used_o,  // in place of the bias, for u_t2
  output logic [WIDTH-1:0][31:0]  term_o,
  output logic                    power_used_o, // for u_td: t2, lowered, and coarse
  output logic [WIDTH-1:0]        lower_o,
  output logic [WIDTH-1:0][31:0]  coarse_o,

  output logic                    quiet_o,    // results of u_td are no outputs: no amax, no flags
  output flags_t                  flags_o,
  output logic                    nonfinite_o  // an MX block has Inf or NaN
);
  localparam int unsigned ExpEntry = 27, CurveEntry = 12, Entry = 6;  // stage that is main stage 0
  localparam logic [31:0] OriginTanh    = 32'h4440_0000;  // 1.5 * 2^9
  localparam logic [31:0] OriginSigmoid = 32'h44c0_0000;

  localparam logic [COLS-1:0] SumLanes  = COLS'(15);

  // Lane w is column w % COLS of row w / COLS.
  function automatic logic [WIDTH-1:0][31:0] to_lanes(logic [Rows-1:0][31:0] x);
    for (int unsigned w = 0; w < WIDTH; w++) to_lanes[w] = x[w / COLS];
  endfunction

  function automatic logic [WIDTH-1:0] lanes_of(logic [Rows-1:0] x);
    for (int unsigned w = 0; w < WIDTH; w++) lanes_of[w] = x[w / COLS];
  endfunction

  rows_step_e step;
  logic       exponential, curve, statistic, sums;

  assign step        = cfg_i.rows.step;
  assign on_o        = step != StepNone;
  assign exponential = step == StepExpSum || step == StepExpOut;
  assign curve       = rows_curve(step);
  assign statistic   = rows_statistic(step);
  assign sums        = step == StepSum || step == StepSquares || step == StepExpSum;
  assign quiet_o     = statistic || cfg_i.rows.index;

  // ---- before main stage 0 ----------------------------------------------------------------------
  logic [ExpEntry:0]  at;
  logic [ExpEntry:1]  at_q;
  logic [WIDTH-1:0]   en_q [1:14];
  set_t               set_q [1:4];
  logic [31:0]        factor_q;  // SCALE_A
  logic               start;     // of a phase

  assign at    = {at_q, in_valid_i && on_o};
  assign start = in_valid_i && on_o && in_first_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) at_q <= '0;
    else begin
      for (int unsigned i = 0; i < ExpEntry; i++) begin
        at_q[i+1] <= at[i] && (i < 9 || (curve && i < CurveEntry) || exponential);
      end
    end
    en_q[1]   <= in_en_i;
    set_q[1]  <= set_of(in_row_i[3:0], Rows, ROW_STEP);
    for (int unsigned i = 1; i < 14; i++) en_q[i+1] <= en_q[i];
    for (int unsigned i = 1; i < 4; i++) set_q[i+1] <= set_q[i];
    if (next_i) factor_q <= next_scale_a_i;
  end

  // Transfers on their way to main stage 0. At most 14 are between, or 6 with gamma, which
  // comes a cycle earlier.
  typedef struct packed {
    logic [WIDTH-1:0]      en;
    logic [META_W-1:0]     meta;
    logic [15:0]           row;
    logic [15:0]           col;
    logic [COLS-1:0][31:0] bias;
  } waiting_t;

  waiting_t              waiting;
  logic [3:0]            put_q, get_q;
  logic [2:0]            put_gamma_q, get_gamma_q;
  logic                  get, put_gamma, get_gamma;
  logic [COLS-1:0][31:0] gamma;

  assign get       = exponential ? at[ExpEntry-1] : curve ? at[CurveEntry-1] : at[Entry-1];
  assign put_gamma = next_i && on_o && !exponential;
  assign get_gamma = at[Entry-2] && !exponential;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      put_q       <= '0;
      get_q       <= '0;
      put_gamma_q <= '0;
      get_gamma_q <= '0;
    end else begin
      put_q       <= put_q + 4'(at[0]);
      get_q       <= get_q + 4'(get);
      put_gamma_q <= put_gamma_q + 3'(put_gamma);
      get_gamma_q <= get_gamma_q + 3'(get_gamma);
    end
  end

  fp8mac_two_port_ram #(.DEPTH(16), .WIDTH($bits(waiting_t))) u_waiting (
    .clk_i, .write_i(at[0]), .write_address_i(put_q),
    .write_data_i({in_en_i, in_meta_i, in_row_i, in_col_i, in_bias_i}),
    .read_i(get), .read_address_i(get_q), .read_data_o(waiting)
  );

  fp8mac_two_port_ram #(.DEPTH(8), .WIDTH(COLS * 32)) u_gamma (
    .clk_i, .write_i(put_gamma), .write_address_i(put_gamma_q), .write_data_i(next_scale_b_i),
    .read_i(get_gamma), .read_address_i(get_gamma_q), .read_data_o(gamma)
  );

  assign main_valid_o = exponential ? at[ExpEntry] : curve ? at[CurveEntry] : at[Entry] && on_o;
  // MX blocks with Inf or NaN, whose gain is Inf, have codes of +0 as columns that a row does not
  // see.
  logic [Rows-1:0] block_off_q;
  logic       nonfinite_q;

  assign main_en_o    = waiting.en & ~lanes_of(block_off_q);
  assign nonfinite_o  = cfg_i.rows.mx && nonfinite_q;
  assign main_meta_o  = waiting.meta;
  assign main_row_o   = waiting.row;
  assign main_col_o   = waiting.col;
  assign main_bias_o  = waiting.bias;

  // ---- statistics -------------------------------------------------------------------------------
  logic                   front_busy, statistics_busy;
  place_t                 prog [11];
  logic [WIDTH-1:0][31:0] partial, value_q;
  logic [Rows-1:0][31:0]  offset, gain, row_value;
  logic [Rows-1:0]        program_seen5, program_seen9;
  logic [WIDTH-1:0]       program_lanes5, program_lanes9;
  logic [Rows-1:0][1:0]   lost_q;  // with the row value: bits that a gain loses

  logic at_busy;  // behind stage 9 there are exponentials, sigmoid and tanh alone

  assign at_busy    = ((exponential || curve) ? at_q != '0 : at_q[Entry:1] != '0);
  assign front_busy = at_busy || in_valid_i;
  assign busy_o     = at_busy || statistics_busy;

  fp8mac_rows_statistics #(.WIDTH(WIDTH), .COLS(COLS), .ROW_STEP(ROW_STEP)) u_statistics (
    .clk_i, .rst_ni,
    .step_i       (step),
    .norm_i       (cfg_i.rows.norm),
    .mx_i         (cfg_i.rows.mx),
    .d_fmt_i      (cfg_i.d_fmt),
    .start_i      (start),
    .end_i        (at[0] && in_end_i && statistic),
    .front_busy_i (front_busy),
    .busy_o       (statistics_busy),
    .offset_read_i(at[3]),
    .offset_set_i (set_q[3]),
    .gain_read_i  (at[4]),
    .gain_set_i   (set_q[4]),
    .main_valid_i, .main_row_i, .main_col_i, .main_en_i,
    .t2_i,
    .value_i      (value_q),
    .lost_i       (lost_q),
    .at_o         (prog),
    .partial_o    (partial),
    .offset_o     (offset),
    .gain_o       (gain),
    .seen5_o      (program_seen5),
    .seen9_o      (program_seen9)
  );

  // ---- u_t3 and u_c -----------------------------------------------------------------------------
  logic [Rows-1:0][31:0] subtrahend;

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) subtrahend[r] = cfg_i.rows.centred ? negative(offset[r]) : Fp32NegZero;
  end

  assign minuend_o  = (step == StepResult) ? to_lanes(offset) : curve ? w_i : x_i;
  assign other_o    = (step == StepTanh) ? {WIDTH{OriginTanh}} : (step == StepSigmoid) ? {WIDTH{OriginSigmoid}}
                                                                                       : to_lanes(subtrahend);
  assign c_o        = exponential ? t3_i : curve ? x_i : to_lanes(gain);
  assign c_factor_o = (exponential || curve) ? {COLS{factor_q}} : gamma;

  // ---- the row value: X - offset, its exponential, or what the program computes -----------------
  logic [WIDTH-1:0][31:0] value_d;
  logic [Rows-1:0][31:0]  parts, gains;  // of the program
  logic                   root;

  assign root = step == StepSquares;

  for (genvar r = 0; r < int'(Rows); r++) begin : g_row_value
    assign row_value[r] = value_q[r * COLS];
  end

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      parts[r] = split(t2_i[r * COLS][30:0]);
      gains[r] = rescaled(t2_i[r * COLS][30:0], gain[r][31:23], root);
    end
  end

  always_comb begin
    value_d = exponential ? td_i : t3_i;
    for (int unsigned w = 0; w < WIDTH; w++) begin
      if (step == StepMagnitude) value_d[w][31] = 1'b0;
    end
    if (step == StepFirst) begin
      for (int unsigned w = 0; w < WIDTH; w++) begin
        value_d[w] = equal(t3_i[w], offset[w / COLS]) ?
                     {8'h7e, ~(cfg_i.first_n[23:0] + 24'(main_col_i[3]) + 24'(w % COLS))} : Fp32NegInf;
      end
    end
    if (prog[9].valid) begin
      value_d = t2_i;
      for (int unsigned r = 0; r < Rows; r++) begin
        if (prog[9].action inside {ActionVar, ActionTake} ||
            (prog[9].action == ActionTotal && step == StepExpSum)) begin
          value_d[r * COLS] = parts[r];
        end
        if (prog[9].action inside {ActionR4, ActionC3}) value_d[r * COLS] = gains[r];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    value_q <= value_d;
    for (int unsigned r = 0; r < Rows; r++) begin
      lost_q[r] <= (prog[9].action == ActionC3) ? lost_bits(t2_i[r * COLS][30], gain[r][31:23]) : 2'd0;
    end
  end

  // ---- u_t1, u_t2 and u_td ----------------------------------------------------------------------
  logic [WIDTH-1:0][31:0] r, slope, line, rest, growth, point;
  logic [Rows-1:0][31:0]  newton_slope, newton_value;
  logic [Rows-1:0][6:0]   interval;
  logic [Rows-1:0][6:0]   interval_q [1:4];

  for (genvar w = 0; w < int'(WIDTH); w++) begin : g_lane
    fp8mac_exp2_split u_split (
      .clk_i, .rst_ni, .valid_i(at[14]), .t_i(w_i[w]), .r_o(r[w]), .slope_o(slope[w]), .value_o(line[w]),
      .coarse_o(coarse_o[w]), .lower_o(lower_o[w])
    );

    fp8mac_tanh_split u_tanh (
      .clk_i, .sigmoid_i(step == StepSigmoid), .t_i(t3_i[w]), .rest_o(rest[w]), .step_o(growth[w]), .value_o(point[w])
    );
  end

  for (genvar row = 0; row < int'(Rows); row++) begin : g_newton
    split_t x;
    assign x             = split_t'(row_value[row]);
    assign interval[row] = root ? {1'b0, x.exponent[0], x.fraction[22:18]} : {2'b10, x.fraction[22:18]};

    fp8mac_newton_table u_table (
      .slope_i(interval[row]), .value_i(interval_q[4][row]), .slope_o(newton_slope[row]), .value_o(newton_value[row])
    );
  end

  always_ff @(posedge clk_i) begin
    interval_q[1] <= interval;
    for (int unsigned i = 1; i < 4; i++) interval_q[i+1] <= interval_q[i];
  end

  // The program's steps behind a sum are those of each row's first lane. The other lanes compute -0
  // * 1 and a term, which raises nothing.
  function automatic logic [31:0] program_value(action_e action, logic [31:0] x, logic is_root);
    unique case (action)
      ActionTake:         return Fp32NegZero;
      ActionR1, ActionC1: return significand(split_t'(x), is_root);
      ActionR2, ActionC2: return half(x);
      default:            return x;
    endcase
  endfunction

  function automatic logic [31:0] program_factor(action_e action, logic [31:0] nth, logic [31:0] table_slope,
                                                 logic [31:0] word);
    unique case (action)
      ActionMean, ActionVar: return nth;
      ActionR1, ActionC1:    return negative(table_slope);
      ActionR2:              return significand(split_t'(word), 1'b1);
      ActionC2:              return negative(significand(split_t'(word), 1'b0));
      ActionR3:              return negative(half(word));
      ActionR4:              return half(word);
      ActionC3:              return word;
      default:               return Fp32One;
    endcase
  endfunction

  sum_step_t first_step, term_step;  // of the program's places 0 and 4
  assign first_step = sum_step(COLS, prog[0].index);
  assign term_step  = sum_step(COLS, prog[4].index);

  logic unused_steps;  // what fp8mac_rows_statistics needs of them
  assign unused_steps = ^{first_step, term_step};

  always_comb begin
    for (int unsigned w = 0; w < WIDTH; w++) begin
      value_o[w]  = (main_en_i[w] || !sums) ? value_q[w] : Fp32NegZero;
      factor_o[w] = Fp32One;
      unique case (step)
        StepSquares: if (main_en_i[w]) factor_o[w] = value_q[w];
        StepOut:     factor_o[w] = w_i[w];
        StepExpOut:  factor_o[w] = gain[w / COLS];
        StepResult:  factor_o[w] = factor_q;
        default: ;
      endcase
      if (curve) begin
        value_o[w]  = rest[w];
        factor_o[w] = growth[w];
      end
      if (exponential && at[16]) begin
        value_o[w]  = r[w];
        factor_o[w] = slope[w];
      end
      if (prog[0].valid) begin
        if (w % COLS == 0) begin
          value_o[w]  = program_value(prog[0].action, value_q[w], root);
          factor_o[w] = program_factor(prog[0].action, cfg_i.seed, newton_slope[w / COLS], gain[w / COLS]);
        end else begin
          value_o[w]  = (prog[0].action inside {ActionAdd, ActionTotal}) ? value_q[w] : Fp32NegZero;
          factor_o[w] = Fp32One;
        end
        if (prog[0].action == ActionAdd && first_step.load) value_o[w] = Fp32NegZero;
      end
    end
  end

  always_comb begin
    term_used_o = sums || curve || prog[4].valid;
    term_o      = curve ? point : partial;
    if (exponential && at[20]) begin
      term_used_o = 1'b1;
      term_o      = line;
    end
    if (prog[4].valid) begin
      for (int unsigned w = 0; w < WIDTH; w++) begin
        if (prog[4].action inside {ActionAdd, ActionTotal}) begin
          term_o[w] = partial[w / COLS * COLS + (w ^ 32'(term_step.lanes)) % COLS];
        end
      end
      for (int unsigned row = 0; row < Rows; row++) begin
        unique case (prog[4].action)
          ActionVar:            term_o[row * COLS] = cfg_i.beta;
          ActionR1, ActionC1:   term_o[row * COLS] = newton_value[row];
          ActionR3, ActionC2:   term_o[row * COLS] = Fp32One;
          ActionMean, ActionR2: term_o[row * COLS] = Fp32NegZero;
          default:              ;
        endcase
      end
    end
  end

  assign power_used_o = exponential && at[25];

  // A sum's lanes behind the fourth have nothing that counts.
  assign program_lanes5 = lanes_of(program_seen5) & {Rows{SumLanes}};
  assign program_lanes9 = lanes_of(program_seen9) & {Rows{SumLanes}};

  // ---- flags ------------------------------------------------------------------------------------
  flags_t           flags_q, raised;
  logic [WIDTH-1:0] x_nan, gain_nan, gamma_nan, bias_nan;
  logic [Rows-1:0]  without_gain;

  always_comb begin
    for (int unsigned w = 0; w < WIDTH; w++) begin
      x_nan[w]     = is_nan(x_i[w][30:0]);
      gain_nan[w]  = is_nan(gain[w / COLS][30:0]);
      gamma_nan[w] = is_nan(gamma[w % COLS][30:0]);
      bias_nan[w]  = cfg_i.bias_en && is_nan(main_bias_o[w % COLS][30:0]);
    end
    for (int unsigned row = 0; row < Rows; row++) begin
      without_gain[row] = gain[row][31:23] == ExponentZero;
    end
  end

  always_comb begin
    raised          = '0;
    raised.nan      = (at[4] && step != StepResult && (x_nan & en_q[4]) != '0) ||
                      (step == StepOut && at[5] && ((gain_nan | gamma_nan) & en_q[5]) != '0) ||
                      (step == StepOut && main_valid_o && (bias_nan & main_en_o) != '0) ||
                      (step == StepExpOut && main_valid_i[4] && (gain_nan & main_en_i) != '0);
    raised.invalid  = (at[9] && (t3_invalid_i & en_q[9]) != '0) ||
                      (exponential && at[14] && (w_invalid_i & en_q[14]) != '0) ||
                      (step == StepOut && main_valid_i[4] && (w_invalid_i & main_en_i) != '0) ||
                      (t1_invalid_i & program_lanes5) != '0 ||
                      (t2_invalid_i & program_lanes9) != '0;
    raised.overflow = (at[9] && (t3_overflow_i & en_q[9]) != '0) ||
                      (exponential && at[14] && (w_overflow_i & en_q[14]) != '0) ||
                      (step == StepOut && main_valid_i[4] && (w_overflow_i & main_en_i) != '0) ||
                      (t1_overflow_i & program_lanes5) != '0 ||
                      (t2_overflow_i & program_lanes9) != '0 ||
                      (prog[9].action inside {ActionR4, ActionC3} && (without_gain & program_seen9) != '0);
  end

  // A command's flags begin with its first phase.
  logic first_phase;
  assign first_phase = step == StepSum || step == StepMaximum || step == StepMagnitude ||
                       (step == StepSquares && !cfg_i.rows.centred);

  always_ff @(posedge clk_i) begin
    if (start && first_phase) flags_q <= '0;
    else if (on_o) flags_q <= flags_q | raised;
  end

  assign flags_o = (on_o && !curve) ? flags_q : '0;

  always_ff @(posedge clk_i) begin
    for (int unsigned row = 0; row < Rows; row++) begin
      block_off_q[row] <= cfg_i.rows.mx && step == StepOut && gain[row][31:23] == 9'h0ff;
    end
    if (start && first_phase) nonfinite_q <= 1'b0;
    else if (main_valid_o && (waiting.en & ~main_en_o) != '0) nonfinite_q <= 1'b1;
  end

  // Commands of sigmoid or tanh may follow without a gap, so their transfers have flags of their
  // own.
  logic [CurveEntry:5]  nan_q;
  logic [CurveEntry:10] overflow_q;

  always_ff @(posedge clk_i) begin
    nan_q      <= {nan_q[CurveEntry-1:5], (x_nan & en_q[4]) != '0};
    overflow_q <= {overflow_q[CurveEntry-1:10], (w_overflow_i & en_q[9]) != '0};
  end

  always_comb begin
    main_flags_o          = '0;
    main_flags_o.nan      = curve && nan_q[CurveEntry];
    main_flags_o.overflow = curve && overflow_q[CurveEntry];
  end

endmodule
