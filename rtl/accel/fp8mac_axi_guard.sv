// SPDX-License-Identifier: Apache-2.0
// Keeps the AXI master legal, whatever happens inside. The guard stands between the DMA engines and
// the pins. It counts what is owed: bursts that are offered or taken, and not yet answered.
//
// An event begins the drain state: a pulse of soft_reset_i, the watchdog, or fault_i, which is
// taken as if the watchdog had expired. The watchdog expires after limit_i cycles in which
// something is owed and no channel moves; a limit of 0 disables it.
// From the event to the end of the drain state, flush_o is 1 and everything inside is in reset.
// Only the DMA engines' offers (AR, AW, W) stay until they are taken. Meanwhile the guard
// finishes what was begun:
//
//   AR, AW    an offer stays until it is taken
//   W         the beats of all offered bursts follow; those that were not offered before have strobes of 0. At all
//             times WLAST comes from here, and no beat passes that belongs to no burst
//   R, B      are taken and dropped
//
// The drain state ends when nothing is owed. With a slave that stays silent, it lasts for ever.
//
// The payload of AR, AW and the data of W do not pass through here, because the DMA engines hold
// them.
module fp8mac_axi_guard #(
  parameter int unsigned STRB_W  = 16,
  parameter int unsigned READS   = 8,   // bursts that the read engine has in flight at most
  parameter int unsigned WRITES  = 16,  // bursts that the write engine has in flight at most
  parameter int unsigned LEN_W   = 4,   // bits that hold AWLEN
  parameter int unsigned LIMIT_W = 24
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               soft_reset_i,
  input  logic [LIMIT_W-1:0] limit_i,
  input  logic               fault_i,      // the inside cannot go on
  output logic               expired_o,    // a pulse: the watchdog or a fault begins the drain state
  output logic               flush_o,      // resets the inside
  output logic               draining_o,
  output logic               owed_o,

  // The DMA engines
  input  logic               arvalid_i,
  output logic               arready_o,
  input  logic               rready_i,
  input  logic               awvalid_i,
  input  logic [LEN_W-1:0]   awlen_i,
  output logic               awready_o,
  input  logic               wvalid_i,
  input  logic [STRB_W-1:0]  wstrb_i,
  output logic               wready_o,
  input  logic               bready_i,

  // The pins
  output logic               m_axi_arvalid_o,
  input  logic               m_axi_arready_i,
  input  logic               m_axi_rvalid_i,
  input  logic               m_axi_rlast_i,
  output logic               m_axi_rready_o,
  output logic               m_axi_awvalid_o,
  input  logic               m_axi_awready_i,
  output logic               m_axi_wvalid_o,
  output logic [STRB_W-1:0]  m_axi_wstrb_o,
  output logic               m_axi_wlast_o,
  input  logic               m_axi_wready_i,
  input  logic               m_axi_bvalid_i,
  output logic               m_axi_bready_o
);
  // One offer more than the engines have in flight may remain of them.
  localparam int unsigned ReadsW  = $clog2(READS + 2);
  localparam int unsigned WritesW = $clog2(WRITES + 2);

  logic draining_q, owed;

  // ---- what moves -------------------------------------------------------------------------------
  logic ar, r, r_last, aw, w, b;

  assign ar     = m_axi_arvalid_o && m_axi_arready_i;
  assign r      = m_axi_rvalid_i && m_axi_rready_o;
  assign r_last = r && m_axi_rlast_i;
  assign aw     = m_axi_awvalid_o && m_axi_awready_i;
  assign w      = m_axi_wvalid_o && m_axi_wready_i;
  assign b      = m_axi_bvalid_i && m_axi_bready_o;

  // ---- what is owed -----------------------------------------------------------------------------
  logic [ReadsW-1:0]  reads_q;    // bursts whose address was taken and whose data are not complete
  logic [WritesW-1:0] writes_q;   // bursts whose address was taken and that are not answered
  logic               aw_seen_q;  // the offered address counts already
  logic [LEN_W-1:0]   length, index_q;
  logic               lengths_empty, last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reads_q   <= '0;
      writes_q  <= '0;
      aw_seen_q <= 1'b0;
      index_q   <= '0;
    end else begin
      reads_q   <= reads_q + ReadsW'(ar) - ReadsW'(r_last);
      writes_q  <= writes_q + WritesW'(aw) - WritesW'(b);
      aw_seen_q <= m_axi_awvalid_o && !m_axi_awready_i;
      if (w) index_q <= last ? '0 : index_q + LEN_W'(1);
    end
  end

  // Lengths of the bursts whose data are not complete. A burst enters when its address is
  // first offered, because its data may come before the address is taken. They come in the
  // next cycle at the earliest.
  fp8mac_fifo #(.T(logic [LEN_W-1:0]), .DEPTH(WRITES)) u_lengths (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(m_axi_awvalid_o && !aw_seen_q), .data_i(awlen_i), .full_o(),
    .pop_i(w && last), .data_o(length), .empty_o(lengths_empty), .level_o(), .fault_o()
  );

  assign last = index_q == length;
  assign owed = m_axi_arvalid_o || m_axi_awvalid_o || m_axi_wvalid_o || !lengths_empty || reads_q != '0 ||
                writes_q != '0;

  // ---- events -----------------------------------------------------------------------------------
  logic [LIMIT_W-1:0] still_q;  // cycles without a move
  logic               stuck;

  assign stuck      = owed && !(ar || r || aw || w || b) && !flush_o;
  assign flush_o    = soft_reset_i || expired_o || draining_q;
  assign draining_o = draining_q;
  assign owed_o     = owed;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      still_q    <= '0;
      expired_o  <= 1'b0;
      draining_q <= 1'b0;
    end else begin
      if (!stuck) still_q <= '0;
      else if (still_q != '1) still_q <= still_q + LIMIT_W'(1);
      expired_o <= (stuck && limit_i != '0 && still_q >= limit_i) || (fault_i && !flush_o);
      if (soft_reset_i || expired_o) draining_q <= 1'b1;
      else if (!owed) draining_q <= 1'b0;
    end
  end

  // ---- channels ---------------------------------------------------------------------------------
  // In the drain state the engines' queues are empty, so they take no answer.
  assign m_axi_arvalid_o = arvalid_i;
  assign arready_o       = m_axi_arready_i;
  assign m_axi_rready_o  = rready_i || (draining_q && reads_q != '0);

  assign m_axi_awvalid_o = awvalid_i;
  assign awready_o       = m_axi_awready_i;

  assign m_axi_wvalid_o  = (wvalid_i || draining_q) && !lengths_empty;
  assign m_axi_wstrb_o   = wvalid_i ? wstrb_i : '0;
  assign m_axi_wlast_o   = last;
  assign wready_o        = m_axi_wready_i && !lengths_empty;
  assign m_axi_bready_o  = bready_i || (draining_q && writes_q != '0);

  an_answer_has_a_burst : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(r && reads_q == '0) && !(b && writes_q == '0));

endmodule
