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
  parameter int unsigned FRAC_BITS  = element_default_frac_bits(ELEMENT),
  parameter bit          MINIMAL    = 1'b0, // without the functions that fp8mac_accel can leave out
  parameter bit          REQUANTISE = 1'b0  // the integer requantiser
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // For the simulator's messages
  output logic [31:0] pc_o,            // of the instruction being executed
  output logic        core_sleep_o,    // the core waits for an interrupt
  output logic        double_fault_o   // an exception within the handler of an exception: the program is lost
);

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
    .instr_req_o(instr_req), .instr_addr_o(instr_addr), .instr_gnt_i(1'b1), .instr_rdata_i(instr_rdata),
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
    .ram_valid_o(ram_valid), .ram_ready_i(1'b1), .ram_rdata_i(ram_rdata),
    .ctrl_valid_o(ctrl_valid), .ctrl_done_i(1'b1), .ctrl_rdata_i(ctrl_rdata), .ctrl_err_i(ctrl_err),
    .timer_valid_o(timer_valid), .timer_rdata_i(timer_rdata), .timer_err_i(timer_err),
    .accel_valid_o(accel_valid), .accel_done_i(accel_done), .accel_rdata_i(accel_rdata), .accel_err_i(accel_err)
  );

  logic stall_write;
  logic [9:0] stall_wanted, stall_permille;

  fp8mac_sys_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .valid_i(ctrl_valid), .req_i(core_req), .rdata_o(ctrl_rdata), .err_o(ctrl_err),
    .stall_write_o(stall_write), .stall_permille_o(stall_wanted), .stall_permille_i(stall_permille)
  );

  fp8mac_sys_timer u_timer (
    .clk_i, .rst_ni,
    .valid_i(timer_valid), .req_i(core_req), .rdata_o(timer_rdata), .err_o(timer_err), .irq_o(irq_timer)
  );

  // Accelerator
  logic axi_read_valid, axi_write_valid;
  logic [RamAddrW-1:0] axi_read_addr, axi_write_addr;
  logic [AXI_DATA_W-1:0] axi_rdata, axi_wdata;
  logic [AXI_DATA_W/8-1:0] axi_wstrb;

  fp8mac_sys_accel #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .AXI_DATA_W(AXI_DATA_W), .ELEMENT(ELEMENT), .FRAC_BITS(FRAC_BITS),
    .MINIMAL(MINIMAL), .REQUANTISE(REQUANTISE)
  ) u_accel (
    .clk_i, .rst_ni, .sleeping_i(core_sleep_o),
    .valid_i(accel_valid), .req_i(core_req), .done_o(accel_done), .rdata_o(accel_rdata), .err_o(accel_err),
    .irq_o(irq_accel),
    .stall_write_i(stall_write), .stall_permille_i(stall_wanted), .stall_permille_o(stall_permille),
    .ram_read_valid_o(axi_read_valid), .ram_read_addr_o(axi_read_addr), .ram_rdata_i(axi_rdata),
    .ram_write_valid_o(axi_write_valid), .ram_write_addr_o(axi_write_addr), .ram_wdata_o(axi_wdata),
    .ram_wstrb_o(axi_wstrb),
    .quiet_o()
  );

  // Memory
  fp8mac_sys_ram #(.AXI_DATA_W(AXI_DATA_W)) u_ram (
    .clk_i,
    .instr_valid_i(instr_req), .instr_addr_i(instr_addr), .instr_rdata_o(instr_rdata),
    .data_valid_i(ram_valid), .data_we_i(core_req.we), .data_be_i(core_req.be),
    .data_addr_i(core_req.addr[RamAddrW-1:0]), .data_wdata_i(core_req.wdata), .data_rdata_o(ram_rdata),
    .axi_read_valid_i(axi_read_valid), .axi_read_addr_i(axi_read_addr), .axi_rdata_o(axi_rdata),
    .axi_write_valid_i(axi_write_valid), .axi_write_addr_i(axi_write_addr), .axi_wdata_i(axi_wdata),
    .axi_wstrb_i(axi_wstrb)
  );

endmodule
