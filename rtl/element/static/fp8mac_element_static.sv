// SPDX-License-Identifier: Apache-2.0
// Element with a fixed-point accumulator and BANKS accumulators of its own, which rotate through
// the registers of fp8mac_static_pipeline. The area study weighs this element. fp8mac_array has the
// pipeline, and the accumulators in its accumulator memory.
//
//   cycle   0, 1   2 .. BANKS + 1
//           sum -> accumulate     -> acc_o, special_o in cycle BANKS + 2
//
// The step issued in cycle t belongs to accumulator t mod BANKS; operands that are all
// zero do not change it.
module fp8mac_element_static
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementKulisch,  // a kind of FamilyStatic
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,        // 1, or 3 and more
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit INF = element_takes_e5m2(ELEMENT),  // 0: no format has an infinity
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder behind the compressor tree, see fp8mac_adder
  localparam int unsigned Stages = BANKS == 1 ? 1 : 3,
  localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS)
) (
  input  logic              clk_i,

  input  logic              step_first_i,  // acc starts from 0
  input  lane_t [LANES-1:0] a_i,
  input  lane_t [LANES-1:0] b_i,
  input  logic              nan_i,         // some operand is a NaN

  output logic [AccW-1:0]   acc_o,
  output special_e          special_o,
  output flags_t            flags_o        // in cycle 2 + Stages
);

  typedef struct packed {
    logic [AccW-1:0] acc;
    sticky_t         sticky;
  } acc_t;

  acc_t       taken, added;
  logic [1:0] first_q;

  always_ff @(posedge clk_i) first_q <= {first_q[0], step_first_i};
  assign taken = first_q[1] ? '0 : g_wait[BANKS].acc;

  fp8mac_static_pipeline #(
    .ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .INF(INF), .STAGES(Stages), .ADD_RIPPLE(ADD_RIPPLE)
  ) u_pipeline (
    .clk_i, .a_i, .b_i, .nan_i, .acc_i(taken.acc), .sticky_i(taken.sticky),
    .acc_o(added.acc), .sticky_o(added.sticky), .flags_o
  );

  // An accumulator waits for its turn. Index s: s cycles after it was taken
  for (genvar s = int'(Stages); s <= int'(BANKS); s++) begin : g_wait
    acc_t acc;
    if (s == int'(Stages)) begin : g_added
      assign acc = added;
    end else begin : g_later
      always_ff @(posedge clk_i) acc <= g_wait[s-1].acc;
    end
  end

  assign acc_o     = g_wait[BANKS].acc.acc;
  assign special_o = special_of(g_wait[BANKS].acc.sticky);

endmodule
