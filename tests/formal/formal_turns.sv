// SPDX-License-Identifier: Apache-2.0
// fp8mac_compute with ROTATE: rotating accumulators never mix outputs. The step in cycle t goes to accumulator
// t mod Banks. So a sum consists of the steps of one turn from a `first` to a `last`. A bank is open from the first
// step of a sum to its last. Accumulators that a command has kept are given up when the next command is skipped or does
// not continue them; this also closes their banks.
//   - A step other than a first one belongs to an open bank and comes in the turn of the bank's first step.
//   - No step comes in the turn of another bank that is open, and no sum begins in a bank that is open.
//   - Only accumulators that were kept are given up.
//   - After a cycle that advances, the next step does not wait for its turn. No step waits a whole round.
module formal_turns
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 2,
  parameter int unsigned COLS    = 2,
  parameter int unsigned BANKS_M = 2,
  parameter int unsigned BANKS_N = 2,
  localparam int unsigned Banks  = BANKS_M * BANKS_N,
  localparam int unsigned BankW  = $clog2(Banks)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             start_i,     // the current command starts, and is not skipped
  input logic             skip_i,      // the current command is skipped
  input logic             ready_i,     // the current command ends
  input logic             computed_i,
  input compute_cmd_t     cmd_i,
  input logic             step_valid_i,
  input logic [BankW-1:0] step_bank_i,
  input logic             step_first_i,
  input logic             step_last_i,

  // Of the walk's state, for induction
  input logic             started_i,
  input logic [Banks-1:0] due_i,       // banks that should be open
  input logic [BankW-1:0] walk_turn_i,
  input logic             advance_i,
  input logic             waits_i      // a step only waits for its turn
);

  // As fp8mac_cmd_check ensures, a command continues only what the command before it has kept.
  logic kept_q;
  dim_t kept_m_q, kept_n_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_q <= 1'b0;
    else if (ready_i) kept_q <= computed_i && cmd_i.acc_keep;
    if (ready_i) kept_m_q <= cmd_i.m;
    if (ready_i) kept_n_q <= cmd_i.n;
  end

  always_comb begin
    if (rst_ni) begin
      continues_what_was_kept : assume (!(start_i && cmd_i.acc_continue) ||
        (kept_q && cmd_i.m == kept_m_q && cmd_i.n == kept_n_q));
    end
  end

  logic [BankW-1:0]            turn_q;            // of this cycle
  logic [Banks-1:0]            begins, ends, open_q, open;
  logic [Banks-1:0][BankW-1:0] turn_of_q, turn_of;  // of the bank's first step
  logic                        given_up;

  assign given_up = skip_i || (start_i && !cmd_i.acc_continue);

  always_comb begin
    begins = '0;
    ends   = '0;
    begins[step_bank_i] = step_valid_i && step_first_i;
    ends[step_bank_i]   = step_valid_i && step_last_i;
    open    = (open_q | begins) & ~ends;
    turn_of = turn_of_q;
    if (step_valid_i && step_first_i) turn_of[step_bank_i] = turn_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= '0;
    else turn_q <= turn_q + BankW'(1);
    if (!rst_ni || given_up) open_q <= '0;
    else open_q <= open;
    turn_of_q <= turn_of;
  end

  logic       advanced_q;
  logic [2:0] waited_q;   // cycles of waiting

  always_ff @(posedge clk_i) begin
    advanced_q <= rst_ni && advance_i;
    if (!rst_ni || !waits_i) waited_q <= '0;
    else waited_q <= waited_q + 3'd1;
  end

  // A bank's position in the walk
  function automatic int unsigned position(int unsigned bank);
    int unsigned im, in;
    im = bank / BANKS_N;
    in = bank % BANKS_N;
    return im * BANKS_N + ((im % 2 == 0) ? in : BANKS_N - 1 - in);
  endfunction

  for (genvar s = 0; s < int'(Banks); s++) begin : g_bank
    logic kept_exists;
    assign kept_exists = kept_q && 32'(kept_m_q) > s / BANKS_N * ROWS && 32'(kept_n_q) > s % BANKS_N * COLS;

    always_comb begin
      if (rst_ni) begin
        alone_in_its_turn : assert (!(step_valid_i && open_q[s] && 32'(step_bank_i) != s) || turn_of_q[s] != turn_q);

        // The walk's turns differ from the array's by a distance that is constant while a bank is open.
        distance_stays : assert (!open[s] ||
          BankW'(walk_turn_i - turn_q) == BankW'(position(s) + 1) - turn_of[s]);
        open_as_the_walk_has_it : assert (open[s] == (started_i ? due_i[s] : kept_exists));
      end
    end
  end

  logic first_again_q;   // a sum began in another turn than the bank's preceding sum

  always_ff @(posedge clk_i) begin
    first_again_q <= rst_ni && step_valid_i && step_first_i && turn_of_q[step_bank_i] != turn_q;
  end

  always_comb begin
    if (rst_ni) begin
      stays_in_its_turn : assert (!step_valid_i || step_first_i ||
        (open_q[step_bank_i] && turn_of_q[step_bank_i] == turn_q));
      begins_once : assert (!(step_valid_i && step_first_i && open_q[step_bank_i]));
      only_kept_is_given_up : assert (!given_up || kept_q || open == '0);
      no_turn_is_lost : assert (!(advanced_q && waits_i));
      waits_less_than_a_round : assert (!waits_i || 32'(waited_q) < Banks - 1);

      waits_for_its_turn : cover (waits_i && 32'(waited_q) == Banks - 2 && !cmd_i.acc_continue);
      continues_in_its_turn : cover (waits_i && cmd_i.acc_continue && !started_i);
      begins_in_another_turn : cover (first_again_q && open == '1);
      gives_up_what_was_kept : cover (given_up && kept_q && (open & (open - Banks'(1))) != '0);
      ends_what_was_kept : cover (step_valid_i && step_last_i && !step_first_i && cmd_i.acc_continue && kept_q);
    end
  end

endmodule
