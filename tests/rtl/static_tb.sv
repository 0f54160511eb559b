// SPDX-License-Identifier: Apache-2.0
// An element of FamilyStatic behind the feeds of its row and its column. As in element_tb, the
// ports always have 32 lanes, and a netlist can take the element's place. Products are aligned to
// bounds that come with the operands or to the largest exponent of the E4M3 formats, as the kind
// says. A step enters as codes, in one cycle. Accumulator, specials and flags leave together
// `stages` cycles later; parameters_o gives the number.
module static_tb
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT = ElementKulisch,
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned FRAC_BITS = 34,
  parameter int unsigned INF = 0,
  localparam int unsigned LanesMax = 32
) (
  input  logic                     clk_i,
  input  logic                     valid_i,      // a step, else a bubble
  input  logic                     step_first_i,
  input  logic [1:0]               a_fmt_i,
  input  logic [1:0]               b_fmt_i,
  input  logic [OperandExpW:0]     a_bound_i,
  input  logic [OperandExpW:0]     b_bound_i,
  input  logic [LanesMax-1:0]      lane_en_i,
  input  logic [LanesMax-1:0][7:0] a_code_i,
  input  logic [LanesMax-1:0][7:0] b_code_i,
  output logic [63:0]              acc_o,
  output logic [1:0]               special_o,
  output logic [3:0]               flags_o,
  output logic [31:0]              parameters_o
);

  localparam bit IsStatic = element_feed(ELEMENT) == FeedBounded;
  localparam bit IsInf = INF != 0;

  localparam int unsigned AccW = fixed_acc_width(ELEMENT, FRAC_BITS);
  localparam int unsigned LanesW = LANES * $bits(lane_t);
  localparam int unsigned FeedW = feed_width(ELEMENT, LANES, 1'b1);  // both sides
  localparam int unsigned Stages = BANKS + 3;

  assign parameters_o = {
    6'(LANES), 4'(BANKS), 6'(FRAC_BITS), 4'(distance_width(ELEMENT, FRAC_BITS)), 4'(Stages), 6'd0, IsStatic, IsInf
  };

  logic [FeedW-1:0] a_feed, b_feed;
  feed_common_t     a_common, b_common;

  fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b1)) u_feed_a (
    .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]),
    .fmt_i(fp8_fmt_e'(a_fmt_i)), .bound_i(a_bound_i), .nan_i(1'b0), .base_i('0), .feed_o(a_feed)
  );
  fp8mac_feed #(.ELEMENT(ELEMENT), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b0)) u_feed_b (
    .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]),
    .fmt_i(fp8_fmt_e'(b_fmt_i)), .bound_i(b_bound_i), .nan_i(1'b0), .base_i('0), .feed_o(b_feed)
  );
  assign a_common = a_feed[FeedW-1-:$bits(feed_common_t)];
  assign b_common = b_feed[FeedW-1-:$bits(feed_common_t)];

  // Codes come in cycle -1. step_first is due in cycle 0. Flags come before the accumulator
  // has waited for its turn.
  localparam int unsigned Waits = BANKS == 1 ? 0 : BANKS - 3;
  logic                                 first_q;
  logic [Waits:0][$bits(flags_t)-1:0]   flags_q;
  logic [$bits(flags_t)-1:0]            flags;
  always_ff @(posedge clk_i) begin
    first_q <= step_first_i;
    flags_q <= ((Waits + 1) * $bits(flags_t))'({flags_q, flags});
  end
  if (Waits == 0) begin : g_at_once
    logic unused_flags;
    assign flags_o      = flags;
    assign unused_flags = ^flags_q;
  end else begin : g_later
    assign flags_o = flags_q[Waits-1];
  end

  logic signed [AccW-1:0] acc;
  assign acc_o = 64'(acc);

`ifdef ELEMENT_NETLIST
  fp8mac_element_static u_element (
`else
  fp8mac_element_static #(
    .ELEMENT(ELEMENT), .LANES(LANES), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS), .INF(IsInf)
  ) u_element (
`endif
    .clk_i(clk_i), .step_first_i(first_q), .a_i(a_feed[LanesW-1:0]), .b_i(b_feed[LanesW-1:0]),
    .nan_i(a_common.nan || b_common.nan),
    .acc_o(acc), .special_o(special_o), .flags_o(flags)
  );

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i, a_common, b_common};

endmodule
