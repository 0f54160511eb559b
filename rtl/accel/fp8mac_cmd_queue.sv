// SPDX-License-Identifier: Apache-2.0
// The command queue holds commands that are submitted and not yet begun. They are in a memory, whose output shows the
// oldest one: two cycles after its submission at the earliest. A submission to a full queue is dropped and reported. A
// submission in the error state is dropped without a report, because the error is already reported. abort_i empties
// the queue.
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
  input  logic       ready_i
);
  localparam int unsigned LevelW = $clog2(QUEUE_DEPTH + 1);
  localparam int unsigned PtrW   = (QUEUE_DEPTH > 1) ? $clog2(QUEUE_DEPTH) : 1;

  logic [PtrW-1:0]   head_q, tail_q, read_at;
  logic [LevelW-1:0] level_q;
  logic              shown_q;  // the memory shows the command at head_q
  logic              push, pop, read;

  function automatic logic [PtrW-1:0] next(logic [PtrW-1:0] ptr);
    return (ptr == PtrW'(QUEUE_DEPTH - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  assign full_o     = level_q == LevelW'(QUEUE_DEPTH);
  assign overflow_o = submit_i && full_o && !error_i;
  assign push       = submit_i && !full_o && !error_i;
  assign valid_o    = shown_q && !abort_i;
  assign pop        = valid_o && ready_i;
  assign level_o    = 7'(level_q);

  // The memory holds its output until the command is taken, and shows the next one in the cycle after.
  assign read    = (pop || !shown_q) && level_q > LevelW'(pop);
  assign read_at = pop ? next(head_q) : head_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      level_q <= '0;
      shown_q <= 1'b0;
    end else begin
      if (push) tail_q <= next(tail_q);
      if (pop) head_q <= next(head_q);
      level_q <= level_q + LevelW'(push) - LevelW'(pop);
      shown_q <= level_q > LevelW'(pop);
    end
  end

  fp8mac_two_port_ram #(.DEPTH(QUEUE_DEPTH), .WIDTH($bits(command_t))) u_ram (
    .clk_i,
    .write_i        (push),
    .write_address_i(tail_q),
    .write_data_i   (command_i),
    .read_i         (read),
    .read_address_i (read_at),
    .read_data_o    (command_o)
  );

  if (QUEUE_DEPTH > 127) begin : g_too_deep
    $error("STATUS.queue_level has seven bits");
  end

endmodule
