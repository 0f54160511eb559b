// SPDX-License-Identifier: Apache-2.0
// fp8mac_compute: the steps that it issues, for any proper commands and any pace of the store engine.
//   - Steps of one bank are at least LoopCycles apart, also across passes and commands. With ROTATE they are a round of
//     turns apart, and an accumulator only gets steps of one sum (formal_turns.sv).
//   - A bank's last step is never issued while the store engine still has to read the bank's last result.
//   - The solver chooses an output (m, n) of a command and one of its k. Exactly one step adds this k. The step belongs
//     to the output's bank, and has the right operands, `first` and `last`.
//   - While the sum of the output is open, its bank gets no step with other operands.
module formal_compute
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 2,
  parameter int unsigned COLS    = 2,
  parameter int unsigned LANES   = 2,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  parameter int unsigned BEAT    = 4,
  parameter int unsigned WORD_W  = 4,
  parameter int unsigned MAX_DIM = 5,      // of m, n and k
  parameter bit          OUTPUTS = 1'b1,   // follows an output; with 0 only the rules of banks are proved
  parameter bit          ROTATE  = 1'b0,
  localparam int unsigned Banks  = BANKS_M * BANKS_N,
  localparam int unsigned BankW  = $clog2(Banks),
  localparam int unsigned PassM  = ROWS * BANKS_M,
  localparam int unsigned PassN  = COLS * BANKS_N,
  localparam int unsigned Groups = BEAT / LANES,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             abort_i,
  input logic             clear_i,
  input logic             valid_i,
  input loaded_cmd_t      cmd_i,
  input error_e           load_error_i,
  input logic             storing_ready_i,
  input logic [Banks-1:0] bank_release_i,
  input dim_t             any_m_i,
  input dim_t             any_n_i,
  input dim_t             any_k_i
);
  logic              ready, storing_valid, kept, read, a_half, b_half, step_valid, step_first, step_last, stalled;
  logic              computed;
  storing_cmd_t      storing;
  logic [WORD_W-1:0] a_word, b_word;
  logic [GroupW-1:0] group;
  logic [BankW-1:0]  step_bank;
  step_cfg_t         step_cfg;
  logic [ROWS-1:0]   row_en;
  logic [COLS-1:0]   col_en;
  logic [LANES-1:0]  lane_en;

  fp8mac_compute #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BANKS_M(BANKS_M), .BANKS_N(BANKS_N), .BEAT(BEAT), .WORD_W(WORD_W),
    .ROTATE(ROTATE)
  ) dut (
    .clk_i, .rst_ni, .abort_i, .clear_i, .valid_i, .cmd_i, .load_error_i, .ready_o(ready),
    .storing_valid_o(storing_valid), .storing_o(storing), .storing_ready_i, .kept_o(kept), .bank_release_i,
    .read_o(read), .a_half_o(a_half), .a_word_o(a_word), .b_half_o(b_half), .b_word_o(b_word), .group_o(group),
    .step_valid_o(step_valid), .step_bank_o(step_bank), .step_first_o(step_first), .step_last_o(step_last),
    .step_cfg_o(step_cfg), .row_en_o(row_en), .col_en_o(col_en), .lane_en_o(lane_en), .stalled_o(stalled),
    .computed_o(computed)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- assumptions: proper commands, held until they are taken -----------------------------------------------------
  compute_cmd_t cmd, cmd_q;
  logic         held_q;
  loaded_cmd_t  whole_q;
  error_e       load_error_q;
  logic [Banks-1:0] owed_q;        // last steps issued, results not yet taken

  assign cmd = cmd_i.compute;

  always_ff @(posedge clk_i) begin
    held_q       <= rst_ni && valid_i && !ready;
    whole_q      <= cmd_i;
    load_error_q <= load_error_i;
  end

  always_comb begin
    if (rst_ni) begin
      command_is_held : assume (!held_q || (valid_i && cmd_i == whole_q && load_error_i == load_error_q));
      shape_is_proper : assume (!valid_i || (cmd.m inside {[1:MAX_DIM]} && cmd.n inside {[1:MAX_DIM]} &&
        cmd.k inside {[1:MAX_DIM]} && cmd.row_beats == dim_t'((32'(cmd.k) + BEAT - 1) / BEAT)));
      chained_in_one_pass : assume (!valid_i || !(cmd.acc_keep || cmd.acc_continue) ||
        (32'(cmd.m) <= ROWS * BANKS_M && 32'(cmd.n) <= COLS * BANKS_N));
      only_owed_are_released : assume ((bank_release_i & ~owed_q) == '0);
    end
  end

  // ---- the rules of banks ------------------------------------------------------------------------------------------
  localparam int unsigned Apart = ROTATE ? Banks : LoopCycles;
  localparam int unsigned AgeW = $clog2(Apart + 2);

  logic [Banks-1:0][AgeW-1:0] age_q;   // cycles since the bank's last step, up to Apart
  logic [Banks-1:0]           stepped;

  always_comb begin
    stepped = '0;
    stepped[step_bank] = step_valid;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Banks; s++) begin
      if (!rst_ni) age_q[s] <= AgeW'(Apart);
      else if (stepped[s]) age_q[s] <= AgeW'(1);
      else if (32'(age_q[s]) < Apart) age_q[s] <= age_q[s] + AgeW'(1);
    end
    if (!rst_ni) owed_q <= '0;
    else owed_q <= (owed_q & ~bank_release_i) | (stepped & {Banks{step_last}});
  end

  // The engine walks over the banks in its snake, and visits each once in Banks cycles that advance.
  logic [Banks-1:0][AgeW-1:0] passed_q;   // cycles since the walk was at the bank, up to Apart

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Banks; s++) begin
      if (!rst_ni) passed_q[s] <= AgeW'(Apart);
      else if (dut.advance && 32'(dut.bank) == s) passed_q[s] <= AgeW'(1);
      else if (32'(passed_q[s]) < Apart) passed_q[s] <= passed_q[s] + AgeW'(1);
    end
  end

  // The banks in the order of the walk
  function automatic int unsigned turn(int unsigned bank);
    int unsigned im, in;
    im = bank / BANKS_N;
    in = bank % BANKS_N;
    return im * BANKS_N + ((im % 2 == 0) ? in : BANKS_N - 1 - in);
  endfunction

  for (genvar s = 0; s < int'(Banks); s++) begin : g_bank
    always_comb begin
      if (rst_ni) begin
        steps_are_apart : assert (!stepped[s] || 32'(age_q[s]) >= Apart);
        // Since the walk was at bank s, at least as many cycles have passed as the walk has moved on.
        walk_is_in_turn : assert (32'(passed_q[s]) >= Apart ||
          32'(passed_q[s]) >= ((turn(32'(dut.bank)) + Banks - turn(s) - 1) % Banks) + 1);
        was_passed_before_it_stepped : assert (!stepped[s] || passed_q[s] == AgeW'(1));
        age_follows_the_walk : assert (stepped[s] || 32'(age_q[s]) + 1 >= 32'(passed_q[s]));
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      in_the_walk : assert (32'(dut.im_q) < BANKS_M && 32'(dut.in_q) < BANKS_N);
      walk_is_proper : assert (!dut.started_q || (32'(dut.m0_q) % PassM == 0 && dut.m0_q < cmd.m &&
        32'(dut.n0_q) % PassN == 0 && dut.n0_q < cmd.n && 32'(dut.k_done_q) % LANES == 0 && dut.k_done_q < cmd.k));
      starts_at_the_start : assert (dut.started_q || (dut.m0_q == '0 && dut.n0_q == '0 && dut.k_done_q == '0 &&
        dut.im_q == '0 && dut.in_q == '0));
      started_has_a_command : assert (!dut.started_q || valid_i);
      full_is_left_alone : assert (!(step_valid && step_last && owed_q[step_bank]));
      owed_is_known : assert (dut.owed_q == (owed_q | (stepped & {Banks{step_last}})));
      handed_on_once : assert (!(storing_valid && dut.started_q) && (!ready || storing_valid || dut.started_q));
      handed_on_where_there_is_room : assert (!storing_valid || (valid_i && storing_ready_i));
      nothing_without_a_command : assert (!read || (valid_i && (storing_valid || dut.started_q)));

      all_banks_back_to_back : cover (step_valid && 32'(age_q[step_bank]) == Apart && step_first);
      waits_for_the_store : cover (stalled && owed_q != '0 && bank_release_i != '0);
    end
  end

  // ---- the rules of turns ------------------------------------------------------------------------------------------
  if (ROTATE) begin : g_turns
    logic [Banks-1:0] due;  // the banks whose sums have begun and not ended, computed from the walk's position
    always_comb begin
      for (int unsigned s = 0; s < Banks; s++) begin
        due[s] = 32'(cmd.m) > 32'(dut.m0_q) + s / BANKS_N * ROWS && 32'(cmd.n) > 32'(dut.n0_q) + s % BANKS_N * COLS &&
                 (cmd.acc_continue || dut.k_done_q != '0 || turn(s) < turn(32'(dut.bank))) &&
                 (cmd.acc_keep || !dut.last_group || turn(s) >= turn(32'(dut.bank)));
      end
    end

    formal_turns #(.ROWS(ROWS), .COLS(COLS), .BANKS_M(BANKS_M), .BANKS_N(BANKS_N)) u_turns (
      .clk_i, .rst_ni, .start_i(storing_valid && !storing.skip), .skip_i(storing_valid && storing.skip),
      .ready_i(ready), .computed_i(computed), .cmd_i(cmd),
      .step_valid_i(step_valid), .step_bank_i(step_bank), .step_first_i(step_first), .step_last_i(step_last),
      .started_i(dut.started_q), .due_i(due), .walk_turn_i(dut.g_turns.turn_q), .advance_i(dut.advance),
      .waits_i(dut.active && !dut.blocked && !dut.in_turn)
    );
  end

  // ---- one output, one of its k ------------------------------------------------------------------------------------
  if (OUTPUTS) begin : g_output
    dim_t m, n, k;
    formal_const #(.WIDTH(3 * DimW)) u_mnk (.clk_i, .any_i({any_m_i, any_n_i, any_k_i}), .const_o({m, n, k}));

    logic              exists;
    logic [BankW-1:0]  bank;           // the output's bank
    logic [WORD_W-1:0] a_first, b_first;  // words of its row of A and of its row of B
    assign exists  = m < cmd.m && n < cmd.n && k < cmd.k;
    assign bank    = BankW'((32'(m) / ROWS) % BANKS_M * BANKS_N + (32'(n) / COLS) % BANKS_N);
    assign a_first = WORD_W'(32'(m) / ROWS * 32'(cmd.row_beats));
    assign b_first = WORD_W'(32'(n) / COLS * 32'(cmd.row_beats));

    // Whether a read fetches the output's rows, and this k of them. The step comes in the next cycle.
    logic rows_read_q, k_read_q, first_due_q, last_due_q, exists_q, finished_q;
    always_ff @(posedge clk_i) begin
      rows_read_q <= read && a_word >= a_first && 32'(a_word) < 32'(a_first) + 32'(cmd.row_beats) &&
                     b_word >= b_first && 32'(b_word) < 32'(b_first) + 32'(cmd.row_beats);
      k_read_q    <= 32'(a_word - a_first) == 32'(k) / BEAT && 32'(b_word - b_first) == 32'(k) / BEAT &&
                     32'(group) == 32'(k) % BEAT / LANES;
      first_due_q <= 32'(k) < LANES && !cmd.acc_continue;
      last_due_q  <= 32'(k) / LANES == (32'(cmd.k) - 1) / LANES && !cmd.acc_keep;
      exists_q    <= exists;
      finished_q  <= rst_ni && computed;
    end

    logic its_element, its_rows, its_k;  // the step concerns the output's element, its rows, this k
    assign its_element = step_valid && row_en[m[$clog2(ROWS)-1:0]] && col_en[n[$clog2(COLS)-1:0]];
    assign its_rows    = its_element && rows_read_q;
    assign its_k       = its_rows && k_read_q && lane_en[k[$clog2(LANES)-1:0]];

    logic opens, closes;
    assign opens  = its_rows && exists_q;
    assign closes = (its_rows && exists_q && step_last) || finished_q;

    logic given_q;   // this k of the current command has had its step
    logic open_q;    // the output's sum has begun in its bank, and neither it nor the command has ended
    always_ff @(posedge clk_i) begin
      if (!rst_ni || finished_q) given_q <= 1'b0;
      else if (its_k && exists_q) given_q <= 1'b1;
      if (!rst_ni || closes) open_q <= 1'b0;
      else if (opens) open_q <= 1'b1;
    end

    // Relations between the output and the walk's position, needed for induction
    dim_t pass_m, pass_n, group_k;   // the pass and the group that hold the output and its k
    assign pass_m  = dim_t'(32'(m) / PassM * PassM);
    assign pass_n  = dim_t'(32'(n) / PassN * PassN);
    assign group_k = dim_t'(32'(k) / LANES * LANES);

    logic past, at_pass;   // the walk has passed this k's step; the walk is in the output's pass
    assign at_pass = dut.m0_q == pass_m && dut.n0_q == pass_n;
    always_comb begin
      past = dut.m0_q > pass_m;
      if (dut.m0_q == pass_m) past = dut.n0_q > pass_n;
      if (at_pass) past = dut.k_done_q > group_k;
      if (at_pass && dut.k_done_q == group_k) past = turn(32'(dut.bank)) > turn(32'(bank));
    end

    always_comb begin
      if (rst_ni) begin
        in_its_own_bank : assert (!(its_k && exists_q) || step_bank == bank);
        once : assert (!(its_k && exists_q) || !given_q);
        at_the_end_given : assert (!(finished_q && exists_q) || given_q || its_k);
        begins_where_it_begins : assert (!(its_k && exists_q) || step_first == first_due_q);
        ends_where_it_ends : assert (!(its_k && exists_q) || step_last == last_due_q);
        nothing_else_in_between : assert (!(open_q && its_element && step_bank == bank && exists_q) || its_rows);

        open_is_at_hand : assert (!((open_q || opens) && !closes) || (dut.started_q && exists && at_pass &&
          (cmd.acc_keep || 32'(dut.k_done_q) + LANES < 32'(cmd.k) || turn(32'(dut.bank)) <= turn(32'(bank)))));

        // The word addresses follow from the walk's position.
        if (valid_i && dut.started_q) begin
          words_follow : assert (32'(dut.a_base_q) == 32'(dut.m0_q) / ROWS * 32'(cmd.row_beats) &&
            32'(dut.b_base_q) == 32'(dut.n0_q) / COLS * 32'(cmd.row_beats) &&
            32'(dut.beat_q) == 32'(dut.k_done_q) / BEAT && 32'(dut.group_q) == 32'(dut.k_done_q) % BEAT / LANES);
        end
        given_is_past : assert (!(exists && valid_i && !finished_q) || (given_q || its_k) == past);
        fresh_when_it_starts : assert (dut.started_q || finished_q || (!given_q && !open_q && !step_valid));
        words_start_at_the_start : assert (dut.started_q || (dut.a_base_q == '0 && dut.b_base_q == '0 &&
          dut.beat_q == '0 && dut.group_q == '0));

        second_pass_done : cover (its_k && exists_q && m >= dim_t'(PassM) && step_last && !step_first);
        continues : cover (its_k && exists_q && !step_first && 32'(k) < LANES && step_last);
      end
    end
  end

endmodule
