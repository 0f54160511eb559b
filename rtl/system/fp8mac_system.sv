// SPDX-License-Identifier: Apache-2.0
// The simulated chip: an Ibex core, RAM, timer, simulation control and the accelerator.
//
//            instructions                       +-- ctrl (console, exit, checker; DPI)
//   Ibex ---------------------> RAM             +-- timer ---> timer interrupt
//        ---- data ---> bus --> RAM  (and) -----+-- APB -----> accelerator ---> fast interrupt 0
//                               RAM <---- AXI4 (128 bit) -----------+
module fp8mac_system
  import fp8mac_sys_pkg::*;
  import fp8mac_catalogue_pkg::*;
#(
  parameter int unsigned ROWS       = 4,
  parameter int unsigned COLS       = 4,
  parameter int unsigned LANES      = 16,
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned ELEMENT    = ElementBlock,  // the kind of element; fp8mac_accel describes all parameters
  parameter int unsigned FRAC_BITS  = element_default_frac_bits(ELEMENT)
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // For the simulator's messages
  output logic [31:0] pc_o,            // of the instruction being executed
  output logic        core_sleep_o,    // the core waits for an interrupt
  output logic        double_fault_o   // an exception within the handler of an exception: the program is lost
);

  localparam int unsigned IdW = 4;

  // Core
  logic instr_req;
  logic [RamAddrW-1:0] instr_addr;
  logic [31:0] instr_rdata;
  logic data_req, data_gnt, data_rvalid, data_err;
  core_req_t core_req;
  logic [31:0] data_rdata;
  logic irq_timer, irq_accel;

  fp8mac_sys_core u_core (
    .clk_i, .rst_ni,
    .instr_req_o(instr_req), .instr_addr_o(instr_addr), .instr_rdata_i(instr_rdata),
    .data_req_o(data_req), .data_gnt_i(data_gnt), .data_rvalid_i(data_rvalid), .request_o(core_req),
    .data_rdata_i(data_rdata), .data_err_i(data_err),
    .irq_timer_i(irq_timer), .irq_accel_i(irq_accel),
    .pc_o, .core_sleep_o, .double_fault_o
  );

  // Data port
  logic ram_valid, ctrl_valid, timer_valid, accel_valid, ctrl_err, timer_err, accel_done, accel_err;
  logic [31:0] ram_rdata, ctrl_rdata, timer_rdata, accel_rdata;

  fp8mac_sys_bus u_bus (
    .clk_i, .rst_ni,
    .valid_i(data_req), .addr_i(core_req.addr), .gnt_o(data_gnt),
    .rvalid_o(data_rvalid), .rdata_o(data_rdata), .err_o(data_err),
    .ram_valid_o(ram_valid), .ram_rdata_i(ram_rdata),
    .ctrl_valid_o(ctrl_valid), .ctrl_rdata_i(ctrl_rdata), .ctrl_err_i(ctrl_err),
    .timer_valid_o(timer_valid), .timer_rdata_i(timer_rdata), .timer_err_i(timer_err),
    .accel_valid_o(accel_valid), .accel_done_i(accel_done), .accel_rdata_i(accel_rdata), .accel_err_i(accel_err)
  );

  logic [9:0] stall_permille;
  logic [63:0] stall_seed;
  logic [7:0] axi_latency;

  fp8mac_sys_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .valid_i(ctrl_valid), .req_i(core_req), .rdata_o(ctrl_rdata), .err_o(ctrl_err),
    .stall_permille_o(stall_permille), .stall_seed_o(stall_seed), .axi_latency_o(axi_latency)
  );

  fp8mac_sys_timer u_timer (
    .clk_i, .rst_ni,
    .valid_i(timer_valid), .req_i(core_req), .rdata_o(timer_rdata), .err_o(timer_err), .irq_o(irq_timer)
  );

  logic psel, penable, pwrite, pready, pslverr;
  logic [11:0] paddr;
  logic [31:0] pwdata, prdata;
  logic [3:0] pstrb;

  fp8mac_sys_apb u_apb (
    .clk_i, .rst_ni,
    .valid_i(accel_valid), .req_i(core_req), .done_o(accel_done), .rdata_o(accel_rdata), .err_o(accel_err),
    .psel_o(psel), .penable_o(penable), .pwrite_o(pwrite), .paddr_o(paddr), .pwdata_o(pwdata), .pstrb_o(pstrb),
    .pready_i(pready), .prdata_i(prdata), .pslverr_i(pslverr)
  );

  // Accelerator
  logic [IdW-1:0] awid, bid, arid, rid;
  logic [31:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [2:0] awsize, arsize;
  logic [1:0] awburst, arburst, bresp, rresp;
  logic awvalid, awready, wlast, wvalid, wready, bvalid, bready, arvalid, arready, rlast, rvalid, rready;
  logic [AXI_DATA_W-1:0] wdata, rdata;
  logic [AXI_DATA_W/8-1:0] wstrb;

  // Data, secure, privileged: programs run in machine mode, and the core has no pin that says so.
  localparam logic [2:0] CoreProt = 3'b001;

  fp8mac_accel #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .ELEMENT(ELEMENT), .FRAC_BITS(FRAC_BITS),
    .AXI_DATA_W(AXI_DATA_W), .AXI_ADDR_W(32), .AXI_ID_W(IdW)
  ) u_accel (
    .clk_i, .rst_ni,
    .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .pprot_i(CoreProt), .paddr_i(paddr), .pwdata_i(pwdata),
    .pstrb_i(pstrb), .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr),
    .m_axi_awid_o(awid), .m_axi_awaddr_o(awaddr), .m_axi_awlen_o(awlen), .m_axi_awsize_o(awsize),
    .m_axi_awburst_o(awburst), .m_axi_awprot_o(), .m_axi_awcache_o(), .m_axi_awqos_o(),
    .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready),
    .m_axi_wdata_o(wdata), .m_axi_wstrb_o(wstrb), .m_axi_wlast_o(wlast), .m_axi_wvalid_o(wvalid),
    .m_axi_wready_i(wready),
    .m_axi_bid_i(bid), .m_axi_bresp_i(bresp), .m_axi_bvalid_i(bvalid), .m_axi_bready_o(bready),
    .m_axi_arid_o(arid), .m_axi_araddr_o(araddr), .m_axi_arlen_o(arlen), .m_axi_arsize_o(arsize),
    .m_axi_arburst_o(arburst), .m_axi_arprot_o(), .m_axi_arcache_o(), .m_axi_arqos_o(),
    .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready),
    .m_axi_rid_i(rid), .m_axi_rdata_i(rdata), .m_axi_rresp_i(rresp), .m_axi_rlast_i(rlast),
    .m_axi_rvalid_i(rvalid), .m_axi_rready_o(rready),
    .irq_o(irq_accel)
  );

`ifndef ACCEL_NETLIST  // A netlist has none of these signals.
  fp8mac_sys_timeline u_timeline (
    .clk_i, .rst_ni,
    .sleeping_i      (core_sleep_o),
    .submitted_i     (u_accel.submit && !u_accel.queue_full && !u_accel.error),
    .submitted_tag_i (u_accel.command.tag),
    .load_begins_i   (u_accel.loaded_push),
    .load_tag_i      (u_accel.loaded_pushed.store.tag),
    .load_ends_i     (u_accel.read_done),
    .compute_begins_i(u_accel.storing_push),
    .compute_tag_i   (u_accel.storing_pushed.job.tag),
    .compute_ends_i  (u_accel.released),
    .retires_i       (u_accel.retire_valid &&
                      (u_accel.retire.last || u_accel.retire.error != fp8mac_command_pkg::ErrNone)),
    .retire_tag_i    (u_accel.retire.tag),
    .computing_i     (u_accel.counters.compute),
    .read_beats_i    (u_accel.counters.read_beats),
    .write_beats_i   (u_accel.counters.write_beats)
  );

  fp8mac_sys_usage #(.MACS_PER_CYCLE(ROWS * COLS * LANES)) u_usage (
    .clk_i, .rst_ni,
    .macs_i(u_accel.u_counters.valid_q[2] ? 32'(u_accel.u_counters.macs_q) : '0),
    .idle_i(u_accel.idle)
  );
`endif

  // Memory
  logic axi_read_valid, axi_write_valid;
  logic [RamAddrW-1:0] axi_read_addr, axi_write_addr;
  logic [AXI_DATA_W-1:0] axi_read_data;
  logic stall_ar, stall_r, stall_aw, stall_w, stall_b;

  fp8mac_sys_stall #(.CHANNELS(5)) u_stall (
    .clk_i, .rst_ni, .seed_i(stall_seed), .permille_i(stall_permille),
    .stall_o({stall_ar, stall_r, stall_aw, stall_w, stall_b})
  );

  fp8mac_sys_axi_read #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_read (
    .clk_i, .rst_ni, .latency_i(axi_latency), .stall_ar_i(stall_ar), .stall_r_i(stall_r),
    .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
    .arvalid_i(arvalid), .arready_o(arready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast), .rvalid_o(rvalid), .rready_i(rready),
    .ram_valid_o(axi_read_valid), .ram_addr_o(axi_read_addr), .ram_rdata_i(axi_read_data)
  );

  fp8mac_sys_axi_write #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_write (
    .clk_i, .rst_ni, .latency_i(axi_latency), .stall_aw_i(stall_aw), .stall_w_i(stall_w), .stall_b_i(stall_b),
    .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst),
    .awvalid_i(awvalid), .awready_o(awready), .wvalid_i(wvalid), .wready_o(wready),
    .bid_o(bid), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i(bready),
    .ram_valid_o(axi_write_valid), .ram_addr_o(axi_write_addr)
  );

  fp8mac_sys_axi_checker #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_checker (
    .clk_i, .rst_ni,
    .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst),
    .awvalid_i(awvalid), .awready_i(awready),
    .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast), .wvalid_i(wvalid), .wready_i(wready),
    .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
    .arvalid_i(arvalid), .arready_i(arready)
  );

  fp8mac_sys_ram #(.AXI_DATA_W(AXI_DATA_W)) u_ram (
    .clk_i,
    .instr_valid_i(instr_req), .instr_addr_i(instr_addr), .instr_rdata_o(instr_rdata),
    .data_valid_i(ram_valid), .data_we_i(core_req.we), .data_be_i(core_req.be),
    .data_addr_i(core_req.addr[RamAddrW-1:0]), .data_wdata_i(core_req.wdata), .data_rdata_o(ram_rdata),
    .axi_read_valid_i(axi_read_valid), .axi_read_addr_i(axi_read_addr), .axi_rdata_o(axi_read_data),
    .axi_write_valid_i(axi_write_valid), .axi_write_addr_i(axi_write_addr), .axi_wdata_i(wdata),
    .axi_wstrb_i(wstrb)
  );

endmodule
