// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/element/block/fp8mac_block_sum.sv where an FPGA has multipliers of 18 x 18 bits: the
// same bits in the same cycles, with a DSP block for each lane and no shifter behind it.
//
//   cycle   0                                                1                          2
//           multiply, align (fp8mac_placed_product), invert  -> add, short accumulator -> sum_o
//
// A negative word is inverted, and the 1 that its two's complement needs is the carry into one of
// the adders: there are as many adders as lanes, with that of the short accumulator.
module fp8mac_block_sum
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 16,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned FRAC_BITS = 19,
  parameter bit INF = 1'b1,
  parameter bit NAN = 1'b1,
  parameter int unsigned ADD_RIPPLE = 22,  // without effect: carry chains are the FPGA's
  localparam int unsigned SumW = FRAC_BITS + integer_bits(BLOCK) + 1
) (
  input  logic              clk_i,

  // Cycle 0
  input  logic              first_i,    // starts from zero
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,
  input  logic              nan_i,      // some operand is a NaN

  output block_special_t    special_o,  // cycle 1
  output logic [SumW-1:0]   sum_o       // cycle 2, two's complement
);

  localparam int unsigned WordW = FRAC_BITS + 2;
  localparam int unsigned DistanceW = $clog2(FRAC_BITS + 3);

  if (LANES == 0 || (LANES & (LANES - 1)) != 0) begin : g_check
    $error("LANES must be a power of two");
  end

  // Multiply, align
  logic [LANES-1:0]            sign, sign_q, pos_inf, neg_inf, invalid;
  logic [LANES-1:0][WordW-1:0] word, word_q;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    logic [WordW-1:0] magnitude;
    logic             is_inf;

    fp8mac_placed_product #(.WORD_W(WordW), .DISTANCE_W(DistanceW)) u_product (
      .a_sig_i(a_i[i].sig), .a_distance_i(a_i[i].exp_n[DistanceW-1:0]),
      .b_sig_i(b_i[i].sig), .b_distance_i(b_i[i].exp_n[DistanceW-1:0]), .word_o(magnitude)
    );
    assign sign[i]   = a_i[i].sign ^ b_i[i].sign;
    assign word[i]   = magnitude ^ {WordW{sign[i]}};

    assign is_inf     = INF && ((a_i[i].is_inf && b_i[i].live) || (b_i[i].is_inf && a_i[i].live));
    assign pos_inf[i] = is_inf && !sign[i];
    assign neg_inf[i] = is_inf && sign[i];
    assign invalid[i] = INF && ((a_i[i].is_inf && b_i[i].zero) || (b_i[i].is_inf && a_i[i].zero));
  end

  logic first_q;
  always_ff @(posedge clk_i) begin
    word_q  <= word;
    sign_q  <= sign;
    first_q <= first_i;
  end

  // Add: node n is the sum of nodes 2n and 2n + 1, and the leaves are nodes LANES and up. A node of
  // `count` words has WordW + 1 + $clog2(count) bits. Node n adds the 1 of lane n's inverted word,
  // and the short accumulator that of lane 0.
  for (genvar n = 2 * int'(LANES) - 1; n > 0; n--) begin : g_node
    localparam int unsigned NodeW = WordW + 1 + $clog2(LANES) - ($clog2(n + 1) - 1);
    logic [NodeW-1:0] value;
    if (n >= int'(LANES)) begin : g_leaf
      assign value = {sign_q[n-int'(LANES)], word_q[n-int'(LANES)]};
    end else begin : g_sum
      logic unused;
      assign {value, unused} = {g_node[2*n].value[NodeW-2], g_node[2*n].value, 1'b1} +
                               {g_node[2*n+1].value[NodeW-2], g_node[2*n+1].value, sign_q[n]};
    end
  end

  // Specials are sticky within the block.
  block_special_t special_q, now;
  assign now = '{nan: NAN && nan_i, invalid: invalid != '0, plus: pos_inf != '0, minus: neg_inf != '0};
  always_ff @(posedge clk_i) special_q <= first_i ? now : special_q | now;
  assign special_o = special_q;

  // Short accumulator
  localparam int unsigned RootW = WordW + 1 + $clog2(LANES);
  logic [SumW-1:0] held, root, acc, acc_q;
  logic            unused;
  assign held          = acc_q & {SumW{!first_q}};
  assign root          = {{(SumW - RootW){g_node[1].value[RootW-1]}}, g_node[1].value};
  assign {acc, unused} = {held, 1'b1} + {root, sign_q[0]};
  assign sum_o         = acc_q;
  always_ff @(posedge clk_i) acc_q <= acc;

endmodule
