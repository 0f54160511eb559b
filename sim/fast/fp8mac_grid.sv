// SPDX-License-Identifier: Apache-2.0
// The row-and-column grid of the simulator's fast mode: it has the name, the parameters and the
// ports of rtl/array/fp8mac_grid.sv and replaces it. Results and flags are the same, bit for bit,
// in the same cycles. grid.cpp computes them. The array around it, with its control, accumulator
// memory and clock gate, is the RTL's.
//
// Kinds `block` and `block64` alone. Bounds are not read: they follow from the operands.
module fp8mac_grid
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,
  parameter int unsigned ELEMENT   = ElementBlock,
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),
  parameter bit          MX        = 1'b0,
  localparam int unsigned Share    = element_share(ELEMENT, LANES, ROWS),
  localparam int unsigned Bundle   = ROWS / Share,
  localparam int unsigned ResultW  = result_width(ELEMENT, FRAC_BITS),
  localparam int unsigned PlaceW   = place_width(MX)
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,

  input  logic                                     step_valid_i,
  input  logic                                     block_first_i,
  input  logic                                     block_last_i,
  input  step_cfg_t                                cfg_i,
  input  logic [ROWS-1:0]                          row_en_i,
  input  logic [COLS-1:0]                          col_en_i,
  input  logic [LANES-1:0]                         lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]          a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]          b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]              a_bound_i,
  input  logic [COLS-1:0][BoundW-1:0]              b_bound_i,
  input  logic [ROWS-1:0][ScaleW-1:0]              a_scale_i,
  input  logic [COLS-1:0][ScaleW-1:0]              b_scale_i,

  input  step_cfg_t                                unit_cfg_i,
  input  logic [Bundle-1:0][PlaceW-1:0]            unit_a_place_i,
  input  logic [COLS-1:0][PlaceW-1:0]              unit_b_place_i,

  input  logic                                     acc_first_i,
  input  logic [Bundle-1:0][COLS-1:0][ResultW-1:0] acc_i,

  output logic [Bundle-1:0][COLS-1:0][ResultW-1:0] result_o,
  output flags_t [Bundle-1:0][COLS-1:0]            flags_o
);

  localparam int unsigned AccCycle = element_acc_cycle(ELEMENT);
  localparam int unsigned ResultCycle = element_result_cycle(ELEMENT);

  if (element_family(ELEMENT) != FamilyBlock || ResultW != 32) begin : g_check_element
    $error("the fast mode knows only the kinds of FamilyBlock, with a result of 32 bits");
  end

  typedef bit [ROWS*LANES*8-1:0] a_codes_t;
  typedef bit [COLS*LANES*8-1:0] b_codes_t;
  typedef bit [ROWS*8-1:0] a_scales_t;
  typedef bit [COLS*8-1:0] b_scales_t;
  typedef bit [Bundle*COLS*32-1:0] words_t;
  typedef bit [Bundle*COLS*8-1:0] flag_bytes_t;

  import "DPI-C" function chandle fp8sim_grid_new(
    input int unsigned rows, input int unsigned cols, input int unsigned lanes, input int unsigned share,
    input int unsigned kind, input int unsigned frac_bits);
  import "DPI-C" function void fp8sim_grid_delete(input chandle grid);
  import "DPI-C" function void fp8sim_grid_reset(input chandle grid);
  import "DPI-C" function void fp8sim_grid_step(
    input chandle grid, input bit first, input bit last, input int unsigned a_format, input int unsigned b_format,
    input bit acc_fp16, input int scale_sum, input int unsigned row_en, input int unsigned col_en,
    input int unsigned lane_en, input a_codes_t a, input b_codes_t b,
    input a_scales_t a_scale, input b_scales_t b_scale);
  import "DPI-C" function void fp8sim_grid_join(
    input chandle grid, input bit acc_first, input words_t acc, output words_t result, output flag_bytes_t flags);

  chandle grid;
  initial grid = fp8sim_grid_new(ROWS, COLS, LANES, Share, ELEMENT, FRAC_BITS);
  final fp8sim_grid_delete(grid);

  // Index s: the last step of a block was issued s cycles ago.
  logic [AccCycle+Share-1:1] issued_q;
  // Index s: what is shown s cycles after the last step of the phase's block, phase 0's.
  words_t [ResultCycle:AccCycle+1]      result_q;
  flag_bytes_t [ResultCycle:AccCycle+1] flags_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      issued_q <= '0;
      fp8sim_grid_reset(grid);
    end else begin
      issued_q <= (AccCycle + Share - 1)'({issued_q, step_valid_i && block_last_i});
      if (issued_q[AccCycle+Share-1:AccCycle] != '0) begin
        words_t      result;
        flag_bytes_t flags;
        fp8sim_grid_join(grid, acc_first_i, acc_i, result, flags);
        result_q[AccCycle+1] <= result;
        flags_q[AccCycle+1]  <= flags;
      end
      if (step_valid_i) begin
        fp8sim_grid_step(grid, block_first_i, block_last_i, 32'(cfg_i.a_fmt), 32'(cfg_i.b_fmt),
                         cfg_i.acc_fmt == AccFp16, 32'(cfg_i.scale_sum), 32'(row_en_i), 32'(col_en_i), 32'(lane_en_i),
                         a_code_i, b_code_i, MX ? a_scale_i : {ROWS{8'(ScaleBias)}},
                         MX ? b_scale_i : {COLS{8'(ScaleBias)}});
      end
    end
    result_q[ResultCycle:AccCycle+2] <= result_q[ResultCycle-1:AccCycle+1];
    flags_q[ResultCycle:AccCycle+2]  <= flags_q[ResultCycle-1:AccCycle+1];
  end

  assign result_o = result_q[ResultCycle];
  for (genvar g = 0; g < int'(Bundle); g++) begin : g_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_col
      assign flags_o[g][c] = flags_t'(flags_q[ResultCycle][(g*COLS+c)*8+:4]);
    end
  end

  logic unused;
  assign unused = ^{a_bound_i, b_bound_i, unit_cfg_i, unit_a_place_i, unit_b_place_i, flags_q[ResultCycle]};

endmodule
