// SPDX-License-Identifier: Apache-2.0
// The statistics of the rows of a band: partial sums and maxima, and what fp8mac_rows_program makes
// of them. fp8mac_rows says which stages there are.
//
//   partial sums   16 for each row, read in main stage 7 and written in main stage 13
//   maxima         8 for each row, or one for each lane, read in main stage 3 and written in main stage 5
//   offset         of each row: mean, maximum, or the result of a reduction
//   gain           of each row: the factor of a norm or of softmax
//
// A row may be an MX block (mx_i). Its offset is the E8M0 scale then, in the low bits of a word,
// and its gain a power of two.
module fp8mac_rows_statistics
  import fp8mac_pkg::*;
  import fp8mac_rows_pkg::*;
#(
  parameter int unsigned WIDTH    = 8,
  parameter int unsigned COLS     = 4,
  parameter int unsigned ROW_STEP = 2,
  localparam int unsigned Main  = 13,
  localparam int unsigned Rows  = WIDTH / COLS
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  rows_step_e              step_i,
  input  logic                    norm_i,
  input  logic                    mx_i,
  input  dst_fmt_e                d_fmt_i,
  input  logic                    start_i,        // of a phase: nothing is known
  input  logic                    end_i,          // the last transfer of a phase that leaves statistics has entered
  input  logic                    front_busy_i,   // transfers are before main stage 1
  output logic                    busy_o,

  // The offset and the gain of a transfer's rows are there a cycle later; some steps
  // read them in main stages.
  input  logic                    offset_read_i,
  input  set_t                    offset_set_i,
  input  logic                    gain_read_i,
  input  set_t                    gain_set_i,

  input  logic [Main:1]           main_valid_i,
  input  logic [15:0]             main_row_i [1:Main],
  input  logic [15:0]             main_col_i [1:Main],
  input  logic [WIDTH-1:0]        main_en_i,      // of main stage 4
  input  logic [WIDTH-1:0][31:0]  t2_i,
  input  logic [WIDTH-1:0][31:0]  value_i,        // the row value: of main stage 4, or of the program
  input  logic [Rows-1:0][1:0]    lost_i,         // with it: bits that a gain loses

  output place_t                  at_o [11],    // of the program
  output logic [WIDTH-1:0][31:0]  partial_o,
  output logic [Rows-1:0][31:0]   offset_o,
  output logic [Rows-1:0][31:0]   gain_o,
  output logic [Rows-1:0]         seen5_o,        // rows that have values, of the program's places 5 and 9
  output logic [Rows-1:0]         seen9_o
);
  localparam int unsigned Sets   = sets_of(Rows, ROW_STEP);
  localparam int unsigned Groups = Partials / COLS;   // partial sums of a lane
  localparam int unsigned Maxima = maxima_of(COLS);   // partial maxima of a lane
  localparam int unsigned Words  = Sets * Groups;
  localparam int unsigned WordW  = (Words > 1) ? $clog2(Words) : 1;
  localparam int unsigned SetW   = (Sets > 1) ? $clog2(Sets) : 1;
  logic exponential, maxima, sums;

  assign exponential = step_i == StepExpSum || step_i == StepExpOut;
  assign maxima      = step_i == StepMaximum || step_i == StepFirst || step_i == StepMagnitude;
  assign sums        = step_i == StepSum || step_i == StepSquares || step_i == StepExpSum;

  // ---- sums -------------------------------------------------------------------------------------
  // The rows of a band that have values, and the words of partial sums or maxima that were written
  logic [Sets-1:0][Rows-1:0] seen_q;
  logic [Words-1:0]          written_q;

  // The program
  logic       end_q, main_busy, go, running, fold, fold_done, fold_more, turn_more, next;
  set_t       next_set;
  action_e    next_action;
  place_t     prog [11];
  set_t       fold_set, fold_done_set;
  logic [3:0] fold_cycle;

  assign main_busy = maxima ? main_valid_i[5:1] != '0 : main_valid_i != '0;
  assign go        = end_q && !front_busy_i && !main_busy;
  assign busy_o    = end_q || running;
  assign fold_more = (seen_q >> (32'(fold_set) * Rows) >> Rows) != '0;

  if (Sets > Turn) begin : g_turns
    assign turn_more = seen_q[Sets-1:Turn] != '0;
  end else begin : g_one_turn
    assign turn_more = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) end_q <= 1'b0;
    else if (end_i) end_q <= 1'b1;
    else if (go) end_q <= 1'b0;
  end

  fp8mac_rows_program #(.COLS(COLS), .SETS(Sets)) u_program (
    .clk_i, .rst_ni, .step_i, .norm_i, .start_i(go && sums), .fold_start_i(go && maxima), .fold_more_i(fold_more),
    .turn_more_i(turn_more), .running_o(running), .next_o(next), .next_set_o(next_set), .next_action_o(next_action),
    .at_o(prog), .fold_o(fold), .fold_set_o(fold_set), .fold_cycle_o(fold_cycle), .fold_done_o(fold_done),
    .fold_done_set_o(fold_done_set)
  );

  // Partial sums and maxima: a word for each set of rows and group
  logic                   partial_write, partial_read, streams;
  logic [WordW-1:0]       partial_write_at, partial_read_at;
  logic [WIDTH-1:0][31:0] partial_written, partial_word, maximum_q;
  logic                   known_q;  // the word that was read was written in this phase
  set_t                   seen_set;

  function automatic logic [WordW-1:0] word_at(set_t rows, logic [3:0] group);
    return WordW'(32'(rows) * Groups + 32'(group));
  endfunction

  // The word of a transfer
  function automatic logic [WordW-1:0] sum_at(logic [3:0] row, logic [3:0] col);
    return word_at(set_of(row, Rows, ROW_STEP), 4'(32'(col) / COLS));
  endfunction

  function automatic logic [WordW-1:0] maximum_at(logic [3:0] row, logic [3:0] col);
    return word_at(set_of(row, Rows, ROW_STEP), 4'(32'(col) / COLS % Maxima));
  endfunction

  // Of the program. Steps behind a sum read what the one before the last wrote.
  sum_step_t read_step, write_step;
  assign read_step  = (prog[3].action inside {ActionAdd, ActionTotal}) ? sum_step(COLS, prog[3].index) :
                      (prog[3].action == ActionTake) ? '0 : '{kept: 1'b1, default: '0};
  assign write_step = (prog[9].action inside {ActionAdd, ActionTotal}) ? sum_step(COLS, prog[9].index) :
                      '{write: prog[9].action inside {ActionR1, ActionC1}, default: '0};

  always_comb begin
    streams         = maxima ? main_valid_i[3] && !fold : sums && main_valid_i[7];
    partial_read_at = maxima ? maximum_at(main_row_i[3][3:0], main_col_i[3][3:0])
                             : sum_at(main_row_i[7][3:0], main_col_i[7][3:0]);
    partial_read    = streams;
    if (prog[3].valid) begin
      partial_read    = 1'b1;
      partial_read_at = word_at(prog[3].rows, read_step.group);
    end
    if (fold) begin
      partial_read    = fold_cycle < 4'(Maxima);
      partial_read_at = word_at(fold_set, fold_cycle);
    end
    partial_write    = maxima ? main_valid_i[5] || fold_done : sums && main_valid_i[Main];
    partial_write_at = maxima ? maximum_at(main_row_i[5][3:0], main_col_i[5][3:0])
                              : sum_at(main_row_i[Main][3:0], main_col_i[Main][3:0]);
    partial_written  = maxima ? maximum_q : t2_i;
    // For the program that follows. All lanes of a row have its maximum.
    if (fold_done) partial_write_at = word_at(fold_done_set, 4'd0);
    if (prog[9].valid) begin
      partial_written  = t2_i;
      partial_write    = write_step.write;
      partial_write_at = word_at(prog[9].rows, write_step.to);
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Words), .WIDTH(WIDTH * 32)) u_partial (
    .clk_i, .write_i(partial_write), .write_address_i(partial_write_at), .write_data_i(partial_written),
    .read_i(partial_read), .read_address_i(partial_read_at), .read_data_o(partial_word)
  );

  // The least magnitude is above 0, so that its reciprocal is finite; an MX block takes none.
  logic [31:0] absent;
  assign absent    = (step_i == StepMagnitude) ? (mx_i ? '0 : LeastMagnitude) : maxima ? Fp32NegInf : Fp32NegZero;
  assign partial_o = known_q ? partial_word : {WIDTH{absent}};

  assign seen_set = set_of(main_row_i[4][3:0], Rows, ROW_STEP);

  always_ff @(posedge clk_i) begin
    known_q <= written_q[partial_read_at] || (prog[3].valid && read_step.kept);
    if (start_i) begin
      written_q <= '0;
      seen_q    <= '0;
    end else begin
      if (streams) written_q[partial_read_at] <= 1'b1;
      if (main_valid_i[4] && step_i != StepNone) begin
        for (int unsigned r = 0; r < Rows; r++) begin
          if (main_en_i[r * COLS +: COLS] != '0) seen_q[SetW'(seen_set)][r] <= 1'b1;
        end
      end
    end
  end

  // The offset of each row: mean, maximum, or the result of a reduction. The gain, and in the
  // program the parts of what it is computed from, and the first line of Newton's iteration.
  typedef enum logic [1:0] {
    WordGain,
    WordSplit,
    WordLine
  } word_e;

  logic             offset_read, offset_write, gain_read, gain_write;
  set_t                offset_read_at, offset_write_at;
  logic [SetW+1:0]     gain_read_at, gain_write_at;
  logic [Rows-1:0][31:0] offset_written, gain_written, row_value;
  logic [Rows-1:0][7:0]  scale;  // of MX blocks

  for (genvar r = 0; r < int'(Rows); r++) begin : g_scale
    assign row_value[r] = value_i[r * COLS];
    assign scale[r]     = mx_scale(maximum_q[r * COLS][30:23], d_fmt_i);
  end

  always_comb begin
    offset_read     = (step_i == StepFirst) ? main_valid_i[2] : offset_read_i;
    offset_read_at  = (step_i == StepFirst) ? set_of(main_row_i[2][3:0], Rows, ROW_STEP) : offset_set_i;
    offset_write    = fold_done || (prog[10].valid && (prog[10].action == ActionMean ||
                                                       (prog[10].action == ActionTotal && !norm_i &&
                                                        step_i != StepExpSum)));
    offset_write_at = fold_done ? fold_done_set : prog[10].rows;
    offset_written  = row_value;
    for (int unsigned r = 0; r < Rows; r++) begin
      if (fold_done) begin
        offset_written[r] = maximum_q[r * COLS];
        if (step_i == StepFirst) offset_written[r] = {8'd0, ~maximum_q[r * COLS][23:0]};
        if (mx_i) offset_written[r] = {24'd0, scale[r]};
      end
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Sets), .WIDTH(Rows * 32)) u_offset (
    .clk_i, .write_i(offset_write), .write_address_i(SetW'(offset_write_at)), .write_data_i(offset_written),
    .read_i(offset_read), .read_address_i(SetW'(offset_read_at)), .read_data_o(offset_o)
  );

  always_comb begin
    gain_read    = exponential ? main_valid_i[3] : gain_read_i;
    gain_read_at = {WordGain, SetW'(exponential ? set_of(main_row_i[3][3:0], Rows, ROW_STEP) : gain_set_i)};
    if (next) begin
      gain_read    = 1'b1;
      gain_read_at = {next_action inside {ActionR2, ActionC2} ? WordSplit : WordLine, SetW'(next_set)};
    end
    if (prog[8].valid && prog[8].action inside {ActionR4, ActionC3}) begin
      gain_read    = 1'b1;
      gain_read_at = {WordSplit, SetW'(prog[8].rows)};
    end
    gain_write   = 1'b0;
    gain_write_at = {WordSplit, SetW'(prog[10].rows)};
    gain_written = row_value;
    if (mx_i && fold_done) begin
      gain_write    = 1'b1;
      gain_write_at = {WordGain, SetW'(fold_done_set)};
      for (int unsigned r = 0; r < Rows; r++) gain_written[r] = mx_gain(scale[r]);
    end
    if (prog[10].valid) begin
      unique case (prog[10].action)
        ActionTake:         gain_write = 1'b1;
        ActionTotal:        gain_write = step_i == StepExpSum;
        ActionVar:          gain_write = 1'b1;
        ActionR1, ActionC1: begin
          gain_write    = 1'b1;
          gain_write_at = {WordLine, SetW'(prog[10].rows)};
        end
        ActionR4, ActionC3: begin
          gain_write    = 1'b1;
          gain_write_at = {WordGain, SetW'(prog[10].rows)};
          for (int unsigned r = 0; r < Rows; r++) gain_written[r] = subnormal(row_value[r], lost_i[r]);
        end
        default: ;
      endcase
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Sets * 4), .WIDTH(Rows * 32)) u_gain (
    .clk_i, .write_i(gain_write), .write_address_i(gain_write_at), .write_data_i(gain_written),
    .read_i(gain_read), .read_address_i(gain_read_at), .read_data_o(gain_o)
  );

  // ---- maxima -----------------------------------------------------------------------------------
  logic [WIDTH-1:0][31:0] one_side, other_side, present;
  logic [3:0]             fold_lanes;  // as in sum_step_t

  assign fold_lanes = 4'(4'd1 << (fold_cycle - 4'(Maxima + 1)));

  always_comb begin
    for (int unsigned w = 0; w < WIDTH; w++) present[w] = main_en_i[w] ? value_i[w] : Fp32NegInf;
    one_side   = fold ? maximum_q : present;
    other_side = partial_o;
    if (fold && fold_cycle == 4'd1) one_side = {WIDTH{Fp32NegInf}};
    if (fold && fold_cycle > 4'(Maxima)) begin
      for (int unsigned w = 0; w < WIDTH; w++) begin
        other_side[w] = maximum_q[w / COLS * COLS + (w ^ 32'(fold_lanes)) % COLS];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < WIDTH; w++) maximum_q[w] <= larger(one_side[w], other_side[w]);
  end

  // Steps of fp8mac_rows alone; numbers of sets above the last one
  logic unused;
  assign unused = ^{read_step, write_step, next_set, seen_set, offset_read_at, offset_write_at};

  assign at_o    = prog;
  assign seen5_o = prog[5].valid ? seen_q[SetW'(prog[5].rows)] : '0;
  assign seen9_o = prog[9].valid ? seen_q[SetW'(prog[9].rows)] : '0;

endmodule
