// SPDX-License-Identifier: Apache-2.0
// fp8mac_compute: the steps that it issues, for any proper tile commands, and for any pace of the
// array and the store engine.
//   - The solver chooses a tile of a tile command and a step along its k. The walk visits it exactly once.
//   - With DEPTHWISE, the words of A are those of pixels, and each tile has its quad, or with pairs its half quad, by
//     which its lanes are rotated.
//   - The array gets each step that was visited, with its tile number, ends of blocks and sums, position,
//     configuration, enables, operands and MX scales.
//   - Blocks are not mixed. Their last steps are SHARE cycles apart, and those of the same tile LOOP cycles, unless the
//     accumulators start from +0. Cycles with advance_i = 0 do not count, and nothing moves in them.
//   - Every tile command is handed on once, and releases its operands once, when all its steps have been taken.
module formal_compute
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS    = 2,
  parameter int unsigned COLS    = 2,
  parameter int unsigned LANES   = 2,
  parameter int unsigned BLOCK   = 4,
  parameter int unsigned SHARE   = 2,
  parameter int unsigned LOOP    = 5,
  parameter int unsigned TILES   = 8,
  parameter int unsigned BEAT    = 4,
  parameter int unsigned WORD    = 4,
  parameter int unsigned WORD_W  = 4,
  parameter int unsigned SCALE_W = 5,
  parameter int unsigned MAX_DIM = 9,     // of m, n and k
  parameter bit          DEPTHWISE = 1'b0,
  localparam int unsigned TileW  = $clog2(TILES),
  localparam int unsigned Slices = WORD / LANES,
  localparam int unsigned SliceW = (Slices > 1) ? $clog2(Slices) : 1,
  localparam int unsigned Groups = DEPTHWISE ? 2 * BEAT / COLS : 1,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        abort_i,
  input logic        clear_i,
  input logic        advance_i,
  input logic        valid_i,
  input loaded_job_t job_i,
  input error_e      load_error_i,
  input logic        storing_ready_i,
  input tile_index_t any_row_i,
  input tile_index_t any_col_i,
  input dim_t        any_step_i
);
  localparam int unsigned Latency = 4;
  localparam int unsigned Steps   = BLOCK / LANES;  // of a block

  logic              ready, released, storing_valid, kept, read, a_half, b_half, step_valid, block_first, block_last;
  logic              acc_first, acc_last, busy, stalled;
  begun_job_t        storing;
  logic [WORD_W-1:0] a_word, b_word;
  logic [SliceW-1:0] slice;
  logic              depthwise;
  logic              pairs;
  logic [GroupW-1:0] group;
  logic              mx;
  logic [SCALE_W-1:0] a_scale_word, b_scale_word;
  logic [$clog2(BEAT)-1:0] scale_byte;
  logic [TileW-1:0]  step_tile;
  step_cfg_t         step_cfg;
  logic [ROWS-1:0]   row_en;
  logic [COLS-1:0]   col_en;
  logic [LANES-1:0]  lane_en;
  tile_position_t    tile_position;

  fp8mac_compute #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BLOCK(BLOCK), .SHARE(SHARE), .LOOP(LOOP), .LATENCY(Latency),
    .TILES(TILES), .BEAT(BEAT), .WORD(WORD), .WORD_W(WORD_W), .SCALE_W(SCALE_W), .DEPTHWISE(DEPTHWISE)
  ) dut (
    .clk_i, .rst_ni, .abort_i, .clear_i, .advance_i, .valid_i, .job_i, .load_error_i, .ready_o(ready),
    .released_o(released), .storing_valid_o(storing_valid), .storing_o(storing), .storing_ready_i, .kept_o(kept),
    .read_o(read), .a_half_o(a_half), .a_word_o(a_word), .b_half_o(b_half), .b_word_o(b_word), .slice_o(slice),
    .depthwise_o(depthwise), .pairs_o(pairs), .group_o(group),
    .mx_o(mx), .a_scale_word_o(a_scale_word), .b_scale_word_o(b_scale_word), .scale_byte_o(scale_byte),
    .step_valid_o(step_valid), .step_tile_o(step_tile), .block_first_o(block_first), .block_last_o(block_last),
    .acc_first_o(acc_first), .acc_last_o(acc_last), .step_cfg_o(step_cfg), .row_en_o(row_en), .col_en_o(col_en),
    .lane_en_o(lane_en), .tile_position_o(tile_position), .busy_o(busy), .stalled_o(stalled)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- assumptions: proper tile commands, held until they are taken -----------------------------
  compute_job_t offered;
  logic         held_q;
  loaded_job_t  whole_q;
  error_e       load_error_q;

  assign offered = job_i.compute;

  always_ff @(posedge clk_i) begin
    held_q       <= rst_ni && valid_i && !ready;
    whole_q      <= job_i;
    load_error_q <= load_error_i;
  end

  function automatic int unsigned words(dim_t k);
    return (32'(k) + BLOCK - 1) / BLOCK * (BLOCK / BEAT);
  endfunction

  // Words of A in a step
  function automatic int unsigned pixels(compute_job_t job);
    return !job.depthwise ? 1 : job.pairs ? Groups : Groups / 2;
  endfunction

  function automatic int unsigned a_words(compute_job_t job);
    return words(job.k) * pixels(job);
  endfunction

  always_comb begin
    if (rst_ni) begin
      command_is_held : assume (!held_q || (valid_i && job_i == whole_q && load_error_i == load_error_q));
      shape_is_proper : assume (!valid_i || (offered.m inside {[1:MAX_DIM]} && offered.n inside {[1:MAX_DIM]} &&
        offered.k inside {[1:MAX_DIM]} && 32'(offered.row_words) == words(offered.k) &&
        32'(offered.a_row_words) == a_words(offered) && (DEPTHWISE || !offered.depthwise) &&
        (offered.depthwise || !offered.pairs) &&
        32'(offered.mx_first) < BEAT && offered.pass_shape inside {PassAcross, PassSquare, PassDown}));
    end
  end

  // ---- the tile command at hand, and the tile commands of the steps behind it -------------------
  typedef struct packed {
    compute_job_t job;
    halves_t      halves;
    owner_t       owner;
    logic         skip;
  } ghost_t;

  typedef struct packed {
    tile_index_t row;
    tile_index_t col;
    dim_t        step;
  } where_t;

  ghost_t at, at_1_q, at_2_q;
  ghost_t at_q;
  where_t walk, walk_1_q, walk_2_q;

  assign at   = at_q;
  assign walk = '{row: dut.row_tile_q + tile_index_t'(dut.im_q), col: dut.col_tile_q + tile_index_t'(dut.in_q),
                  step: dim_t'(32'(dut.block_q) * Steps + (Steps > 1 ? 32'(dut.step_q) : 0))};

  always_ff @(posedge clk_i) begin
    if (storing_valid) at_q <= '{
      job: offered, halves: job_i.halves, skip: storing.skip,
      owner: '{valid: job_i.record, index: record_index_t'(job_i.tag)}
    };
    if (advance_i) begin
      at_1_q   <= at;
      at_2_q   <= at_1_q;
      walk_1_q <= walk;
      walk_2_q <= walk_1_q;
    end
  end

  function automatic int unsigned last_row(compute_job_t job);
    return (32'(job.m) - 1) / ROWS;
  endfunction
  function automatic int unsigned last_col(compute_job_t job);
    return (32'(job.n) - 1) / COLS;
  endfunction
  function automatic int unsigned last_step(compute_job_t job);
    return (32'(job.k) - 1) / LANES;
  endfunction

  // Number of a tile's pass, and position in it, computed from the tile's position in its tile
  // command
  function automatic int unsigned pass_of(compute_job_t job, tile_index_t row, tile_index_t col);
    int unsigned down, across;
    down   = pass_rows_log2(job.pass_shape);
    across = pass_cols_log2(job.pass_shape);
    return (32'(row) >> down) * ((last_col(job) >> across) + 1) + (32'(col) >> across);
  endfunction

  function automatic int unsigned position_of(pass_shape_e shape, tile_index_t row, tile_index_t col);
    case (shape)
      PassAcross: return 32'(col[1:0]);
      PassSquare: return 32'({row[0], col[0]});
      default: return 32'(row[1:0]);
    endcase
  endfunction

  // ---- each step that was visited ---------------------------------------------------------------
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

  function automatic int unsigned group_of(ghost_t g, where_t w);
    return !g.job.depthwise ? 0 : (g.job.pairs ? 1 : 2) * 32'(w.col) % Groups;
  endfunction

  // The product of the step that a lane has
  function automatic int unsigned product_of(ghost_t g, where_t w, int unsigned lane);
    return (lane + LANES - group_of(g, w) * (LANES / Groups)) % LANES;
  endfunction

  function automatic step_t step_at(ghost_t g, where_t w);
    step_t s;
    s.tile        = TileW'(pass_of(g.job, w.row, w.col) * PassTiles + position_of(g.job.pass_shape, w.row, w.col));
    s.block_first = 32'(w.step) % Steps == 0;
    s.block_last  = 32'(w.step) % Steps == Steps - 1 || 32'(w.step) == last_step(g.job);
    s.acc_first   = 32'(w.step) < Steps && !g.job.acc_continue;
    s.acc_last    = 32'(w.step) / Steps == last_step(g.job) / Steps && !g.job.acc_keep;
    s.cfg         = g.job.cfg;
    for (int unsigned r = 0; r < ROWS; r++) s.row_en[r] = !g.job.empty && 32'(w.row) * ROWS + r < 32'(g.job.m);
    for (int unsigned c = 0; c < COLS; c++) s.col_en[c] = 32'(w.col) * COLS + c < 32'(g.job.n);
    for (int unsigned l = 0; l < LANES; l++) begin
      s.lane_en[l] = !g.job.empty && 32'(w.step) * LANES + product_of(g, w, l) < 32'(g.job.k);
    end
    s.tile_position = '{row_tile: w.row, col_tile: w.col,
                last: 32'(w.row) == last_row(g.job) && 32'(w.col) == last_col(g.job), owner: g.owner};
    return s;
  endfunction

  step_t given;
  logic  visited_1_q, visited_2_q;  // the walk took a step one cycle ago, and two cycles ago
  assign given = '{tile: step_tile, block_first: block_first, block_last: block_last, acc_first: acc_first,
                   acc_last: acc_last, cfg: step_cfg, row_en: row_en, col_en: col_en, lane_en: lane_en,
                   tile_position: tile_position};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      visited_1_q <= 1'b0;
      visited_2_q <= 1'b0;
    end else if (advance_i) begin
      visited_1_q <= dut.issue;
      visited_2_q <= visited_1_q;
    end
  end

  function automatic logic [WORD_W-1:0] word_of(ghost_t g, tile_index_t tile, dim_t step);
    return WORD_W'(32'(tile) * words(g.job.k) / (WORD / BEAT) + 32'(step) * LANES / WORD);
  endfunction

  function automatic logic [WORD_W-1:0] a_word_of(ghost_t g, tile_index_t tile, dim_t step);
    if (!g.job.depthwise) return word_of(g, tile, step);
    return WORD_W'(32'(tile) * a_words(g.job) / (WORD / BEAT) + 32'(step) * pixels(g.job));
  endfunction

  function automatic logic [SCALE_W-1:0] scale_base(ghost_t g, tile_index_t tile);
    return SCALE_W'(32'(tile) * 32'(g.job.mx_words));
  endfunction

  function automatic int unsigned scale_nr(ghost_t g, dim_t step);
    return 32'(step) / Steps + 32'(g.job.mx_first);
  endfunction

  always_comb begin
    if (rst_ni) begin
      step_was_visited : assert (step_valid == visited_2_q);
      next_was_visited : assert (dut.valid_q1 == visited_1_q);
      step_is_right : assert (!step_valid || given == step_at(at_2_q, walk_2_q));
      read_was_visited : assert (read == (visited_1_q && advance_i));
      reads_its_operands : assert (!visited_1_q || (a_word == a_word_of(at_1_q, walk_1_q.row, walk_1_q.step) &&
        depthwise == at_1_q.job.depthwise && pairs == at_1_q.job.pairs && 32'(group) == group_of(at_1_q, walk_1_q) &&
        b_word == word_of(at_1_q, walk_1_q.col, walk_1_q.step) && 32'(slice) == 32'(walk_1_q.step) % Slices &&
        a_half == at_1_q.halves.a && b_half == at_1_q.halves.b));

      reads_its_scales : assert (!visited_1_q || (mx == at_1_q.job.mx &&
        a_scale_word == SCALE_W'(32'(scale_base(at_1_q, walk_1_q.row)) + scale_nr(at_1_q, walk_1_q.step) / BEAT) &&
        b_scale_word == SCALE_W'(32'(scale_base(at_1_q, walk_1_q.col)) + scale_nr(at_1_q, walk_1_q.step) / BEAT) &&
        32'(scale_byte) == scale_nr(at_1_q, walk_1_q.step) % BEAT));

      next_step_is_right : assert (!dut.valid_q1 || dut.step_q1 == step_at(at_1_q, walk_1_q));
      only_in_a_command : assert (!dut.issue || (busy && !at.skip));
    end
  end

  // ---- once: one tile, one step along k ---------------------------------------------------------
  where_t one;
  formal_const #(.WIDTH($bits(where_t))) u_one (
    .clk_i, .any_i({any_row_i, any_col_i, any_step_i}), .const_o({one.row, one.col, one.step})
  );

  logic exists, here, visited_q;
  assign exists = busy && !at.skip && 32'(one.row) <= last_row(at.job) && 32'(one.col) <= last_col(at.job) &&
                  32'(one.step) <= last_step(at.job);
  assign here   = dut.issue && walk == one;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || storing_valid) visited_q <= 1'b0;
    else if (here) visited_q <= 1'b1;
  end

  // Whether the walk has passed `one`: passes down, passes across, blocks, tiles of the pass, steps
  logic        past;
  int unsigned pass_here, pass_one, tile_here, tile_one, block_here, block_one;
  assign pass_here  = pass_of(at.job, walk.row, walk.col);
  assign pass_one   = pass_of(at.job, one.row, one.col);
  assign tile_here  = position_of(at.job.pass_shape, walk.row, walk.col);
  assign tile_one   = position_of(at.job.pass_shape, one.row, one.col);
  assign block_here = 32'(walk.step) / Steps;
  assign block_one  = 32'(one.step) / Steps;

  always_comb begin
    past = pass_here > pass_one;
    if (pass_here == pass_one) past = block_here > block_one;
    if (pass_here == pass_one && block_here == block_one) past = tile_here > tile_one;
    if (pass_here == pass_one && block_here == block_one && tile_here == tile_one) past = walk.step > one.step;
  end

  always_comb begin
    if (rst_ni) begin
      once : assert (!here || !visited_q);
      at_the_end_visited : assert (!(dut.finished && exists) || visited_q || here);
      visited_is_past : assert (!exists || visited_q == past);

      second_pass_visited : cover (here && one.row >= 8'd2 && 32'(one.step) == last_step(at.job) && one.step > 16'd1);
    end
  end

  // ---- the walk's state -------------------------------------------------------------------------
  logic [1:0] down, across;
  assign down   = pass_rows_log2(at.job.pass_shape);
  assign across = pass_cols_log2(at.job.pass_shape);

  always_comb begin
    if (rst_ni && busy) begin
      skips_as_told : assert (dut.work_q.skip == at.skip);
      owner_as_told : assert (dut.work_q.owner == at.owner);
    end
    if (rst_ni && busy && !at.skip) begin
      command_is_proper : assert (at.job.m inside {[1:MAX_DIM]} && at.job.n inside {[1:MAX_DIM]} &&
        at.job.k inside {[1:MAX_DIM]} && 32'(at.job.row_words) == words(at.job.k) &&
        32'(at.job.a_row_words) == a_words(at.job) && (DEPTHWISE || !at.job.depthwise) &&
        (at.job.depthwise || !at.job.pairs) &&
        32'(at.job.mx_first) < BEAT && at.job.pass_shape inside {PassAcross, PassSquare, PassDown});
      scales_are_the_commands : assert (dut.work_q.mx == at.job.mx &&
        dut.work_q.mx_words == SCALE_W'(at.job.mx_words) && 32'(dut.work_q.mx_first) == 32'(at.job.mx_first));
      work_is_the_command : assert (32'(dut.work_q.row_words) == words(at.job.k) / (WORD / BEAT) &&
        dut.work_q.depthwise == at.job.depthwise && dut.work_q.pairs == at.job.pairs &&
        dut.work_q.a_row_words == WORD_W'(a_words(at.job) / (WORD / BEAT)) &&
        dut.work_q.pass_shape == at.job.pass_shape && dut.work_q.cfg == at.job.cfg &&
        dut.work_q.acc_continue == at.job.acc_continue && dut.work_q.acc_keep == at.job.acc_keep &&
        dut.work_q.empty == at.job.empty && dut.work_q.half_a == at.halves.a && dut.work_q.half_b == at.halves.b &&
        32'(dut.work_q.last_row) == (32'(at.job.m) - 1) % ROWS &&
        32'(dut.work_q.last_col) == (32'(at.job.n) - 1) % COLS &&
        32'(dut.work_q.last_lane) == (32'(at.job.k) - 1) % LANES &&
        32'(dut.work_q.last_block) == last_step(at.job) / Steps &&
        (Steps == 1 || 32'(dut.work_q.last_step) == last_step(at.job) % Steps));
      passes_are_whole : assert (dut.row_tile_q == (dut.row_tile_q >> down << down) &&
        dut.col_tile_q == (dut.col_tile_q >> across << across));
      tiles_are_counted : assert (32'(dut.row_tile_q) + 32'(dut.rows_more_q) == last_row(at.job) &&
        32'(dut.col_tile_q) + 32'(dut.cols_more_q) == last_col(at.job) &&
        32'(dut.work_q.cols_more) == last_col(at.job));
      in_the_pass : assert (32'(dut.im_q) < (1 << down) && 32'(dut.in_q) < (1 << across) &&
        32'(walk.row) <= last_row(at.job) && 32'(walk.col) <= last_col(at.job) &&
        32'(walk.step) <= last_step(at.job));
      pass_is_counted : assert (dut.pass_q == (TileW-2)'(pass_of(at.job, dut.row_tile_q, dut.col_tile_q)));
      words_follow : assert (dut.a_base_q == a_word_of(at, dut.row_tile_q, '0) &&
        dut.b_base_q == word_of(at, dut.col_tile_q, '0));
      scales_follow : assert (dut.a_scale_base_q == scale_base(at, dut.row_tile_q) &&
        dut.b_scale_base_q == scale_base(at, dut.col_tile_q));
    end
  end

  // ---- blocks -----------------------------------------------------------------------------------
  // Whether a block is open after the steps that the array has taken, and after those one
  // and two cycles behind
  logic             open_q, open_1, open_0;
  logic [TileW-1:0] tile_q, tile_1, tile_0;

  assign open_1 = step_valid ? !block_last : open_q;
  assign tile_1 = step_valid ? step_tile : tile_q;
  assign open_0 = dut.valid_q1 ? !dut.step_q1.block_last : open_1;
  assign tile_0 = dut.valid_q1 ? dut.step_q1.tile : tile_1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) open_q <= 1'b0;
    else if (advance_i) open_q <= open_1;
    if (advance_i) tile_q <= tile_1;
  end

  always_comb begin
    if (rst_ni) begin
      begins_when_none_is_open : assert (!step_valid || block_first == !open_q);
      goes_on_in_its_tile : assert (!(step_valid && open_q) || step_tile == tile_q);
      next_begins_when_none_is_open : assert (!dut.valid_q1 || dut.step_q1.block_first == !open_1);
      next_goes_on_in_its_tile : assert (!(dut.valid_q1 && open_1) || dut.step_q1.tile == tile_1);
      walk_goes_on : assert (open_0 == (busy && !at.skip && 32'(walk.step) % Steps != 0));
      walk_stays_in_its_tile : assert (!open_0 || tile_0 == dut.step.tile);
    end
  end

  // ---- distances --------------------------------------------------------------------------------
  // ends_q[i]: the last step of a block that the walk took i cycles ago
  localparam int unsigned Far = (LOOP > SHARE) ? LOOP : SHARE;

  typedef struct packed {
    logic             ends;
    logic             first;
    logic [TileW-1:0] tile;
  } end_t;

  end_t [Far+2:1] ends_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ends_q <= '0;
    else if (advance_i) ends_q <= {ends_q[Far+1:1], end_t'{dut.block_ends, dut.acc_first, dut.step.tile}};
  end

  always_comb begin
    if (rst_ni) begin
      ends_behind : assert ((dut.valid_q1 && dut.step_q1.block_last) == ends_q[1].ends &&
        (step_valid && block_last) == ends_q[2].ends);
      ends_of_tiles : assert ((!ends_q[1].ends ||
        {dut.step_q1.acc_first, dut.step_q1.tile} == {ends_q[1].first, ends_q[1].tile}) &&
        (!ends_q[2].ends || {acc_first, step_tile} == {ends_q[2].first, ends_q[2].tile}));
    end
  end

  // The step that the array gets, and the one behind it, against those before it
  for (genvar now = 1; now <= 2; now++) begin : g_now
    for (genvar i = 1; i < int'(Far); i++) begin : g_distance
      always_comb begin
        if (rst_ni) begin
          blocks_are_apart : assert (i >= int'(SHARE) || !ends_q[now].ends || !ends_q[now+i].ends);
          tiles_are_apart : assert (i >= int'(LOOP) || !ends_q[now].ends || ends_q[now].first ||
            !(ends_q[now+i].ends && ends_q[now+i].tile == ends_q[now].tile));
        end
      end
    end
  end

  for (genvar i = 1; i < int'(Far); i++) begin : g_wait
    always_comb begin
      if (rst_ni && ends_q[i].ends) begin
        share_is_awaited : assert (32'(dut.share_wait_q) + i >= SHARE);
        loop_is_awaited : assert (32'(dut.loop_wait_q[ends_q[i].tile[1:0]]) + i >= LOOP);
      end
    end
  end

  function automatic logic is_last(ghost_t g, where_t w);
    return 32'(w.row) == last_row(g.job) && 32'(w.col) == last_col(g.job) && 32'(w.step) == last_step(g.job);
  endfunction

  // ---- tile commands ----------------------------------------------------------------------------
  logic [2:0] in_hand_q;  // tile commands taken and not released
  logic       frozen_q;
  logic [$bits(step_t)+1:0] shown_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) in_hand_q <= '0;
    else in_hand_q <= in_hand_q + 3'(ready) - 3'(released);
    frozen_q <= rst_ni && !advance_i;
    shown_q  <= {step_valid, dut.valid_q1, given};
  end

  always_comb begin
    if (rst_ni) begin
      handed_on_as_taken : assert (storing_valid == ready && (!ready || (valid_i && storing_ready_i)));
      failed_are_skipped : assert (!ready ||
        storing.skip == (storing.error != ErrNone || dut.poisoned_q || abort_i));
      released_once : assert (32'(in_hand_q) == 32'(busy) + 32'(dut.end_q1) + 32'(dut.end_q2));
      released_at_the_end : assert (!step_valid || dut.end_q2 == is_last(at_2_q, walk_2_q));
      next_released_at_the_end : assert (!dut.valid_q1 || dut.end_q1 == is_last(at_1_q, walk_1_q));
      kept_after_a_release : assert (!kept || advance_i);
      frozen_stands_still : assert (!frozen_q || shown_q == {step_valid, dut.valid_q1, given});

      back_to_back : cover (released && step_valid && dut.valid_q1 && dut.finished && dut.issue && ready);
      waits_for_its_tile : cover (busy && advance_i && dut.early && dut.share_wait_q == '0);
      stalls : cover (stalled && step_valid && dut.valid_q1);
      keeps : cover (kept && busy);
    end
  end

endmodule
