// SPDX-License-Identifier: Apache-2.0
// Writes rows over AXI. Rows are split into bursts; their beats come at a port of their own, in
// the same order. All bursts have the same identifier, so responses come in order. A row without
// beats marks the end of a command in the queue of bursts in flight. With discard_i, beats are
// sent with all strobes 0.
module fp8mac_dma_write
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned AXI_ADDR_W = 32,
  parameter int unsigned IN_FLIGHT  = 16,  // bursts
  parameter int unsigned BEATS      = 2    // beats waiting for the bus
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    bus_rst_ni,  // of the offers on AW, W, which rst_ni alone leaves until they are taken
  input  logic                    discard_i,

  input  logic                    row_valid_i,
  output logic                    row_ready_o,
  input  row_request_t            row_i,

  input  logic                    beat_valid_i,
  output logic                    beat_ready_o,
  input  logic [AXI_DATA_W-1:0]   beat_data_i,
  input  logic [AXI_DATA_W/8-1:0] beat_strb_i,

  // All writes of a command have been answered.
  output logic                    done_valid_o,
  output error_e                  done_error_o,  // the first error among its responses, also before done_valid_o
  input  logic                    done_ready_i,
  output logic                    fault_o,       // of fp8mac_fifo

  output logic [AXI_ADDR_W-1:0]   m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [AXI_DATA_W-1:0]   m_axi_wdata_o,
  output logic [AXI_DATA_W/8-1:0] m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o
);
  localparam int unsigned Beat     = AXI_DATA_W / 8;
  localparam int unsigned MaxBurst = 16;
  localparam int unsigned LenW     = $clog2(MaxBurst + 1);

  // ---- addresses --------------------------------------------------------------------------------
  logic            burst_valid, burst_ready, burst_none, push_aw, aw_free;
  addr_t           burst_addr;
  logic [LenW-1:0] burst_beats;
  logic            flight_full, flight_empty, flight_none, flight_pop;
  logic            lens_full, lens_empty, lens_pop;
  logic [LenW-1:0] len;

  fp8mac_burst_split #(.BEAT(Beat), .MAX_BURST(MaxBurst)) u_split (
    .clk_i,
    .rst_ni,
    .row_valid_i,
    .row_ready_o,
    .row_i,
    .meta_i       (1'b0),
    .burst_valid_o(burst_valid),
    .burst_ready_i(burst_ready),
    .burst_none_o (burst_none),
    .burst_addr_o (burst_addr),
    .burst_beats_o(burst_beats),
    .burst_start_o(),
    .meta_o       ()
  );

  logic            in_flight_fault, lens_fault, beats_fault;
  assign fault_o = in_flight_fault || lens_fault || beats_fault;

  logic            awvalid_q;
  addr_t           awaddr_q;
  logic [LenW-1:0] awbeats_q;

  assign aw_free     = !awvalid_q || m_axi_awready_i;
  assign burst_ready = !flight_full && (burst_none || (aw_free && !lens_full));
  assign push_aw     = burst_valid && burst_ready && !burst_none;

  always_ff @(posedge clk_i) begin
    if (!bus_rst_ni) awvalid_q <= 1'b0;
    else if (push_aw) awvalid_q <= 1'b1;
    else if (m_axi_awready_i) awvalid_q <= 1'b0;
    if (push_aw) begin
      awaddr_q  <= burst_addr;
      awbeats_q <= burst_beats;
    end
  end

  assign m_axi_awaddr_o  = AXI_ADDR_W'(awaddr_q);
  assign m_axi_awlen_o   = 8'(awbeats_q) - 8'd1;
  assign m_axi_awsize_o  = 3'($clog2(Beat));
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_awvalid_o = awvalid_q;

  fp8mac_fifo #(.T(logic), .DEPTH(IN_FLIGHT)) u_in_flight (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(burst_valid && burst_ready), .data_i(burst_none), .full_o(flight_full),
    .pop_i(flight_pop), .data_o(flight_none), .empty_o(flight_empty), .level_o(), .fault_o(in_flight_fault)
  );

  fp8mac_fifo #(.T(logic [LenW-1:0]), .DEPTH(IN_FLIGHT)) u_lens (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(push_aw), .data_i(burst_beats), .full_o(lens_full), .pop_i(lens_pop),
    .data_o(len), .empty_o(lens_empty), .level_o(), .fault_o(lens_fault)
  );

  // ---- data -------------------------------------------------------------------------------------
  typedef struct packed {
    logic [AXI_DATA_W/8-1:0] strb;
    logic [AXI_DATA_W-1:0]   data;
  } beat_t;

  beat_t           beat, wbeat_q;
  logic            beats_full, beats_empty, w_load, w_last;
  logic            wvalid_q, wlast_q;
  logic [LenW-1:0] sent_q;  // beats of the burst already loaded

  assign beat_ready_o = !beats_full;

  fp8mac_fifo #(.T(beat_t), .DEPTH(BEATS)) u_beats (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(beat_valid_i && beat_ready_o),
    .data_i(beat_t'{strb: beat_strb_i, data: beat_data_i}), .full_o(beats_full), .pop_i(w_load), .data_o(beat),
    .empty_o(beats_empty), .level_o(), .fault_o(beats_fault)
  );

  assign w_load   = !beats_empty && !lens_empty && (!wvalid_q || m_axi_wready_i);
  assign w_last   = sent_q + LenW'(1) == len;
  assign lens_pop = w_load && w_last;

  always_ff @(posedge clk_i) begin
    if (!bus_rst_ni) wvalid_q <= 1'b0;
    else if (w_load) wvalid_q <= 1'b1;
    else if (m_axi_wready_i) wvalid_q <= 1'b0;
    if (!rst_ni) sent_q <= '0;
    else if (w_load) sent_q <= w_last ? '0 : sent_q + LenW'(1);
    if (w_load) begin
      wbeat_q.data <= beat.data;
      wbeat_q.strb <= discard_i ? '0 : beat.strb;
      wlast_q      <= w_last;
    end
  end

  assign m_axi_wdata_o  = wbeat_q.data;
  assign m_axi_wstrb_o  = wbeat_q.strb;
  assign m_axi_wlast_o  = wlast_q;
  assign m_axi_wvalid_o = wvalid_q;

  // ---- responses --------------------------------------------------------------------------------
  error_e error_q;
  logic   answered;

  assign m_axi_bready_o = !flight_empty && !flight_none;
  assign answered       = m_axi_bvalid_i && m_axi_bready_o;
  assign done_valid_o   = !flight_empty && flight_none;
  assign done_error_o   = error_q;
  assign flight_pop     = answered || (done_valid_o && done_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || (done_valid_o && done_ready_i)) error_q <= ErrNone;
    else if (answered && m_axi_bresp_i[1] && error_q == ErrNone)
      error_q <= m_axi_bresp_i[0] ? ErrWriteDec : ErrWriteSlv;
  end

`ifndef SYNTHESIS
  aw_is_stable : assert property (@(posedge clk_i) disable iff (!bus_rst_ni)
    m_axi_awvalid_o && !m_axi_awready_i |=> m_axi_awvalid_o && $stable(m_axi_awaddr_o) && $stable(m_axi_awlen_o));
  w_is_stable : assert property (@(posedge clk_i) disable iff (!bus_rst_ni)
    m_axi_wvalid_o && !m_axi_wready_i |=> m_axi_wvalid_o && $stable(m_axi_wdata_o) && $stable(m_axi_wstrb_o) &&
    $stable(m_axi_wlast_o));
`endif
  no_page_is_crossed : assert property (@(posedge clk_i) disable iff (!bus_rst_ni)
    !m_axi_awvalid_o || 32'(m_axi_awaddr_o[11:0]) + (32'(m_axi_awlen_o) + 1) * Beat <= 4096);

endmodule
