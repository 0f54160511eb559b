// SPDX-License-Identifier: Apache-2.0
// Random stalls: each cycle, each channel is stalled with the given probability. One 64-bit
// xorshift generator (shifts 13, 7, 17) steps once a cycle; every channel reads ten bits of its
// own.
module fp8mac_sys_stall
  import fp8mac_sys_pkg::stall_limit;
#(
  parameter int unsigned CHANNELS = 5   // at most 6
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                write_i,
  input  logic [9:0]          permille_i,
  output logic [9:0]          permille_o,  // in reset, that of the simulator's command line
  output logic [CHANNELS-1:0] stall_o
);

  import "DPI-C" function int unsigned fp8sim_stall_permille();
  import "DPI-C" function longint unsigned fp8sim_stall_seed();

  localparam int unsigned DrawW = 10;

  function automatic logic [63:0] xorshift(logic [63:0] state);
    logic [63:0] x;
    x = state ^ (state << 13);
    x = x ^ (x >> 7);
    return x ^ (x << 17);
  endfunction

  logic [63:0] state_q;

  // The generator never leaves the state zero, so another one replaces it.
  function automatic logic [63:0] start(longint unsigned seed);
    return seed == '0 ? 64'h9e37_79b9_7f4a_7c15 : seed;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                 state_q <= start(fp8sim_stall_seed());
    else if (permille_o != '0)   state_q <= xorshift(state_q);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      permille_o <= stall_limit(fp8sim_stall_permille());
    else if (write_i) permille_o <= permille_i;
  end

  // What so many cycles without a write do.
  function automatic void catch_up(int unsigned cycles);
    if (permille_o != '0) for (int unsigned i = 0; i < cycles; i++) state_q = xorshift(state_q);
  endfunction

  // draw / 1024 < permille / 1000, in integers
  for (genvar i = 0; i < CHANNELS; i++) begin : gen_channel
    logic [DrawW-1:0] draw;
    assign draw = state_q[DrawW*i+:DrawW];
    assign stall_o[i] = 17'(draw) * 17'd125 < 17'(permille_o) * 17'd128;
  end

  logic unused_state;
  assign unused_state = ^state_q[63:DrawW*CHANNELS];

endmodule
