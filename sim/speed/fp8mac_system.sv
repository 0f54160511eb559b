// SPDX-License-Identifier: Apache-2.0
// The core with RAM and the simulation control, and nothing else. It has the name and the ports of
// rtl/system/fp8mac_system.sv. Its speed in cycles per second is what the speed of the whole
// chip is compared with.
module fp8mac_system
  import fp8mac_sys_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [31:0] pc_o,
  output logic        core_sleep_o,
  output logic        double_fault_o
);

  localparam int unsigned AxiW = 128;

  logic instr_req, data_req, data_gnt, data_rvalid, data_err;
  logic [RamAddrW-1:0] instr_addr;
  logic [31:0] instr_rdata, data_rdata;
  core_req_t request;
  logic ram_valid, ctrl_valid, ctrl_err;
  logic [31:0] ram_rdata, ctrl_rdata;

  fp8mac_sys_core u_core (
    .clk_i, .rst_ni,
    .instr_req_o(instr_req), .instr_addr_o(instr_addr), .instr_gnt_i(1'b1), .instr_rdata_i(instr_rdata),
    .data_req_o(data_req), .request_o(request), .data_gnt_i(data_gnt), .data_rvalid_i(data_rvalid),
    .data_rdata_i(data_rdata), .data_err_i(data_err),
    .irq_timer_i(1'b0), .irq_accel_i(1'b0), .pc_o, .core_sleep_o, .double_fault_o
  );

  fp8mac_sys_bus u_bus (
    .clk_i, .rst_ni,
    .valid_i(data_req), .addr_i(request.addr), .gnt_o(data_gnt),
    .rvalid_o(data_rvalid), .rdata_o(data_rdata), .err_o(data_err),
    .ram_valid_o(ram_valid), .ram_ready_i(1'b1), .ram_rdata_i(ram_rdata),
    .ctrl_valid_o(ctrl_valid), .ctrl_done_i(1'b1), .ctrl_rdata_i(ctrl_rdata), .ctrl_err_i(ctrl_err),
    .timer_valid_o(), .timer_rdata_i('0), .timer_err_i(1'b1),
    .accel_valid_o(), .accel_done_i(1'b1), .accel_rdata_i('0), .accel_err_i(1'b1)
  );

  fp8mac_sys_ctrl u_ctrl (
    .clk_i, .rst_ni,
    .valid_i(ctrl_valid), .req_i(request), .rdata_o(ctrl_rdata), .err_o(ctrl_err),
    .stall_write_o(), .stall_permille_o(), .stall_permille_i('0)
  );

  fp8mac_sys_ram #(.AXI_DATA_W(AxiW)) u_ram (
    .clk_i,
    .instr_valid_i(instr_req), .instr_addr_i(instr_addr), .instr_rdata_o(instr_rdata),
    .data_valid_i(ram_valid), .data_we_i(request.we), .data_be_i(request.be),
    .data_addr_i(request.addr[RamAddrW-1:0]), .data_wdata_i(request.wdata), .data_rdata_o(ram_rdata),
    .axi_read_valid_i(1'b0), .axi_read_addr_i('0), .axi_rdata_o(),
    .axi_write_valid_i(1'b0), .axi_write_addr_i('0), .axi_wdata_i('0), .axi_wstrb_i('0)
  );

endmodule
