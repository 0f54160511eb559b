// SPDX-License-Identifier: Apache-2.0
// fp8mac_cmd_queue: a submitted command is accepted exactly if there is room and neither error
// state nor abort. It is reported as dropped exactly if there is no room and no error state.
// Accepted commands come out once and in order, unless an abort drops them. The oldest one is
// offered from the second cycle after its submission on.
module formal_cmd_queue
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned DEPTH    = 3,
  parameter int unsigned FOLLOWED = $bits(command_t)  // how many of a command's bits are followed, from its tag on
) (
  input logic     clk_i,
  input logic     rst_ni,
  input logic     error_i,
  input logic     abort_i,
  input logic     submit_i,
  input command_t command_i,
  input logic     mark_i,
  input logic     ready_i
);
  localparam int unsigned CountW = $clog2(DEPTH + 1);
  localparam int unsigned Others = $bits(command_t) - FOLLOWED;

  logic                           overflow, full, valid, accepted, taken, held;
  logic [6:0]                     level;
  command_t                       command;
  logic [CountW-1:0]              count;
  logic [DEPTH-1:0][FOLLOWED-1:0] mem;

  fp8mac_cmd_queue #(.QUEUE_DEPTH(DEPTH)) dut (
    .clk_i, .rst_ni, .error_i, .abort_i, .submit_i, .command_i, .overflow_o(overflow), .full_o(full), .level_o(level),
    .valid_o(valid), .command_o(command), .ready_i
  );

  // The contract, in terms of the inputs and the number of commands inside
  assign accepted = submit_i && !error_i && !abort_i && count != CountW'(DEPTH);
  assign taken    = valid && ready_i;

  for (genvar i = 0; i < int'(DEPTH); i++) begin : g_mem
    assign mem[i] = FOLLOWED'(dut.u_fifo.u_ram.word_q[i] >> Others);
  end

  formal_fifo_track #(.WIDTH(FOLLOWED), .DEPTH(DEPTH)) u_track (
    .clk_i, .rst_ni, .flush_i(abort_i), .push_i(accepted), .mark_i,
    .data_i(FOLLOWED'(command_i >> Others)), .pop_i(taken),
    .out_i(dut.u_fifo.shown_q ? FOLLOWED'(command >> Others) : mem[dut.u_fifo.head_q]), .mem_i(mem),
    .head_i(dut.u_fifo.head_q), .tail_i(dut.u_fifo.tail_q), .count_o(count), .held_o(held)
  );

  // One command was inside in the cycle before, and neither taken nor dropped.
  logic stays_q;
  always_ff @(posedge clk_i) stays_q <= rst_ni && !abort_i && count > CountW'(taken);

  formal_reset u_reset (.clk_i, .rst_ni);

  always_comb begin
    if (rst_ni) begin
      level_is_count : assert (level == 7'(count));
      full_is_known : assert (full == (count == CountW'(DEPTH)));
      offers_what_it_has : assert (valid == (stays_q && !abort_i));
      has_what_it_offers : assert (!stays_q || count != '0);
      shows_its_head : assert (!dut.u_fifo.shown_q || FOLLOWED'(command >> Others) == mem[dut.u_fifo.head_q]);
      a_drop_is_reported : assert (overflow == (submit_i && !error_i && count == CountW'(DEPTH)));
      drops : cover (overflow);
      aborts_a_full_queue : cover (full && abort_i);
      hands_on : cover (taken && held && count == CountW'(1));
    end
  end

endmodule
