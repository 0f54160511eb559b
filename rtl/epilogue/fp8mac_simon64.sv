// SPDX-License-Identifier: Apache-2.0
// Random bits for stochastic rounding: a block of fp8mac_simon64 of the golden model (random.h has
// the definition and the source). The bits depend on the seed and on the position alone.
//
//   x = m, y = n_block
//   16 rounds, i = 0 .. 15:
//     key  = (i even ? seed : 0) ^ (0x9e3779b9 * (i + 1) mod 2^32)
//     x, y = y ^ (rotl(x, 1) & rotl(x, 8)) ^ rotl(x, 2) ^ key, x
//
// A position enters in every cycle, and its block is in random_o Stages cycles later: 16 bits for
// each of four neighbouring columns. seed_i must be constant while a position is inside.
module fp8mac_simon64 #(
  localparam int unsigned Rounds     = 16,
  localparam int unsigned Stages     = 2,
  localparam int unsigned Columns    = 4
) (
  input  logic                     clk_i,
  input  logic [31:0]              seed_i,
  input  logic [31:0]              m_i,
  input  logic [31:0]              n_block_i,  // n / Columns
  output logic [Columns-1:0][15:0] random_o
);
  localparam int unsigned StageRounds = Rounds / Stages;

  typedef struct packed {
    logic [31:0] y;
    logic [31:0] x;
  } block_t;

  function automatic logic [31:0] rotate(logic [31:0] x, int unsigned by);
    return x << by | x >> (32 - by);
  endfunction

  // The rounds of a stage, from round `first` on
  function automatic block_t mix(block_t block, int unsigned first, logic [31:0] seed);
    block_t now;
    now = block;
    for (int unsigned r = first; r < first + StageRounds; r++) begin
      mix.x = now.y ^ (rotate(now.x, 1) & rotate(now.x, 8)) ^ rotate(now.x, 2)
              ^ (r % 2 == 0 ? seed : '0) ^ (32'h9e3779b9 * (r + 1));
      mix.y = now.x;
      now   = mix;
    end
  endfunction

  block_t block_q [1:Stages];

  always_ff @(posedge clk_i) begin
    block_q[1] <= mix('{x: m_i, y: n_block_i}, 0, seed_i);
    for (int unsigned s = 1; s < Stages; s++) block_q[s+1] <= mix(block_q[s], s * StageRounds, seed_i);
  end

  assign random_o = block_q[Stages];

endmodule
