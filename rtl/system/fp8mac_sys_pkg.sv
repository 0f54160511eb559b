// SPDX-License-Identifier: Apache-2.0
// The simulated chip's memory map, and the records that its modules exchange.
//
//   0x2000_0000  simulation control (console, exit, checker)     core only
//   0x2001_0000  timer                                           core only
//   0x3000_0000  fault window: every access answers SLVERR       accelerator only
//   0x4000_0000  the accelerator's registers                     core only
//   0x8000_0000  RAM                                             core and accelerator
//
// Each window but the RAM has 4 KiB. An access to any other address is answered with a bus error
// (core) or DECERR (accelerator).
package fp8mac_sys_pkg;

  parameter logic [31:0] CtrlBase  = 32'h2000_0000;
  parameter logic [31:0] TimerBase = 32'h2001_0000;
  parameter logic [31:0] FaultBase = 32'h3000_0000;
  parameter logic [31:0] AccelBase = 32'h4000_0000;
  parameter logic [31:0] RamBase   = 32'h8000_0000;

  parameter int unsigned WindowW  = 12;         // log2 of a window's bytes
`ifdef FP8MAC_RAM_ADDR_W
  parameter int unsigned RamAddrW = `FP8MAC_RAM_ADDR_W;
`else
  parameter int unsigned RamAddrW = 24;         // log2 of the RAM's bytes. A board defines FP8MAC_RAM_ADDR_W
`endif
  parameter int unsigned RamWords = 1 << (RamAddrW - 2);

  // Ibex starts at boot address + 0x80: a program's entry point is 0x8000_0080.
  parameter logic [31:0] BootAddr = RamBase;

  // One access of the core's data port. Addresses are multiples of 4; `be` selects bytes.
  typedef struct packed {
    logic        we;
    logic [3:0]  be;
    logic [31:0] addr;
    logic [31:0] wdata;
  } core_req_t;

  // Registers of the control window: fp8mac_sys_ctrl, and what a board has in its place
  typedef enum logic [WindowW-1:0] {
    RegExit     = 12'h00,
    RegPutc     = 12'h04,
    RegCheck    = 12'h08,
    RegArgs     = 12'h0c,
    RegStall    = 12'h10,
    RegLocation = 12'h14
  } ctrl_reg_e;

  typedef enum logic [2:0] {
    TargetNone  = 3'd0,
    TargetRam   = 3'd1,
    TargetCtrl  = 3'd2,
    TargetTimer = 3'd3,
    TargetAccel = 3'd4,
    TargetError = 3'd5   // nothing is mapped there
  } target_e;

  typedef enum logic [1:0] {
    AxiOkay   = 2'b00,
    AxiSlvErr = 2'b10,
    AxiDecErr = 2'b11
  } axi_resp_e;

  parameter logic [1:0] AxiIncr = 2'b01;

  function automatic logic in_window(logic [31:0] addr, logic [31:0] base);
    return (addr ^ base) >> WindowW == '0;
  endfunction

  function automatic logic in_ram(logic [31:0] addr);
    return (addr ^ RamBase) >> RamAddrW == '0;
  endfunction

  function automatic target_e core_target(logic [31:0] addr);
    if (in_ram(addr)) return TargetRam;
    if (in_window(addr, CtrlBase)) return TargetCtrl;
    if (in_window(addr, TimerBase)) return TargetTimer;
    if (in_window(addr, AccelBase)) return TargetAccel;
    return TargetError;
  endfunction

  // The response to a burst that starts at `addr`. Bursts cross no 4 KiB boundary, so it
  // holds for every beat.
  function automatic axi_resp_e axi_decode(logic [31:0] addr, logic supported);
    if (in_ram(addr)) return supported ? AxiOkay : AxiSlvErr;
    if (in_window(addr, FaultBase)) return AxiSlvErr;
    return AxiDecErr;
  endfunction

  // Per-mille probability of a stall: 0..900; 1000 stops the bus; other values mean 900.
  function automatic logic [9:0] stall_limit(logic [31:0] permille);
    if (permille == 32'd1000) return 10'd1000;
    return permille > 32'd900 ? 10'd900 : permille[9:0];
  endfunction

endpackage
