// SPDX-License-Identifier: Apache-2.0
// Compressor tree: reduces ADDENDS addends of W bits to two words of the same sum modulo 2^W. It
// follows Dadda's order: each level reduces every column to the next of 2, 3, 4, 6, 9, 13, 19, ...
// bits with as few adders as possible. Combinational. (L. Dadda, Some schemes for parallel
// multipliers, Alta Frequenza 34, 1965.)
//
// MASK marks the bits of the addends that can be 1. The other bits need no adders.
module fp8mac_compressor_tree #(
  parameter int unsigned ADDENDS = 4,
  parameter int unsigned W = 8,
  parameter logic [ADDENDS-1:0][W-1:0] MASK = '1
) (
  input  logic [ADDENDS-1:0][W-1:0] addend_i,
  output logic [W-1:0]           sum_o,
  output logic [W-1:0]           carry_o
);

  function automatic int unsigned rank(int unsigned addend, int unsigned column);
    int unsigned count;
    count = 0;
    for (int unsigned r = 0; r < addend; r++) count = count + (MASK[r][column] ? 1 : 0);
    return count;
  endfunction

  function automatic int unsigned tallest();
    int unsigned height;
    height = 2;
    for (int unsigned c = 0; c < W; c++) if (rank(ADDENDS, c) > height) height = rank(ADDENDS, c);
    return height;
  endfunction

  // The n-th of Dadda's heights 2, 3, 4, 6, 9, ...
  function automatic int unsigned dadda(int unsigned n);
    int unsigned height;
    height = 2;
    for (int unsigned i = 0; i < n; i++) height = height * 3 / 2;
    return height;
  endfunction

  function automatic int unsigned levels();
    int unsigned n;
    n = 0;
    while (dadda(n) < tallest()) n = n + 1;
    return n;
  endfunction

  localparam int unsigned Levels = levels();
  localparam int unsigned MaxHeight = tallest();
  localparam int unsigned CountW = 8;

  typedef logic [Levels:0][W-1:0][CountW-1:0] plan_t;

  // For each column of each level: its height (what = 0), its full adders (1) or its half adders
  // (2)
  function automatic plan_t plan(int unsigned what);
    plan_t height, full, half;
    height = '0;
    full   = '0;
    half   = '0;
    for (int unsigned c = 0; c < W; c++) height[0][c] = CountW'(rank(ADDENDS, c));
    for (int l = 0; l < int'(Levels); l++) begin
      int unsigned carries, excess;
      carries = 0;
      for (int unsigned c = 0; c < W; c++) begin
        excess = int'(height[l][c]) + carries;
        excess = excess > dadda(Levels - 1 - unsigned'(l)) ? excess - dadda(Levels - 1 - unsigned'(l)) : 0;
        full[l][c]     = CountW'(excess / 2);
        half[l][c]     = CountW'(excess % 2);
        height[l+1][c] = CountW'(int'(height[l][c]) + carries - excess);
        carries        = (excess + 1) / 2;
      end
    end
    return what == 0 ? height : what == 1 ? full : half;
  endfunction

  localparam plan_t Height = plan(0);
  localparam plan_t Full = plan(1);
  localparam plan_t Half = plan(2);

  // Level l's bits, column by column, in the order of their arrival: bits that level l-1 did not
  // add, its sums, its carries.
  for (genvar l = 0; l <= int'(Levels); l++) begin : g_level
    logic [W-1:0][MaxHeight-1:0] bits;

    for (genvar c = 0; c < int'(W); c++) begin : g_column
      if (int'(Height[l][c]) < int'(MaxHeight)) begin : g_absent
        assign bits[c][MaxHeight-1:int'(Height[l][c])] = '0;
      end

      if (l == 0) begin : g_addends

        for (genvar r = 0; r < int'(ADDENDS); r++) begin : g_addend
          if (MASK[r][c]) begin : g_present
            assign bits[c][rank(r, c)] = addend_i[r][c];
          end
        end

      end else begin : g_adders

        localparam int F = int'(Full[l-1][c]);
        localparam int H = int'(Half[l-1][c]);
        localparam int Kept = int'(Height[l-1][c]) - 3 * F - 2 * H;
        localparam int Carries = int'(Height[l][c]) - Kept - F - H;  // from the column on the right

        for (genvar i = 0; i < Kept; i++) begin : g_kept
          assign bits[c][i] = g_level[l-1].bits[c][3*F+2*H+i];
        end
        logic [F+H:0] carry;  // one more than the adders, so that the width is never 0
        assign carry[F+H] = 1'b0;
        for (genvar i = 0; i < F; i++) begin : g_full
          fp8mac_full_adder u_adder (
            .a_i(g_level[l-1].bits[c][3*i]), .b_i(g_level[l-1].bits[c][3*i+1]), .c_i(g_level[l-1].bits[c][3*i+2]),
            .sum_o(bits[c][Kept+i]), .carry_o(carry[i])
          );
        end
        for (genvar i = 0; i < H; i++) begin : g_half
          fp8mac_half_adder u_adder (
            .a_i(g_level[l-1].bits[c][3*F]), .b_i(g_level[l-1].bits[c][3*F+1]),
            .sum_o(bits[c][Kept+F]), .carry_o(carry[F])
          );
        end
        for (genvar i = 0; i < Carries; i++) begin : g_carry
          assign bits[c][Kept+F+H+i] = g_level[l].g_column[c-1].g_adders.carry[i];
        end

      end
    end
  end

  for (genvar c = 0; c < int'(W); c++) begin : g_result
    assign sum_o[c]   = g_level[Levels].bits[c][0];
    assign carry_o[c] = g_level[Levels].bits[c][1];
  end

endmodule
