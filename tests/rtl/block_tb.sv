// SPDX-License-Identifier: Apache-2.0
// fp8mac_element_block behind the feeds of its rows and its column. As in element_tb, the number of
// ports does not depend on the parameters, and a netlist can take the element's place. Codes enter
// in the cycle before the elements' cycle 0. What the unit takes enters in its cycle 0; of row r as
// everything, r cycles later. Results leave 5 cycles after that.
//
// With ELEMENT_STAGGERED the element is fp8mac_element_block_staggered. Row r's operands wait r
// cycles here, what the unit takes waits one cycle, and results leave one cycle later.
//
// A block takes Period cycles: as many as it has steps, and one for each row. With UNIT_NETLIST a
// netlist of fp8mac_block_cluster takes the element's place, and the accumulators are here.
module block_tb
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned SHARE = 8,
  parameter int unsigned BANKS = 4,
  parameter int unsigned FRAC_BITS = 19,
  parameter int unsigned ACC_FP32 = 1,
  parameter int unsigned ACC_FP16 = 1,
  parameter int unsigned INF = 1,
  parameter int unsigned NAN = 1,
  parameter int unsigned MX = 0,
  localparam int unsigned LanesMax = 32,
  localparam int unsigned BlockMax = 64
) (
  input  logic                            clk_i,
  input  logic                            valid_i,       // a step, else a bubble
  input  logic                            first_i,       // of the block
  input  logic                            last_i,
  input  logic [1:0]                      a_fmt_i,
  input  logic [1:0]                      b_fmt_i,
  input  logic [LanesMax-1:0]             lane_en_i,
  input  logic [BlockMax-1:0][7:0]        a_code_i,      // row r, lane l at r * LANES + l
  input  logic [LanesMax-1:0][7:0]        b_code_i,
  input  logic [LanesMax-1:0][7:0]        a_bound_i,     // of each row
  input  logic [7:0]                      b_bound_i,
  input  logic [LanesMax-1:0][7:0]        a_scale_i,     // MX: E8M0 codes of each row, and of the column
  input  logic [7:0]                      b_scale_i,

  input  logic [BoundW-1:0]               unit_a_bound_i,
  input  logic [BoundW-1:0]               unit_b_bound_i,
  input  logic [7:0]                      unit_a_scale_i,
  input  logic [7:0]                      unit_b_scale_i,
  input  logic [7:0]                      scale_sum_i,   // two's complement, FNUZ-adjusted
  input  logic                            acc_fp16_i,
  input  logic                            acc_first_i,

  output logic [31:0]                     pattern_o,
  output logic [3:0]                      flags_o,
  output logic [31:0]                     parameters_o,
  output logic                            mx_o,
  output logic [3:0]                      latency_o      // cycles from the last codes of row 0 to its result
);

  localparam bit IsFp32 = ACC_FP32 != 0;
  localparam bit IsFp16 = ACC_FP16 != 0;
  localparam bit IsInf = INF != 0;
  localparam bit IsNan = NAN != 0;
  localparam bit IsMx = MX != 0;
`ifdef ELEMENT_STAGGERED
  localparam bit Staggered = 1'b1;
`else
  localparam bit Staggered = 1'b0;
`endif
  localparam int unsigned AccW = IsFp32 ? 32 : 16;
  localparam int unsigned ExpW = field_width(IsMx);
  localparam int unsigned PlaceW = place_width(IsMx);

  assign parameters_o = {
    6'(LANES), 7'(BLOCK), 6'(SHARE), 4'(BANKS), 5'(FRAC_BITS), IsFp32, IsFp16, IsInf, IsNan
  };
  assign mx_o = IsMx;
  assign latency_o = Staggered ? 4'd6 : 4'd5;

  // Feeds
  localparam int unsigned FeedW = feed_width(ElementBlock, LANES, 1'b1);  // both sides
  localparam int unsigned LanesW = LANES * $bits(lane_t);
  logic [SHARE-1:0][LanesW-1:0] a;
  logic [SHARE-1:0]             a_nan;
  logic [FeedW-1:0]             b_feed;
  feed_common_t                 b_common;

  for (genvar r = 0; r < int'(SHARE); r++) begin : g_row
    logic [FeedW-1:0] feed;
    feed_common_t     common;
    fp8mac_feed #(.ELEMENT(ElementBlock), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b1), .MX(IsMx)) u_feed (
      .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(a_code_i[r*LANES+:LANES]),
      .fmt_i(fp8_fmt_e'(a_fmt_i)), .bound_i(a_bound_i[r][BoundW-1:0]), .nan_i(a_scale_i[r] == ScaleNan), .base_i('0),
      .feed_o(feed)
    );
    assign common   = feed[FeedW-1-:$bits(feed_common_t)];
    if (Staggered && r > 0) begin : g_later
      logic [r-1:0][LanesW:0] waiting_q;
      always_ff @(posedge clk_i) waiting_q <= (r * (LanesW + 1))'({waiting_q, common.nan, feed[LanesW-1:0]});
      assign {a_nan[r], a[r]} = waiting_q[r-1];
    end else begin : g_at_once
      assign a[r]     = feed[LanesW-1:0];
      assign a_nan[r] = common.nan;
    end

    logic unused_common;
    assign unused_common = ^common;
  end
  fp8mac_feed #(.ELEMENT(ElementBlock), .LANES(LANES), .FRAC_BITS(FRAC_BITS), .SIDE_A(1'b0), .MX(IsMx)) u_feed_b (
    .clk_i, .rst_ni(1'b1), .valid_i, .lane_en_i(lane_en_i[LANES-1:0]), .code_i(b_code_i[LANES-1:0]),
    .fmt_i(fp8_fmt_e'(b_fmt_i)), .bound_i(b_bound_i[BoundW-1:0]), .nan_i(b_scale_i == ScaleNan), .base_i('0),
    .feed_o(b_feed)
  );
  assign b_common = b_feed[FeedW-1-:$bits(feed_common_t)];

  // What belongs to the unit's cycle 1 comes in its cycle 0.
  logic              first_q, last_q, none_q, acc_fp16_q, acc_first_q;
  logic [ExpW-1:0]   a_field;
  logic [PlaceW-1:0] a_place, b_place;
  typedef struct packed {
    logic [BoundW-1:0] a_bound, b_bound;
    logic [7:0]        a_scale, b_scale, scale_sum;
    logic              acc_fp16, acc_first;
  } unit_t;
  unit_t unit_in, unit, unit_in_q;
  assign unit_in = '{
    a_bound: unit_a_bound_i, b_bound: unit_b_bound_i, a_scale: unit_a_scale_i, b_scale: unit_b_scale_i,
    scale_sum: scale_sum_i, acc_fp16: acc_fp16_i, acc_first: acc_first_i
  };
  assign unit = Staggered ? unit_in_q : unit_in;
  always_ff @(posedge clk_i) begin
    unit_in_q   <= unit_in;
    first_q     <= first_i;
    last_q      <= last_i;
    none_q      <= unit.a_bound == BoundNone || unit.b_bound == BoundNone;
    acc_fp16_q  <= unit.acc_fp16;
    acc_first_q <= unit.acc_first;
  end
  assign a_place = IsMx ? PlaceW'(place_of(unit.a_bound, unit.a_scale)) : PlaceW'(unit.a_bound);
  assign b_place = IsMx ? PlaceW'(place_of(unit.b_bound, unit.b_scale)) : PlaceW'(unit.b_bound);
  assign a_field = ExpW'(a_place) + ExpW'(block_base(scale_sum_t'(unit.scale_sum), !IsFp32, IsMx));

  logic [AccW-1:0] acc;

`ifdef UNIT_NETLIST
  localparam int unsigned Steps = BLOCK / LANES;
  localparam int unsigned Period = Steps > SHARE ? Steps : SHARE;
  localparam int unsigned Waiting = BANKS * Period - 4;  // cycles in which an accumulator is not in the unit
  logic [AccW-1:0] acc_back;
  if (Waiting == 0) begin : g_at_once
    assign acc_back = acc;
  end else begin : g_wait
    logic [Waiting-1:0][AccW-1:0] waiting_q;
    always_ff @(posedge clk_i) waiting_q <= (Waiting * AccW)'({waiting_q, acc});
    assign acc_back = waiting_q[Waiting-1];
  end

  fp8mac_block_cluster u_cluster (
    .acc_i(acc_back),
`elsif ELEMENT_NETLIST
  fp8mac_element_block u_element (
`elsif ELEMENT_STAGGERED
  fp8mac_element_block_staggered #(
    .LANES(LANES), .BLOCK(BLOCK), .SHARE(SHARE), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS), .ACC_FP32(IsFp32),
    .ACC_FP16(IsFp16), .INF(IsInf), .NAN(IsNan), .MX(IsMx)
  ) u_element (
`else
  fp8mac_element_block #(
    .LANES(LANES), .BLOCK(BLOCK), .SHARE(SHARE), .BANKS(BANKS), .FRAC_BITS(FRAC_BITS), .ACC_FP32(IsFp32),
    .ACC_FP16(IsFp16), .INF(IsInf), .NAN(IsNan), .MX(IsMx)
  ) u_element (
`endif
    .clk_i(clk_i), .rst_ni(1'b1), .block_first_i(first_q), .block_last_i(last_q), .a_i(a), .b_i(b_feed[LanesW-1:0]),
    .a_nan_i(a_nan), .b_nan_i(b_common.nan), .a_field_i(a_field), .b_place_i(b_place), .none_i(none_q),
    .acc_fp16_i(acc_fp16_q), .acc_first_i(acc_first_q), .acc_o(acc), .flags_o(flags_o)
  );

  if (IsFp32 && IsFp16) begin : g_both
    logic [4:0] fp16_q;
    always_ff @(posedge clk_i) fp16_q <= {fp16_q[3:0], unit.acc_fp16};
    fp8mac_acc_pattern u_pattern (.acc_fp16_i(fp16_q[4]), .acc_i(acc), .pattern_o(pattern_o));
  end else begin : g_single
    assign pattern_o = 32'(acc);
  end

  logic unused;
  assign unused = ^{lane_en_i, a_code_i, b_code_i, a_bound_i, b_bound_i, a_scale_i, b_scale_i, unit_a_scale_i,
                    unit_b_scale_i, b_common};

endmodule
