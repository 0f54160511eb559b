// SPDX-License-Identifier: Apache-2.0
// Elements with several numbers of lanes behind decoders, all fed with the same codes. For each
// number of lanes there is also the chain of the element's boxes without its accumulators. With
// inputs held for ElementStages cycles the chain does one step from any acc_i.
module exact_tb
  import fp8mac_pkg::*;
#(
  localparam int unsigned Widths = 4,
  localparam int unsigned LanesMax = 16
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [Widths-1:0]        step_valid_i,
  input  logic [Widths-1:0]        boxes_en_i,
  input  logic [1:0]               step_bank_i,
  input  logic                     step_first_i,
  input  logic                     step_last_i,
  input  step_cfg_t                cfg_i,
  input  logic [31:0]              acc_i,
  input  logic [LanesMax-1:0]      lane_en_i,
  input  logic [LanesMax-1:0][7:0] a_code_i,
  input  logic [LanesMax-1:0][7:0] b_code_i,
  output logic [Widths-1:0]        result_valid_o,
  output logic [Widths-1:0][1:0]   result_bank_o,
  output logic [Widths-1:0][31:0]  result_o,
  output flags_t [Widths-1:0]      flags_o,
  output logic [Widths-1:0][31:0]  boxes_acc_o,
  output flags_t [Widths-1:0]      boxes_flags_o
);

  // As in exact_tb.cpp.
  function automatic int unsigned lanes_of(int unsigned width);
    unique case (width)
      0:       return 1;
      1:       return 3;
      2:       return 4;
      default: return LanesMax;
    endcase
  endfunction

  operand_t [LanesMax-1:0] a_decoded, b_decoded, a, b;
  scale_sum_t              scale_sum;

  assign scale_sum = fnuz_adjust(cfg_i.scale_sum, cfg_i.a_fmt, cfg_i.b_fmt);

  for (genvar lane = 0; lane < int'(LanesMax); lane++) begin : g_lane
    fp8mac_decode u_a (.code_i(a_code_i[lane]), .fmt_i(cfg_i.a_fmt), .operand_o(a_decoded[lane]));
    fp8mac_decode u_b (.code_i(b_code_i[lane]), .fmt_i(cfg_i.b_fmt), .operand_o(b_decoded[lane]));
    assign a[lane] = lane_en_i[lane] ? a_decoded[lane] : AbsentA;
    assign b[lane] = lane_en_i[lane] ? b_decoded[lane] : AbsentB;
  end

  for (genvar w = 0; w < int'(Widths); w++) begin : g_width
    localparam int unsigned Lanes = lanes_of(w);
    localparam int unsigned SumW = sum_width(Lanes);
    localparam int unsigned FrameW = SumW + AccSigW + 2;

    fp8mac_element_exact #(.LANES(Lanes), .BANKS(4)) u_element (
      .clk_i, .rst_ni,
      .step_valid_i(step_valid_i[w]), .step_bank_i, .step_first_i, .step_last_i,
      .acc_fmt_i(cfg_i.acc_fmt), .scale_sum_i(scale_sum), .a_i(a[Lanes-1:0]), .b_i(b[Lanes-1:0]),
      .result_valid_o(result_valid_o[w]), .result_bank_o(result_bank_o[w]), .result_o(result_o[w]),
      .flags_o(flags_o[w])
    );

    product_t [Lanes-1:0]     products;
    products_class_t          products_class;
    logic signed [SumW-1:0]   sum;
    logic signed [FrameW-1:0] frame;
    logic [7:0]               field;
    logic                     neg_zero;
    special_e                 special;
    normalised_t              normalised;
    logic [31:0]              acc;

    fp8mac_exact_multiply #(.LANES(Lanes)) u_multiply (
      .clk_i, .en_i(boxes_en_i[w]), .a_i(a[Lanes-1:0]), .b_i(b[Lanes-1:0]),
      .product_o(products), .class_o(products_class)
    );
    fp8mac_exact_align #(.LANES(Lanes)) u_align (
      .clk_i, .en_i(boxes_en_i[w]), .product_i(products), .sum_o(sum)
    );
    fp8mac_exact_add #(.LANES(Lanes)) u_add (
      .clk_i, .en_i(boxes_en_i[w]), .sum_i(sum), .scale_sum_i(scale_sum), .class_i(products_class), .acc_i,
      .frame_o(frame), .field_o(field), .neg_zero_o(neg_zero), .special_o(special),
      .invalid_o(boxes_flags_o[w].invalid), .nan_o(boxes_flags_o[w].nan)
    );
    fp8mac_exact_normalise #(.LANES(Lanes)) u_normalise (
      .clk_i, .en_i(boxes_en_i[w]), .frame_i(frame), .field_i(field), .neg_zero_i(neg_zero),
      .normalised_o(normalised)
    );
    fp8mac_exact_round u_round (
      .clk_i, .en_i(boxes_en_i[w]), .acc_fmt_i(cfg_i.acc_fmt), .normalised_i(normalised),
      .special_i(special), .acc_o(acc), .overflow_o(boxes_flags_o[w].overflow)
    );
    assign boxes_acc_o[w] = acc;
    assign boxes_flags_o[w].saturated = 1'b0;
  end

endmodule
