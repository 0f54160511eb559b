// SPDX-License-Identifier: Apache-2.0
// A memory behind an AXI4 slave that serves one burst at a time, and a plain port for the
// host. Addresses wrap.
module axi_ram #(
  parameter int unsigned DATA_W = 64,
  parameter int unsigned ADDR_W = 32,
  parameter int unsigned ID_W   = 4,
  parameter int unsigned WORDS  = 1024  // of DATA_W bits; a power of two
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // AXI4 write
  input  logic [ID_W-1:0]     awid_i,
  input  logic [ADDR_W-1:0]   awaddr_i,
  input  logic                awvalid_i,
  output logic                awready_o,
  input  logic [DATA_W-1:0]   wdata_i,
  input  logic [DATA_W/8-1:0] wstrb_i,
  input  logic                wlast_i,
  input  logic                wvalid_i,
  output logic                wready_o,
  output logic [ID_W-1:0]     bid_o,
  output logic                bvalid_o,
  input  logic                bready_i,

  // AXI4 read
  input  logic [ID_W-1:0]     arid_i,
  input  logic [ADDR_W-1:0]   araddr_i,
  input  logic [7:0]          arlen_i,
  input  logic                arvalid_i,
  output logic                arready_o,
  output logic [ID_W-1:0]     rid_o,
  output logic [DATA_W-1:0]   rdata_o,
  output logic                rlast_o,
  output logic                rvalid_o,
  input  logic                rready_i,

  // Host: one word per cycle, written at the edge, read in the same cycle
  input  logic                host_we_i,
  input  logic [ADDR_W-1:0]   host_addr_i,
  input  logic [DATA_W-1:0]   host_wdata_i,
  output logic [DATA_W-1:0]   host_rdata_o
);
  localparam int unsigned ByteW  = $clog2(DATA_W / 8);
  localparam int unsigned IndexW = $clog2(WORDS);

  typedef logic [IndexW-1:0] index_t;

  // Of an address in bytes, which is a multiple of a word's.
  function automatic index_t index(logic [ADDR_W-1:0] addr);
    return index_t'(addr >> ByteW);
  endfunction

  logic [DATA_W-1:0] mem_q [WORDS];

  // ---- write: the address, its beats, the answer ------------------------------------------------
  typedef enum logic [1:0] {WriteIdle, WriteData, WriteAnswer} write_e;

  write_e          write_q;
  index_t          windex_q, host_index;
  logic [ID_W-1:0] bid_q;

  assign awready_o = write_q == WriteIdle;
  assign wready_o  = write_q == WriteData;
  assign bvalid_o  = write_q == WriteAnswer;
  assign bid_o     = bid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= WriteIdle;
    end else begin
      unique case (write_q)
        WriteIdle:   if (awvalid_i) write_q <= WriteData;
        WriteData:   if (wvalid_i && wlast_i) write_q <= WriteAnswer;
        WriteAnswer: if (bready_i) write_q <= WriteIdle;
        default:     write_q <= WriteIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (awvalid_i && awready_o) begin
      windex_q <= index(awaddr_i);
      bid_q    <= awid_i;
    end else if (wvalid_i && wready_o) begin
      windex_q <= windex_q + index_t'(1);
    end
  end

  assign host_index = index(host_addr_i);

  always_ff @(posedge clk_i) begin
    if (host_we_i) begin
      mem_q[host_index] <= host_wdata_i;
    end else if (wvalid_i && wready_o) begin
      for (int unsigned i = 0; i < DATA_W / 8; i++) begin
        if (wstrb_i[i]) mem_q[windex_q][8*i +: 8] <= wdata_i[8*i +: 8];
      end
    end
  end

  // ---- read: the address, its beats -------------------------------------------------------------
  logic            reading_q;
  index_t          rindex_q;
  logic [7:0]      rleft_q;  // beats after this one
  logic [ID_W-1:0] rid_q;

  assign arready_o = !reading_q;
  assign rvalid_o  = reading_q;
  assign rdata_o   = mem_q[rindex_q];
  assign rlast_o   = rleft_q == 8'd0;
  assign rid_o     = rid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
    end else if (arvalid_i && arready_o) begin
      reading_q <= 1'b1;
    end else if (rready_i && rlast_o) begin
      reading_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (arvalid_i && arready_o) begin
      rindex_q <= index(araddr_i);
      rleft_q  <= arlen_i;
      rid_q    <= arid_i;
    end else if (rvalid_o && rready_i) begin
      rindex_q <= rindex_q + index_t'(1);
      rleft_q  <= rleft_q - 8'd1;
    end
  end

  assign host_rdata_o = mem_q[host_index];

endmodule
