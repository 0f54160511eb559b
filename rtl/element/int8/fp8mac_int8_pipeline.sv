// SPDX-License-Identifier: Apache-2.0
// The INT8 baseline, without the accumulators: acc' = acc + sum of a_i * b_i, with signed 8-bit
// operands and an exact INT32 accumulator. The area of the FP8 elements is compared with it, so it
// is built as carefully as they are. The feed recodes B (fp8mac_digit_recode). The partial products
// of all lanes go to one compressor tree.
//
//   cycle    0                                1 .. STAGES
//            multiply, compressor tree, add  -> accumulate -> acc_o in cycle STAGES + 1
//                                               ^ accumulator
//            (one cycle later with TREE_REGISTER)
//
// It takes one step a cycle. Operands that are all zero do not change the accumulator.
module fp8mac_int8_pipeline
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned STAGES = 2,   // cycles of the accumulating addition: 1 or 2
  parameter bit TREE_REGISTER = 1'b0,  // adds a register and a cycle after the compressor tree, for a fast clock
  parameter int unsigned RIPPLE = 10,  // of the adder of the products, see fp8mac_adder
  parameter bit SELECT = 1'b0
) (
  input  logic                  clk_i,

  // Cycle 0
  input  logic [LANES-1:0][7:0] a_i,
  input  digits_t [LANES-1:0]   b_i,
  input  logic [negatives_width(LANES)-1:0] negatives_i,

  // Cycle 1
  input  logic [31:0]           acc_i,

  // Cycle 1 + STAGES: the accumulator after the step
  output logic [31:0]           acc_o
);

  localparam int unsigned AccW = 32;
  localparam int unsigned SumW = 16 + $clog2(LANES);  // (-128)^2 = 2^14 is the largest product, -2^14 + 2^7 the least
  localparam int unsigned PartialW = 9;

  // Multiply. A partial product's sign bit has the weight -2^8. It is inverted and added with the
  // weight +2^8; a constant corrects the difference.
  localparam int unsigned Addends = LANES * Int8Digits + 2;
  localparam logic [SumW-1:0] Constant = SumW'(-(int'(LANES) * 'h5500));

  typedef logic [Addends-1:0][SumW-1:0] addend_t;

  function automatic addend_t present();
    addend_t mask;
    mask = '0;
    for (int unsigned lane = 0; lane < LANES; lane++) begin
      for (int unsigned j = 0; j < Int8Digits; j++) mask[lane*Int8Digits+j] = SumW'('h1ff) << (2 * j);
    end
    mask[Addends-2] = SumW'({negatives_width(LANES){1'b1}});
    mask[Addends-1] = Constant;
    return mask;
  endfunction

  addend_t         addend;
  logic [SumW-1:0] tree_sum, tree_carry, sum, sum_q;
  logic            unused_carry;

  for (genvar lane = 0; lane < int'(LANES); lane++) begin : g_lane
    for (genvar j = 0; j < int'(Int8Digits); j++) begin : g_partial
      logic [PartialW-1:0] partial;
      if (j < int'(Int8Digits) - 1) begin : g_lower
        fp8mac_digit_product #(.W(8)) u_product (
          .multiplicand_i(a_i[lane]), .minus_n_i(b_i[lane].negative_n[j]), .one_i(b_i[lane].one[j]),
          .two_i(b_i[lane].two[j]), .product_o(partial)
        );
      end else begin : g_highest
        fp8mac_booth_product #(.W(8)) u_product (
          .multiplicand_i(a_i[lane]), .negative_i(!b_i[lane].negative_n[j]), .one_i(b_i[lane].one[j]),
          .two_i(b_i[lane].two[j]), .product_o(partial)
        );
      end
      assign addend[lane*Int8Digits+j] = SumW'({!partial[PartialW-1], partial[PartialW-2:0]}) << (2 * j);
    end
  end
  assign addend[Addends-2] = SumW'(negatives_i);
  assign addend[Addends-1] = Constant;

  fp8mac_compressor_tree #(.ADDENDS(Addends), .W(SumW), .MASK(present())) u_tree (
    .addend_i(addend), .sum_o(tree_sum), .carry_o(tree_carry)
  );

  logic [SumW-1:0] add_sum, add_carry;

  if (TREE_REGISTER) begin : g_tree_register
    always_ff @(posedge clk_i) begin
      add_sum   <= tree_sum;
      add_carry <= tree_carry;
    end
  end else begin : g_no_register
    assign add_sum   = tree_sum;
    assign add_carry = tree_carry;
  end

  fp8mac_adder #(.W(SumW), .RIPPLE(RIPPLE), .SELECT(SELECT)) u_add (
    .a_i(add_sum), .b_i(add_carry), .carry_i(1'b0), .sum_o(sum), .carry_o(unused_carry)
  );

  always_ff @(posedge clk_i) sum_q <= sum;

  fp8mac_pipelined_adder #(
    .W(AccW), .CHUNK(STAGES == 1 ? AccW : SumW), .RIPPLE(STAGES == 1 ? AccW / 2 : SumW)
  ) u_accumulate (
    .clk_i, .a_i(acc_i), .b_i(AccW'(signed'(sum_q))), .sum_o(acc_o)
  );

endmodule
