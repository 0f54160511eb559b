// SPDX-License-Identifier: Apache-2.0
// fp8mac_dma_write between an engine that gives rows and their beats, and any legal AXI slave. The
// solver chooses one beat, one burst and one end of a command. The beat leaves once, in its turn,
// unchanged or, if discarded, without strobes. The burst has WLAST only on its last beat. The end
// is reported when all writes before it have been answered and none after it.
module formal_dma_write
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 16,
  parameter int unsigned IN_FLIGHT  = 2,
  parameter int unsigned BEATS      = 2,
  parameter bit          ADDRESSES  = 1'b0,  // only the rules of the address channel, for rows of any length
  localparam int unsigned Beat = AXI_DATA_W / 8
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  discard_i,
  input logic                  row_valid_i,
  input row_request_t          row_i,
  input logic                  beat_valid_i,
  input logic [AXI_DATA_W-1:0] beat_data_i,
  input logic [Beat-1:0]       beat_strb_i,
  input logic                  done_ready_i,
  input logic                  awready_i,
  input logic                  wready_i,
  input logic [1:0]            bresp_i,
  input logic                  bvalid_i,
  input logic                  mark_beat_i,
  input logic                  mark_burst_i,
  input logic                  mark_end_i
);
  logic                  row_ready, beat_ready, done_valid, awvalid, wvalid, wlast, bready;
  error_e                done_error;
  logic [31:0]           awaddr;
  logic [7:0]            awlen;
  logic [2:0]            awsize;
  logic [1:0]            awburst;
  logic [AXI_DATA_W-1:0] wdata;
  logic [Beat-1:0]       wstrb;

  fp8mac_dma_write #(.AXI_DATA_W(AXI_DATA_W), .IN_FLIGHT(IN_FLIGHT), .BEATS(BEATS)) dut (
    .clk_i, .rst_ni, .bus_rst_ni(rst_ni), .discard_i, .row_valid_i, .row_ready_o(row_ready), .row_i, .beat_valid_i,
    .beat_ready_o(beat_ready), .beat_data_i, .beat_strb_i, .done_valid_o(done_valid), .done_error_o(done_error),
    .done_ready_i, .m_axi_awaddr_o(awaddr), .m_axi_awlen_o(awlen), .m_axi_awsize_o(awsize),
    .m_axi_awburst_o(awburst), .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready_i), .m_axi_wdata_o(wdata),
    .m_axi_wstrb_o(wstrb), .m_axi_wlast_o(wlast), .m_axi_wvalid_o(wvalid), .m_axi_wready_i(wready_i),
    .m_axi_bresp_i(bresp_i), .m_axi_bvalid_i(bvalid_i), .m_axi_bready_o(bready)
  );

  formal_axi_address #(.BEAT(Beat)) u_aw (
    .clk_i, .rst_ni, .addr_i(awaddr), .len_i(awlen), .size_i(awsize), .burst_i(awburst), .valid_i(awvalid),
    .ready_i(awready_i)
  );
  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- what a beat on the bus keeps to ----------------------------------------------------------
  logic                  w_waits_q, wlast_q;
  logic [AXI_DATA_W-1:0] wdata_q;
  logic [Beat-1:0]       wstrb_q;

  always_ff @(posedge clk_i) begin
    w_waits_q <= rst_ni && wvalid && !wready_i;
    wlast_q   <= wlast;
    wdata_q   <= wdata;
    wstrb_q   <= wstrb;
  end

  always_comb begin
    if (rst_ni) begin
      rows_are_proper : assume (!row_valid_i || row_i.none || (row_i.beats != '0 && row_i.addr % Beat == 0));
      in_the_address_space : assume (!row_valid_i || row_i.none ||
        33'(row_i.addr) + 33'(row_i.beats) * Beat <= 33'h1_0000_0000);
      a_beat_stays : assert (!w_waits_q || (wvalid && wlast == wlast_q && wdata == wdata_q && wstrb == wstrb_q));
    end
  end

  // ---- counts -----------------------------------------------------------------------------------
  typedef logic [5:0] count_t;

  // A burst counts as promised from the first cycle in which its address is offered, because data
  // may come before the address is taken.
  logic   aw_seen_q, promise, aw_taken, moves, enters, answered, taken_end;
  count_t promised_q, moved_q;             // beats promised by bursts, beats that left
  count_t bursts_q, aw_taken_q, last_q, answered_q;
  count_t asked_q;                         // beats of the rows
  count_t inside_q;                        // beats given that have not yet left
  count_t ends_q;                          // ends given and not yet reported
  count_t length;

  assign promise   = awvalid && !aw_seen_q;
  assign aw_taken  = awvalid && awready_i;
  assign moves     = wvalid && wready_i;
  assign enters    = beat_valid_i && beat_ready;
  assign answered  = bvalid_i && bready;
  assign taken_end = row_valid_i && row_ready && row_i.none;
  assign length    = count_t'(awlen) + 1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_seen_q  <= 1'b0;
      promised_q <= '0;
      moved_q    <= '0;
      bursts_q   <= '0;
      aw_taken_q <= '0;
      last_q     <= '0;
      answered_q <= '0;
      asked_q    <= '0;
      inside_q   <= '0;
      ends_q     <= '0;
    end else begin
      aw_seen_q  <= awvalid && !awready_i;
      promised_q <= promised_q + (promise ? length : '0);
      moved_q    <= moved_q + count_t'(moves);
      bursts_q   <= bursts_q + count_t'(promise);
      aw_taken_q <= aw_taken_q + count_t'(aw_taken);
      last_q     <= last_q + count_t'(moves && wlast);
      answered_q <= answered_q + count_t'(answered);
      if (row_valid_i && row_ready && !row_i.none) asked_q <= asked_q + count_t'(row_i.beats);
      inside_q   <= inside_q + count_t'(enters) - count_t'(moves);
      ends_q     <= ends_q + count_t'(taken_end) - count_t'(done_valid && done_ready_i);
    end
  end

  // ---- what is followed -------------------------------------------------------------------------
  logic                  beat_held_q, beat_discarded_q, burst_held_q, end_held_q;
  count_t                beat_ahead_q, burst_first_q, burst_last_q;
  logic [AXI_DATA_W-1:0] data_q;
  logic [Beat-1:0]       strb_q;
  count_t                end_ahead_q, end_asked_q, end_bursts_q;
  error_e                error_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_held_q  <= 1'b0;
      burst_held_q <= 1'b0;
      end_held_q   <= 1'b0;
      error_q      <= ErrNone;
    end else begin
      if (!beat_held_q) begin
        beat_held_q      <= enters && mark_beat_i;
        beat_ahead_q     <= inside_q - count_t'(moves);
        data_q           <= beat_data_i;
        strb_q           <= beat_strb_i;
        beat_discarded_q <= 1'b0;
      end else begin
        if (discard_i) beat_discarded_q <= 1'b1;
        if (moves) begin
          beat_held_q  <= beat_ahead_q != '0;
          beat_ahead_q <= beat_ahead_q - 1;
        end
      end

      // Numbers of its beats among all
      if (!burst_held_q && promise && mark_burst_i) begin
        burst_held_q  <= 1'b1;
        burst_first_q <= promised_q;
        burst_last_q  <= promised_q + length - 1;
      end

      if (!end_held_q) begin
        end_held_q   <= taken_end && mark_end_i;
        end_ahead_q  <= ends_q - count_t'(done_valid && done_ready_i);
        end_asked_q  <= asked_q;
        end_bursts_q <= bursts_q + count_t'(promise && promised_q < asked_q);
      end else begin
        if (promise && promised_q < end_asked_q) end_bursts_q <= end_bursts_q + 1;
        if (done_valid && done_ready_i) begin
          end_held_q  <= end_ahead_q != '0;
          end_ahead_q <= end_ahead_q - 1;
        end
      end

      if (done_valid && done_ready_i) error_q <= ErrNone;
      else if (answered && error_q == ErrNone) begin
        if (bresp_i == 2'b10) error_q <= ErrWriteSlv;
        if (bresp_i == 2'b11) error_q <= ErrWriteDec;
      end
    end
  end

  if (ADDRESSES) begin : g_addresses
    always_comb begin
      if (rst_ni && dut.u_split.busy_q && !dut.u_split.row_q.none) begin
        rest_is_proper : assert (dut.u_split.row_q.addr % Beat == 0 && dut.u_split.row_q.beats != '0);
      end
    end
  end else begin : g_beats
    always_comb begin
      if (rst_ni) begin
        rows_are_short : assume (!row_valid_i || row_i.none || row_i.beats < 4);
        few_rows : assume (!row_valid_i || asked_q < 6'd50);
        answers_a_whole_burst : assume (!bvalid_i || (answered_q < aw_taken_q && answered_q < last_q));

        data_after_its_address : assert (!wvalid || moved_q < promised_q);
        last_on_the_last_beat_alone : assert (!(wvalid && burst_held_q && moved_q >= burst_first_q &&
          moved_q <= burst_last_q) || wlast == (moved_q == burst_last_q));
        as_many_lasts_as_bursts : assert (last_q <= bursts_q && (moved_q != promised_q || last_q == bursts_q));
        beats_are_not_invented : assert (!wvalid || inside_q != '0);
        beat_is_unchanged : assert (!(wvalid && beat_held_q && beat_ahead_q == '0) ||
          (wdata == data_q && (wstrb == strb_q || (wstrb == '0 && beat_discarded_q))));
        no_room_is_wasted : assert (beat_ready || 32'(inside_q) >= BEATS);
        always_ready_for_an_answer : assert (answered_q == aw_taken_q || bready || done_valid);
        an_end_is_after_its_answers : assert (!(done_valid && end_held_q && end_ahead_q == '0) ||
          (promised_q >= end_asked_q && answered_q == end_bursts_q));
        no_answer_passes_an_end : assert (!(answered && end_held_q) || answered_q < end_bursts_q ||
                                          promised_q < end_asked_q);
        no_end_but_owed : assert (!done_valid || ends_q != '0);
        first_error_is_told : assert (done_error == error_q);

        data_before_the_address_is_taken : cover (moves && aw_taken_q == last_q && awvalid && wlast);
        a_page_cuts_a_burst : cover (moves && burst_held_q && moved_q == burst_last_q && moved_q + 1 < asked_q &&
                                     burst_first_q != '0);
        a_discarded_beat : cover (moves && beat_held_q && beat_ahead_q == '0 && wstrb == '0 && strb_q == '1);
        an_end_with_an_error : cover (done_valid && end_held_q && done_error == ErrWriteDec && end_bursts_q != '0);
      end
    end
  end

endmodule
