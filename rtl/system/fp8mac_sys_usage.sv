// SPDX-License-Identifier: Apache-2.0
// Tells the simulator at its end how much of the array the program used: multiply-accumulates, and
// cycles in which the accelerator held a command. Software cannot clear these sums.
module fp8mac_sys_usage #(
  parameter int unsigned MACS_PER_CYCLE = 256
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [31:0] macs_i,   // multiply-accumulates of this cycle
  input logic        idle_i    // the accelerator holds no command
);

  import "DPI-C" function void fp8sim_usage(input int unsigned macs_per_cycle, input longint unsigned macs,
                                            input longint unsigned busy_cycles);

  longint unsigned macs_q, busy_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      macs_q <= '0;
      busy_q <= '0;
    end else begin
      macs_q <= macs_q + 64'(macs_i);
      busy_q <= busy_q + 64'(!idle_i);
    end
  end

  final fp8sim_usage(MACS_PER_CYCLE, macs_q, busy_q);

endmodule
