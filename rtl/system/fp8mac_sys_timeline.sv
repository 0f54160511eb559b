// SPDX-License-Identifier: Apache-2.0
// Reports what the chip does to the simulator, which writes a timeline of it. A track has spans
// that begin and end in order, each with the tag of its command. Every Window cycles the sums of
// the window's counters go out; of a counter that software clears in a window, the sum since then.
module fp8mac_sys_timeline
  import fp8mac_cmd_pkg::tag_t;
#(
  parameter int unsigned Window = 64  // cycles
) (
  input logic        clk_i,
  input logic        rst_ni,

  input logic        sleeping_i,       // the core waits for an interrupt
  input logic        submitted_i,      // a command is submitted
  input tag_t        submitted_tag_i,
  input logic        load_begins_i,    // a command starts to load
  input tag_t        load_tag_i,
  input logic        load_ends_i,      // its last operand has arrived
  input logic        compute_begins_i, // a command's first step may be issued
  input tag_t        compute_tag_i,
  input logic        compute_ends_i,   // it has read all its operands
  input logic        retires_i,        // its results are in memory
  input tag_t        retire_tag_i,
  input logic        rings_i,          // software writes a descriptor's address, which may begin a list
  input logic [31:0] ring_addr_i,

  input logic [31:0] computing_i,      // counters: cycles with a step, and beats of the bus
  input logic [31:0] read_beats_i,
  input logic [31:0] write_beats_i
);

  import "DPI-C" function bit fp8sim_timeline_wanted();
  import "DPI-C" function void fp8sim_timeline_begin(input int unsigned track, input int unsigned tag);
  import "DPI-C" function void fp8sim_timeline_end(input int unsigned track);
  import "DPI-C" function void fp8sim_timeline_retire(input int unsigned tag);
  import "DPI-C" function void fp8sim_timeline_list(input int unsigned address);
  import "DPI-C" function void fp8sim_timeline_rates(input int unsigned steps, input int unsigned reads,
                                                     input int unsigned writes, input int unsigned ago);

  // Tracks, in the order of model/cli/trace_events.h
  localparam int unsigned TrackCore    = 0;
  localparam int unsigned TrackLoad    = 1;
  localparam int unsigned TrackCompute = 2;
  localparam int unsigned TrackCommand = 3;

  logic                      wanted_q, sleeping_q;
  logic [$clog2(Window)-1:0] cycle_q;
  logic [31:0]               computing_q, read_beats_q, write_beats_q;

  function automatic logic [31:0] since(logic [31:0] count, logic [31:0] last);
    return count >= last ? count - last : count;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wanted_q      <= fp8sim_timeline_wanted();
      sleeping_q    <= 1'b1;
      cycle_q       <= '0;
      computing_q   <= '0;
      read_beats_q  <= '0;
      write_beats_q <= '0;
    end else if (wanted_q) begin
      sleeping_q <= sleeping_i;
      if (sleeping_q && !sleeping_i) fp8sim_timeline_begin(TrackCore, 0);
      if (!sleeping_q && sleeping_i) fp8sim_timeline_end(TrackCore);
      if (retires_i) fp8sim_timeline_retire(32'(retire_tag_i));
      if (rings_i) fp8sim_timeline_list(ring_addr_i);
      if (submitted_i) fp8sim_timeline_begin(TrackCommand, 32'(submitted_tag_i));
      if (load_ends_i) fp8sim_timeline_end(TrackLoad);
      if (load_begins_i) fp8sim_timeline_begin(TrackLoad, 32'(load_tag_i));
      if (compute_ends_i) fp8sim_timeline_end(TrackCompute);
      if (compute_begins_i) fp8sim_timeline_begin(TrackCompute, 32'(compute_tag_i));

      cycle_q <= cycle_q + 1'b1;
      if (cycle_q == '1) begin
        fp8sim_timeline_rates(since(computing_i, computing_q), since(read_beats_i, read_beats_q),
                              since(write_beats_i, write_beats_q), 0);
        computing_q   <= computing_i;
        read_beats_q  <= read_beats_i;
        write_beats_q <= write_beats_i;
      end
    end
  end

  // What so many cycles without work do: windows end in them.
  function automatic void catch_up(int unsigned cycles);
    if (!wanted_q) return;
    for (int unsigned left = cycles; left != 0; left--) begin
      cycle_q = cycle_q + 1'b1;
      if (cycle_q == '0) begin
        fp8sim_timeline_rates(since(computing_i, computing_q), since(read_beats_i, read_beats_q),
                              since(write_beats_i, write_beats_q), left);
        computing_q   = computing_i;
        read_beats_q  = read_beats_i;
        write_beats_q = write_beats_i;
      end
    end
  endfunction

endmodule
