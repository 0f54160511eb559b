// SPDX-License-Identifier: Apache-2.0
// SHARE elements with block accumulation, their accumulate unit, and BANKS accumulators for each of
// them in registers that rotate through the unit's pipeline, as the accumulators of the other
// families do. The array keeps accumulators in a memory instead and uses fp8mac_block_cluster
// alone. This module is for the area of an element: a SHARE-th of it is comparable with an element
// of another family that has BANKS accumulators.
//
// A block ends every SHARE cycles and is for bank (block number mod BANKS). A bank without a block
// gets one whose operands are absent, with none_i.
module fp8mac_element_block
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 16,
  parameter int unsigned BLOCK = 32,
  parameter int unsigned SHARE = BLOCK / LANES,
  parameter int unsigned BANKS = 4,
  parameter int unsigned FRAC_BITS = 19,
  parameter bit ACC_FP32 = 1'b1,
  parameter bit ACC_FP16 = 1'b1,
  parameter bit INF = 1'b1,
  parameter bit NAN = 1'b1,
  parameter bit MX = 1'b0,
  parameter int unsigned ADD_RIPPLE = 22,
  localparam int unsigned AccW = ACC_FP32 ? 32 : 16,
  localparam int unsigned ExpW = field_width(MX),
  localparam int unsigned PlaceW = place_width(MX)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  // As of fp8mac_block_cluster
  input  logic                         block_first_i,
  input  logic                         block_last_i,
  input  lane_t [SHARE-1:0][LANES-1:0] a_i,
  input  lane_t [LANES-1:0]            b_i,
  input  logic [SHARE-1:0]             a_nan_i,
  input  logic                         b_nan_i,
  input  logic signed [ExpW-1:0]       a_field_i,
  input  logic [PlaceW-1:0]            b_place_i,
  input  logic                         none_i,
  input  logic                         acc_fp16_i,
  input  logic                         acc_first_i,
  output logic [AccW-1:0]              acc_o,
  output flags_t                       flags_o
);

  localparam int unsigned UnitCycles = 4;  // in the unit's pipeline
  localparam int unsigned Waiting = BANKS * SHARE - UnitCycles;
  logic [AccW-1:0] acc_in;

  if (Waiting == 0) begin : g_direct
    assign acc_in = acc_o;
  end else begin : g_wait
    logic [Waiting-1:0][AccW-1:0] acc_q;
    always_ff @(posedge clk_i) acc_q <= (Waiting * AccW)'({acc_q, acc_o});
    assign acc_in = acc_q[Waiting-1];
  end

  fp8mac_block_cluster #(
    .LANES(LANES), .BLOCK(BLOCK), .SHARE(SHARE), .FRAC_BITS(FRAC_BITS), .ACC_FP32(ACC_FP32), .ACC_FP16(ACC_FP16),
    .INF(INF), .NAN(NAN), .MX(MX), .ADD_RIPPLE(ADD_RIPPLE)
  ) u_cluster (
    .clk_i, .rst_ni, .block_first_i, .block_last_i, .a_i, .b_i, .a_nan_i, .b_nan_i, .a_field_i, .b_place_i, .none_i,
    .acc_fp16_i, .acc_first_i, .acc_i(acc_in), .acc_o, .flags_o
  );

endmodule
