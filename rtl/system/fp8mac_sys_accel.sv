// SPDX-License-Identifier: Apache-2.0
// The accelerator and what stands between it and the chip: its registers' bus, and the AXI slave in
// front of the RAM with its random stalls. Outputs but quiet_o come from registers in here, so a
// simulator may evaluate this module apart from the rest of the chip, and leave out cycles in which
// quiet_o promises that nothing would change (sim/partitioned).
module fp8mac_sys_accel
  import fp8mac_sys_pkg::*;
  import fp8mac_catalogue_pkg::*;
#(
  parameter int unsigned ROWS       = 4,
  parameter int unsigned COLS       = 4,
  parameter int unsigned LANES      = 16,
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned ELEMENT    = ElementBlock,
  parameter int unsigned FRAC_BITS  = element_default_frac_bits(ELEMENT),
  parameter bit          MINIMAL    = 1'b0, // without the functions that fp8mac_accel can leave out
  parameter bit          REQUANTISE = 1'b0  // the integer requantiser
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    sleeping_i,         // the core waits for an interrupt

  // Registers: accesses as fp8mac_sys_apb takes them
  input  logic                    valid_i,
  input  core_req_t               req_i,
  output logic                    done_o,
  output logic [31:0]             rdata_o,
  output logic                    err_o,
  output logic                    irq_o,

  // Per-mille probability of a stall, for each AXI channel and cycle
  input  logic                    stall_write_i,
  input  logic [9:0]              stall_permille_i,
  output logic [9:0]              stall_permille_o,

  // RAM: one beat a cycle in each direction
  output logic                    ram_read_valid_o,
  output logic [RamAddrW-1:0]     ram_read_addr_o,
  input  logic [AXI_DATA_W-1:0]   ram_rdata_i,        // in the cycle after ram_read_valid_o
  output logic                    ram_write_valid_o,
  output logic [RamAddrW-1:0]     ram_write_addr_o,
  output logic [AXI_DATA_W-1:0]   ram_wdata_o,
  output logic [AXI_DATA_W/8-1:0] ram_wstrb_o,

  // Until valid_i, stall_write_i or a reset, the cycle counters alone change; catch_up() does it
  // for them.
  output logic                    quiet_o
);

  localparam int unsigned IdW = 4;

  // ---- registers --------------------------------------------------------------------------------
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

  // ---- the accelerator --------------------------------------------------------------------------
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
    .AXI_DATA_W(AXI_DATA_W), .AXI_ADDR_W(32), .AXI_ID_W(IdW), .MX(!MINIMAL && element_has_mx(ELEMENT)),
    .REQUANTISE(REQUANTISE), .IMAGES(!MINIMAL), .ELEMENTWISE(!MINIMAL && !REQUANTISE), .ADD_C(!MINIMAL && !REQUANTISE),
    .STOCHASTIC(!MINIMAL && !REQUANTISE), .TABLES(!MINIMAL), .RECORDS(!MINIMAL)
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
    .irq_o
  );

`ifndef ACCEL_NETLIST  // A netlist has none of these signals.
  fp8mac_sys_timeline u_timeline (
    .clk_i, .rst_ni,
    .sleeping_i      (sleeping_i),
    .submitted_i     (u_accel.u_commands.submit && !u_accel.u_commands.queue_full && !u_accel.error),
    .submitted_tag_i (u_accel.u_commands.command.tag),
    .load_begins_i   (u_accel.u_load_path.loaded_push),
    .load_tag_i      (u_accel.u_load_path.loaded_pushed.tag),
    .load_ends_i     (u_accel.u_load_path.read_done),
    .compute_begins_i(u_accel.u_compute_path.storing_push),
    .compute_tag_i   (u_accel.loaded.tag),
    .compute_ends_i  (u_accel.released),
    .retires_i       (u_accel.retire_valid &&
                      (u_accel.retire.last || u_accel.retire.error != fp8mac_command_pkg::ErrNone)),
    .retire_tag_i    (u_accel.retire.tag),
    .rings_i         (u_accel.u_commands.ring),
    .ring_addr_i     (u_accel.request.ring_addr),
    .computing_i     (u_accel.u_control.counters.compute),
    .read_beats_i    (u_accel.u_control.counters.read_beats),
    .write_beats_i   (u_accel.u_control.counters.write_beats)
  );

  fp8mac_sys_usage #(.MACS_PER_CYCLE(ROWS * COLS * LANES)) u_usage (
    .clk_i, .rst_ni,
    .macs_i(u_accel.u_control.u_counters.valid_q[2] ? 32'(u_accel.u_control.u_counters.macs_q) : '0),
    .idle_i(u_accel.idle)
  );
`endif

  // ---- the AXI slave in front of the RAM --------------------------------------------------------
  import "DPI-C" function byte unsigned fp8sim_axi_latency();

  logic stall_ar, stall_r, stall_aw, stall_w, stall_b, reads_idle, writes_idle;
  logic [7:0] latency_q;  // constant over a simulation

  always_ff @(posedge clk_i) begin
    if (!rst_ni) latency_q <= fp8sim_axi_latency();
  end

  fp8mac_sys_stall #(.CHANNELS(5)) u_stall (
    .clk_i, .rst_ni, .write_i(stall_write_i), .permille_i(stall_permille_i), .permille_o(stall_permille_o),
    .stall_o({stall_ar, stall_r, stall_aw, stall_w, stall_b})
  );

  fp8mac_sys_axi_read #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_read (
    .clk_i, .rst_ni, .latency_i(latency_q), .stall_ar_i(stall_ar), .stall_r_i(stall_r),
    .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
    .arvalid_i(arvalid), .arready_o(arready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast), .rvalid_o(rvalid), .rready_i(rready),
    .ram_valid_o(ram_read_valid_o), .ram_addr_o(ram_read_addr_o), .ram_rdata_i, .idle_o(reads_idle)
  );

  fp8mac_sys_axi_write #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_write (
    .clk_i, .rst_ni, .latency_i(latency_q), .stall_aw_i(stall_aw), .stall_w_i(stall_w), .stall_b_i(stall_b),
    .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst),
    .awvalid_i(awvalid), .awready_o(awready), .wvalid_i(wvalid), .wready_o(wready),
    .bid_o(bid), .bresp_o(bresp), .bvalid_o(bvalid), .bready_i(bready),
    .ram_valid_o(ram_write_valid_o), .ram_addr_o(ram_write_addr_o), .idle_o(writes_idle)
  );

  fp8mac_sys_axi_checker #(.DATA_W(AXI_DATA_W), .ID_W(IdW)) u_axi_checker (
    .clk_i, .rst_ni,
    .awid_i(awid), .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst),
    .awvalid_i(awvalid), .awready_i(awready),
    .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast), .wvalid_i(wvalid), .wready_i(wready),
    .arid_i(arid), .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst),
    .arvalid_i(arvalid), .arready_i(arready)
  );

  fp8mac_sys_bus_trace #(.DATA_W(AXI_DATA_W)) u_bus_trace (
    .clk_i, .rst_ni,
    .araddr_i(araddr), .arlen_i(arlen), .arvalid_i(arvalid), .arready_i(arready),
    .rvalid_i(rvalid), .rready_i(rready),
    .awaddr_i(awaddr), .awlen_i(awlen), .awvalid_i(awvalid), .awready_i(awready),
    .wstrb_i(wstrb), .wvalid_i(wvalid), .wready_i(wready), .bvalid_i(bvalid), .bready_i(bready)
  );

  assign ram_wdata_o = wdata;
  assign ram_wstrb_o = wstrb;

  // ---- quiet cycles -----------------------------------------------------------------------------
`ifdef ACCEL_NETLIST
  assign quiet_o = 1'b0;

  logic unused_idle;
  assign unused_idle = ^{sleeping_i, reads_idle, writes_idle};
`else
  // Behind the last work, pipelines run empty for some cycles, the longest one between C's buffer
  // and the epilogue. Behind an access, registers pass on what was written.
  localparam int unsigned AfterWork   = 16;
  localparam int unsigned AfterAccess = 3;

  logic working, accessing;
  logic [$clog2(AfterWork+1)-1:0]   work_left_q;    // cycles that must pass
  logic [$clog2(AfterAccess+1)-1:0] access_left_q;

  assign working   = !u_accel.idle || u_accel.status.paused || !reads_idle || !writes_idle;  // a pause is limited
  assign accessing = valid_i || psel || stall_write_i;
  assign quiet_o   = work_left_q == '0 && access_left_q == '0 && !working && !psel;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || working)      work_left_q <= $bits(work_left_q)'(AfterWork);
    else if (work_left_q != '0)   work_left_q <= work_left_q - 1'b1;
    if (!rst_ni || accessing)    access_left_q <= $bits(access_left_q)'(AfterAccess);
    else if (access_left_q != '0) access_left_q <= access_left_q - 1'b1;
  end

  // Does what `cycles` quiet cycles would have done. The simulator calls it between two cycles.
  export "DPI-C" function fp8sim_accel_catch_up;
  function automatic void fp8sim_accel_catch_up(int unsigned cycles);
    u_accel.u_control.u_counters.counters_o.cycles = u_accel.u_control.u_counters.counters_o.cycles + cycles;
    u_accel.u_control.u_counters.counters_o.idle   = u_accel.u_control.u_counters.counters_o.idle + cycles;
    u_accel.u_output.u_store.turn_q = u_accel.u_output.u_store.turn_q ^ cycles[0];
    u_stall.catch_up(cycles);
    u_timeline.catch_up(cycles);
  endfunction
`endif
endmodule
