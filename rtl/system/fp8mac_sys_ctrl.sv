// SPDX-License-Identifier: Apache-2.0
// Simulation control: registers with which a program controls the simulator.
//
//   +0x00 EXIT      w   ends the simulation with this status
//   +0x04 PUTC      w   one character for the console
//   +0x08 CHECK     w   address of an fp8rt_check_record: compares that GEMM with the golden model in no simulated
//                       time; or of an fp8rt_fill_record: random codes in memory, likewise
//                   r   differences in the last one: outputs, plus one each for amax and flags; 0xffffffff: malformed
//   +0x0c ARGS      r   address of the arguments: argc, then argc addresses of strings
//   +0x10 STALL     rw  per-mille probability of a stall per AXI channel and cycle: 0..900; 1000 stops the bus; other
//                       values mean 900
//   +0x14 LOCATION  w   a code address: the console gets it, and the function around it
module fp8mac_sys_ctrl
  import fp8mac_sys_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  input  core_req_t   req_i,
  output logic [31:0] rdata_o,   // in the cycle after valid_i
  output logic        err_o,

  // The register STALL is with the generator of the stalls.
  output logic        stall_write_o,
  output logic [9:0]  stall_permille_o,
  input  logic [9:0]  stall_permille_i
);

  import "DPI-C" function void fp8sim_exit(input int unsigned status);
  import "DPI-C" function void fp8sim_putc(input byte unsigned character);
  import "DPI-C" function void fp8sim_location(input int unsigned address);
  import "DPI-C" function int unsigned fp8sim_check(input int unsigned record);
  import "DPI-C" function int unsigned fp8sim_args();

  logic [31:0] check_q;
  logic [WindowW-1:0] offset;

  assign offset = {req_i.addr[WindowW-1:2], 2'b00};

  assign stall_write_o    = valid_i && req_i.we && offset == RegStall;
  assign stall_permille_o = stall_limit(req_i.wdata);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      check_q <= '0;
    end else if (valid_i && req_i.we) begin
      unique case (offset)
        RegExit:     fp8sim_exit(req_i.wdata);
        RegPutc:     fp8sim_putc(req_i.wdata[7:0]);
        RegCheck:    check_q <= fp8sim_check(req_i.wdata);
        RegLocation: fp8sim_location(req_i.wdata);
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    err_o   <= 1'b0;
    rdata_o <= '0;
    unique case (offset)
      RegExit, RegPutc, RegLocation: ;
      RegCheck: rdata_o <= check_q;
      RegArgs: begin
        if (valid_i) rdata_o <= fp8sim_args();
        err_o <= req_i.we;
      end
      RegStall: rdata_o <= 32'(stall_permille_i);
      default: err_o <= 1'b1;
    endcase
  end

  logic unused_req;
  assign unused_req = ^{req_i.be, req_i.addr[31:WindowW], req_i.addr[1:0]};

endmodule
