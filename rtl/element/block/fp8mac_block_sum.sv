// SPDX-License-Identifier: Apache-2.0
// One element with block accumulation, without its accumulate unit: the sum of a block's truncated
// products, in a short integer accumulator, and what is special about the products.
//
//   cycle   0                                         1                    2
//           multiply, align, add (compressor tree) -> short accumulator -> sum_o of the steps up to this one
//           specials                               -> special_o
//
// The sum cannot overflow within BLOCK products. Its exponent is that of column FRAC_BITS.
module fp8mac_block_sum
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 16,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned FRAC_BITS = 19,
  parameter bit INF = 1'b1,
  parameter bit NAN = 1'b1,
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder, see fp8mac_adder
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

  // Multiply, align, add
  localparam int unsigned DistanceW = $clog2(FRAC_BITS + 3);
  logic [SumW-1:0]  tree_sum, tree_carry, tree_sum_q, tree_carry_q;
  logic            pos_inf, neg_inf, invalid, first_q;

  fp8mac_distance_tree #(
    .LANES(LANES), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(DistanceW), .INF(INF), .SUM_W(SumW)
  ) u_tree (
    .a_i, .b_i, .pos_inf_o(pos_inf), .neg_inf_o(neg_inf), .invalid_o(invalid), .sum_o(tree_sum), .carry_o(tree_carry)
  );
  always_ff @(posedge clk_i) begin
    tree_sum_q   <= tree_sum;
    tree_carry_q <= tree_carry;
    first_q      <= first_i;
  end

  // Specials are sticky within the block.
  block_special_t special_q, now;
  assign now = '{nan: NAN && nan_i, invalid: invalid, plus: pos_inf, minus: neg_inf};
  always_ff @(posedge clk_i) special_q <= first_i ? now : special_q | now;
  assign special_o = special_q;

  // Short accumulator. One lane's second word has only its lowest bit.
  logic [SumW-1:0] held, acc, acc_q;
  logic            unused_carry;
  assign held  = acc_q & {SumW{!first_q}};
  assign sum_o = acc_q;
  always_ff @(posedge clk_i) acc_q <= acc;

  if (LANES == 1) begin : g_one
    fp8mac_adder #(.W(SumW), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_add (
      .a_i(held), .b_i(tree_sum_q), .carry_i(tree_carry_q[0]), .sum_o(acc), .carry_o(unused_carry)
    );
    logic unused;
    assign unused = ^tree_carry_q[SumW-1:1];
  end else begin : g_several
    logic [SumW-1:0] save_sum, save_carry;
    fp8mac_compressor_tree #(.ADDENDS(3), .W(SumW)) u_save (
      .addend_i({held, tree_sum_q, tree_carry_q}), .sum_o(save_sum), .carry_o(save_carry)
    );
    fp8mac_adder #(.W(SumW), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_add (
      .a_i(save_sum), .b_i(save_carry), .carry_i(1'b0), .sum_o(acc), .carry_o(unused_carry)
    );
  end

endmodule
