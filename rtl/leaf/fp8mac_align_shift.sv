// SPDX-License-Identifier: Apache-2.0
// Alignment shift: value_i is at the top of a word of W bits, with fill_i below it. The word moves
// right by shift_i, and fill_i comes in from above. If fill_i is the sign and a negative value is
// inverted, the result is the shifted and truncated magnitude in one's complement. Combinational.
//
//   shift 0    [   value   | fill fill fill fill ]
//   shift 3    [ fill fill fill |   value   | fill ]
//
// Levels that shift by few bits come first, while the word is narrow. With LEVELS = $clog2(W + 1)
// the largest shift leaves only fill. Every level inverts. If the number of levels is odd, the
// value is inverted first.
module fp8mac_align_shift #(
  parameter int unsigned VALUE_W = 8,
  parameter int unsigned W = 27,
  parameter int unsigned LEVELS = $clog2(W + 1)
) (
  input  logic [VALUE_W-1:0] value_i,
  input  logic               fill_i,
  input  logic               void_i,  // dropped bits of this value do not count as lost: fill, or 0 in two's complement
  input  logic [LEVELS-1:0]  shift_i,
  output logic [W-1:0]       word_o,
  output logic               lost_o   // a bit other than void_i was dropped
);

  localparam int unsigned TopW = VALUE_W < W ? VALUE_W : W;
  localparam bit Odd = LEVELS % 2 == 1;

  // Before level l the value reaches down to column Low(l) and up to the top; elsewhere there is
  // fill.
  function automatic int low(int unsigned level);
    int column;
    column = int'(W) - int'(TopW) - int'((1 << level) - 1);
    return column > 0 ? column : 0;
  endfunction

  logic [LEVELS:1] lost;

  for (genvar l = 0; l <= int'(LEVELS); l++) begin : g_level
    logic [W-1:0] word;
    logic         fill;  // fill_i, inverted as often as the word of this level
    assign fill = fill_i ^ ((l % 2 == 1) != Odd);

    if (l == 0) begin : g_in

      if (TopW < W) begin : g_below
        assign word = {value_i[VALUE_W-1-:TopW], {(W - TopW){fill_i}}} ^ {W{Odd}};
      end else begin : g_all
        assign word = value_i[VALUE_W-1-:TopW] ^ {W{Odd}};
      end

    end else begin : g_shift

      localparam int By = 1 << (l - 1);
      logic select, select_n, hold;
      assign select   = shift_i[l-1];
      assign select_n = !shift_i[l-1];
      assign hold     = select_n || g_level[l-1].fill;

      localparam int Cut = By < int'(W) ? By : int'(W);
      assign lost[l] = select && g_level[l-1].word[Cut-1:0] != {Cut{void_i ^ (((l - 1) % 2 == 1) != Odd)}};

      for (genvar c = 0; c < int'(W); c++) begin : g_bit
        if (c < low(l)) begin : g_fill
          assign word[c] = fill;
        end else if (c < low(l - 1)) begin : g_below
          // Fill if not shifted: the two inputs are exchanged.
          fp8mac_fill_n u_mux (
            .a_i(c + By < int'(W) ? g_level[l-1].word[c + By < int'(W) ? c + By : 0] : g_level[l-1].fill),
            .select_i(select_n), .hold_i(select || g_level[l-1].fill), .y_n_o(word[c])
          );
        end else if (c + By < int'(W)) begin : g_mux
          fp8mac_mux_n u_mux (
            .a_i(g_level[l-1].word[c+By]), .b_i(g_level[l-1].word[c]), .select_i(select), .select_n_i(select_n),
            .y_n_o(word[c])
          );
        end else begin : g_above
          fp8mac_fill_n u_mux (
            .a_i(g_level[l-1].word[c]), .select_i(select), .hold_i(hold), .y_n_o(word[c])
          );
        end
      end

    end
  end

  assign word_o = g_level[LEVELS].word;
  assign lost_o = lost != '0;

  if (VALUE_W > W) begin : g_narrow
    logic unused;  // a narrow word has no place for the value's lowest bits
    assign unused = ^value_i[VALUE_W-TopW-1:0];
  end

endmodule
