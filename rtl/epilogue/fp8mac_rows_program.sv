// SPDX-License-Identifier: Apache-2.0
// What follows a phase that leaves statistics: the row pairs of a band pass through u_t1 and u_t2
// of the epilogue again and again. A revolution is one step. Each step computes value * factor +
// term in every lane, with two roundings:
//
//   Load, G1, G2, G3   the partial sums of each lane, one after the other
//   L1, L2             the lanes of each row: (0 + 1) + (2 + 3), in all of them
//   Mean               sum * 1/n                       Var           sum * 1/n + eps
//   R1 .. R4           the reciprocal square root      C1 .. C3      the reciprocal: model/NUMERICS.md
//
//   line R1, C1      y = value[i] - slope[i] * m       m             significand of the statistic
//   R2   y/2 * m     R3   1 - y/2 * root               R4            y/2 * error + y
//   C2   1 - y/2 * m                                   C3            y * error + y
//
// Ten cycles are a revolution, and row pair p enters in cycle p + 1 of a step:
//
//   cycle 0   at_o[0]: its value and its factor are selected         cycle 5   the product is there
//   cycle 3   at_o[3]: a partial sum is read                         cycle 9   the sum is there
//   cycle 4   at_o[4]: its term is selected                          cycle 10  what is made of it; next cycle 0
//
// In maxima, words of partial maxima are compared, five cycles for each row pair (fold_*). Of the
// magnitudes that a quantisation needs (norm_i), the program then computes the reciprocals: Load
// takes the maxima from the partial maxima.
module fp8mac_rows_program
  import fp8mac_pkg::*;
  import fp8mac_rows_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  rows_step_e step_i,
  input  logic       norm_i,
  input  logic       start_i,
  input  logic       fold_start_i,
  input  logic       fold_more_i,   // row pairs behind fold_pair_o have rows
  output logic       running_o,

  output logic [3:0] next_pair_o,   // the row pair that is selected in the next cycle, and the step
  output action_e    next_action_o,
  output place_t     at_o [11],

  output logic       fold_o,
  output pair_t      fold_pair_o,
  output logic [2:0] fold_cycle_o,
  output logic       fold_done_o,   // the maximum of the pair before is there
  output pair_t      fold_done_pair_o
);
  localparam logic [3:0] LastCycle = 4'd9;

  // ---- sums -------------------------------------------------------------------------------------
  logic       running_q, start;
  action_e    action_q, action_next;
  logic [3:0] cycle_q;
  place_t     place;
  place_t     place_q [1:10];

  always_comb begin
    unique case (action_q)
      ActionLoad: action_next = (step_i == StepMagnitude) ? ActionC1 : ActionG1;
      ActionG1:   action_next = ActionG2;
      ActionG2:   action_next = ActionG3;
      ActionG3:   action_next = ActionL1;
      ActionL1:   action_next = ActionL2;
      ActionL2: begin
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
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start) running_q <= 1'b1;
    else if (action_q == ActionEnd && cycle_q == LastCycle) running_q <= 1'b0;
    if (start) begin
      action_q <= ActionLoad;
      cycle_q  <= '0;
    end else if (running_q) begin
      cycle_q <= (cycle_q == LastCycle) ? '0 : cycle_q + 4'd1;
      if (cycle_q == LastCycle) action_q <= action_next;
    end
  end

  assign place.valid   = running_q && action_q != ActionEnd && cycle_q >= 4'd1 && cycle_q <= 4'(Pairs);
  assign place.pair    = pair_t'(cycle_q - 4'd1);
  assign place.action  = action_q;
  assign next_pair_o   = cycle_q;
  assign next_action_o = running_q ? action_q : ActionEnd;

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
  //   cycle 0   word 0 is read     cycle 1   word 1 is read, and word 0 is there     cycle 2   both are compared
  //   cycles 3, 4   lanes are compared     cycle 5 = cycle 0 of the next pair: the maximum is there
  localparam logic [2:0] LastFold = 3'd4;

  logic       fold_q, done_q;
  pair_t      pair_q, done_pair_q;
  logic [2:0] fold_cycle_q;

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
      pair_q       <= '0;
      fold_cycle_q <= '0;
    end else if (fold_q) begin
      fold_cycle_q <= (fold_cycle_q == LastFold) ? '0 : fold_cycle_q + 3'd1;
      if (fold_cycle_q == LastFold) pair_q <= pair_q + pair_t'(1);
    end
    done_pair_q <= pair_q;
  end

  assign start            = start_i || (done_q && !fold_q && step_i == StepMagnitude && norm_i);
  assign fold_o           = fold_q;
  assign fold_pair_o      = pair_q;
  assign fold_cycle_o     = fold_cycle_q;
  assign fold_done_o      = done_q;
  assign fold_done_pair_o = done_pair_q;

  assign running_o = running_q || fold_q || done_q;

endmodule
