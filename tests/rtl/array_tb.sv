// SPDX-License-Identifier: Apache-2.0
// fp8mac_array, and what its bench must know of it: parameters_o has the package's figures,
// running_o tells whether the array's own clock is high.
module array_tb
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,
  parameter int unsigned ELEMENT   = ElementBlock,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter int unsigned TILES     = 8,
  parameter bit          MX        = 1'b0,
  localparam int unsigned MetaW  = 17,
  localparam int unsigned Share  = element_share(ELEMENT, LANES, ROWS),
  localparam int unsigned Bundle = ROWS / Share,
  localparam int unsigned TileW  = (TILES > 1) ? $clog2(TILES) : 1,
  localparam int unsigned PhaseW = (Share > 1) ? $clog2(Share) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              advance_i,
  input  logic                              step_valid_i,
  input  logic [TileW-1:0]                  step_tile_i,
  input  logic                              block_first_i,
  input  logic                              block_last_i,
  input  logic                              acc_first_i,
  input  logic                              acc_last_i,
  input  logic [$bits(step_cfg_t)-1:0]      step_cfg_i,
  input  logic [ROWS-1:0]                   row_en_i,
  input  logic [COLS-1:0]                   col_en_i,
  input  logic [LANES-1:0]                  lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]   a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]   b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]       a_bound_i,
  input  logic [COLS-1:0][BoundW-1:0]       b_bound_i,
  input  logic [ROWS-1:0][ScaleW-1:0]       a_scale_i,
  input  logic [COLS-1:0][ScaleW-1:0]       b_scale_i,
  input  logic [MetaW-1:0]                  meta_i,
  output logic                              result_valid_o,
  output logic [PhaseW-1:0]                 result_phase_o,
  output logic [Bundle-1:0][COLS-1:0][31:0] result_o,
  output logic [MetaW-1:0]                  result_meta_o,
  output logic [3:0]                        flags_o,
  output logic                              busy_o,
  output logic                              running_o,
  output logic [31:0]                       parameters_o
);

  assign parameters_o = {8'(element_block(ELEMENT, LANES)), 8'(Share), 8'(element_loop(ELEMENT, LANES, ROWS)),
                         8'(element_latency(ELEMENT))};

  fp8mac_array #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .ELEMENT(ELEMENT), .FRAC_BITS(FRAC_BITS), .TILES(TILES), .MX(MX),
    .META_W(MetaW)
  ) u_array (
    .clk_i, .rst_ni, .advance_i, .step_valid_i, .step_tile_i, .block_first_i, .block_last_i, .acc_first_i, .acc_last_i,
    .step_cfg_i(step_cfg_t'(step_cfg_i)), .row_en_i, .col_en_i, .lane_en_i, .a_code_i, .b_code_i, .a_bound_i,
    .b_bound_i, .a_scale_i, .b_scale_i, .meta_i, .result_valid_o, .result_phase_o, .result_o, .result_meta_o, .flags_o,
    .busy_o
  );

  assign running_o = u_array.clk;

endmodule
