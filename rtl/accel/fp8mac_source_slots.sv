// SPDX-License-Identifier: Apache-2.0
// The regions of a source buffer as the store engine sees them: how many are there, in which slot
// the oldest one is, and whether a read of it failed.
module fp8mac_source_slots
  import fp8mac_command_pkg::*;
#(
  parameter int unsigned SLOTS = 4,
  localparam int unsigned SlotW = $clog2(SLOTS)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,   // forget all regions

  input  logic             beat_i,    // a beat is written
  input  error_e           error_i,   // its error
  input  logic             full_i,    // it is the region's last one

  input  logic             done_i,    // the oldest region has been passed on
  output logic             ready_o,   // a register: the oldest region is there
  output logic [SlotW-1:0] slot_o,
  output error_e           error_o    // of the oldest region
);
  logic [SlotW-1:0] slot_q, fill_q;
  logic [SlotW:0]   filled_q, filled;
  error_e           error_q [SLOTS];
  error_e           so_far_q, so_far;

  assign so_far  = (beat_i && so_far_q == ErrNone) ? error_i : so_far_q;
  assign filled  = filled_q + (SlotW+1)'(beat_i && full_i) - (SlotW+1)'(done_i && ready_o);
  assign slot_o  = slot_q;
  assign error_o = error_q[slot_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      slot_q   <= '0;
      fill_q   <= '0;
      filled_q <= '0;
      ready_o  <= 1'b0;
      so_far_q <= ErrNone;
    end else begin
      if (done_i) slot_q <= slot_q + SlotW'(1);
      if (beat_i && full_i) fill_q <= fill_q + SlotW'(1);
      filled_q <= filled;
      ready_o  <= filled != '0;
      so_far_q <= (beat_i && full_i) ? ErrNone : so_far;
    end
    if (beat_i && full_i) error_q[fill_q] <= so_far;
  end

  regions_have_slots : assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(filled_q) <= SLOTS);

endmodule
