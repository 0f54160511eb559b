// SPDX-License-Identifier: Apache-2.0
// AXI4 write channels of the RAM. Beats are taken in order, one a cycle, once their burst's address
// is known. The response follows the last beat by 1 + latency_i cycles. Beats of a burst that
// axi_decode rejects are taken and dropped.
module fp8mac_sys_axi_write
  import fp8mac_sys_pkg::*;
#(
  parameter int unsigned DATA_W = 128,
  parameter int unsigned ID_W   = 4,
  parameter int unsigned DEPTH  = 16   // bursts, and responses, that may wait: as many as the accelerator sends
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [7:0]          latency_i,
  input  logic                stall_aw_i,
  input  logic                stall_w_i,
  input  logic                stall_b_i,

  input  logic [ID_W-1:0]     awid_i,
  input  logic [31:0]         awaddr_i,
  input  logic [7:0]          awlen_i,
  input  logic [2:0]          awsize_i,
  input  logic [1:0]          awburst_i,
  input  logic                awvalid_i,
  output logic                awready_o,
  input  logic                wvalid_i,
  output logic                wready_o,
  output logic [ID_W-1:0]     bid_o,
  output logic [1:0]          bresp_o,
  output logic                bvalid_o,
  input  logic                bready_i,

  output logic                ram_valid_o,   // W's data and strobes go to this address now
  output logic [RamAddrW-1:0] ram_addr_o,

  output logic                idle_o         // there is no burst
);

  localparam int unsigned BeatOffset = $clog2(DATA_W / 8);
  localparam int unsigned LevelW     = $clog2(DEPTH + 1);
  localparam int unsigned AgeW       = 16;

  typedef struct packed {
    logic [ID_W-1:0]     id;
    logic [RamAddrW-1:0] addr;
    logic [7:0]          len;
    axi_resp_e           resp;
  } burst_t;

  typedef struct packed {
    logic [ID_W-1:0] id;
    axi_resp_e       resp;
    logic [AgeW-1:0] arrival;
  } answer_t;

  // Bursts
  burst_t burst_in, burst;
  logic bursts_full, bursts_empty, burst_done, supported;
  logic [LevelW-1:0] unused_bursts_level;

  assign supported = awburst_i == AxiIncr && awsize_i == 3'(BeatOffset);
  assign burst_in  = '{id: awid_i, addr: awaddr_i[RamAddrW-1:0], len: awlen_i,
                       resp: axi_decode(awaddr_i, supported)};
  assign awready_o = !bursts_full && !stall_aw_i;

  fp8mac_fifo #(.T(burst_t), .DEPTH(DEPTH)) u_bursts (
    .clk_i, .rst_ni, .flush_i(1'b0),
    .push_i(awvalid_i && awready_o), .data_i(burst_in), .full_o(bursts_full),
    .pop_i(burst_done), .data_o(burst), .empty_o(bursts_empty), .level_o(unused_bursts_level), .fault_o()
  );

  // Beats
  logic [7:0] index_q;
  logic answers_full, take, last;

  assign wready_o    = !bursts_empty && !answers_full && !stall_w_i;
  assign take        = wvalid_i && wready_o;
  assign last        = index_q == burst.len;
  assign burst_done  = take && last;
  assign ram_valid_o = take && burst.resp == AxiOkay;
  assign ram_addr_o  = burst.addr + (RamAddrW'(index_q) << BeatOffset);

  // Responses: one that is shown stays until it is taken.
  logic [AgeW-1:0] now_q, age;
  answer_t answer_in, answer;
  logic answers_empty, shown_q;
  logic [LevelW-1:0] unused_answers_level;

  assign answer_in = '{id: burst.id, resp: burst.resp, arrival: now_q};

  fp8mac_fifo #(.T(answer_t), .DEPTH(DEPTH)) u_answers (
    .clk_i, .rst_ni, .flush_i(1'b0),
    .push_i(burst_done), .data_i(answer_in), .full_o(answers_full),
    .pop_i(bvalid_o && bready_i), .data_o(answer), .empty_o(answers_empty), .level_o(unused_answers_level), .fault_o()
  );

  assign idle_o   = bursts_empty && answers_empty;
  assign age      = now_q - answer.arrival;
  assign bvalid_o = !answers_empty && (shown_q || (age > AgeW'(latency_i) && !stall_b_i));
  assign bid_o    = answer.id;
  assign bresp_o  = answer.resp;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q   <= '0;
      index_q <= '0;
      shown_q <= 1'b0;
    end else begin
      now_q   <= now_q + 1'b1;
      shown_q <= bvalid_o && !bready_i;
      if (take) index_q <= last ? '0 : index_q + 1'b1;
    end
  end

endmodule
