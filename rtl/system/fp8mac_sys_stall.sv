// SPDX-License-Identifier: Apache-2.0
// Random stalls: each cycle, each channel is stalled with the given probability. One 64-bit xorshift generator (shifts
// 13, 7, 17) steps once a cycle; every channel reads ten bits of its own.
module fp8mac_sys_stall #(
  parameter int unsigned CHANNELS = 5   // at most 6
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [63:0]         seed_i,      // any; taken while in reset
  input  logic [9:0]          permille_i,
  output logic [CHANNELS-1:0] stall_o
);

  localparam int unsigned DrawW = 10;

  function automatic logic [63:0] xorshift(logic [63:0] state);
    logic [63:0] x;
    x = state ^ (state << 13);
    x = x ^ (x >> 7);
    return x ^ (x << 17);
  endfunction

  logic [63:0] state_q;

  // The generator never leaves the state zero, so another one replaces it.
  always_ff @(posedge clk_i) begin
    if (!rst_ni)                 state_q <= seed_i == '0 ? 64'h9e37_79b9_7f4a_7c15 : seed_i;
    else if (permille_i != '0)   state_q <= xorshift(state_q);
  end

  // draw / 1024 < permille / 1000, in integers
  for (genvar i = 0; i < CHANNELS; i++) begin : gen_channel
    logic [DrawW-1:0] draw;
    assign draw = state_q[DrawW*i+:DrawW];
    assign stall_o[i] = 17'(draw) * 17'd125 < 17'(permille_i) * 17'd128;
  end

  logic unused_state;
  assign unused_state = ^state_q[63:DrawW*CHANNELS];

endmodule
