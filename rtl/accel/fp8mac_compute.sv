// SPDX-License-Identifier: Apache-2.0
// The compute engine issues a command's steps, one per cycle. A command is divided into passes of ROWS*BANKS_M rows and
// COLS*BANKS_N columns of D. The passes proceed along the columns first. Within a pass, each group of LANES values of k
// visits the banks in a snake: (0,0), (0,1), (1,1), (1,0) for 2 x 2. One operand's block then stays from visit to
// visit. A bank without rows or columns uses its cycle without a step, so that the steps of one bank stay apart. Passes
// and commands follow each other without a gap.
//
// With ROTATE the accumulators rotate and have no index (see fp8mac_array). Each bank has one turn in as many cycles as
// there are banks, and its steps are issued only in its turn. A pass that starts its accumulators may begin in any
// cycle, which becomes the first turn. Cycles are lost in two cases: after a stall, until the bank's turn comes again,
// and where a command continues the accumulators of another.
//
// A bank's last step waits until the store engine has emptied the bank. Failed commands, and all commands after them
// until the error state is left, are passed to the store engine as empty commands.
module fp8mac_compute
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 8,
  parameter int unsigned COLS    = 8,
  parameter int unsigned LANES   = 4,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  parameter int unsigned BEAT    = 16,
  parameter int unsigned WORD_W  = 8,
  parameter bit          ROTATE  = 1'b0,
  parameter int unsigned STAGES  = ArrayStages,  // pipeline stages of the array
  localparam int unsigned Banks  = BANKS_M * BANKS_N,
  localparam int unsigned BankW  = $clog2(Banks),
  localparam int unsigned Groups = BEAT / LANES,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              abort_i,
  input  logic              clear_i,

  // The oldest loaded command, held until ready_o
  input  logic              valid_i,
  input  loaded_cmd_t       cmd_i,
  input  error_e            load_error_i,
  output logic              ready_o,

  // To the store engine, when the command starts
  output logic              storing_valid_o,
  output storing_cmd_t      storing_o,
  input  logic              storing_ready_i,
  output logic              kept_o,          // a command with acc_keep has left the array
  input  logic [Banks-1:0]  bank_release_i,

  // Operand buffers: one read per step
  output logic              read_o,
  output logic              a_half_o,
  output logic [WORD_W-1:0] a_word_o,
  output logic              b_half_o,
  output logic [WORD_W-1:0] b_word_o,
  output logic [GroupW-1:0] group_o,

  // The array, in the cycle after the read
  output logic              step_valid_o,
  output logic [BankW-1:0]  step_bank_o,
  output logic              step_first_o,
  output logic              step_last_o,
  output step_cfg_t         step_cfg_o,
  output logic [ROWS-1:0]   row_en_o,
  output logic [COLS-1:0]   col_en_o,
  output logic [LANES-1:0]  lane_en_o,

  // For the counters
  output logic              stalled_o,       // waiting for results to be drained, or for the bank's turn
  output logic              computed_o       // all steps of a command have been issued
);
  localparam int unsigned PassM = ROWS * BANKS_M;
  localparam int unsigned PassN = COLS * BANKS_N;
  localparam int unsigned ImW   = (BANKS_M > 1) ? $clog2(BANKS_M) : 1;
  localparam int unsigned InW   = (BANKS_N > 1) ? $clog2(BANKS_N) : 1;

  compute_cmd_t cmd;
  assign cmd = cmd_i.compute;

  // ---- start: hand the command on ----------------------------------------------------------------------------------
  error_e error;
  logic   poisoned_q;  // an older command failed
  logic   started_q;   // the command at hand has been handed on
  logic   skip, active;

  assign error = (cmd_i.store.error != ErrNone) ? cmd_i.store.error : load_error_i;
  assign skip  = !started_q && (error != ErrNone || poisoned_q || abort_i);

  assign storing_valid_o = valid_i && !started_q && storing_ready_i;
  always_comb begin
    storing_o           = '{cmd: cmd_i.store, vector_half: cmd_i.halves.vectors, skip: skip};
    storing_o.cmd.error = error;
  end

  assign active = valid_i && (started_q || storing_ready_i) && !skip;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q  <= 1'b0;
      poisoned_q <= 1'b0;
    end else begin
      if (ready_o) started_q <= 1'b0;
      else if (storing_valid_o) started_q <= 1'b1;
      if (clear_i) poisoned_q <= 1'b0;
      else if (storing_valid_o && error != ErrNone) poisoned_q <= 1'b1;
    end
  end

  // ---- position within the command ---------------------------------------------------------------------------------
  dim_t              m0_q, n0_q;          // first row and column of the pass
  dim_t              k_done_q;
  logic [ImW-1:0]    im_q;
  logic [InW-1:0]    in_q;
  logic [WORD_W-1:0] a_base_q, b_base_q;  // first word of the pass in the row RAMs
  logic [WORD_W-1:0] beat_q;              // k_done_q = beat_q * BEAT + group_q * LANES
  logic [GroupW-1:0] group_q;

  logic last_group, last_n, last_m, last_bank;
  dim_t k_left, rows_left, cols_left;
  logic in_up, in_end;

  assign k_left     = cmd.k - k_done_q;
  assign last_group = k_left <= dim_t'(LANES);
  assign last_n     = cmd.n - n0_q <= dim_t'(PassN);
  assign last_m     = cmd.m - m0_q <= dim_t'(PassM);

  // The snake: in_q counts upwards where im_q is even and downwards where it is odd.
  assign in_up     = !im_q[0];
  assign in_end    = in_up ? in_q == InW'(BANKS_N - 1) : in_q == '0;
  assign last_bank = in_end && im_q == ImW'(BANKS_M - 1);

  // What is left from `first` on: the rows or columns of the bank, 0 if it has none
  function automatic dim_t left(dim_t total, dim_t first);
    return (total > first) ? total - first : '0;
  endfunction

  assign rows_left = left(cmd.m, m0_q + dim_t'(im_q) * dim_t'(ROWS));
  assign cols_left = left(cmd.n, n0_q + dim_t'(in_q) * dim_t'(COLS));

  // ---- conditions to advance ---------------------------------------------------------------------------------------
  logic [BankW-1:0] bank;
  logic [Banks-1:0] owed_q;  // a last step has been issued and its result is not yet drained
  logic             present, last_step, blocked, in_turn, advance, issue;

  assign bank      = BankW'(im_q) * BankW'(BANKS_N) + BankW'(in_q);
  assign present   = rows_left != '0 && cols_left != '0;
  assign last_step = last_group && !cmd.acc_keep;
  assign blocked   = present && last_step && owed_q[bank];
  assign advance   = active && !blocked && in_turn;
  assign issue     = advance && present;
  assign stalled_o = (active && !advance) || (valid_i && !started_q && !storing_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q <= '0;
    end else begin
      owed_q <= owed_q & ~bank_release_i;
      if (issue && last_step) owed_q[bank] <= 1'b1;
    end
  end

  if (ROTATE) begin : g_turns
    logic [BankW-1:0] turn_q, position;  // whose turn this cycle is; the bank's position in the snake
    logic             fresh;

    assign position = BankW'(im_q) * BankW'(BANKS_N) + (in_up ? BankW'(in_q) : BankW'(BANKS_N - 1) - BankW'(in_q));
    assign fresh    = position == '0 && k_done_q == '0 && !cmd.acc_continue;
    assign in_turn  = fresh || turn_q == position;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (advance) turn_q <= position + BankW'(1);
      else turn_q <= turn_q + BankW'(1);
    end

    if (Banks != 4) begin : g_check_banks
      $error("BANKS_M * BANKS_N must be 4: accumulators that rotate are four");
    end
  end else begin : g_any_turn
    assign in_turn = 1'b1;
  end

  // ---- advance -----------------------------------------------------------------------------------------------------
  logic finished;

  assign finished   = advance && last_bank && last_group && last_n && last_m;
  assign ready_o    = finished || (storing_valid_o && skip);
  assign computed_o = finished;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || finished) begin
      im_q     <= '0;
      in_q     <= '0;
      k_done_q <= '0;
      beat_q   <= '0;
      group_q  <= '0;
      n0_q     <= '0;
      b_base_q <= '0;
      m0_q     <= '0;
      a_base_q <= '0;
    end else if (advance) begin
      if (!in_end) begin
        in_q <= in_up ? in_q + InW'(1) : in_q - InW'(1);
      end else if (!last_bank) begin
        im_q <= im_q + ImW'(1);
      end else begin
        im_q <= '0;
        in_q <= '0;
        if (!last_group) begin
          k_done_q <= k_done_q + dim_t'(LANES);
          group_q  <= (group_q == GroupW'(Groups - 1)) ? '0 : group_q + GroupW'(1);
          if (group_q == GroupW'(Groups - 1)) beat_q <= beat_q + WORD_W'(1);
        end else begin
          k_done_q <= '0;
          beat_q   <= '0;
          group_q  <= '0;
          if (!last_n) begin
            n0_q     <= n0_q + dim_t'(PassN);
            b_base_q <= b_base_q + WORD_W'(BANKS_N) * WORD_W'(cmd.row_beats);
          end else begin
            n0_q     <= '0;
            b_base_q <= '0;
            m0_q     <= m0_q + dim_t'(PassM);
            a_base_q <= a_base_q + WORD_W'(BANKS_M) * WORD_W'(cmd.row_beats);
          end
        end
      end
    end
  end

  // ---- operands ----------------------------------------------------------------------------------------------------
  assign read_o   = issue;
  assign a_half_o = cmd_i.halves.a;
  assign b_half_o = cmd_i.halves.b;
  assign a_word_o = a_base_q + WORD_W'(im_q) * WORD_W'(cmd.row_beats) + beat_q;
  assign b_word_o = b_base_q + WORD_W'(in_q) * WORD_W'(cmd.row_beats) + beat_q;
  assign group_o  = group_q;

  // ---- the step, while its operands are read -----------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) step_valid_o <= 1'b0;
    else step_valid_o <= issue;
    step_bank_o  <= bank;
    step_first_o <= k_done_q == '0 && !cmd.acc_continue;
    step_last_o  <= last_step;
    step_cfg_o   <= cmd.cfg;
    for (int unsigned r = 0; r < ROWS; r++) row_en_o[r] <= dim_t'(r) < rows_left;
    for (int unsigned c = 0; c < COLS; c++) col_en_o[c] <= dim_t'(c) < cols_left;
    for (int unsigned l = 0; l < LANES; l++) lane_en_o[l] <= dim_t'(l) < k_left;
  end

  // The flags of a command that keeps its accumulators are complete when its last step has left the array.
  logic [STAGES:0] keeping_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) keeping_q <= '0;
    else keeping_q <= {keeping_q[STAGES-1:0], finished && cmd.acc_keep};
  end

  assign kept_o = keeping_q[STAGES];

  a_released_bank_was_owed : assert property (@(posedge clk_i) disable iff (!rst_ni)
    (bank_release_i & ~owed_q) == '0);
  a_loaded_command_stays : assert property (@(posedge clk_i) disable iff (!rst_ni)
    valid_i && !ready_o |=> valid_i);

endmodule
