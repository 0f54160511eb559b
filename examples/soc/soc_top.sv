// SPDX-License-Identifier: Apache-2.0
// The smallest system around the accelerator: a host writes commands over APB, and the accelerator
// reads and writes one memory over AXI4. The host reaches the same memory through a plain port.
module soc_top #(
  parameter int unsigned ROWS       = 2,
  parameter int unsigned COLS       = 2,
  parameter int unsigned LANES      = 4,
  parameter int unsigned AXI_DATA_W = 64,
  parameter int unsigned RAM_WORDS  = 1024
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // APB4: the registers of the accelerator
  input  logic                  psel_i,
  input  logic                  penable_i,
  input  logic                  pwrite_i,
  input  logic [11:0]           paddr_i,
  input  logic [31:0]           pwdata_i,
  output logic                  pready_o,
  output logic [31:0]           prdata_o,
  output logic                  pslverr_o,
  output logic                  irq_o,

  // Memory, for the host
  input  logic                  mem_we_i,
  input  logic [31:0]           mem_addr_i,
  input  logic [AXI_DATA_W-1:0] mem_wdata_i,
  output logic [AXI_DATA_W-1:0] mem_rdata_o
);
  localparam int unsigned AddrW = 32;
  localparam int unsigned IdW   = 4;

  logic [IdW-1:0]          awid, bid, arid, rid;
  logic [AddrW-1:0]        awaddr, araddr;
  logic [7:0]              awlen, arlen;
  logic [2:0]              awsize, arsize;
  logic [1:0]              awburst, arburst;
  logic [2:0]              awprot, arprot;
  logic [3:0]              awcache, awqos, arcache, arqos;
  logic                    awvalid, awready, arvalid, arready;
  logic [AXI_DATA_W-1:0]   wdata, rdata;
  logic [AXI_DATA_W/8-1:0] wstrb;
  logic                    wlast, wvalid, wready, bvalid, bready, rlast, rvalid, rready;

  fp8mac_accel #(
    .ROWS      (ROWS),
    .COLS      (COLS),
    .LANES     (LANES),
    .AXI_DATA_W(AXI_DATA_W),
    .AXI_ADDR_W(AddrW),
    .AXI_ID_W  (IdW)
  ) u_accel (
    .clk_i,
    .rst_ni,
    .psel_i,
    .penable_i,
    .pwrite_i,
    .pprot_i        (3'b000),  // secure, as the DMA's AXI_PROT is. A bus with PPROT passes it on
    .paddr_i,
    .pwdata_i,
    .pstrb_i        ('1),
    .pready_o,
    .prdata_o,
    .pslverr_o,
    .m_axi_awid_o   (awid),
    .m_axi_awaddr_o (awaddr),
    .m_axi_awlen_o  (awlen),
    .m_axi_awsize_o (awsize),
    .m_axi_awburst_o(awburst),
    .m_axi_awprot_o (awprot),
    .m_axi_awcache_o(awcache),
    .m_axi_awqos_o  (awqos),
    .m_axi_awvalid_o(awvalid),
    .m_axi_awready_i(awready),
    .m_axi_wdata_o  (wdata),
    .m_axi_wstrb_o  (wstrb),
    .m_axi_wlast_o  (wlast),
    .m_axi_wvalid_o (wvalid),
    .m_axi_wready_i (wready),
    .m_axi_bid_i    (bid),
    .m_axi_bresp_i  (2'b00),
    .m_axi_bvalid_i (bvalid),
    .m_axi_bready_o (bready),
    .m_axi_arid_o   (arid),
    .m_axi_araddr_o (araddr),
    .m_axi_arlen_o  (arlen),
    .m_axi_arsize_o (arsize),
    .m_axi_arburst_o(arburst),
    .m_axi_arprot_o (arprot),
    .m_axi_arcache_o(arcache),
    .m_axi_arqos_o  (arqos),
    .m_axi_arvalid_o(arvalid),
    .m_axi_arready_i(arready),
    .m_axi_rid_i    (rid),
    .m_axi_rdata_i  (rdata),
    .m_axi_rresp_i  (2'b00),
    .m_axi_rlast_i  (rlast),
    .m_axi_rvalid_i (rvalid),
    .m_axi_rready_o (rready),
    .irq_o
  );

  axi_ram #(
    .DATA_W(AXI_DATA_W),
    .ADDR_W(AddrW),
    .ID_W  (IdW),
    .WORDS (RAM_WORDS)
  ) u_ram (
    .clk_i,
    .rst_ni,
    .awid_i      (awid),
    .awaddr_i    (awaddr),
    .awvalid_i   (awvalid),
    .awready_o   (awready),
    .wdata_i     (wdata),
    .wstrb_i     (wstrb),
    .wlast_i     (wlast),
    .wvalid_i    (wvalid),
    .wready_o    (wready),
    .bid_o       (bid),
    .bvalid_o    (bvalid),
    .bready_i    (bready),
    .arid_i      (arid),
    .araddr_i    (araddr),
    .arlen_i     (arlen),
    .arvalid_i   (arvalid),
    .arready_o   (arready),
    .rid_o       (rid),
    .rdata_o     (rdata),
    .rlast_o     (rlast),
    .rvalid_o    (rvalid),
    .rready_i    (rready),
    .host_we_i   (mem_we_i),
    .host_addr_i (mem_addr_i),
    .host_wdata_i(mem_wdata_i),
    .host_rdata_o(mem_rdata_o)
  );

  // The memory takes what the accelerator always sends: incrementing bursts of whole beats,
  // whose last beat is marked.
  logic unused;
  assign unused = ^{awlen, awsize, awburst, awprot, awcache, awqos, arsize, arburst, arprot, arcache, arqos};

endmodule
