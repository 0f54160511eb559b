// SPDX-License-Identifier: Apache-2.0
// fp8mac_axi_guard between the offers of DMA engines, which keep to the rules of AXI until a flush
// and then offer nothing new, and any legal AXI slave. The pins keep to the rules at all times. The
// drain state ends when nothing is owed, and beats that the guard adds write nothing. The watchdog
// counts cycles in which something is owed and no channel moves.
module formal_axi_guard #(
  parameter int unsigned READS   = 2,
  parameter int unsigned WRITES  = 2,
  parameter int unsigned LIMIT_W = 2
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               soft_reset_i,
  input logic [LIMIT_W-1:0] limit_i,
  input logic               fault_i,
  input logic               arvalid_i,
  input logic               rready_i,
  input logic               awvalid_i,
  input logic [7:0]         awlen_i,
  input logic               wvalid_i,
  input logic [1:0]         wstrb_i,
  input logic               bready_i,
  input logic               m_arready_i,
  input logic               m_rvalid_i,
  input logic               m_rlast_i,
  input logic               m_awready_i,
  input logic               m_wready_i,
  input logic               m_bvalid_i
);
  logic       expired, flush, draining, guard_owed, arready, awready, wready;
  logic       m_arvalid, m_rready, m_awvalid, m_wvalid, m_wlast, m_bready;
  logic [1:0] m_wstrb;

  fp8mac_axi_guard #(.STRB_W(2), .READS(READS), .WRITES(WRITES), .LEN_W(8), .LIMIT_W(LIMIT_W)) dut (
    .clk_i, .rst_ni, .soft_reset_i, .limit_i, .fault_i, .expired_o(expired), .flush_o(flush),
    .draining_o(draining), .owed_o(guard_owed), .arvalid_i, .arready_o(arready), .rready_i,
    .awvalid_i, .awlen_i, .awready_o(awready), .wvalid_i, .wstrb_i,
    .wready_o(wready), .bready_i, .m_axi_arvalid_o(m_arvalid), .m_axi_arready_i(m_arready_i),
    .m_axi_rvalid_i(m_rvalid_i), .m_axi_rlast_i(m_rlast_i), .m_axi_rready_o(m_rready), .m_axi_awvalid_o(m_awvalid),
    .m_axi_awready_i(m_awready_i), .m_axi_wvalid_o(m_wvalid), .m_axi_wstrb_o(m_wstrb), .m_axi_wlast_o(m_wlast),
    .m_axi_wready_i(m_wready_i), .m_axi_bvalid_i(m_bvalid_i), .m_axi_bready_o(m_bready)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- counts -----------------------------------------------------------------------------------
  // Reads and writes whose address was taken and that are not answered, bursts that were offered
  // and whose data are not complete, and the lengths of these, the oldest first.
  typedef logic [3:0] count_t;

  logic                   ar, r_last, aw, w, b, aw_new, moves, w_end;
  logic                   aw_seen_q, flush_q;
  count_t                 reads_q, writes_q, unwritten_q, unoffered_q;
  logic [WRITES-1:0][7:0] lens_q;
  logic [7:0]             index_q;

  assign ar     = m_arvalid && m_arready_i;
  assign r_last = m_rvalid_i && m_rready && m_rlast_i;
  assign aw     = m_awvalid && m_awready_i;
  assign w      = m_wvalid && m_wready_i;
  assign b      = m_bvalid_i && m_bready;
  assign aw_new = m_awvalid && !aw_seen_q;
  assign w_end  = w && m_wlast;
  assign moves  = ar || aw || w || b || (m_rvalid_i && m_rready);

  always_ff @(posedge clk_i) begin
    flush_q <= rst_ni && flush;
    if (!rst_ni) begin
      aw_seen_q   <= 1'b0;
      reads_q     <= '0;
      writes_q    <= '0;
      unwritten_q <= '0;
      index_q     <= '0;
    end else begin
      aw_seen_q   <= m_awvalid && !m_awready_i;
      reads_q     <= reads_q + count_t'(ar) - count_t'(r_last);
      writes_q    <= writes_q + count_t'(aw) - count_t'(b);
      unwritten_q <= unwritten_q + count_t'(aw_new) - count_t'(w_end);
      if (w) index_q <= m_wlast ? '0 : index_q + 8'd1;
      for (int unsigned i = 0; i < WRITES; i++) begin
        if (w_end && i + 1 < WRITES) lens_q[i] <= lens_q[i+1];
        if (aw_new && count_t'(i) == unwritten_q - count_t'(w_end)) lens_q[i] <= awlen_i;
      end
    end
  end

  localparam int unsigned PtrW = (WRITES > 1) ? $clog2(WRITES) : 1;
  localparam logic [LIMIT_W-1:0] StillMax = '1;

  for (genvar i = 0; i < int'(WRITES); i++) begin : g_length
    logic [PtrW:0] position;
    assign position = (PtrW+1)'(dut.u_lengths.head_q) + (PtrW+1)'(i);
    always_comb begin
      if (rst_ni && count_t'(i) < unwritten_q) begin
        length_is_held : assert (dut.u_lengths.mem_q[PtrW'(32'(position) % WRITES)] == lens_q[i]);
      end
      if (rst_ni && count_t'(i) == unwritten_q) begin
        next_position_is_behind : assert (32'(dut.u_lengths.tail_q) == 32'(position) % WRITES);
      end
    end
  end
  always_comb begin
    if (rst_ni) begin
      positions_are_known : assert (32'(dut.u_lengths.head_q) < WRITES && 32'(dut.u_lengths.tail_q) < WRITES &&
        (32'(unwritten_q) < WRITES || dut.u_lengths.tail_q == dut.u_lengths.head_q));
    end
  end

  // ---- what the pins showed ---------------------------------------------------------------------
  logic       ar_waits_q, aw_waits_q, w_waits_q, wlast_q, engine_q;
  logic [1:0] wstrb_q;
  logic [7:0] awlen_q;
  count_t     limit_age_q;  // cycles without a move, while something was owed

  logic settled_q;     // the engines have been in reset for a cycle
  logic drained_write_q, drained_read_q, expiring_q, faulty_q;

  logic owed;
  assign owed = m_arvalid || m_awvalid || unwritten_q != '0 || reads_q != '0 || writes_q != '0;

  always_ff @(posedge clk_i) begin
    ar_waits_q <= rst_ni && m_arvalid && !m_arready_i;
    aw_waits_q <= rst_ni && m_awvalid && !m_awready_i;
    w_waits_q  <= rst_ni && m_wvalid && !m_wready_i;
    engine_q   <= wvalid_i;
    wlast_q    <= m_wlast;
    wstrb_q    <= m_wstrb;
    awlen_q    <= awlen_i;
    if (!rst_ni || flush || !owed || moves) limit_age_q <= '0;
    else if (limit_age_q != '1) limit_age_q <= limit_age_q + 1;
  end

  // Bursts that have not been answered, those on offer included
  count_t open_reads, open_writes;
  assign open_reads  = reads_q + count_t'(m_arvalid);
  assign open_writes = writes_q + count_t'(m_awvalid);

  always_comb begin
    if (rst_ni) begin
      // The engines: an offer stays, also in a flush, and the flush brings none that the cycle
      // before did not bring.
      ar_offer_stays : assume (!ar_waits_q || arvalid_i);
      aw_offer_stays : assume (!aw_waits_q || (awvalid_i && awlen_i == awlen_q));
      w_offer_stays : assume (!(w_waits_q && engine_q) || (wvalid_i && wstrb_i == wstrb_q));
      flushed_engines_offer_nothing : assume (!(flush_q && settled_q) || ((ar_waits_q || !arvalid_i) &&
        (aw_waits_q || !awvalid_i) && ((w_waits_q && engine_q) || !wvalid_i)));
      flushed_engines_take_nothing : assume (!flush_q || (!rready_i && !bready_i));
      few_reads : assume (32'(open_reads) <= READS && 32'(open_writes) <= WRITES);
      bursts_are_short : assume (awlen_i < 8'd3);
      engines_take_their_answers : assume ((!rready_i || reads_q != '0) && (!bready_i || writes_q != '0));
      // The slave
      answers_a_read : assume (!m_rvalid_i || reads_q != '0);
      answers_a_whole_burst : assume (!m_bvalid_i || (writes_q != '0 &&
        writes_q + count_t'(aw_seen_q) > unwritten_q));

      // The rules of AXI at the pins
      ar_stays : assert (!ar_waits_q || m_arvalid);
      aw_stays : assert (!aw_waits_q || m_awvalid);
      w_stays : assert (!w_waits_q || (m_wvalid && m_wlast == wlast_q && m_wstrb == wstrb_q));
      data_belong_to_a_burst : assert (!m_wvalid || unwritten_q != '0);
      last_on_the_last_beat_alone : assert (!m_wvalid || m_wlast == (index_q == lens_q[0]));
      // The drain state
      ready_while_draining : assert (!draining || ((reads_q == '0 || m_rready) && (writes_q == '0 || m_bready)));
      data_flow_while_draining : assert (!draining || unwritten_q == '0 || m_wvalid);
      engines_beat_is_taken_once : assert (!wvalid_i || (wready == (m_wvalid && m_wready_i)));
      added_beats_write_nothing : assert (wvalid_i || m_wstrb == '0);
      drains_to_the_end : assert (!(flush_q && !flush) || (open_reads == '0 && open_writes == '0 &&
        unwritten_q == '0));
      passes_answers_otherwise : assert (draining || (m_rready == rready_i && m_bready == bready_i &&
        (m_wvalid == wvalid_i || unwritten_q == '0)));
      drains_after_every_event : assert (!flush || expired || soft_reset_i || draining);
      // The watchdog, in the cycle after it has counted its limit
      times_out_when_it_should : assert (expired == (expiring_q || faulty_q));
      owes_what_the_bus_owes : assert (guard_owed == (owed || m_wvalid));

      // The state of the design as the counts know it
      counts_agree : assert (count_t'(dut.reads_q) == reads_q && dut.aw_seen_q == aw_seen_q &&
        count_t'(dut.writes_q) == writes_q && dut.index_q == index_q);
      lengths_agree : assert (count_t'(dut.u_lengths.level_q) == unwritten_q);
      stillness_agrees : assert (dut.still_q == (limit_age_q > count_t'(StillMax) ? StillMax :
        LIMIT_W'(limit_age_q)));
      data_are_owed_by_bursts : assert (unwritten_q <= writes_q + count_t'(aw_seen_q));
      position_is_in_the_burst : assert ((unwritten_q != '0 && index_q <= lens_q[0]) || index_q == '0);
      waiting_beats_are_owed : assert (!w_waits_q || unwritten_q != '0);
      offers_are_seen : assert (aw_seen_q == aw_waits_q);

      stops_in_a_burst : cover (soft_reset_i && index_q != '0 && !wvalid_i && unwritten_q == 4'd2);
      drained : cover (flush_q && !flush && drained_write_q && drained_read_q);
      times_out : cover (expiring_q && reads_q != '0);
      faults : cover (faulty_q && !expiring_q && reads_q != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    settled_q       <= rst_ni && flush_q;
    drained_write_q <= rst_ni && draining && (drained_write_q || (w && !wvalid_i));
    drained_read_q  <= rst_ni && draining && (drained_read_q || r_last);
    expiring_q      <= rst_ni && owed && !moves && !flush && limit_i != '0 && limit_age_q >= count_t'(limit_i);
    faulty_q        <= rst_ni && fault_i && !flush;
  end

endmodule
