// SPDX-License-Identifier: Apache-2.0
// ROWS x COLS elements of one kind, output-stationary, and the accumulator memory: TILES tiles of ROWS x COLS
// accumulators. Everything said here holds for all kinds unless a kind is named; fp8mac_catalogue_pkg describes them.
//
// A step is LANES products of every element, in one cycle. A block is 1 to element_block() / LANES steps, in any cycles
// and not mixed with those of another block. With a block's last step its sum joins the accumulators of its tile.
// SHARE = element_share() rows of a group share the accumulate units of their columns: row = group * SHARE + phase.
//
// Timing, with the last step of a block issued in cycle t, S = element_latency(ELEMENT) and p = 0 .. SHARE-1. Cycles are
// those with run_i = 1:
//   t + S + p      flags_o has the flags of the rows of phase p. With acc_last_i, result_valid_o and the results of these
//                  rows; result_phase_o is p
// busy_o is high until all results and flags have been shown.
//
// run_i = 0 freezes the array: nothing in it changes, inputs are not taken, and flags_o is 0. The outputs of results
// stay. A result that is not taken in its cycle needs run_i = 0. result_valid_o comes from a register, so run_i may
// depend on it.
//
// Rules for the module that issues steps, which assertions check. Cycles are those with run_i = 1:
// - Last steps of two blocks are at least SHARE cycles apart.
// - Last steps of two blocks of the same tile are at least element_loop() cycles apart. With acc_first_i this does not
//   hold, because the block reads no accumulator.
// - Tile, acc_first_i, acc_last_i, step_cfg_i, bounds, meta_i and the enables of rows and columns are the same in all
//   steps of a block. Where a block has one step per kind (all kinds but those with block accumulation) both
//   block_first_i and block_last_i are 1.
// - Fixed-point accumulators: formats, scale_sum and bounds are the same in all blocks of a result, and a result has at
//   most 2^element_terms_log2(ELEMENT) products. INT8: at most 131071 products.
// - FeedBounded: no finite operand of an enabled row, column and lane is above its row's or column's bound. The bound
//   need not be the least one for kind `static`. For block accumulation it is the least one of the block's enabled
//   operands, and BoundNone if they are all zero. Only these kinds read bounds.
// - Kinds that do not take E5M2: a_fmt and b_fmt are E4M3 formats.
// - acc_fmt is a format of the kind's accumulator, or AccFp32 where the accumulator is an integer. It is the same in all
//   blocks of a result. INT8 ignores formats and scaling exponents.
//
// Elements of rows or columns that are not enabled raise no flags and have results without meaning. Lanes that are not
// enabled are absent from the sum.
module fp8mac_array
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned ROWS      = 4,             // of elements
  parameter int unsigned COLS      = 4,
  parameter int unsigned LANES     = 16,            // products of an element per step
  parameter int unsigned ELEMENT   = ElementBlock,  // the kind of element
  parameter int unsigned FRAC_BITS = element_default_frac_bits(ELEMENT),  // of the alignment window
  parameter int unsigned TILES     = 256,           // of the accumulator memory
  parameter int unsigned META_W    = 17,            // what travels with a block to its results
  localparam int unsigned Share  = element_share(ELEMENT, LANES, ROWS),
  localparam int unsigned Groups = ROWS / Share,
  localparam int unsigned TileW  = (TILES > 1) ? $clog2(TILES) : 1,
  localparam int unsigned PhaseW = (Share > 1) ? $clog2(Share) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              run_i,          // 0: frozen

  // One step of one tile; the configuration travels with the step.
  input  logic                              step_valid_i,
  input  logic [TileW-1:0]                  step_tile_i,
  input  logic                              block_first_i,
  input  logic                              block_last_i,
  input  logic                              acc_first_i,    // the accumulators start from +0
  input  logic                              acc_last_i,     // the accumulators leave as results
  input  step_cfg_t                         step_cfg_i,
  input  logic [ROWS-1:0]                   row_en_i,
  input  logic [COLS-1:0]                   col_en_i,
  input  logic [LANES-1:0]                  lane_en_i,
  input  logic [ROWS-1:0][LANES-1:0][7:0]   a_code_i,
  input  logic [COLS-1:0][LANES-1:0][7:0]   b_code_i,
  input  logic [ROWS-1:0][BoundW-1:0]       a_bound_i,      // FeedBounded
  input  logic [COLS-1:0][BoundW-1:0]       b_bound_i,
  input  logic [META_W-1:0]                 meta_i,

  // Results, FP32 patterns
  output logic                              result_valid_o,
  output logic [PhaseW-1:0]                 result_phase_o,
  output logic [Groups-1:0][COLS-1:0][31:0] result_o,
  output logic [META_W-1:0]                 result_meta_o,

  output flags_t                            flags_o,        // of blocks that finish in this cycle, else 0
  output logic                              busy_o          // blocks in flight
);

  logic unused;
  assign unused = ^{clk_i, rst_ni, run_i, step_valid_i, step_tile_i, block_first_i, block_last_i, acc_first_i, acc_last_i,
                    step_cfg_i, row_en_i, col_en_i, lane_en_i, a_code_i, b_code_i, a_bound_i, b_bound_i, meta_i,
                    FRAC_BITS[0]};
  assign result_valid_o = 1'b0;
  assign result_phase_o = '0;
  assign result_o       = '0;
  assign result_meta_o  = '0;
  assign flags_o        = '0;
  assign busy_o         = 1'b0;

endmodule
