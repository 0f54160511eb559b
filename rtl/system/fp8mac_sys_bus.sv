// SPDX-License-Identifier: Apache-2.0
// The core's data port. One access at a time goes to the target that its address selects. RAM and
// timer answer in the next cycle, the accelerator and the control registers when they are done. An
// access to an unmapped address is answered with a bus error. Every access waits for the RAM: the
// grant does not depend on the address, which the core computes last.
module fp8mac_sys_bus
  import fp8mac_sys_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,
  input  logic [31:0] addr_i,
  output logic        gnt_o,
  output logic        rvalid_o,
  output logic [31:0] rdata_o,
  output logic        err_o,

  output logic        ram_valid_o,
  input  logic        ram_ready_i,     // it takes an access of this kind, read or write
  input  logic [31:0] ram_rdata_i,
  output logic        ctrl_valid_o,
  input  logic        ctrl_done_i,     // the answer is there, at the earliest in the cycle after ctrl_valid_o
  input  logic [31:0] ctrl_rdata_i,
  input  logic        ctrl_err_i,
  output logic        timer_valid_o,
  input  logic [31:0] timer_rdata_i,
  input  logic        timer_err_i,
  output logic        accel_valid_o,
  input  logic        accel_done_i,
  input  logic [31:0] accel_rdata_i,
  input  logic        accel_err_i
);

  // The target whose answer is due
  target_e target_q, target;

  logic free;  // no answer is owed behind this cycle

  assign free   = (target_q != TargetAccel || accel_done_i) && (target_q != TargetCtrl || ctrl_done_i);
  assign gnt_o  = valid_i && free && ram_ready_i;
  assign target = core_target(addr_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni)    target_q <= TargetNone;
    else if (gnt_o) target_q <= target;
    else if (free)  target_q <= TargetNone;
  end

  assign ram_valid_o   = gnt_o && target == TargetRam;
  assign ctrl_valid_o  = gnt_o && target == TargetCtrl;
  assign timer_valid_o = gnt_o && target == TargetTimer;
  assign accel_valid_o = gnt_o && target == TargetAccel;

  always_comb begin
    rvalid_o = 1'b1;
    rdata_o  = '0;
    err_o    = 1'b0;
    unique case (target_q)
      TargetRam: rdata_o = ram_rdata_i;
      TargetCtrl: begin
        rvalid_o = ctrl_done_i;
        rdata_o  = ctrl_rdata_i;
        err_o    = ctrl_err_i;
      end
      TargetTimer: begin
        rdata_o = timer_rdata_i;
        err_o   = timer_err_i;
      end
      TargetAccel: begin
        rvalid_o = accel_done_i;
        rdata_o  = accel_rdata_i;
        err_o    = accel_err_i;
      end
      TargetError: err_o = 1'b1;
      default: rvalid_o = 1'b0;
    endcase
  end

endmodule
