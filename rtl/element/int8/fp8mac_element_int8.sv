// SPDX-License-Identifier: Apache-2.0
// The INT8 baseline with BANKS accumulators of its own, which rotate through the registers of
// fp8mac_int8_pipeline. The area study compares the FP8 elements with it. fp8mac_array has the
// pipeline, and the accumulators in its accumulator memory.
//
//   cycle    0      1 .. BANKS
//            sum -> accumulate -> acc_o in cycle BANKS + 1, of the step issued in cycle 0
//            (one cycle later with TREE_REGISTER)
//
// The element takes one step a cycle. The step issued in cycle t belongs to accumulator t mod
// BANKS. Operands that are all zero do not change it.
module fp8mac_element_int8
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter bit TREE_REGISTER = 1'b0,  // adds a register and a cycle after the compressor tree, for a fast clock
  parameter int unsigned RIPPLE = 10,  // of the adder of the products, see fp8mac_adder
  parameter bit SELECT = 1'b0
) (
  input  logic                  clk_i,

  input  logic                  step_first_i,  // acc starts from 0
  input  logic [LANES-1:0][7:0] a_i,
  input  digits_t [LANES-1:0]   b_i,
  input  logic [negatives_width(LANES)-1:0] negatives_i,

  output logic [31:0]           acc_o
);

  localparam int unsigned Stages = BANKS == 1 ? 1 : 2;
  localparam int unsigned FirstCycles = TREE_REGISTER ? 2 : 1;

  logic [31:0]            added;
  logic [FirstCycles-1:0] first_q;

  always_ff @(posedge clk_i) first_q <= FirstCycles'({first_q, step_first_i});

  fp8mac_int8_pipeline #(
    .LANES(LANES), .STAGES(Stages), .TREE_REGISTER(TREE_REGISTER), .RIPPLE(RIPPLE), .SELECT(SELECT)
  ) u_pipeline (
    .clk_i, .a_i, .b_i, .negatives_i, .acc_i(first_q[FirstCycles-1] ? '0 : acc_o), .acc_o(added)
  );

  // An accumulator waits for its turn. Index s: s cycles after it was taken
  for (genvar s = int'(Stages); s <= int'(BANKS); s++) begin : g_wait
    logic [31:0] acc;
    if (s == int'(Stages)) begin : g_added
      assign acc = added;
    end else begin : g_later
      always_ff @(posedge clk_i) acc <= g_wait[s-1].acc;
    end
  end

  assign acc_o = g_wait[BANKS].acc;

endmodule
