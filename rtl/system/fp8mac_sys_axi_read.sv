// SPDX-License-Identifier: Apache-2.0
// AXI4 read channels of the RAM. Bursts wait in a queue. Their beats are read in order, one a
// cycle.
//
// The queue takes as many as the accelerator has in flight. latency_i stands for the way to a
// memory that is far, whose stages hold addresses, too. With a shorter queue it would be the queue
// that limits short bursts, not the latency.
//
// Without stalls the first beat comes 3 + latency_i cycles after its address. The others follow
// without a gap, also from burst to burst. Burst types other than INCR, and beats narrower than the
// bus, are answered with SLVERR.
module fp8mac_sys_axi_read
  import fp8mac_sys_pkg::*;
#(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned ID_W   = 4,
  parameter int unsigned DEPTH  = 32   // bursts that may wait
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [7:0]          latency_i,
  input  logic                stall_ar_i,
  input  logic                stall_r_i,

  input  logic [ID_W-1:0]     arid_i,
  input  logic [31:0]         araddr_i,
  input  logic [7:0]          arlen_i,
  input  logic [2:0]          arsize_i,
  input  logic [1:0]          arburst_i,
  input  logic                arvalid_i,
  output logic                arready_o,
  output logic [ID_W-1:0]     rid_o,
  output logic [DATA_W-1:0]   rdata_o,
  output logic [1:0]          rresp_o,
  output logic                rlast_o,
  output logic                rvalid_o,
  input  logic                rready_i,

  output logic                ram_valid_o,
  output logic [RamAddrW-1:0] ram_addr_o,
  input  logic [DATA_W-1:0]   ram_rdata_i,   // in the cycle after ram_valid_o

  output logic                idle_o         // there is no burst
);

  localparam int unsigned BeatOffset = $clog2(DATA_W / 8);
  localparam int unsigned AgeW       = 16;
  localparam int unsigned BeatDepth  = 4;    // covers the latency from issue to R, so that beats follow without a gap

  typedef struct packed {
    logic [ID_W-1:0]     id;
    logic [RamAddrW-1:0] addr;
    logic [7:0]          len;
    axi_resp_e           resp;
    logic [AgeW-1:0]     arrival;
  } burst_t;

  typedef struct packed {
    logic [ID_W-1:0]   id;
    logic              last;
    axi_resp_e         resp;
    logic [DATA_W-1:0] data;
  } beat_t;

  // Bursts
  logic [AgeW-1:0] now_q;
  burst_t burst_in, burst;
  logic bursts_full, bursts_empty, burst_done, supported;
  logic [$clog2(DEPTH+1)-1:0] unused_bursts_level;

  assign supported = arburst_i == AxiIncr && arsize_i == 3'(BeatOffset);
  assign burst_in  = '{id: arid_i, addr: araddr_i[RamAddrW-1:0], len: arlen_i,
                       resp: axi_decode(araddr_i, supported), arrival: now_q};
  assign arready_o = !bursts_full && !stall_ar_i;

  fp8mac_fifo #(.T(burst_t), .DEPTH(DEPTH)) u_bursts (
    .clk_i, .rst_ni, .flush_i(1'b0),
    .push_i(arvalid_i && arready_o), .data_i(burst_in), .full_o(bursts_full),
    .pop_i(burst_done), .data_o(burst), .empty_o(bursts_empty), .level_o(unused_bursts_level), .fault_o()
  );

  // Issue: a beat is read only when a place for it is free behind R.
  localparam int unsigned LevelW = $clog2(BeatDepth + 1);
  logic [LevelW-1:0] beats_level;
  logic [7:0] index_q;
  logic [AgeW-1:0] age;
  logic issue, issued_q, last, last_q;
  logic [ID_W-1:0] id_q;
  axi_resp_e resp_q;

  assign age         = now_q - burst.arrival;
  assign issue       = !bursts_empty && age > AgeW'(latency_i) && beats_level + LevelW'(issued_q) < LevelW'(BeatDepth);
  assign last        = index_q == burst.len;
  assign burst_done  = issue && last;
  assign ram_valid_o = issue && burst.resp == AxiOkay;
  assign ram_addr_o  = burst.addr + (RamAddrW'(index_q) << BeatOffset);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q    <= '0;
      index_q  <= '0;
      issued_q <= 1'b0;
    end else begin
      now_q    <= now_q + 1'b1;
      issued_q <= issue;
      if (issue) index_q <= last ? '0 : index_q + 1'b1;
    end
    id_q   <= burst.id;
    last_q <= last;
    resp_q <= burst.resp;
  end

  // R: a beat that is shown stays until it is taken.
  beat_t beat_in, beat;
  logic unused_beats_full, beats_empty, shown_q;

  assign beat_in = '{id: id_q, last: last_q, resp: resp_q, data: resp_q == AxiOkay ? ram_rdata_i : '0};

  fp8mac_fifo #(.T(beat_t), .DEPTH(BeatDepth)) u_beats (
    .clk_i, .rst_ni, .flush_i(1'b0),
    .push_i(issued_q), .data_i(beat_in), .full_o(unused_beats_full),
    .pop_i(rvalid_o && rready_i), .data_o(beat), .empty_o(beats_empty), .level_o(beats_level), .fault_o()
  );

  assign idle_o   = bursts_empty && beats_empty && !issued_q;
  assign rvalid_o = !beats_empty && (shown_q || !stall_r_i);
  assign rid_o    = beat.id;
  assign rlast_o  = beat.last;
  assign rresp_o  = beat.resp;
  assign rdata_o  = beat.data;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) shown_q <= 1'b0;
    else         shown_q <= rvalid_o && !rready_i;
  end

endmodule
