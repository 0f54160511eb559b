// SPDX-License-Identifier: Apache-2.0
// Splits rows into AXI bursts. A burst has at most MAX_BURST beats and crosses no 4 KiB boundary.
// Up to one burst leaves per cycle, without a gap between rows. A row without beats (`none`)
// passes through in its turn.
module fp8mac_burst_split
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT      = 16,
  parameter int unsigned MAX_BURST = 16,
  parameter type         META_T    = logic,   // travels with a row
  localparam int unsigned LenW = $clog2(MAX_BURST + 1)
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            row_valid_i,
  output logic            row_ready_o,
  input  row_request_t    row_i,         // addr is a multiple of BEAT
  input  META_T             meta_i,

  output logic            burst_valid_o,
  input  logic            burst_ready_i,
  output logic            burst_none_o,
  output addr_t           burst_addr_o,
  output logic [LenW-1:0] burst_beats_o,
  output dim_t            burst_start_o, // beats of the row before this burst
  output META_T             meta_o
);
  localparam int unsigned PageBytes = 4096;
  localparam int unsigned PageBeats = PageBytes / BEAT;
  localparam int unsigned BeatLog   = $clog2(BEAT);
  localparam int unsigned PageLog   = $clog2(PageBytes);

  logic         busy_q;
  row_request_t row_q;    // what is left of the row
  dim_t         start_q;
  META_T          meta_q;

  dim_t to_page, most;
  logic final_burst, taken;

  assign to_page     = dim_t'(PageBeats) - dim_t'(row_q.addr[PageLog-1:BeatLog]);
  assign most        = (to_page < dim_t'(MAX_BURST)) ? to_page : dim_t'(MAX_BURST);
  assign final_burst = row_q.none || row_q.beats <= most;
  assign taken       = busy_q && burst_ready_i;

  assign burst_valid_o = busy_q;
  assign burst_none_o  = row_q.none;
  assign burst_addr_o  = row_q.addr;
  assign burst_beats_o = final_burst ? LenW'(row_q.beats) : LenW'(most);
  assign burst_start_o = start_q;
  assign meta_o        = meta_q;
  assign row_ready_o   = !busy_q || (taken && final_burst);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (row_ready_o) busy_q <= row_valid_i;
    if (row_ready_o) begin
      row_q   <= row_i;
      start_q <= '0;
      meta_q  <= meta_i;
    end else if (taken) begin  // not the final burst, so it has `most` beats
      row_q.addr  <= row_q.addr + (addr_t'(most) << BeatLog);
      row_q.beats <= row_q.beats - most;
      start_q     <= start_q + most;
    end
  end

  // Of the register: Verilator 5.006 cannot sample what the input is made of.
  a_row_has_beats : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !busy_q || row_q.none || row_q.beats != '0);
  rows_are_aligned : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !busy_q || row_q.none || row_q.addr[BeatLog-1:0] == '0);

endmodule
