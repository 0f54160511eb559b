// SPDX-License-Identifier: Apache-2.0
// Operand feed: decodes the codes of one row of A or one column of B once for all elements behind
// it. What leaves it is the vector that fp8mac_element_pkg draws; element_feed(ELEMENT) says which
// of its fields are used.
//
//   feed            cycle of the codes: 0   1                       2            3
//   FeedFields      decode              ->  operands
//   FeedExponents   decode              ->  exponents and zeros                  (decoded again) lanes, nan
//   FeedDistances   decode, normalise   ->  maximum              -> distance ->  lanes, nan, none, field
//   FeedBounded     decode, distance    ->  lanes, nan
//   FeedFormat      decode              ->  lanes, nan
//   FeedInt8        (B) recode          ->  codes, or digits and negatives
//
// A lane that is not enabled is absent from the sum: its operand is a zero, -0 on side A and +0 on
// side B, and the product -0 is the identity of IEEE addition. In a cycle without valid_i all lanes
// are absent. FeedFields, whose elements do not step then, keeps its operands instead.
module fp8mac_feed
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ELEMENT   = ElementExact,  // the kind of the elements behind
  parameter int unsigned LANES     = 4,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit          SIDE_A    = 1'b1,          // a row of A; 0: a column of B

  parameter bit          MX        = 1'b0,          // blocks have MX scales

  // FeedExponents, for elements that differ from the catalogue's
  parameter int unsigned EXP_W     = OperandExpW,   // 4 bits are enough for the exponents of E4M3 formats
  parameter bit          NORMALISE = 1'b1,          // 0: subnormals stay as they are
  localparam int unsigned FeedW    = feed_width(ELEMENT, LANES, SIDE_A)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,     // of the assertions alone

  // Cycle 0
  input  logic                  valid_i,    // a step is issued, and the row or column is enabled
  input  logic [LANES-1:0]      lane_en_i,
  input  logic [LANES-1:0][7:0] code_i,
  input  fp8_fmt_e              fmt_i,      // not FeedInt8
  input  logic [BoundW-1:0]     bound_i,    // FeedBounded: at least the bound of every finite operand
  input  logic                  nan_i,      // FeedBounded with MX: the block's scale is a NaN

  // Cycle 2
  input  base_t                 base_i,     // FeedDistances: is added to `field`

  output logic [FeedW-1:0]      feed_o
);

  localparam element_feed_e Feed = element_feed(ELEMENT);
  localparam operand_t Absent = SIDE_A ? AbsentA : AbsentB;

  logic [LANES-1:0] present;
  assign present = lane_en_i & {LANES{valid_i}};

  logic unused_inputs;
  assign unused_inputs = ^{rst_ni, fmt_i, bound_i, base_i, nan_i};

  if (Feed == FeedInt8) begin : g_int8

    feed_common_t          common;
    logic [LANES-1:0][7:0] code;

    assign common = '0;
    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      assign code[i] = present[i] ? code_i[i] : '0;
    end

    if (SIDE_A) begin : g_codes
      logic [LANES-1:0][7:0] code_q;
      always_ff @(posedge clk_i) code_q <= code;
      assign feed_o = {common, code_q};
    end else begin : g_digits
      digits_t [LANES-1:0]               digits, digits_q;
      logic [negatives_width(LANES)-1:0] negatives, negatives_q;
      fp8mac_digit_recode #(.LANES(LANES)) u_recode (
        .code_i(code), .digits_o(digits), .negatives_o(negatives)
      );
      always_ff @(posedge clk_i) begin
        digits_q    <= digits;
        negatives_q <= negatives;
      end
      assign feed_o = {common, negatives_q, digits_q};
    end

  end else if (Feed == FeedBounded) begin : g_bounded

    feed_common_t      common;
    lane_t [LANES-1:0] lane, lane_q;
    logic [LANES-1:0]  is_nan;
    logic              nan_q;
    logic [BoundW-1:0] base;

    assign base = distance_base(bound_i, fmt_i);
    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      fp8mac_distance_decode #(.DISTANCE_W(distance_width(ELEMENT, FRAC_BITS)), .FRAC_BITS(FRAC_BITS)) u_decode (
        .clk_i, .rst_ni, .code_i(code_i[i]), .present_i(present[i]), .nan_i(MX && nan_i), .fmt_i, .base_i(base),
        .lane_o(lane[i]), .nan_o(is_nan[i])
      );
    end
    always_ff @(posedge clk_i) begin
      lane_q <= lane;
      nan_q  <= is_nan != '0;
    end
    assign common = '{nan: nan_q, none: 1'b0, field: '0};
    assign feed_o = {common, lane_q};

  end else begin : g_fp8

    operand_t [LANES-1:0] operand;
    feed_common_t         common;

    for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
      operand_t decoded;
      fp8mac_decode u_decode (.code_i(code_i[i]), .fmt_i, .operand_o(decoded));
      assign operand[i] = present[i] ? decoded : Absent;
    end

    if (Feed == FeedFields) begin : g_fields

      operand_t [LANES-1:0] lane_q;
      always_ff @(posedge clk_i) if (valid_i) lane_q <= operand;
      assign common = '0;
      assign feed_o = {common, lane_q};

    end else if (Feed == FeedExponents) begin : g_exponents

      // The lanes leave two cycles after the exponents. Their codes wait, not their
      // operands: codes are narrower.
      aligned_lane_t [LANES-1:0]  lane_q;
      logic [1:0][LANES-1:0][7:0] code_q;
      logic [1:0][LANES-1:0]      present_q;
      fp8_fmt_e                   fmt_0_q, fmt_1_q;
      logic [LANES-1:0]           is_nan;
      logic                       nan_q;

      always_ff @(posedge clk_i) begin
        code_q    <= {code_q[0], code_i};
        present_q <= {present_q[0], present};
        fmt_0_q   <= fmt_i;
        fmt_1_q   <= fmt_0_q;
      end

      for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
        operand_t decoded_2, operand_2;
        fp8mac_decode u_decode (.code_i(code_q[1][i]), .fmt_i(fmt_1_q), .operand_o(decoded_2));
        assign operand_2 = present_q[1][i] ? decoded_2 : Absent;
        assign is_nan[i] = operand_2.nan;
        // A subnormal's exponent is the one of the smallest binade: the window is aligned to that.
        always_ff @(posedge clk_i) begin
          lane_q[i].exp_ahead  <= OperandExpW'(EXP_W'(operand[i].exp - OperandExpW'(exp_offset(EXP_W))));
          lane_q[i].zero_ahead <= operand[i].zero;
          lane_q[i].lane       <= NORMALISE ? normalised_lane(operand_2) : encoded_lane(operand_2, EXP_W);
        end
      end
      always_ff @(posedge clk_i) nan_q <= is_nan != '0;
      assign common = '{nan: nan_q, none: 1'b0, field: '0};
      assign feed_o = {common, lane_q};

    end else if (Feed == FeedFormat) begin : g_format

      lane_t [LANES-1:0] lane_q;
      logic [LANES-1:0]  is_nan;
      logic              nan_q;

      for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
        assign is_nan[i] = operand[i].nan;
        always_ff @(posedge clk_i) lane_q[i] <= encoded_lane(operand[i], distance_width(ELEMENT, FRAC_BITS));
      end
      always_ff @(posedge clk_i) nan_q <= is_nan != '0;
      assign common = '{nan: nan_q, none: 1'b0, field: '0};
      assign feed_o = {common, lane_q};

    end else if (Feed == FeedDistances) begin : g_distance

      // A shift in the element is the sum of two operand distances, so it does not depend on
      // anything computed inside the element. Operands are normalised.
      localparam int unsigned DistanceW = distance_width(ELEMENT, FRAC_BITS);
      operand_class_t [LANES-1:0]       kind, kind_2;
      leading_t [LANES-1:0]             normalised, normalised_2;
      logic [OperandExpW:0]             bound_2;  // the largest exponent, plus TopOffset
      lane_t [LANES-1:0]                lane, lane_q;
      logic [LANES-1:0]                 is_nan;
      logic                             nan_q;

      for (genvar i = 0; i < int'(LANES); i++) begin : g_operand
        assign kind[i]       = class_of(operand[i]);
        assign normalised[i] = leading(operand[i].exp, operand[i].sig);
      end

      operand_class_t [LANES-1:0]          kind_q;
      leading_t [LANES-1:0]                normalised_q;
      logic [LANES-1:0][OperandExpW:0]     top;
      logic [LANES-1:0]                    nonzero;
      logic [OperandExpW:0]                largest;
      logic                                any, none_2_q, none_3_q;
      base_t                               field_q;

      for (genvar i = 0; i < int'(LANES); i++) begin : g_top
        assign top[i]     = normalised_q[i].top;
        assign nonzero[i] = !kind_q[i].zero;
      end
      fp8mac_maximum #(.COUNT(LANES), .W(OperandExpW + 1)) u_maximum (
        .value_i(top), .valid_i(nonzero), .maximum_o(largest), .any_o(any)
      );
      always_ff @(posedge clk_i) begin
        kind_q       <= kind;
        normalised_q <= normalised;
        kind_2       <= kind_q;
        normalised_2 <= normalised_q;
        bound_2      <= largest;
        none_2_q     <= !any;
        none_3_q     <= none_2_q;
        field_q      <= base_t'({1'b0, bound_2}) + base_i - base_t'(TopOffset - 1);
      end
      assign common = '{nan: nan_q, none: none_3_q, field: field_q};

      // The distance of a zero is the largest.
      for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
        logic [OperandExpW:0] below;
        logic [DistanceW-1:0] distance;
        logic                 far, unused_carry;
        fp8mac_adder #(.W(OperandExpW + 1)) u_below (
          .a_i(bound_2), .b_i(~normalised_2[i].top), .carry_i(1'b1), .sum_o(below), .carry_o(unused_carry)
        );
        assign far       = kind_2[i].zero || below[OperandExpW:DistanceW] != '0;
        assign distance  = below[DistanceW-1:0] | {DistanceW{far}};
        assign lane[i]   = lane_of(kind_2[i], OperandExpW'(distance), 1'b0, {1'b1, normalised_2[i].frac});
        assign is_nan[i] = kind_2[i].nan;

        a_within_bound : assert property (@(posedge clk_i) disable iff (!rst_ni)
          kind_2[i].zero || kind_2[i].nan || kind_2[i].is_inf || normalised_2[i].top <= bound_2);
      end
      always_ff @(posedge clk_i) begin
        lane_q <= lane;
        nan_q  <= is_nan != '0;
      end
      assign feed_o = {common, lane_q};

    end else begin : g_check_feed
      $error("fp8mac_feed has no branch for the feed of ELEMENT=%0d", ELEMENT);
    end

  end

endmodule
