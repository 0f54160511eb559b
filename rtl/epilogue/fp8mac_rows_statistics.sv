// SPDX-License-Identifier: Apache-2.0
// The statistics of the rows of a band: partial sums and maxima, and what fp8mac_rows_program makes
// of them. fp8mac_rows says which stages there are.
//
//   partial sums   4 for each lane of a row pair, read in main stage 7 and written in main stage 13
//   maxima         2 for each lane, read in main stage 3 and written in main stage 5
//   offset         of each row: mean, maximum, or the result of a reduction
//   gain           of each row: the factor of a norm or of softmax
//
// A row may be an MX block (mx_i). Its offset is the E8M0 scale then, in the low bits of a word,
// and its gain a power of two.
module fp8mac_rows_statistics
  import fp8mac_pkg::*;
  import fp8mac_rows_pkg::*;
#(
  parameter int unsigned ROW_STEP = 2,
  localparam int unsigned Main  = 13
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
  input  pair_t                   offset_pair_i,
  input  logic                    gain_read_i,
  input  pair_t                   gain_pair_i,

  input  logic [Main:1]           main_valid_i,
  input  logic [15:0]             main_row_i [1:Main],
  input  logic [15:0]             main_col_i [1:Main],
  input  logic [Width-1:0]        main_en_i,      // of main stage 4
  input  logic [Width-1:0][31:0]  t2_i,
  input  logic [Width-1:0][31:0]  value_i,        // the row value: of main stage 4, or of the program
  input  logic [1:0][1:0]         lost_i,         // with it: bits that a gain loses

  output place_t                  at_o [11],    // of the program
  output logic [Width-1:0][31:0]  partial_o,
  output logic [1:0][31:0]        offset_o,
  output logic [1:0][31:0]        gain_o,
  output logic [1:0]              seen5_o,        // rows that have values, of the program's places 5 and 9
  output logic [1:0]              seen9_o
);
  logic exponential, maxima, sums;

  assign exponential = step_i == StepExpSum || step_i == StepExpOut;
  assign maxima      = step_i == StepMaximum || step_i == StepFirst || step_i == StepMagnitude;
  assign sums        = step_i == StepSum || step_i == StepSquares || step_i == StepExpSum;

  // ---- sums -------------------------------------------------------------------------------------
  // The rows of a band that have values, and the words of partial sums or maxima that were written
  logic [Pairs-1:0][1:0] seen_q;
  logic [31:0]           written_q;

  // The program
  logic       end_q, main_busy, go, running, fold, fold_done, fold_more;
  logic [3:0] next_pair;
  action_e    next_action;
  place_t     prog [11];
  pair_t      fold_pair, fold_done_pair;
  logic [2:0] fold_cycle;

  assign main_busy = maxima ? main_valid_i[5:1] != '0 : main_valid_i != '0;
  assign go        = end_q && !front_busy_i && !main_busy;
  assign busy_o    = end_q || running;
  assign fold_more = (seen_q >> {fold_pair, 1'b0} >> 2) != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) end_q <= 1'b0;
    else if (end_i) end_q <= 1'b1;
    else if (go) end_q <= 1'b0;
  end

  fp8mac_rows_program u_program (
    .clk_i, .rst_ni, .step_i, .norm_i, .start_i(go && sums), .fold_start_i(go && maxima), .fold_more_i(fold_more),
    .running_o(running), .next_pair_o(next_pair), .next_action_o(next_action), .at_o(prog), .fold_o(fold),
    .fold_pair_o(fold_pair), .fold_cycle_o(fold_cycle), .fold_done_o(fold_done), .fold_done_pair_o(fold_done_pair)
  );

  // Partial sums and maxima: a word for each row pair and group
  logic                   partial_write, partial_read, streams;
  logic [4:0]             partial_write_at, partial_read_at;
  logic [Width-1:0][31:0] partial_written, partial_word, maximum_q;
  logic                   known_q;  // the word that was read was written in this phase
  pair_t                  seen_pair;

  function automatic group_t group_of(action_e action);
    unique case (action)
      ActionG1: return 2'd1;
      ActionG2: return 2'd2;
      ActionG3: return 2'd3;
      default:  return 2'd0;
    endcase
  endfunction

  // The word of a transfer
  function automatic logic [4:0] sum_at(logic [3:0] row, logic [1:0] group);
    return {pair_of(row, ROW_STEP == 1), group};
  endfunction

  function automatic logic [4:0] maximum_at(logic [3:0] row, logic group);
    return {pair_of(row, ROW_STEP == 1), 1'b0, group};
  endfunction

  always_comb begin
    streams         = maxima ? main_valid_i[3] && !fold : sums && main_valid_i[7];
    partial_read_at = maxima ? maximum_at(main_row_i[3][3:0], main_col_i[3][2])
                             : sum_at(main_row_i[7][3:0], main_col_i[7][3:2]);
    partial_read    = streams;
    if (prog[3].valid) begin
      partial_read    = 1'b1;
      partial_read_at = {prog[3].pair, group_of(prog[3].action)};
    end
    if (fold) begin
      partial_read    = fold_cycle < 3'd2;
      partial_read_at = {fold_pair, 1'b0, fold_cycle[0]};
    end
    partial_write    = maxima ? main_valid_i[5] || fold_done : sums && main_valid_i[Main];
    partial_write_at = maxima ? maximum_at(main_row_i[5][3:0], main_col_i[5][2])
                              : sum_at(main_row_i[Main][3:0], main_col_i[Main][3:2]);
    partial_written  = maxima ? maximum_q : t2_i;
    // For the program that follows. All lanes of a row have its maximum.
    if (fold_done) partial_write_at = {fold_done_pair, 2'd0};
    if (prog[9].valid) begin
      partial_written  = t2_i;
      partial_write    = prog[9].action inside {ActionG3, ActionL1, ActionR1, ActionC1};
      partial_write_at = {prog[9].pair, 2'd0};
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Pairs * Groups), .WIDTH(Width * 32)) u_partial (
    .clk_i, .write_i(partial_write), .write_address_i(partial_write_at), .write_data_i(partial_written),
    .read_i(partial_read), .read_address_i(partial_read_at), .read_data_o(partial_word)
  );

  // The least magnitude is above 0, so that its reciprocal is finite; an MX block takes none.
  logic [31:0] absent;
  assign absent    = (step_i == StepMagnitude) ? (mx_i ? '0 : LeastMagnitude) : maxima ? Fp32NegInf : Fp32NegZero;
  assign partial_o = known_q ? partial_word : {Width{absent}};

  assign seen_pair = pair_of(main_row_i[4][3:0], ROW_STEP == 1);

  always_ff @(posedge clk_i) begin
    known_q <= written_q[partial_read_at] || (prog[3].valid && prog[3].action >= ActionL1);
    if (start_i) begin
      written_q <= '0;
      seen_q    <= '0;
    end else begin
      if (streams) written_q[partial_read_at] <= 1'b1;
      if (main_valid_i[4] && step_i != StepNone) begin
        seen_q[seen_pair] <= seen_q[seen_pair] | {main_en_i[Width-1:Cols] != '0, main_en_i[Cols-1:0] != '0};
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
  pair_t            offset_read_at, offset_write_at;
  logic [4:0]       gain_read_at, gain_write_at;
  logic [1:0][31:0] offset_written, gain_written, row_value;

  assign row_value = {value_i[Cols], value_i[0]};

  logic [1:0][7:0] scale;  // of MX blocks

  for (genvar r = 0; r < 2; r++) begin : g_scale
    assign scale[r] = mx_scale(maximum_q[r * Cols][30:23], d_fmt_i);
  end

  always_comb begin
    offset_read     = (step_i == StepFirst) ? main_valid_i[2] : offset_read_i;
    offset_read_at  = (step_i == StepFirst) ? pair_of(main_row_i[2][3:0], ROW_STEP == 1) : offset_pair_i;
    offset_write    = fold_done || (prog[10].valid && (prog[10].action == ActionMean ||
                                                       (prog[10].action == ActionL2 && !norm_i &&
                                                        step_i != StepExpSum)));
    offset_write_at = fold_done ? fold_done_pair : prog[10].pair;
    offset_written  = row_value;
    if (fold_done) begin
      offset_written = {maximum_q[Cols], maximum_q[0]};
      if (step_i == StepFirst) offset_written = {8'd0, ~maximum_q[Cols][23:0], 8'd0, ~maximum_q[0][23:0]};
      if (mx_i) offset_written = {24'd0, scale[1], 24'd0, scale[0]};
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Pairs), .WIDTH(64)) u_offset (
    .clk_i, .write_i(offset_write), .write_address_i(offset_write_at), .write_data_i(offset_written),
    .read_i(offset_read), .read_address_i(offset_read_at), .read_data_o(offset_o)
  );

  always_comb begin
    gain_read    = exponential ? main_valid_i[3] : gain_read_i;
    gain_read_at = {WordGain, exponential ? pair_of(main_row_i[3][3:0], ROW_STEP == 1) : gain_pair_i};
    if (next_action != ActionEnd && next_pair < 4'(Pairs)) begin
      gain_read    = 1'b1;
      gain_read_at = {next_action inside {ActionR2, ActionC2} ? WordSplit : WordLine, pair_t'(next_pair)};
    end
    if (prog[8].valid && prog[8].action inside {ActionR4, ActionC3}) begin
      gain_read    = 1'b1;
      gain_read_at = {WordSplit, prog[8].pair};
    end
    gain_write   = 1'b0;
    gain_write_at = {WordSplit, prog[10].pair};
    gain_written = row_value;
    if (mx_i && fold_done) begin
      gain_write    = 1'b1;
      gain_write_at = {WordGain, fold_done_pair};
      gain_written  = {mx_gain(scale[1]), mx_gain(scale[0])};
    end
    if (prog[10].valid) begin
      unique case (prog[10].action)
        ActionLoad:         gain_write = step_i == StepMagnitude;
        ActionL2:           gain_write = step_i == StepExpSum;
        ActionVar:          gain_write = 1'b1;
        ActionR1, ActionC1: begin
          gain_write    = 1'b1;
          gain_write_at = {WordLine, prog[10].pair};
        end
        ActionR4, ActionC3: begin
          gain_write    = 1'b1;
          gain_write_at = {WordGain, prog[10].pair};
          gain_written  = {subnormal(row_value[1], lost_i[1]), subnormal(row_value[0], lost_i[0])};
        end
        default: ;
      endcase
    end
  end

  fp8mac_two_port_ram #(.DEPTH(Pairs * 4), .WIDTH(64)) u_gain (
    .clk_i, .write_i(gain_write), .write_address_i(gain_write_at), .write_data_i(gain_written),
    .read_i(gain_read), .read_address_i(gain_read_at), .read_data_o(gain_o)
  );

  // ---- maxima -----------------------------------------------------------------------------------
  logic [Width-1:0][31:0] one_side, other_side, present;

  always_comb begin
    for (int unsigned w = 0; w < Width; w++) present[w] = main_en_i[w] ? value_i[w] : Fp32NegInf;
    one_side   = fold ? maximum_q : present;
    other_side = partial_o;
    if (fold && fold_cycle == 3'd1) one_side = {Width{Fp32NegInf}};
    if (fold && fold_cycle >= 3'd3) other_side = exchanged(maximum_q, fold_cycle == 3'd4);
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < Width; w++) maximum_q[w] <= larger(one_side[w], other_side[w]);
  end

  assign at_o    = prog;
  assign seen5_o = prog[5].valid ? seen_q[prog[5].pair] : '0;
  assign seen9_o = prog[9].valid ? seen_q[prog[9].pair] : '0;

endmodule
