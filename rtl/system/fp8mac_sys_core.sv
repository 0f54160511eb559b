// SPDX-License-Identifier: Apache-2.0
// The core: Ibex with an instruction port to the RAM, which answers in the cycle after the
// grant, and a data port.
module fp8mac_sys_core
  import fp8mac_sys_pkg::*;
#(
  parameter ibex_pkg::regfile_e REGISTER_FILE = ibex_pkg::RegFileFF,
  parameter bit FETCH_AHEAD = 1'b0     // fp8mac_sys_fetch_ahead is between core and RAM
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        instr_req_o,
  output logic [RamAddrW-1:0] instr_addr_o,
  input  logic        instr_gnt_i,     // the RAM takes a request in this cycle
  input  logic [31:0] instr_rdata_i,

  output logic        data_req_o,
  output core_req_t   request_o,
  input  logic        data_gnt_i,
  input  logic        data_rvalid_i,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,

  input  logic        irq_timer_i,
  input  logic        irq_accel_i,

  output logic [31:0] pc_o,            // of the instruction being executed
  output logic        core_sleep_o,    // the core waits for an interrupt
  output logic        double_fault_o   // an exception within the handler of an exception
);

  logic instr_req, instr_gnt, instr_rvalid, instr_err;
  logic [31:0] instr_addr;
  ibex_pkg::crash_dump_t crash_dump;
  logic unused_core_outputs, alert_minor, alert_internal, alert_bus, scramble_req;
  logic [6:0] data_wdata_intg;

  // Ibex's `maxperf` configuration: single-cycle multiplier, branch target adder, writeback stage.
  ibex_top #(
    .RV32M          (ibex_pkg::RV32MSingleCycle),
    .RV32B          (ibex_pkg::RV32BNone),
    .RegFile        (REGISTER_FILE),
    .BranchTargetALU(1'b1),
    .WritebackStage (1'b1)
  ) u_ibex (
    .clk_i,
    .rst_ni,
    .test_en_i             (1'b0),
    .ram_cfg_i             ('0),
    .hart_id_i             ('0),
    .boot_addr_i           (BootAddr),
    .instr_req_o           (instr_req),
    .instr_gnt_i           (instr_gnt),
    .instr_rvalid_i        (instr_rvalid),
    .instr_addr_o          (instr_addr),
    .instr_rdata_i         (instr_rdata_i),
    .instr_rdata_intg_i    ('0),
    .instr_err_i           (instr_err),
    .data_req_o            (data_req_o),
    .data_gnt_i            (data_gnt_i),
    .data_rvalid_i         (data_rvalid_i),
    .data_we_o             (request_o.we),
    .data_be_o             (request_o.be),
    .data_addr_o           (request_o.addr),
    .data_wdata_o          (request_o.wdata),
    .data_wdata_intg_o     (data_wdata_intg),
    .data_rdata_i          (data_rdata_i),
    .data_rdata_intg_i     ('0),
    .data_err_i            (data_err_i),
    .irq_software_i        (1'b0),
    .irq_timer_i           (irq_timer_i),
    .irq_external_i        (1'b0),
    .irq_fast_i            ({14'b0, irq_accel_i}),
    .irq_nm_i              (1'b0),
    .scramble_key_valid_i  (1'b0),
    .scramble_key_i        ('0),
    .scramble_nonce_i      ('0),
    .scramble_req_o        (scramble_req),
    .debug_req_i           (1'b0),
    .crash_dump_o          (crash_dump),
    .double_fault_seen_o   (double_fault_o),
    .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
    .alert_minor_o         (alert_minor),
    .alert_major_internal_o(alert_internal),
    .alert_major_bus_o     (alert_bus),
    .core_sleep_o,
    .scan_rst_ni           (1'b1)
  );

  assign pc_o = crash_dump.current_pc;
  assign unused_core_outputs = ^{scramble_req, alert_minor, alert_internal, alert_bus, data_wdata_intg,
                                 crash_dump.next_pc, crash_dump.last_data_addr, crash_dump.exception_pc,
                                 crash_dump.exception_addr};

  if (FETCH_AHEAD) begin : g_ahead
    assign instr_req_o = 1'b1;
    fp8mac_sys_fetch_ahead u_fetch (
      .clk_i, .rst_ni,
      .req_i(instr_req), .addr_i(instr_addr), .gnt_o(instr_gnt), .rvalid_o(instr_rvalid), .err_o(instr_err),
      .ram_addr_o(instr_addr_o), .ram_taken_i(instr_gnt_i)
    );
  end else begin : g_direct
    assign instr_req_o  = instr_req;
    assign instr_addr_o = instr_addr[RamAddrW-1:0];
    assign instr_gnt    = instr_req && instr_gnt_i;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) instr_rvalid <= 1'b0;
      else         instr_rvalid <= instr_gnt;
      instr_err <= !in_ram(instr_addr);
    end
  end

endmodule
