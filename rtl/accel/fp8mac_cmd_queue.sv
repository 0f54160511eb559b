// SPDX-License-Identifier: Apache-2.0
// The command queue holds commands that are submitted and not yet begun. They are in a memory,
// whose output shows the oldest one: two cycles after its submission at the earliest. A submission
// to a full queue is dropped and reported. A submission in the error state is dropped without a
// report, because the error is already reported. abort_i empties the queue.
module fp8mac_cmd_queue
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned QUEUE_DEPTH = 8
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       error_i,     // the error state: no command is accepted
  input  logic       abort_i,     // empties the queue
  input  logic       submit_i,
  input  command_t   command_i,
  output logic       overflow_o,  // the command submitted now is dropped because the queue is full
  output logic       full_o,
  output logic [6:0] level_o,     // commands inside, also one that is not shown yet
  output logic       valid_o,
  output command_t   command_o,
  input  logic       ready_i,
  output logic       fault_o      // of fp8mac_fifo
);
  localparam int unsigned LevelW = $clog2(QUEUE_DEPTH + 1);

  logic              push, pop, shown;
  logic [LevelW-1:0] level;

  assign overflow_o = submit_i && full_o && !error_i;
  assign push       = submit_i && !full_o && !error_i;
  assign valid_o    = shown && !abort_i;
  assign pop        = valid_o && ready_i;
  assign level_o    = 7'(level);

  fp8mac_ram_fifo #(.T(command_t), .DEPTH(QUEUE_DEPTH)) u_fifo (
    .clk_i, .rst_ni,
    .flush_i(abort_i),
    .push_i (push),
    .data_i (command_i),
    .full_o,
    .pop_i  (pop),
    .data_o (command_o),
    .shown_o(shown),
    .level_o(level),
    .fault_o
  );

  if (QUEUE_DEPTH > 127) begin : g_too_deep
    $error("STATUS.queue_level has seven bits");
  end

endmodule
