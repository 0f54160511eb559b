// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_static behind the edges of its row and its column: like element_tb, always 32 lanes wide outside and ready
// for a netlist. With HIDDEN_ONE its window hangs from the bounds that come with the operands, else from the two E4M3
// formats' own. A step goes in as codes, in one cycle; accumulator, specials and flags come out together, `stages`
// cycles later, as parameters_o tells.
module static_tb
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4,
  parameter int unsigned FRAC_BITS = 34,
  parameter int unsigned DISTANCE_W = 4,
  parameter int unsigned HIDDEN_ONE = 0,
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

  localparam bit IsStatic = HIDDEN_ONE != 0;
  localparam bit IsInf = INF != 0;

  localparam int unsigned Guard = 16;  // what the element has, unless told otherwise
  localparam int unsigned AccW = FRAC_BITS + 3 + Guard;
  localparam int unsigned LaneW = $bits(lane_t);
  localparam int unsigned Stages = BANKS + 3;

  assign parameters_o = {
    6'(LANES), 4'(BANKS), 6'(FRAC_BITS), 4'(DISTANCE_W), 4'(Stages), 6'd0, IsStatic, IsInf
  };

  logic [LANES*LaneW-1:0] a_lane, b_lane;
  logic                   a_nan, b_nan;

  if (IsStatic) begin : g_static
    base_t [1:0] unused_field;
    logic [1:0]  unused_none;
    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DISTANCE_W)) u_a (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(a_fmt_i)),
      .bound_i(a_bound_i), .lane_o(a_lane), .nan_o(a_nan),
      .base_i('0), .field_o(unused_field[0]), .none_o(unused_none[0])
    );
    fp8mac_feed_distance #(.LANES(LANES), .DISTANCE_W(DISTANCE_W)) u_b (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(b_fmt_i)),
      .bound_i(b_bound_i), .lane_o(b_lane), .nan_o(b_nan),
      .base_i('0), .field_o(unused_field[1]), .none_o(unused_none[1])
    );
  end else begin : g_exact
    logic unused_bound;
    fp8mac_feed_kulisch #(.LANES(LANES)) u_a (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(a_fmt_i)),
      .lane_o(a_lane), .nan_o(a_nan)
    );
    fp8mac_feed_kulisch #(.LANES(LANES)) u_b (
      .clk_i, .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]), .fmt_i(fp8_fmt_e'(b_fmt_i)),
      .lane_o(b_lane), .nan_o(b_nan)
    );
    assign unused_bound = ^{a_bound_i, b_bound_i};
  end

  // Codes come in cycle -1; step_first is due in cycle 0, flags come in cycle 2 and are kept for the result.
  logic                                 first_q;
  logic [BANKS-1:0][$bits(flags_t)-1:0] flags_q;
  logic [$bits(flags_t)-1:0]            flags;
  always_ff @(posedge clk_i) begin
    first_q <= step_first_i;
    flags_q <= (BANKS * $bits(flags_t))'({flags_q, flags});
  end
  assign flags_o = flags_q[BANKS-1];

  logic signed [AccW-1:0] acc;
  assign acc_o = 64'(acc);

`ifdef WINDOW_NETLIST
  fp8mac_element_static u_pe (
`else
  fp8mac_element_static #(
    .LANES(LANES), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS), .DISTANCE_W(DISTANCE_W), .HIDDEN_ONE(IsStatic), .INF(IsInf)
  ) u_pe (
`endif
    .clk_i(clk_i), .step_first_i(first_q), .a_i(a_lane), .b_i(b_lane), .nan_i(a_nan || b_nan),
    .acc_o(acc), .special_o(special_o), .flags_o(flags)
  );

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i};

endmodule
