// SPDX-License-Identifier: Apache-2.0
// The chip on the board ULX3S with an LFE5U-85F: Ibex, 256 KB of block RAM, timer, UART and the
// minimal accelerator. The oscillator of 25 MHz is the clock.
//
//   buttons  fire 1 (btn_i[1]) resets the chip, the power button (btn_i[0], low while pressed) too
//   LEDs     0..6: the low bits of the exit status; 7: the program has ended
//            before the end: 0: the core sleeps, 1: double fault
//   UART     115200 baud, 8N1: the console
module fp8mac_ulx3s
  import fp8mac_sys_pkg::*;
  import fp8mac_catalogue_pkg::*;
#(
  parameter string       PROGRAM  = "",         // the RAM's first contents, a line of hexadecimal digits for each beat
  parameter int unsigned CLOCK_HZ = 25_000_000,
  parameter int unsigned BAUD     = 115_200,
  parameter int unsigned LANES    = 8,
  parameter int unsigned ELEMENT  = ElementBlock
) (
  input  logic       clk_25mhz_i,
  input  logic [1:0] btn_i,
  output logic [7:0] led_o,
  output logic       ftdi_rxd_o,    // what the USB bridge receives
  output logic       wifi_gpio0_o   // 1 keeps the board's ESP32 from a restart
);

  localparam int unsigned AxiW = 64;

  assign wifi_gpio0_o = 1'b1;

  // Reset: released synchronously, 16 cycles after the configuration or a button
  logic [1:0] pressed_q;
  logic [3:0] wait_q;
  logic rst_n_q, clk;
  assign clk = clk_25mhz_i;
  initial begin
    pressed_q = '1;
    wait_q    = '0;
    rst_n_q   = 1'b0;
  end
  always_ff @(posedge clk) begin
    pressed_q <= {pressed_q[0], btn_i[1] || !btn_i[0]};
    if (pressed_q[1])    wait_q <= '0;
    else if (wait_q != '1) wait_q <= wait_q + 1'b1;
    rst_n_q <= wait_q == '1 && !pressed_q[1];
  end

  // Core
  logic instr_req, instr_ready, data_req, data_gnt, data_rvalid, data_err, irq_timer, irq_accel;
  logic core_sleep, double_fault;
  logic [RamAddrW-1:0] instr_addr;
  logic [31:0] instr_rdata, data_rdata, unused_pc;
  core_req_t request;

  fp8mac_sys_core #(.REGISTER_FILE(ibex_pkg::RegFileFPGA), .FETCH_AHEAD(1'b1)) u_core (
    .clk_i(clk), .rst_ni(rst_n_q),
    .instr_req_o(instr_req), .instr_addr_o(instr_addr), .instr_gnt_i(instr_ready), .instr_rdata_i(instr_rdata),
    .data_req_o(data_req), .request_o(request), .data_gnt_i(data_gnt), .data_rvalid_i(data_rvalid),
    .data_rdata_i(data_rdata), .data_err_i(data_err),
    .irq_timer_i(irq_timer), .irq_accel_i(irq_accel),
    .pc_o(unused_pc), .core_sleep_o(core_sleep), .double_fault_o(double_fault)
  );

  // Data port
  logic ram_valid, ram_ready, ctrl_valid, ctrl_done, ctrl_err, timer_valid, timer_err;
  logic accel_valid, accel_done, accel_err;
  logic [31:0] ram_rdata, ctrl_rdata, timer_rdata, accel_rdata;

  fp8mac_sys_bus u_bus (
    .clk_i(clk), .rst_ni(rst_n_q),
    .valid_i(data_req), .addr_i(request.addr), .gnt_o(data_gnt),
    .rvalid_o(data_rvalid), .rdata_o(data_rdata), .err_o(data_err),
    .ram_valid_o(ram_valid), .ram_ready_i(ram_ready), .ram_rdata_i(ram_rdata),
    .ctrl_valid_o(ctrl_valid), .ctrl_done_i(ctrl_done), .ctrl_rdata_i(ctrl_rdata), .ctrl_err_i(ctrl_err),
    .timer_valid_o(timer_valid), .timer_rdata_i(timer_rdata), .timer_err_i(timer_err),
    .accel_valid_o(accel_valid), .accel_done_i(accel_done), .accel_rdata_i(accel_rdata), .accel_err_i(accel_err)
  );

  logic exited;
  logic [7:0] status;

  fp8mac_board_ctrl #(.CLOCK_HZ(CLOCK_HZ), .BAUD(BAUD)) u_ctrl (
    .clk_i(clk), .rst_ni(rst_n_q),
    .valid_i(ctrl_valid), .req_i(request), .done_o(ctrl_done), .rdata_o(ctrl_rdata), .err_o(ctrl_err),
    .uart_tx_o(ftdi_rxd_o), .exited_o(exited), .status_o(status)
  );

  fp8mac_sys_timer u_timer (
    .clk_i(clk), .rst_ni(rst_n_q),
    .valid_i(timer_valid), .req_i(request), .rdata_o(timer_rdata), .err_o(timer_err), .irq_o(irq_timer)
  );

  // Accelerator and memory
  logic axi_read_valid, axi_write_valid;
  logic [RamAddrW-1:0] axi_read_addr, axi_write_addr;
  logic [AxiW-1:0] axi_rdata, axi_wdata;
  logic [AxiW/8-1:0] axi_wstrb;

  fp8mac_board_accel #(.LANES(LANES), .ELEMENT(ELEMENT), .AXI_DATA_W(AxiW)) u_accel (
    .clk_i(clk), .rst_ni(rst_n_q),
    .valid_i(accel_valid), .req_i(request), .done_o(accel_done), .rdata_o(accel_rdata), .err_o(accel_err),
    .irq_o(irq_accel),
    .ram_read_valid_o(axi_read_valid), .ram_read_addr_o(axi_read_addr), .ram_rdata_i(axi_rdata),
    .ram_write_valid_o(axi_write_valid), .ram_write_addr_o(axi_write_addr), .ram_wdata_o(axi_wdata),
    .ram_wstrb_o(axi_wstrb)
  );

  fp8mac_board_ram #(.AXI_DATA_W(AxiW), .PROGRAM(PROGRAM)) u_ram (
    .clk_i(clk),
    .instr_valid_i(instr_req), .instr_addr_i(instr_addr), .instr_ready_o(instr_ready), .instr_rdata_o(instr_rdata),
    .data_req_i(data_req), .data_valid_i(ram_valid), .data_we_i(request.we), .data_be_i(request.be),
    .data_addr_i(request.addr[RamAddrW-1:0]), .data_wdata_i(request.wdata), .data_ready_o(ram_ready),
    .data_rdata_o(ram_rdata),
    .axi_read_valid_i(axi_read_valid), .axi_read_addr_i(axi_read_addr), .axi_rdata_o(axi_rdata),
    .axi_write_valid_i(axi_write_valid), .axi_write_addr_i(axi_write_addr), .axi_wdata_i(axi_wdata),
    .axi_wstrb_i(axi_wstrb)
  );

  assign led_o = exited ? {1'b1, status[6:0]} : {6'b0, double_fault, core_sleep};

  logic unused_status;
  assign unused_status = status[7];

endmodule
