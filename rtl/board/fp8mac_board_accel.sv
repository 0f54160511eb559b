// SPDX-License-Identifier: Apache-2.0
// The minimal accelerator of a board, with its registers' bus and the AXI slave in front of
// the RAM. The simulated chip has the same in fp8mac_sys_accel, with stalls and checkers
// that are not synthesised.
module fp8mac_board_accel
  import fp8mac_sys_pkg::*;
  import fp8mac_catalogue_pkg::*;
#(
  parameter int unsigned ROWS       = 2,
  parameter int unsigned COLS       = 2,
  parameter int unsigned LANES      = 8,
  parameter int unsigned AXI_DATA_W = 64,
  parameter int unsigned ELEMENT    = ElementBlock,
  parameter int unsigned FRAC_BITS  = element_default_frac_bits(ELEMENT),
  parameter int unsigned TILES      = 256,
  parameter int unsigned BUF_BEATS  = 256,
  parameter int unsigned MAX_MN     = 128
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // Registers: accesses as fp8mac_sys_apb takes them
  input  logic                    valid_i,
  input  core_req_t               req_i,
  output logic                    done_o,
  output logic [31:0]             rdata_o,
  output logic                    err_o,
  output logic                    irq_o,

  // RAM: one beat a cycle in each direction
  output logic                    ram_read_valid_o,
  output logic [RamAddrW-1:0]     ram_read_addr_o,
  input  logic [AXI_DATA_W-1:0]   ram_rdata_i,        // in the cycle after ram_read_valid_o
  output logic                    ram_write_valid_o,
  output logic [RamAddrW-1:0]     ram_write_addr_o,
  output logic [AXI_DATA_W-1:0]   ram_wdata_o,
  output logic [AXI_DATA_W/8-1:0] ram_wstrb_o
);

  localparam int unsigned IdW = 4;
  localparam logic [2:0] CoreProt = 3'b001;  // data, secure, privileged: as in the simulated chip

  logic psel, penable, pwrite, pready, pslverr;
  logic [11:0] paddr;
  logic [31:0] pwdata, prdata;
  logic [3:0] pstrb;

  fp8mac_sys_apb u_apb (
    .clk_i, .rst_ni,
    .valid_i, .req_i, .done_o, .rdata_o, .err_o,
    .psel_o(psel), .penable_o(penable), .pwrite_o(pwrite), .paddr_o(paddr), .pwdata_o(pwdata), .pstrb_o(pstrb),
    .pready_i(pready), .prdata_i(prdata), .pslverr_i(pslverr)
  );

  logic [IdW-1:0] awid, bid, arid, rid;
  logic [31:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [2:0] awsize, arsize;
  logic [1:0] awburst, arburst, bresp, rresp;
  logic awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rlast, rvalid, rready;
  logic [AXI_DATA_W-1:0] rdata;

  fp8mac_accel #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .ELEMENT(ELEMENT), .FRAC_BITS(FRAC_BITS), .TILES(TILES),
    .BUF_BEATS(BUF_BEATS), .MAX_MN(MAX_MN), .AXI_DATA_W(AXI_DATA_W), .AXI_ADDR_W(32), .AXI_ID_W(IdW),
    .MX(1'b0), .IMAGES(1'b0), .ELEMENTWISE(1'b0), .ADD_C(1'b0), .STOCHASTIC(1'b0), .TABLES(1'b0),
    .RECORDS(1'b0)
  ) u_accel (
    .clk_i, .rst_ni,
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .pprot_i(CoreProt), .paddr_i(paddr), .pwdata_i(pwdata),
    .pstrb_i(pstrb), .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr),
    .m_axi_awid_o(awid), .m_axi_awaddr_o(awaddr), .m_axi_awlen_o(awlen), .m_axi_awsize_o(awsize),
    .m_axi_awburst_o(awburst), .m_axi_awprot_o(), .m_axi_awcache_o(), .m_axi_awqos_o(),
    .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready),
    .m_axi_wdata_o(ram_wdata_o), .m_axi_wstrb_o(ram_wstrb_o), .m_axi_wlast_o(), .m_axi_wvalid_o(wvalid),
    .m_axi_wready_i(wready),
    .m_axi_bid_i(bid), .m_axi_bresp_i(bresp), .m_axi_bvalid_i(bvalid), .m_axi_bready_o(bready),
    .m_axi_arid_o(arid), .m_axi_araddr_o(araddr), .m_axi_arlen_o(arlen), .m_axi_arsize_o(arsize),
    .m_axi_arburst_o(arburst), .m_axi_arprot_o(), .m_axi_arcache_o(), .m_axi_arqos_o(),
    .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready),
    .m_axi_rid_i(rid), .m_axi_rdata_i(rdata), .m_axi_rresp_i(rresp), .m_axi_rlast_i(rlast),
    .m_axi_rvalid_i(rvalid), .m_axi_rready_o(rready),
    .irq_o
  );

  fp8mac_sys_axi_read #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_read (
    .clk_i, .rst_ni, .latency_i('0), .stall_ar_i(1'b0), .stall_r_i(1'b0),
    .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
    .arvalid_i(arvalid), .arready_o(arready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast), .rvalid_o(rvalid), .rready_i(rready),
    .ram_valid_o(ram_read_valid_o), .ram_addr_o(ram_read_addr_o), .ram_rdata_i, .idle_o()
  );

  fp8mac_sys_axi_write #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_write (
    .clk_i, .rst_ni, .latency_i('0), .stall_aw_i(1'b0), .stall_w_i(1'b0), .stall_b_i(1'b0),
    .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst),
    .awvalid_i(awvalid), .awready_o(awready), .wvalid_i(wvalid), .wready_o(wready),
    .bid_o(bid), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i(bready),
    .ram_valid_o(ram_write_valid_o), .ram_addr_o(ram_write_addr_o), .idle_o()
  );

endmodule
