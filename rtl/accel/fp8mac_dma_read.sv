// SPDX-License-Identifier: Apache-2.0
// Reads rows over AXI. One address generator issues bursts. A queue of the bursts in flight tells
// the data side where beats go. All bursts have the same identifier, so data come in the order of
// addresses. A row without beats ends a command: done_valid_o rises after the command's last beat,
// with the first error among the command's responses. The rows of a descriptor (DestCommand), of a
// table, of C and of X may come in between. Their errors come with the beats.
//
// Bursts of an image (DestImage) are short, and fp8mac_image_align knows where their beats go. So
// more of them can be in flight than of others: a queue of one bit for each burst tells whether it
// is one of them, and the destinations of the others are in a queue of their own.
module fp8mac_dma_read
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned AXI_ADDR_W = 32,
  parameter int unsigned IN_FLIGHT  = 8,         // bursts
  parameter int unsigned DESTS      = IN_FLIGHT  // of them, those that are not of an image
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  bus_rst_ni,  // of the offer on AR: rst_ni alone leaves it until it is taken

  input  logic                  row_valid_i,
  output logic                  row_ready_o,
  input  row_request_t          row_i,
  input  read_dest_t            dest_i,

  // Beats, in the order in which they arrive. beat_dest_o is that of the next beat, if there is
  // one. Of an image it has the kind alone.
  output logic                  beat_valid_o,
  output logic                  beat_offered_o,  // it is there, taken or not: for receivers that wait for it
  input  logic                  beat_ready_i,  // the receiver takes the next beat
  output read_dest_t            beat_dest_o,
  output logic [AXI_DATA_W-1:0] beat_data_o,
  output error_e                beat_error_o,

  output logic                  done_valid_o,
  input  logic                  done_ready_i,  // what the command's beats lead to has come to the memories
  output error_e                done_error_o,
  output logic                  fault_o,       // of fp8mac_fifo

  output logic [AXI_ADDR_W-1:0] m_axi_araddr_o,
  output logic [7:0]            m_axi_arlen_o,
  output logic [2:0]            m_axi_arsize_o,
  output logic [1:0]            m_axi_arburst_o,
  output logic                  m_axi_arvalid_o,
  input  logic                  m_axi_arready_i,
  input  logic [AXI_DATA_W-1:0] m_axi_rdata_i,
  input  logic [1:0]            m_axi_rresp_i,
  input  logic                  m_axi_rlast_i,
  input  logic                  m_axi_rvalid_i,
  output logic                  m_axi_rready_o
);
  localparam int unsigned Beat     = AXI_DATA_W / 8;
  localparam int unsigned MaxBurst = 16;
  localparam int unsigned LenW     = $clog2(MaxBurst + 1);

  typedef struct packed {
    logic       none;
    logic       row_final;  // the last burst of its row
    read_dest_t dest;
  } in_flight_t;

  // ---- addresses --------------------------------------------------------------------------------
  logic            burst_valid, burst_ready, burst_none, push, full, dests_full, empty, dests_empty, pop;
  addr_t           burst_addr;
  logic [LenW-1:0] burst_beats;
  dim_t            burst_start;
  read_dest_t      row_dest;
  in_flight_t      pushed, head, oldest;
  logic            image, head_is_image;  // the burst has no place among the destinations
  logic            in_flight_fault, order_fault;

  fp8mac_burst_split #(.BEAT(Beat), .MAX_BURST(MaxBurst), .META_T(read_dest_t)) u_split (
    .clk_i,
    .rst_ni,
    .row_valid_i,
    .row_ready_o,
    .row_i,
    .meta_i       (dest_i),
    .burst_valid_o(burst_valid),
    .burst_ready_i(burst_ready),
    .burst_none_o (burst_none),
    .burst_addr_o (burst_addr),
    .burst_beats_o(burst_beats),
    .burst_start_o(burst_start),
    .meta_o       (row_dest)
  );

  logic            ar_free;
  logic            arvalid_q;
  addr_t           araddr_q;
  logic [LenW-1:0] arbeats_q;

  assign ar_free     = !arvalid_q || m_axi_arready_i;
  assign burst_ready = !full && (burst_none || ar_free);
  assign push        = burst_valid && burst_ready;

  always_ff @(posedge clk_i) begin
    if (!bus_rst_ni) arvalid_q <= 1'b0;
    else if (push && !burst_none) arvalid_q <= 1'b1;
    else if (m_axi_arready_i) arvalid_q <= 1'b0;
    if (push && !burst_none) begin
      araddr_q  <= burst_addr;
      arbeats_q <= burst_beats;
    end
  end

  assign m_axi_araddr_o  = AXI_ADDR_W'(araddr_q);
  assign m_axi_arlen_o   = 8'(arbeats_q) - 8'd1;
  assign m_axi_arsize_o  = 3'($clog2(Beat));
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_arvalid_o = arvalid_q;

  always_comb begin
    // Once its last burst is taken, the splitter is ready for the next row.
    pushed           = '{none: burst_none, row_final: row_ready_o, dest: row_dest};
    pushed.dest.word = row_dest.word + burst_start;
  end

  fp8mac_fifo #(.T(in_flight_t), .DEPTH(DESTS)) u_in_flight (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(push && !image), .data_i(pushed), .full_o(dests_full),
    .pop_i(pop && !head_is_image), .data_o(oldest), .empty_o(dests_empty), .level_o(), .fault_o(in_flight_fault)
  );

  if (IN_FLIGHT > DESTS) begin : g_images
    logic order_full;
    assign image = !burst_none && row_dest.kind == DestImage;
    assign full  = order_full || (!image && dests_full);
    fp8mac_fifo #(.T(logic), .DEPTH(IN_FLIGHT)) u_order (
      .clk_i, .rst_ni, .flush_i(1'b0), .push_i(push), .data_i(image), .full_o(order_full), .pop_i(pop),
      .data_o(head_is_image), .empty_o(empty), .level_o(), .fault_o(order_fault)
    );
    logic unused_empty;
    assign unused_empty = dests_empty;
  end else begin : g_no_images
    assign image         = 1'b0;
    assign head_is_image = 1'b0;
    assign full          = dests_full;
    assign order_fault   = 1'b0;
    assign empty         = dests_empty;
  end

  assign fault_o = in_flight_fault || order_fault;

  always_comb begin
    head = oldest;
    if (head_is_image) begin
      head.none      = 1'b0;
      head.dest.kind = DestImage;
    end
  end

  // ---- data -------------------------------------------------------------------------------------
  logic   beat, own_error;
  dim_t   beats_q;  // beats of the oldest burst that have arrived
  error_e error_q, error, beat_error;

  assign beat_error = !m_axi_rresp_i[1] ? ErrNone : m_axi_rresp_i[0] ? ErrReadDec : ErrReadSlv;

  assign m_axi_rready_o = !empty && !head.none && beat_ready_i;
  assign beat           = m_axi_rvalid_i && m_axi_rready_o;
  assign done_valid_o   = !empty && head.none && done_ready_i;
  assign done_error_o   = error_q;
  assign pop            = done_valid_o || (beat && m_axi_rlast_i);

  assign own_error = head.dest.kind inside {DestCommand, DestTable, DestC, DestX};

  always_comb begin
    error = error_q;
    if (done_valid_o) error = ErrNone;
    else if (beat && !own_error && error_q == ErrNone) error = beat_error;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beats_q <= '0;
      error_q <= ErrNone;
    end else begin
      if (beat) beats_q <= m_axi_rlast_i ? '0 : beats_q + dim_t'(1);
      error_q <= error;
    end
  end

  assign beat_valid_o   = beat;
  assign beat_offered_o = m_axi_rvalid_i && !empty && !head.none;
  assign beat_data_o    = m_axi_rdata_i;
  assign beat_error_o   = beat_error;
  always_comb begin
    beat_dest_o      = head.dest;
    beat_dest_o.word = head.dest.word + beats_q;
    beat_dest_o.last = head.row_final && m_axi_rlast_i;
  end

`ifndef SYNTHESIS
  ar_is_stable : assert property (@(posedge clk_i) disable iff (!bus_rst_ni)
    m_axi_arvalid_o && !m_axi_arready_i |=> m_axi_arvalid_o && $stable(m_axi_araddr_o) && $stable(m_axi_arlen_o));
`endif
  no_page_is_crossed : assert property (@(posedge clk_i) disable iff (!bus_rst_ni)
    !m_axi_arvalid_o || 32'(m_axi_araddr_o[11:0]) + (32'(m_axi_arlen_o) + 1) * Beat <= 4096);

endmodule
