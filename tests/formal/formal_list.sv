// SPDX-License-Identifier: Apache-2.0
// fp8mac_list between software that answers pauses as it likes, a queue that software fills, too,
// and a reader that takes any time and finds anything in a descriptor. Every descriptor of a list
// is rung exactly once, in its order, at the address behind the one before, and as soon as nothing
// else is read and the queue has room; the room is still there when the descriptor has come.
// Nothing of the list is rung after an abort, a refusal or the end of it, nor in a pause. A
// command that is rung in a pause never goes on. A pause is announced once, in its first idle
// cycle. Exactly so many cycles as the limit has after that, the list goes on with an error in
// place of the descriptor.
module formal_list
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned DEPTH = 2  // of the queue
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        position_rst_ni,
  input logic        ring_i,
  input addr_t       addr_i,
  input logic        submit_i,   // software submits a command by registers
  input logic        resume_i,
  input logic        end_i,
  input logic [31:0] limit_i,
  input logic        abort_i,
  input logic        refuse_i,
  input logic        idle_i,
  input logic        pop_i,      // the oldest command leaves the queue
  input logic        fetched_i,
  input logic        more_i,
  input logic        pause_i,
  input addr_t       next_i,
  input logic        next_beyond_i
);
  localparam int unsigned LevelW = $clog2(DEPTH + 1);

  logic   busy, paused, paused_event, ring, queue_full;
  addr_t  position, addr;
  error_e ring_error;

  logic              fetching_q, unreadable_q;  // the reader was given an error
  logic [LevelW-1:0] level_q;

  fp8mac_list dut (
    .clk_i, .rst_ni, .position_rst_ni, .ring_i, .addr_i, .resume_i, .end_i, .limit_i, .busy_o(busy), .paused_o(paused),
    .paused_event_o(paused_event), .position_o(position), .abort_i, .refuse_i, .idle_i, .queue_full_i(queue_full),
    .ring_o(ring), .addr_o(addr), .ring_error_o(ring_error), .fetching_i(fetching_q), .fetched_i, .more_i, .pause_i,
    .next_i, .next_beyond_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);
  formal_reset u_position_reset (.clk_i, .rst_ni(position_rst_ni));

  // ---- the reader and the queue -----------------------------------------------------------------
  logic push, aborted_q, idle_q;

  assign queue_full = level_q == LevelW'(DEPTH);
  assign push       = (fetched_i || submit_i) && !refuse_i && !queue_full;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetching_q <= 1'b0;
      level_q    <= '0;
      aborted_q  <= 1'b0;
      idle_q     <= 1'b0;
    end else begin
      fetching_q <= ring || (fetching_q && !fetched_i);
      level_q    <= abort_i ? '0 : level_q + LevelW'(push) - LevelW'(pop_i);
      aborted_q  <= abort_i;
      idle_q     <= idle_i;
    end
    if (ring) unreadable_q <= ring_error != ErrNone;
  end

  // ---- the list ---------------------------------------------------------------------------------
  // What is to be rung next, and whether it is: in a pause and after it, until it is
  // rung or the list ends
  logic        reads_list_q;  // what is read belongs to the list
  logic        due_q, paused_q;
  logic        unanswered_q;  // the limit has passed
  logic        announced_q;   // in this pause
  logic [31:0] since_q;       // the cycle behind the announcement
  addr_t       next_q, position_q;
  logic        next_beyond_q;
  logic        another, free, limit_reached;

  assign another       = fetched_i && reads_list_q && more_i && !refuse_i && !abort_i;
  assign free          = !fetching_q && !queue_full && !abort_i;
  assign limit_reached = announced_q && limit_i != '0 && since_q >= limit_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {due_q, paused_q, unanswered_q, announced_q} <= '0;
    end else if (abort_i) begin
      {due_q, paused_q, unanswered_q, announced_q} <= '0;
    end else begin
      if (due_q && free) {due_q, unanswered_q} <= '0;
      if (another) begin
        due_q       <= !pause_i;
        paused_q    <= pause_i;
        announced_q <= 1'b0;
      end else if (paused_q) begin
        announced_q  <= announced_q || idle_i;
        paused_q     <= !(resume_i || end_i || limit_reached);
        due_q        <= resume_i || (limit_reached && !end_i);  // both answers at once: it goes on
        unanswered_q <= limit_reached && !resume_i && !end_i;
      end
    end
    if (rst_ni && (ring_i || (due_q && free))) reads_list_q <= !(ring_i && paused_q);
    if (rst_ni && another) {next_beyond_q, next_q} <= {next_beyond_i, next_i};
    since_q <= paused_q && announced_q ? since_q + 32'd1 : '0;
    if (!position_rst_ni) position_q <= '0;
    else if (rst_ni && ring_i && !paused_q) position_q <= addr_i;
    else if (rst_ni && another) position_q <= next_i;
  end

  always_comb begin
    whole_reset : assume (position_rst_ni || !rst_ni);
    position_is_told : assert (!position_rst_ni || position == position_q);
    if (rst_ni) begin
      // As in the accelerator: an abort lasts until an idle cycle, and software's submissions are
      // refused while a list is busy, the queue is full or an abort lasts.
      reads_what_was_rung : assume (!fetched_i || fetching_q);
      unreadable_has_no_next : assume (!fetched_i || !unreadable_q || !more_i);
      software_when_free : assume (!(ring_i || submit_i) || (!busy && !queue_full && !abort_i));
      one_at_a_time : assume (!(ring_i && submit_i));
      pops_what_is_there : assume (!pop_i || level_q != '0);
      abort_lasts : assume (!aborted_q || idle_q || abort_i);
      idle_holds_nothing : assume (!idle_i || (level_q == '0 && !busy && !ring_i && !submit_i));

      rung_once_in_order : assert (ring == (ring_i || (due_q && free)));
      at_its_address : assert (!ring || addr == (ring_i ? addr_i : next_q));
      with_its_error : assert (!ring || ring_error ==
        (ring_i ? ErrNone : unanswered_q ? ErrTimeout : next_beyond_q ? ErrRange : ErrNone));
      one_reader : assert (!(ring && fetching_q));
      room_when_it_comes : assert (!fetching_q || !queue_full);
      nothing_in_a_pause : assert (!(paused && ring && !ring_i));
      busy_until_the_last : assert (busy == (fetching_q || due_q));
      paused_until_the_answer : assert (paused == paused_q);
      announced_once : assert (paused_event == (paused_q && !announced_q && idle_i && !abort_i));

      // The module's state
      level_is_bounded : assert (32'(level_q) <= DEPTH);
      a_pause_is_not_due : assert (!(paused_q && due_q) && (!unanswered_q || due_q));
      nothing_due_is_read : assert (!(fetching_q && reads_list_q && (paused_q || due_q)));
      belongs_to_the_list : assert (!fetching_q || dut.listed_q == reads_list_q);
      waits_for_room : assert (dut.room_q == due_q && dut.late_q == unanswered_q);
      announcement_is_kept : assert (!paused_q || dut.announced_q == announced_q);
      knows_the_next : assert (!(paused_q || due_q) || (position_q == next_q && dut.beyond_q == next_beyond_q));
      counts_from_the_announcement : assert (!paused_q || (dut.cycles_q == since_q && (announced_q || since_q == '0)));
    end
  end

  // ---- covers -----------------------------------------------------------------------------------
  logic [2:0] rung_q;   // of this list, behind its first
  logic       was_reset_q;
  logic       inside_q; // a descriptor with more came in a pause, and nothing was rung since

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ring_i) rung_q <= '0;
    else if (ring) rung_q <= rung_q + 3'd1;
    was_reset_q <= !rst_ni;
    inside_q <= rst_ni && ((fetched_i && paused_q && more_i) || (inside_q && !ring));
  end

  always_comb begin
    if (rst_ni) begin
      three_more : cover (rung_q == 3'd3 && fetched_i && !more_i);
      waits_for_a_full_queue : cover (due_q && queue_full && !fetching_q);
      goes_on_behind_a_pause : cover (ring && inside_q && !unanswered_q);
      gives_up_after_three_cycles : cover (ring && unanswered_q && limit_i == 32'd3);
      gives_up_behind_a_command : cover (paused_q && limit_reached && fetching_q);
      past_the_last_address : cover (ring && ring_error == ErrRange);
      ended_in_its_pause : cover (paused_q && announced_q && end_i && !resume_i);
      refused_in_the_middle : cover (fetched_i && reads_list_q && more_i && refuse_i && rung_q == 3'd1);
      aborted_in_its_pause : cover (paused_q && abort_i && idle_i);
      position_outlives_a_reset : cover (was_reset_q && position == 32'h100);
    end
  end

endmodule
