// SPDX-License-Identifier: Apache-2.0
// The compute engine issues a tile command's steps, one per cycle. D is divided into tiles of ROWS
// x COLS outputs, and these into passes of up to four tiles: 1 x 4, 2 x 2 or 4 x 1 (pass_shape).
// The order of the steps is
//
//   for each pass down, for each pass across, for each block of k, for each tile of the pass with outputs: its steps
//
// A step is LANES products of every element. A block is BLOCK products, or fewer at the end of k.
// Only a block's last step waits: SHARE cycles lie between the last steps of two blocks, and LOOP
// cycles between those of the same tile, unless the accumulators start from +0. Passes and tile
// commands follow each other without a gap.
//
// A tile's accumulators have the number pass * 4 + position in the accumulator memory, modulo
// TILES. Positions count along the rows of a pass; tiles without outputs have one, too. So a tile
// command with acc_continue finds what a tile command of the same m, n and pass_shape has kept.
//
//   cycle t    the walk chooses a step
//   cycle t+1  its operands are read
//   cycle t+2  the array has the step and its operands
//
// With advance_i = 0 the walk and everything behind it stand still. Failed tile commands, and
// all tile commands after them until the error state is left, are passed to the store engine
// as empty tile commands.
module fp8mac_compute
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 4,
  parameter int unsigned COLS    = 4,
  parameter int unsigned LANES   = 16,
  parameter int unsigned BLOCK   = 32,   // products
  parameter int unsigned SHARE   = 2,    // cycles between the last steps of two blocks, at least
  parameter int unsigned LOOP    = 6,    // cycles between the last steps of two blocks of a tile, at least
  parameter int unsigned LATENCY = 12,   // cycles from a block's last step until all its flags have been shown
  parameter int unsigned TILES   = 256,
  parameter int unsigned BEAT    = 16,
  parameter int unsigned WORD    = 16,   // bytes of a word of the operand memories: BEAT, or LANES if that is more
  parameter int unsigned WORD_W  = 8,    // bits of their addresses
  parameter int unsigned SCALE_W = 5,    // bits of the addresses of MX scales
  parameter bit          DEPTHWISE = 1'b0,  // A may be the image of a depthwise convolution
  localparam int unsigned TileW  = $clog2(TILES),
  localparam int unsigned Slices = WORD / LANES,
  localparam int unsigned SliceW = (Slices > 1) ? $clog2(Slices) : 1,
  localparam int unsigned ByteW  = $clog2(BEAT),
  localparam int unsigned Groups = DEPTHWISE ? 2 * BEAT / COLS : 1,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              abort_i,
  input  logic              clear_i,
  input  logic              advance_i,

  // The oldest loaded tile command, held until it is taken
  input  logic              valid_i,
  input  loaded_job_t       job_i,
  input  error_e            load_error_i,
  output logic              ready_o,
  output logic              released_o,      // a tile command has read all its operands

  // To the store engine, when the tile command is taken
  output logic              storing_valid_o,
  output begun_job_t        storing_o,
  input  logic              storing_ready_i,
  output logic              kept_o,          // a tile command with acc_keep has left the array

  // Operand buffers: one read per step
  output logic              read_o,
  output logic              a_half_o,
  output logic [WORD_W-1:0] a_word_o,
  output logic              depthwise_o,     // A's word is the first one of the step's pixels, of which a quad is read:
  output logic              pairs_o,         // group_o and the next group; with pairs_o, group_o alone
  output logic [GroupW-1:0] group_o,
  output logic              b_half_o,
  output logic [WORD_W-1:0] b_word_o,
  output logic [SliceW-1:0] slice_o,
  output logic              mx_o,            // the MX scales of the step's block are read, too; else they are 1
  output logic [SCALE_W-1:0] a_scale_word_o,
  output logic [SCALE_W-1:0] b_scale_word_o,
  output logic [ByteW-1:0]  scale_byte_o,

  // The array, in the cycle after the read
  output logic              step_valid_o,
  output logic [TileW-1:0]  step_tile_o,
  output logic              block_first_o,
  output logic              block_last_o,
  output logic              acc_first_o,
  output logic              acc_last_o,
  output step_cfg_t         step_cfg_o,
  output logic [ROWS-1:0]   row_en_o,
  output logic [COLS-1:0]   col_en_o,
  output logic [LANES-1:0]  lane_en_o,
  output tile_position_t    tile_position_o,

  // For the counters
  output logic              busy_o,          // a tile command is at hand
  output logic              issue_o,         // a step is chosen
  output logic              spacing_o,       // waiting for an accumulator or an accumulate unit
  output logic              stalled_o        // waiting for results to be taken
);
  localparam int unsigned RowsLog  = $clog2(ROWS);
  localparam int unsigned ColsLog  = $clog2(COLS);
  localparam int unsigned LanesLog = $clog2(LANES);
  localparam int unsigned WordLog  = $clog2(WORD);
  localparam int unsigned BlockLog = $clog2(BLOCK);
  localparam int unsigned KW       = WORD_W + WordLog;                        // k - 1
  localparam int unsigned BlockW   = KW - BlockLog;
  localparam int unsigned StepLog  = BlockLog - LanesLog;                     // of a block's steps
  localparam int unsigned StepW    = (StepLog > 0) ? StepLog : 1;
  localparam int unsigned SliceLog = WordLog - LanesLog;
  localparam int unsigned StepNrW  = KW - LanesLog;                           // of all steps along k
  localparam int unsigned PosW     = $clog2(PassTiles);
  localparam int unsigned RowIdxW  = (ROWS > 1) ? RowsLog : 1;
  localparam int unsigned ColIdxW  = (COLS > 1) ? ColsLog : 1;
  localparam int unsigned LaneIdxW = (LANES > 1) ? LanesLog : 1;

  // ---- taking a tile command --------------------------------------------------------------------
  compute_job_t next;
  error_e       error;
  logic         poisoned_q;  // an older tile command failed
  logic         skip, take, busy_q, finished;

  assign next  = job_i.compute;
  assign error = (job_i.error != ErrNone) ? job_i.error : load_error_i;
  assign skip  = error != ErrNone || poisoned_q || abort_i;
  assign take  = valid_i && storing_ready_i && (!busy_q || finished);

  assign ready_o         = take;
  assign storing_valid_o = take;
  assign storing_o       = '{error: error, vector_half: job_i.halves.vectors, skip: skip};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      poisoned_q <= 1'b0;
    end else begin
      if (take) busy_q <= 1'b1;
      else if (finished) busy_q <= 1'b0;
      if (clear_i) poisoned_q <= 1'b0;
      else if (take && error != ErrNone) poisoned_q <= 1'b1;
    end
  end

  // ---- the tile command at hand -----------------------------------------------------------------
  // k - 1:   | block | step of the block | lane |      so its parts are those of the last product
  typedef struct packed {
    logic                depthwise;
    logic                pairs;
    logic [WORD_W-1:0]   a_row_words;
    logic [WORD_W-1:0]   row_words;
    logic                mx;
    logic [SCALE_W-1:0]  mx_words;
    logic [ByteW-1:0]    mx_first;
    pass_shape_e         pass_shape;
    step_cfg_t           cfg;
    logic                acc_continue;
    logic                acc_keep;
    logic                half_a;
    logic                half_b;
    tile_index_t         cols_more;   // tiles across, less one
    logic [RowIdxW-1:0]  last_row;    // of the last row of tiles
    logic [ColIdxW-1:0]  last_col;
    logic [BlockW-1:0]   last_block;
    logic [StepW-1:0]    last_step;   // of the last block
    logic [LaneIdxW-1:0] last_lane;   // of the last step
    owner_t              owner;
    logic                empty;
    logic                skip;
  } work_t;

  work_t         work_q;
  logic [KW-1:0] k_less_one;
  tile_index_t   next_rows, next_cols;  // tiles down and across, less one

  assign k_less_one = KW'(dim_t'(next.k - dim_t'(1)));
  assign next_rows  = tile_index_t'((next.m - dim_t'(1)) >> RowsLog);
  assign next_cols  = tile_index_t'((next.n - dim_t'(1)) >> ColsLog);

  always_ff @(posedge clk_i) begin
    if (take) begin
      work_q <= '{
        depthwise: next.depthwise, pairs: next.pairs, a_row_words: WORD_W'(next.a_row_words >> $clog2(WORD / BEAT)),
        row_words: WORD_W'(next.row_words >> $clog2(WORD / BEAT)), mx: next.mx,
        mx_words: SCALE_W'(next.mx_words), mx_first: ByteW'(next.mx_first), pass_shape: next.pass_shape, cfg: next.cfg,
        acc_continue: next.acc_continue, acc_keep: next.acc_keep, half_a: job_i.halves.a, half_b: job_i.halves.b,
        cols_more: next_cols,
        last_row: RowIdxW'((next.m - dim_t'(1)) & dim_t'(ROWS - 1)),
        last_col: ColIdxW'((next.n - dim_t'(1)) & dim_t'(COLS - 1)),
        last_block: BlockW'(k_less_one >> BlockLog),
        last_step: StepW'((k_less_one & KW'(BLOCK - 1)) >> LanesLog),
        last_lane: LaneIdxW'(k_less_one & KW'(LANES - 1)),
        owner: '{valid: job_i.record, index: record_index_t'(job_i.tag)},
        empty: next.empty, skip: skip
      };
    end
  end

  // ---- position within the tile command ---------------------------------------------------------
  tile_index_t         row_tile_q, col_tile_q;    // of the pass's first tile
  tile_index_t         rows_more_q, cols_more_q;  // tiles below it, and to its right
  logic [TileW-PosW-1:0] pass_q;
  logic [WORD_W-1:0]   a_base_q, b_base_q;        // first word of the pass in the row RAMs
  logic [SCALE_W-1:0]  a_scale_base_q, b_scale_base_q;
  logic [BlockW-1:0]   block_q;
  logic [1:0]          im_q, in_q;                // tile of the pass: down, across
  logic [StepW-1:0]    step_q;

  logic [1:0]          pass_rows, pass_cols;      // tiles of a whole pass, less one
  logic [1:0]          last_im, last_in;          // of the tiles that have outputs
  logic                last_m, last_n, last_block, last_step, last_tile;
  logic [PosW-1:0]     position;

  assign pass_rows = (work_q.pass_shape == PassDown) ? 2'd3 : (work_q.pass_shape == PassSquare) ? 2'd1 : 2'd0;
  assign pass_cols = (work_q.pass_shape == PassDown) ? 2'd0 : (work_q.pass_shape == PassSquare) ? 2'd1 : 2'd3;

  assign last_m     = rows_more_q <= tile_index_t'(pass_rows);
  assign last_n     = cols_more_q <= tile_index_t'(pass_cols);
  assign last_im    = last_m ? rows_more_q[1:0] : pass_rows;
  assign last_in    = last_n ? cols_more_q[1:0] : pass_cols;
  assign last_block = block_q == work_q.last_block;
  assign last_step  = (StepLog == 0) || step_q == (last_block ? work_q.last_step : '1);
  assign last_tile  = im_q == last_im && in_q == last_in;

  always_comb begin
    unique case (work_q.pass_shape)
      PassAcross: position = in_q;
      PassSquare: position = {im_q[0], in_q[0]};
      default: position = im_q;
    endcase
  end

  // ---- conditions to advance --------------------------------------------------------------------
  // The cycles that are left until a block's last step may come: after any block, and after
  // a block of the same tile. Blocks of other tile commands at the same position count as
  // those of the same tile.
  localparam int unsigned ShareW = (SHARE > 1) ? $clog2(SHARE) : 1;
  localparam int unsigned LoopW  = (LOOP > 1) ? $clog2(LOOP) : 1;

  logic [ShareW-1:0]                share_wait_q;
  logic [PassTiles-1:0][LoopW-1:0]  loop_wait_q;
  logic                             acc_first, early, walk_moves, issue, block_ends;

  assign acc_first  = block_q == '0 && !work_q.acc_continue;
  assign early      = last_step && (share_wait_q != '0 || (!acc_first && loop_wait_q[position] != '0));
  assign walk_moves = busy_q && advance_i && (work_q.skip || !early);
  assign issue      = walk_moves && !work_q.skip;
  assign block_ends = issue && last_step;
  assign finished   = walk_moves && (work_q.skip || (last_step && last_tile && last_block && last_n && last_m));
  assign busy_o     = busy_q;
  assign issue_o    = issue;
  assign spacing_o  = busy_q && advance_i && !work_q.skip && early;
  assign stalled_o  = (busy_q && !advance_i) || (valid_i && !storing_ready_i && !busy_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      share_wait_q <= '0;
      loop_wait_q  <= '0;
    end else if (advance_i) begin
      if (block_ends) share_wait_q <= ShareW'(SHARE - 1);
      else if (share_wait_q != '0) share_wait_q <= share_wait_q - ShareW'(1);
      for (int unsigned p = 0; p < PassTiles; p++) begin
        if (block_ends && position == PosW'(p)) loop_wait_q[p] <= LoopW'(LOOP - 1);
        else if (loop_wait_q[p] != '0) loop_wait_q[p] <= loop_wait_q[p] - LoopW'(1);
      end
    end
  end

  // ---- advance ----------------------------------------------------------------------------------
  logic [WORD_W-1:0]  a_pass_words, b_pass_words;  // of a whole pass
  logic [SCALE_W-1:0] a_pass_scales, b_pass_scales;

  assign a_pass_words = work_q.a_row_words << pass_rows_log2(work_q.pass_shape);
  assign b_pass_words = work_q.row_words << pass_cols_log2(work_q.pass_shape);
  assign a_pass_scales = work_q.mx_words << pass_rows_log2(work_q.pass_shape);
  assign b_pass_scales = work_q.mx_words << pass_cols_log2(work_q.pass_shape);

  always_ff @(posedge clk_i) begin
    if (take) begin
      row_tile_q  <= '0;
      rows_more_q <= next_rows;
      pass_q      <= '0;
      a_base_q    <= '0;
      a_scale_base_q <= '0;
    end else if (issue && last_step && last_tile && last_block) begin
      pass_q <= pass_q + 1'b1;
      if (last_n) begin
        row_tile_q  <= row_tile_q + tile_index_t'(pass_rows) + tile_index_t'(1);
        rows_more_q <= rows_more_q - tile_index_t'(pass_rows) - tile_index_t'(1);
        a_base_q    <= a_base_q + a_pass_words;
        a_scale_base_q <= a_scale_base_q + a_pass_scales;
      end
    end
    if (take || (issue && last_step && last_tile && last_block && last_n)) begin
      col_tile_q  <= '0;
      cols_more_q <= take ? next_cols : work_q.cols_more;
      b_base_q    <= '0;
      b_scale_base_q <= '0;
    end else if (issue && last_step && last_tile && last_block) begin
      col_tile_q  <= col_tile_q + tile_index_t'(pass_cols) + tile_index_t'(1);
      cols_more_q <= cols_more_q - tile_index_t'(pass_cols) - tile_index_t'(1);
      b_base_q    <= b_base_q + b_pass_words;
      b_scale_base_q <= b_scale_base_q + b_pass_scales;
    end
    if (take) begin
      step_q  <= '0;
      im_q    <= '0;
      in_q    <= '0;
      block_q <= '0;
    end else if (issue) begin
      step_q <= last_step ? '0 : step_q + StepW'(1);
      if (last_step) begin
        in_q <= (in_q == last_in) ? '0 : in_q + 2'd1;
        if (in_q == last_in) im_q <= (im_q == last_im) ? '0 : im_q + 2'd1;
        if (last_tile) block_q <= last_block ? '0 : block_q + BlockW'(1);
      end
    end
  end

  // ---- the next cycle: operands are read --------------------------------------------------------
  typedef struct packed {
    logic [TileW-1:0] tile;
    logic             block_first;
    logic             block_last;
    logic             acc_first;
    logic             acc_last;
    step_cfg_t        cfg;
    logic [ROWS-1:0]  row_en;
    logic [COLS-1:0]  col_en;
    logic [LANES-1:0] lane_en;
    tile_position_t   tile_position;
  } step_t;

  step_t              step, step_q1, step_q2;
  logic [StepNrW-1:0] step_nr;
  logic               valid_q1, valid_q2;
  logic               end_q1, end_q2;        // the tile command's last cycle here
  logic               keep_q1, keep_q2;      // it keeps its accumulators
  logic               last_row_of_tiles, last_col_of_tiles, final_step;

  if (StepLog > 0) begin : g_step_nr
    assign step_nr = {block_q, step_q};
  end else begin : g_block_nr
    assign step_nr = block_q;
  end

  // A tile of a depthwise command has its quad, or its group with pairs. The lanes of a beat are
  // rotated by as many groups as the first one's number: fp8mac_quad_buffer.
  localparam int unsigned GroupLog = (Groups > 1) ? GroupW : 1;  // of the pixels of a step, with pairs
  logic              depthwise, pairs;
  tile_index_t       col_tile;
  logic [GroupW-1:0] group;
  logic [LANES-1:0]  lane_en;

  assign depthwise = DEPTHWISE && work_q.depthwise;
  assign pairs     = depthwise && work_q.pairs;
  assign col_tile  = col_tile_q + tile_index_t'(in_q);
  assign group     = !depthwise ? '0 : pairs ? GroupW'(col_tile) : GroupW'(col_tile << 1);

  // The block's scale in its row
  logic [BlockW+ByteW:0] scale_nr;
  assign scale_nr = (BlockW+ByteW+1)'(block_q) + (BlockW+ByteW+1)'(work_q.mx_first);

  assign last_row_of_tiles = rows_more_q == tile_index_t'(im_q);
  assign last_col_of_tiles = cols_more_q == tile_index_t'(in_q);
  assign final_step        = last_block && last_step;

  always_comb begin
    step.tile                   = {pass_q, position};
    step.block_first            = (StepLog == 0) || step_q == '0;
    step.block_last             = last_step;
    step.acc_first              = acc_first;
    step.acc_last               = last_block && !work_q.acc_keep;
    step.cfg                    = work_q.cfg;
    step.tile_position.row_tile = row_tile_q + tile_index_t'(im_q);
    step.tile_position.col_tile = col_tile_q + tile_index_t'(in_q);
    step.tile_position.last     = last_row_of_tiles && last_col_of_tiles;
    step.tile_position.owner    = work_q.owner;
    for (int unsigned r = 0; r < ROWS; r++) begin
      step.row_en[r] = !work_q.empty && (!last_row_of_tiles || RowIdxW'(r) <= work_q.last_row);
    end
    for (int unsigned c = 0; c < COLS; c++) step.col_en[c] = !last_col_of_tiles || ColIdxW'(c) <= work_q.last_col;
    for (int unsigned l = 0; l < LANES; l++) begin
      lane_en[l] = !work_q.empty && (!final_step || LaneIdxW'(l) <= work_q.last_lane);
    end
    for (int unsigned l = 0; l < LANES; l++) begin
      step.lane_en[l] = !DEPTHWISE ? lane_en[l] : lane_en[l / BEAT * BEAT + (l - 32'(group) * BEAT / Groups) % BEAT];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q1 <= 1'b0;
      valid_q2 <= 1'b0;
      end_q1   <= 1'b0;
      end_q2   <= 1'b0;
    end else if (advance_i) begin
      valid_q1 <= issue;
      valid_q2 <= valid_q1;
      end_q1   <= finished;
      end_q2   <= end_q1;
    end
    if (advance_i) begin
      keep_q1  <= work_q.acc_keep && !work_q.skip;
      keep_q2  <= keep_q1;
      step_q1  <= step;
      step_q2  <= step_q1;
      a_half_o <= work_q.half_a;
      b_half_o <= work_q.half_b;
      a_word_o <= a_base_q + times(work_q.a_row_words, im_q) +
                  (pairs ? WORD_W'(step_nr) << GroupLog : depthwise ? WORD_W'(step_nr) << (GroupLog - 1) :
                                                          WORD_W'(step_nr >> SliceLog));
      depthwise_o <= depthwise;
      pairs_o  <= pairs;
      group_o  <= group;
      b_word_o <= b_base_q + times(work_q.row_words, in_q) + WORD_W'(step_nr >> SliceLog);
      slice_o  <= SliceW'(step_nr & StepNrW'(Slices - 1));
      mx_o     <= work_q.mx;
      a_scale_word_o <= a_scale_base_q + scale_times(work_q.mx_words, im_q) + SCALE_W'(scale_nr >> ByteW);
      b_scale_word_o <= b_scale_base_q + scale_times(work_q.mx_words, in_q) + SCALE_W'(scale_nr >> ByteW);
      scale_byte_o   <= scale_nr[ByteW-1:0];
    end
  end

  function automatic logic [WORD_W-1:0] times(logic [WORD_W-1:0] words, logic [1:0] tiles);
    return (tiles[0] ? words : '0) + (tiles[1] ? words << 1 : '0);
  endfunction

  function automatic logic [SCALE_W-1:0] scale_times(logic [SCALE_W-1:0] words, logic [1:0] tiles);
    return (tiles[0] ? words : '0) + (tiles[1] ? words << 1 : '0);
  endfunction

  assign read_o = valid_q1 && advance_i;

  // ---- the cycle after: the array takes the step ------------------------------------------------
  assign step_valid_o    = valid_q2;
  assign step_tile_o     = step_q2.tile;
  assign block_first_o   = step_q2.block_first;
  assign block_last_o    = step_q2.block_last;
  assign acc_first_o     = step_q2.acc_first;
  assign acc_last_o      = step_q2.acc_last;
  assign step_cfg_o      = step_q2.cfg;
  assign row_en_o        = step_q2.row_en;
  assign col_en_o        = step_q2.col_en;
  assign lane_en_o       = step_q2.lane_en;
  assign tile_position_o = step_q2.tile_position;
  assign released_o      = end_q2 && advance_i;

  // The flags of a tile command that keeps its accumulators are complete LATENCY cycles after its
  // last step.
  logic [LATENCY-1:0] keeping_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) keeping_q <= '0;
    else if (advance_i) keeping_q <= {keeping_q[LATENCY-2:0], end_q2 && keep_q2};
  end

  assign kept_o = keeping_q[LATENCY-1] && advance_i;

  if ((TILES & (TILES - 1)) != 0 || TILES <= PassTiles) begin : g_tiles
    $error("TILES must be a power of two and at least 8");
  end
  if (BLOCK % LANES != 0 || WORD % LANES != 0 || WORD % BEAT != 0) begin : g_lanes
    $error("LANES and a beat's bytes must be powers of two, and a block must have whole steps");
  end

`ifndef SYNTHESIS
  a_loaded_command_stays : assert property (@(posedge clk_i) disable iff (!rst_ni)
    valid_i && !ready_o |=> valid_i);
`endif

endmodule
