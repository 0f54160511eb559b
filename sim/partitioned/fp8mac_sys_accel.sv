// SPDX-License-Identifier: Apache-2.0
// The place of the accelerator in the chip when the accelerator is a model of its own: this module
// has the name, the parameters and the ports of rtl/system/fp8mac_sys_accel.sv and replaces it in
// the model of the core. It calls the accelerator's model (accelerator.cpp) in each cycle in which
// something may change there. In all others, an evaluation of the chip is one of the core alone.
//
// While the core sleeps, the simulator may evaluate the accelerator alone. It calls
// fp8sim_chip_pause() after the last cycle of the chip, and fp8sim_chip_resume() before the next
// one.
`define MCYCLE fp8mac_system.u_core.u_ibex.u_ibex_core.cs_registers_i.mcycle_counter_i

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
  input  logic                    sleeping_i,

  input  logic                    valid_i,
  input  core_req_t               req_i,
  output logic                    done_o,
  output logic [31:0]             rdata_o,
  output logic                    err_o,
  output logic                    irq_o,

  input  logic                    stall_write_i,
  input  logic [9:0]              stall_permille_i,
  output logic [9:0]              stall_permille_o,

  output logic                    ram_read_valid_o,
  output logic [RamAddrW-1:0]     ram_read_addr_o,
  input  logic [AXI_DATA_W-1:0]   ram_rdata_i,
  output logic                    ram_write_valid_o,
  output logic [RamAddrW-1:0]     ram_write_addr_o,
  output logic [AXI_DATA_W-1:0]   ram_wdata_o,
  output logic [AXI_DATA_W/8-1:0] ram_wstrb_o,

  output logic                    quiet_o
);

  import "DPI-C" function bit fp8sim_timeline_wanted();
  import "DPI-C" function void fp8sim_accel_cycle(
    input bit rst_n, input bit sleeping, input bit valid, input bit [$bits(core_req_t)-1:0] req, input bit stall_write,
    input bit [9:0] stall_permille, input bit [AXI_DATA_W-1:0] ram_rdata,
    output bit done, output int unsigned rdata, output bit err, output bit irq, output bit [9:0] stall,
    output bit read_valid, output bit [RamAddrW-1:0] read_addr, output bit write_valid,
    output bit [RamAddrW-1:0] write_addr, output bit [AXI_DATA_W-1:0] wdata, output bit [AXI_DATA_W/8-1:0] wstrb,
    output bit quiet);

  logic timeline_q, sleeping_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) timeline_q <= fp8sim_timeline_wanted();
    // The timeline has the core's sleep, too.
    if (!rst_ni || !quiet_o || valid_i || stall_write_i || (timeline_q && sleeping_i != sleeping_q)) begin
      bit done, err, irq, read_valid, write_valid, quiet;
      int unsigned rdata;
      bit [9:0] stall;
      bit [RamAddrW-1:0] read_addr, write_addr;
      bit [AXI_DATA_W-1:0] wdata;
      bit [AXI_DATA_W/8-1:0] wstrb;
      fp8sim_accel_cycle(rst_ni, sleeping_i, valid_i, req_i, stall_write_i, stall_permille_i, ram_rdata_i,
                         done, rdata, err, irq, stall, read_valid, read_addr, write_valid, write_addr, wdata, wstrb,
                         quiet);
      sleeping_q        <= sleeping_i;
      done_o            <= done;
      rdata_o           <= rdata;
      err_o             <= err;
      irq_o             <= irq;
      stall_permille_o  <= stall;
      ram_read_valid_o  <= read_valid;
      ram_read_addr_o   <= read_addr;
      ram_write_valid_o <= write_valid;
      ram_write_addr_o  <= write_addr;
      ram_wdata_o       <= wdata;
      ram_wstrb_o       <= wstrb;
      quiet_o           <= quiet;
    end
  end

  // For how many cycles the sleeping core's inputs can only change by the accelerator; and
  // what the RAM has read
  export "DPI-C" function fp8sim_chip_pause;
  function automatic void fp8sim_chip_pause(output longint unsigned cycles, output bit [AXI_DATA_W-1:0] ram_rdata);
    ram_rdata = ram_rdata_i;
    if (fp8mac_system.u_timer.irq_o) cycles = '0;
    else if (fp8mac_system.u_timer.mtime_q >= fp8mac_system.u_timer.mtimecmp_q) cycles = '0;
    else cycles = fp8mac_system.u_timer.mtimecmp_q - fp8mac_system.u_timer.mtime_q;
  endfunction

  // Does what `cycles` cycles of sleep would have done: the chip's counters, and this module's
  // and the RAM's outputs.
  export "DPI-C" function fp8sim_chip_resume;
  function automatic void fp8sim_chip_resume(
    input longint unsigned cycles, input bit irq, input bit read_valid, input bit [RamAddrW-1:0] read_addr,
    input bit [AXI_DATA_W-1:0] ram_rdata, input bit write_valid, input bit [RamAddrW-1:0] write_addr,
    input bit [AXI_DATA_W-1:0] wdata, input bit [AXI_DATA_W/8-1:0] wstrb, input bit quiet);
    fp8mac_system.u_timer.mtime_q = fp8mac_system.u_timer.mtime_q + cycles;
    if (`MCYCLE.counter_inc_i) `MCYCLE.counter_q = `MCYCLE.counter_q + cycles;
    fp8mac_system.u_ram.axi_rdata_o = ram_rdata;
    irq_o             = irq;
    ram_read_valid_o  = read_valid;
    ram_read_addr_o   = read_addr;
    ram_write_valid_o = write_valid;
    ram_write_addr_o  = write_addr;
    ram_wdata_o       = wdata;
    ram_wstrb_o       = wstrb;
    quiet_o           = quiet;
  endfunction

endmodule

`undef MCYCLE
