// SPDX-License-Identifier: Apache-2.0
// What follows a phase that leaves statistics: the row sets of a band pass through u_t1 and u_t2
// of the epilogue again and again. A revolution is one step. Each step computes value * factor +
// term in every lane, with two roundings:
//
//   Add .. Total       the sum of the partial sums: sum_step()
//   Mean               sum * 1/n                       Var           sum * 1/n + eps
//   R1 .. R4           the reciprocal square root      C1 .. C3      the reciprocal: model/NUMERICS.md
//
//   line R1, C1      y = value[i] - slope[i] * m       m             significand of the statistic
//   R2   y/2 * m     R3   1 - y/2 * root               R4            y/2 * error + y
//   C2   1 - y/2 * m                                   C3            y * error + y
//
// Ten cycles are a revolution, and the eight sets of a turn enter in its cycles 1 to 8. Where a
// band has more sets, the steps of the others follow in a second turn, unless they have no rows.
//
//   cycle 0   at_o[0]: its value and its factor are selected         cycle 5   the product is there
//   cycle 3   at_o[3]: a partial sum is read                         cycle 9   the sum is there
//   cycle 4   at_o[4]: its term is selected                          cycle 10  what is made of it; next cycle 0
//
// In maxima, words of partial maxima are compared, then the lanes (fold_*). Of the magnitudes that
// a quantisation needs (norm_i), the program then computes the reciprocals: Take takes the maxima
// from the partial maxima.
module fp8mac_rows_program
  import fp8mac_pkg::*;
  import fp8mac_rows_pkg::*;
#(
  parameter int unsigned COLS = 4,
  parameter int unsigned SETS = 8
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  rows_step_e step_i,
  input  logic       norm_i,
  input  logic       start_i,
  input  logic       fold_start_i,
  input  logic       fold_more_i,   // sets behind fold_set_o have rows
  input  logic       turn_more_i,   // so have sets of the second turn
  output logic       running_o,

  output logic       next_o,        // a set is selected in the next cycle, and the step
  output set_t       next_set_o,
  output action_e    next_action_o,
  output place_t     at_o [11],

  output logic       fold_o,
  output set_t       fold_set_o,
  output logic [3:0] fold_cycle_o,
  output logic       fold_done_o,   // the maximum of the set before is there
  output set_t       fold_done_set_o
);
  localparam logic [3:0]  LastCycle = 4'd9;
  localparam int unsigned Side      = SETS < Turn ? SETS : Turn;
  localparam int unsigned Steps     = sum_steps(COLS);
  localparam int unsigned IndexW    = $clog2(Steps);

  // ---- sums -------------------------------------------------------------------------------------
  logic              running_q, start, second_q, again;
  action_e           action_q, action_first, action_next;
  logic [IndexW-1:0] index_q;
  logic [3:0]        cycle_q;
  place_t            place;
  place_t            place_q [1:10];

  assign action_first = (step_i == StepMagnitude) ? ActionTake : ActionAdd;
  assign again        = SETS > Turn && !second_q && turn_more_i;

  always_comb begin
    unique case (action_q)
      ActionTake: action_next = ActionC1;
      ActionAdd:  action_next = (index_q == IndexW'(Steps - 2)) ? ActionTotal : ActionAdd;
      ActionTotal: begin
        action_next = ActionEnd;
        if (step_i == StepExpSum) action_next = ActionC1;
        else if (norm_i) action_next = (step_i == StepSum) ? ActionMean : ActionVar;
      end
      ActionVar:  action_next = ActionR1;
      ActionR1:   action_next = ActionR2;
      ActionR2:   action_next = ActionR3;
      ActionR3:   action_next = ActionR4;
      ActionC1:   action_next = ActionC2;
      ActionC2:   action_next = ActionC3;
      default:    action_next = ActionEnd;  // Mean, R4, C3
    endcase
    if (action_next == ActionEnd && action_q != ActionEnd && again) action_next = action_first;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start) running_q <= 1'b1;
    else if (action_q == ActionEnd && cycle_q == LastCycle) running_q <= 1'b0;
    if (start) begin
      action_q <= action_first;
      index_q  <= '0;
      cycle_q  <= '0;
      second_q <= 1'b0;
    end else if (running_q) begin
      cycle_q <= (cycle_q == LastCycle) ? '0 : cycle_q + 4'd1;
      if (cycle_q == LastCycle) begin
        action_q <= action_next;
        index_q  <= (action_q == ActionAdd) ? index_q + IndexW'(1) : '0;
        if (action_next == action_first && action_q != ActionAdd) second_q <= 1'b1;
      end
    end
  end

  function automatic set_t set_at(logic [3:0] side);
    return SETS > Turn ? {second_q, side[2:0]} : side;
  endfunction

  assign place.valid   = running_q && action_q != ActionEnd && cycle_q >= 4'd1 && cycle_q <= 4'(Side);
  assign place.rows     = set_at(cycle_q - 4'd1);
  assign place.action  = action_q;
  assign place.index   = sum_index_t'(index_q);
  assign next_o        = running_q && action_q != ActionEnd && cycle_q < 4'(Side);
  assign next_set_o    = set_at(cycle_q);
  assign next_action_o = action_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned i = 1; i <= 10; i++) place_q[i].valid <= 1'b0;
    end else begin
      place_q[1] <= place;
      for (int unsigned i = 1; i < 10; i++) place_q[i+1] <= place_q[i];
    end
  end

  always_comb begin
    at_o[0] = place;
    for (int unsigned i = 1; i <= 10; i++) at_o[i] = place_q[i];
  end

  // ---- maxima -----------------------------------------------------------------------------------
  //   cycle 0         word 0 is read
  //   cycle 1         word 0 is there, word 1 is read, and so on for all words
  //   behind          lanes are compared: neighbours, then those farther apart
  //   cycle 0 of the next set: the maximum is there
  localparam logic [3:0] LastFold = 4'(maxima_of(COLS) + $clog2(COLS));

  logic       fold_q, done_q;
  set_t       set_q, done_set_q;
  logic [3:0] fold_cycle_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fold_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (fold_start_i) fold_q <= 1'b1;
      else if (fold_cycle_q == LastFold && !fold_more_i) fold_q <= 1'b0;
      done_q <= fold_q && fold_cycle_q == LastFold;
    end
    if (fold_start_i) begin
      set_q        <= '0;
      fold_cycle_q <= '0;
    end else if (fold_q) begin
      fold_cycle_q <= (fold_cycle_q == LastFold) ? '0 : fold_cycle_q + 4'd1;
      if (fold_cycle_q == LastFold) set_q <= set_q + set_t'(1);
    end
    done_set_q <= set_q;
  end

  assign start            = start_i || (done_q && !fold_q && step_i == StepMagnitude && norm_i);
  assign fold_o           = fold_q;
  assign fold_set_o       = set_q;
  assign fold_cycle_o     = fold_cycle_q;
  assign fold_done_o      = done_q;
  assign fold_done_set_o  = done_set_q;

  assign running_o = running_q || fold_q || done_q;

endmodule
