// SPDX-License-Identifier: Apache-2.0
// Lists of commands: follows SUBMIT.more from descriptor to descriptor. fp8mac_fetch reads one
// descriptor at a time.
//
//            ring                     more                        room in the queue
//   Nothing ------> Reading a list --------------> Wait for room -------------------> Reading a list
//                      |   ^                            ^
//                more, |   '-- until the last one       | resume
//                pause v                                |
//                    Pause -----------------------------'      end_list, an abort: Nothing
//
// An abort ends the list, and so does a command of it that is refused. In a pause software may
// submit single commands, whose SUBMIT.more has no effect. The pause is announced when the
// accelerator is idle, and its limit counts from then on. At the limit the list goes on by itself,
// but gives a command with the error timeout: software cannot answer any more, and as after an
// answer, it cannot submit before that command has come.
module fp8mac_list
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        position_rst_ni,  // not by a soft reset or a timeout: the position stays

  // Software
  input  logic        ring_i,          // reads the descriptor at addr_i: only while busy_o is 0
  input  addr_t       addr_i,
  input  logic        resume_i,
  input  logic        end_i,
  input  logic [31:0] limit_i,         // cycles of a pause; 0: any number
  output logic        busy_o,          // a descriptor is being read, or a list goes on
  output logic        paused_o,
  output logic        paused_event_o,
  output addr_t       position_o,      // of the list's descriptor that is read, or is the next one

  // The accelerator
  input  logic        abort_i,
  input  logic        refuse_i,        // the command that was fetched now is refused
  input  logic        idle_i,          // it holds no command
  input  logic        queue_full_i,

  // fp8mac_fetch
  output logic        ring_o,
  output addr_t       addr_o,
  output error_e      ring_error_o,
  input  logic        fetching_i,
  input  logic        fetched_i,
  input  logic        more_i,          // with fetched_i
  input  logic        pause_i,
  input  addr_t       next_i,
  input  logic        next_beyond_i
);
  logic        listed_q;    // the descriptor that is read belongs to the list
  logic        room_q;      // the list waits for room in the queue
  logic        paused_q, announced_q, expired;
  logic        late_q;      // software did not answer: an error takes the place of the next descriptor
  logic        beyond_q;    // the next descriptor has no address
  addr_t       position_q;
  logic [31:0] cycles_q;    // since the announcement
  logic        goes_on, follow, late;

  assign goes_on = fetched_i && listed_q && more_i && !abort_i && !refuse_i;
  assign follow  = room_q && !abort_i && !queue_full_i && !fetching_i;
  assign expired = announced_q && limit_i != '0 && cycles_q >= limit_i;
  assign late    = paused_q && expired && !abort_i && !resume_i && !end_i;

  assign ring_o       = ring_i || follow;
  assign addr_o       = ring_i ? addr_i : position_q;
  assign ring_error_o = !follow ? ErrNone : late_q ? ErrTimeout : beyond_q ? ErrRange : ErrNone;

  assign busy_o         = fetching_i || room_q;
  assign paused_o       = paused_q;
  assign paused_event_o = paused_q && !announced_q && idle_i && !abort_i;
  assign position_o     = position_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      listed_q    <= 1'b0;
      room_q      <= 1'b0;
      paused_q    <= 1'b0;
      late_q      <= 1'b0;
      announced_q <= 1'b0;
    end else begin
      if (ring_o) listed_q <= !paused_q;
      if (abort_i || follow) room_q <= 1'b0;
      else if ((goes_on && !pause_i) || (paused_q && resume_i) || late) room_q <= 1'b1;
      late_q <= late || (late_q && !follow && !abort_i);
      if (goes_on && pause_i) paused_q <= 1'b1;
      else if (abort_i || resume_i || end_i || late) paused_q <= 1'b0;
      announced_q <= paused_q && (announced_q || idle_i) && !resume_i && !end_i;
    end
    if (!position_rst_ni) begin
      position_q <= '0;
    end else if (rst_ni && ring_i && !paused_q) begin
      position_q <= addr_i;
      beyond_q   <= 1'b0;
    end else if (rst_ni && goes_on) begin
      position_q <= next_i;
      beyond_q   <= next_beyond_i;
    end
    cycles_q <= announced_q ? cycles_q + 32'd1 : '0;
  end

  one_reader : assert property (@(posedge clk_i) disable iff (!rst_ni) !(ring_o && fetching_i));
  software_rings_when_free : assert property (@(posedge clk_i) disable iff (!rst_ni) !(ring_i && busy_o));
  a_pause_waits : assert property (@(posedge clk_i) disable iff (!rst_ni) !(paused_q && room_q));

endmodule
