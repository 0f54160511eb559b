// SPDX-License-Identifier: Apache-2.0
// fp8mac_store between the array's results and the epilogue. The array gives the tiles of a tile
// command in the order of passes. The solver chooses an output (m, n). It leaves exactly once,
// unchanged and enabled, with the scales of its row and column, for its own position in the slot of
// its own region. Nothing beyond D is enabled. A region's last transfer is marked, and no transfer
// is for a slot that is not free.
module formal_store
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 2,
  parameter int unsigned COLS      = 2,
  parameter int unsigned SHARE     = 2,
  parameter int unsigned WIDTH     = 2,
  parameter int unsigned SLOTS     = 2,
  parameter int unsigned ROW_BYTES = 32,
  parameter int unsigned WORD      = 8,
  parameter int unsigned M         = 5,   // of every tile command: each choice has its own proof
  parameter int unsigned N         = 1,
  parameter int unsigned SHAPE     = 0,   // pass_shape_e
  parameter int unsigned SIZE      = 0,   // log2 of the bytes of a D element
  parameter bit          STATISTIC = 1'b0, // of a row command: results have no place in the D buffer
  localparam int unsigned Bundle   = ROWS / SHARE,
  localparam int unsigned Rows     = WIDTH / COLS,
  localparam int unsigned Parts    = Bundle / Rows,
  localparam int unsigned PhaseW   = (SHARE > 1) ? $clog2(SHARE) : 1,
  localparam int unsigned WordW    = $clog2(WORD),
  localparam int unsigned BufW     = $clog2(SLOTS * SHARE * Parts * ROW_BYTES / WORD)
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              valid_i,
  input storing_job_t                      job_i,
  input logic                              result_valid_i,
  input logic [Bundle-1:0][COLS-1:0][31:0] result_i,
  input logic [ROWS-1:0][31:0]             scale_a_i,
  input logic [COLS-1:0][31:0]             scale_b_i,
  input logic                              epi_busy_i,
  input logic                              slot_free_i,
  input logic                              job_ready_i,
  input dim_t                              any_m_i,
  input dim_t                              any_n_i
);
  logic                            ready, stored, result_ready, epi_valid, epi_last, job_valid;
  logic [PhaseW-1:0]               phase_q;
  tile_position_t                  position;
  owner_t                          owner;
  tile_index_t                     row_tile, col_tile;
  logic [Rows-1:0][COLS-1:0]       en;
  logic [Rows-1:0][COLS-1:0][31:0] t0;
  logic [31:0]                     scale_a;
  logic [COLS-1:0][31:0]           scale_b;
  logic                            epi_next;
  logic [Rows-1:0]                 moved;
  logic [BufW-1:0]                 addr;
  logic [WordW-1:0]                offset;
  dim_t                            first_row, first_col;
  logic                            rows_first, rows_end;

  fp8mac_store #(
    .ROWS(ROWS), .COLS(COLS), .SHARE(SHARE), .WIDTH(WIDTH), .SLOTS(SLOTS), .ROW_BYTES(ROW_BYTES), .WORD(WORD)
  ) dut (
    .clk_i, .rst_ni, .valid_i, .job_i, .ready_o(ready), .stored_o(stored), .kept_i(1'b0), .abort_i(1'b0),
    .clear_i(1'b0), .error_o(), .c_beat_i(1'b0), .x_beat_i(1'b0), .beat_error_i(ErrNone), .beat_full_i(1'b0),
    .epi_bad_o(), .epi_c_valid_o(), .epi_c_addr_o(), .epi_c_offset_o(), .epi_c_last_o(), .epi_x_valid_o(),
    .epi_x_addr_o(), .epi_x_offset_o(), .epi_x_last_o(), .result_valid_i,
    .result_ready_o(result_ready), .result_phase_i(phase_q), .result_i, .result_position_i(position), .vector_half_o(),
    .row_tile_o(row_tile), .col_tile_o(col_tile), .scale_a_i, .scale_b_i, .int_shift_i('0), .bias_i('0),
    .epi_next_o(epi_next), .epi_next_row_o(), .epi_valid_o(epi_valid), .epi_busy_i, .epi_empty_o(), .epi_shift_o(),
    .epi_en_o(en), .epi_t0_o(t0), .epi_scale_a_o(scale_a), .epi_scale_b_o(scale_b), .epi_bias_o(),
    .epi_cfg_o(), .epi_row_o(moved), .epi_addr_o(addr), .epi_offset_o(offset), .epi_last_o(epi_last),
    .epi_owner_o(owner), .epi_first_row_o(first_row), .epi_first_col_o(first_col), .epi_rows_first_o(rows_first),
    .epi_rows_end_o(rows_end), .slot_free_i, .job_valid_o(job_valid), .job_ready_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- around it: one tile command after the other, all alike -----------------------------------
  typedef logic [7:0] count_t;

  store_job_t                        job;
  storing_job_t                      job_q;
  logic [Bundle-1:0][COLS-1:0][31:0] result_q;
  logic                              held_q, waits_q, refused_q;
  count_t                            lasts_q, freed_q;   // regions

  assign job = job_i.job;

  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni;
    job_q     <= job_i;
    waits_q   <= rst_ni && valid_i && !ready;
    refused_q <= rst_ni && result_valid_i && !result_ready;
    result_q  <= result_i;
    if (!rst_ni) begin
      lasts_q <= '0;
      freed_q <= '0;
    end else begin
      lasts_q <= lasts_q + count_t'(epi_valid && epi_last);
      freed_q <= freed_q + count_t'(slot_free_i);
    end
  end

  // The tiles in the order of passes, and the phases of each
  localparam int unsigned TilesM = (M + ROWS - 1) / ROWS;
  localparam int unsigned TilesN = (N + COLS - 1) / COLS;
  localparam int unsigned Down   = 1 << SHAPE;
  localparam int unsigned Across = PassTiles >> SHAPE;
  logic [31:0] i_q, j_q, m0, n0;
  logic        taken, given_q;     // all results of the tile command at hand have been given

  assign m0        = i_q / Down * Down;
  assign n0        = j_q / Across * Across;
  assign taken     = result_valid_i && result_ready;
  assign position  = '{row_tile: tile_index_t'(i_q), col_tile: tile_index_t'(j_q),
                    last: i_q == TilesM - 1 && j_q == TilesN - 1, owner: owner_at(i_q, j_q)};

  // A function of the position, so that a transfer's owner tells whose it is
  function automatic owner_t owner_at(logic [31:0] i, logic [31:0] j);
    return '{valid: i[0], index: record_index_t'(j)};
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ready) given_q <= 1'b0;
    else if (taken && position.last && 32'(phase_q) == SHARE - 1) given_q <= 1'b1;
    if (!rst_ni || ready) begin
      i_q     <= '0;
      j_q     <= '0;
      phase_q <= '0;
    end else if (taken && 32'(phase_q) != SHARE - 1) begin
      phase_q <= phase_q + PhaseW'(1);
    end else if (taken) begin
      phase_q <= '0;
      if (j_q + 1 < n0 + Across && j_q + 1 < TilesN) begin
        j_q <= j_q + 1;
      end else if (i_q + 1 < m0 + Down && i_q + 1 < TilesM) begin
        i_q <= i_q + 1;
        j_q <= n0;
      end else if (n0 + Across < TilesN) begin
        i_q <= m0;
        j_q <= n0 + Across;
      end else begin
        i_q <= m0 + Down;
        j_q <= '0;
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      row_command_is_proper : assume (
        (STATISTIC ? job.epilogue.rows.step inside {StepSum, StepExpSum} : job.epilogue.rows.step == StepNone) &&
        job.rows_first && job.rows_end && job.limit >= limit_t'(N) && !job.causal);
      command_is_proper : assume (!job.epilogue.c_en && !job.epilogue.x_en && job.m == dim_t'(M) &&
        job.n == dim_t'(N) && 32'(job.pass_shape) == SHAPE &&
        32'(dst_size(job.epilogue.d_fmt)) == SIZE &&
        job.epilogue.d_fmt != dst_fmt_e'(3'd7) && !job_i.skip && !job.acc_keep);
      commands_are_alike : assume (!held_q || job_i == job_q);
      command_stays : assume (!waits_q || valid_i);
      result_stays : assume (!refused_q || (result_valid_i && result_i == result_q));
      results_of_the_command : assume (!result_valid_i || (valid_i && !given_q));
      frees_what_is_full : assume (!slot_free_i || freed_q != lasts_q);
      one_end_each : assert (stored == ready && (!ready || valid_i));
    end
  end

  // ---- one output -------------------------------------------------------------------------------
  dim_t m, n;
  formal_const #(.WIDTH(2 * DimW)) u_mn (.clk_i, .any_i({any_m_i, any_n_i}), .const_o({m, n}));

  localparam int unsigned Height        = ROWS << SHAPE;  // of a region
  localparam int unsigned Width         = ROW_BYTES >> SHAPE;
  localparam int unsigned RegionsAcross = ((N << SIZE) + Width - 1) / Width;
  logic [31:0]           bundle_row, bank, lane, phase, region, in_row, base;
  logic                  now, hit, hit_q, was_given_q, ends_q;
  logic [31:0]           value, value_q, scale_a_q, scale_b_q, given_a_q, given_b_q;  // given: to the epilogue
  logic                  next_q;
  tile_index_t           row_tile_q, row_tile_qq, col_tile_q, col_tile_qq;
  count_t                lasts_before_q;   // regions of the tile commands before this one

  assign bundle_row         = 32'(m) % ROWS / SHARE;
  assign phase              = 32'(m) % SHARE;
  assign bank               = bundle_row % Rows;
  assign lane               = 32'(n) % COLS;
  assign region             = 32'(m) / Height * RegionsAcross + (32'(n) << SIZE) / Width;
  assign in_row             = 32'(m) % Height / ROWS * Width + ((32'(n) - lane) << SIZE) % Width;
  assign base               = (32'(lasts_q) % SLOTS * SHARE + phase) * Parts + bundle_row / Rows;

  // The transfer that holds it: of its region, and for its word
  assign hit = epi_valid && en[bank][lane] &&
               (STATISTIC ? first_row == m - dim_t'(bank * SHARE) && first_col == n - dim_t'(lane)
                          : moved[bank] && 32'(lasts_q - lasts_before_q) == region &&
                            32'(addr) == base * (ROW_BYTES / WORD) + in_row / WORD && 32'(offset) == in_row % WORD);
  assign now   = taken && i_q == 32'(m) / ROWS && j_q == 32'(n) / COLS && 32'(phase_q) == phase;
  assign value = now ? result_i[bundle_row][lane] : value_q;

  always_ff @(posedge clk_i) begin
    if (now) value_q <= value;
    scale_a_q   <= scale_a_i[32'(m) % ROWS];
    scale_b_q   <= scale_b_i[lane];
    given_a_q   <= scale_a;
    given_b_q   <= scale_b[lane];
    next_q      <= rst_ni && epi_next;
    row_tile_q  <= row_tile;
    row_tile_qq <= row_tile_q;
    col_tile_q  <= col_tile;
    col_tile_qq <= col_tile_q;
    ends_q      <= rst_ni && ready;
    if (!rst_ni) begin
      hit_q          <= 1'b0;
      lasts_before_q <= '0;
    end else if (ends_q) begin
      hit_q          <= 1'b0;
      lasts_before_q <= lasts_q + count_t'(epi_valid && epi_last);
    end else if (hit) begin
      hit_q <= 1'b1;
    end
  end

  logic [31:0] enabled;
  logic [15:0] count_q, count;  // outputs of the tile command so far

  always_comb begin
    enabled = '0;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < COLS; c++) enabled = enabled + 32'(en[r][c]);
    end
    count = count_q + (epi_valid ? 16'(enabled) : 16'd0);
  end

  logic valid_q;
  always_ff @(posedge clk_i) valid_q <= rst_ni && epi_valid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ends_q) count_q <= '0;
    else count_q <= count;
  end

  always_comb begin
    if (rst_ni) begin
      output_exists : assume (m < dim_t'(M) && n < dim_t'(N));
      if (hit) begin
        once : assert (!hit_q);
        unchanged : assert (t0[bank][lane] == value_q);
        has_its_owner : assert (owner == owner_at(32'(m) / ROWS, 32'(n) / COLS));
        scale_of_its_row : assert (given_a_q == (job.a.in_vector ? scale_a_q : job.a.value));
        scale_of_its_column : assert (given_b_q == (job.b.in_vector ? scale_b_q : job.b.value));
        vectors_of_its_tile : assert (32'(row_tile_qq) == 32'(m) / ROWS && 32'(col_tile_qq) == 32'(n) / COLS);
      end
      scales_come_before : assert (epi_valid == next_q);
      all_at_the_end : assert (!ends_q || ((hit || hit_q) && 32'(count) == M * N));
      regions_at_the_end : assert (!ends_q || 32'(lasts_q + count_t'(epi_valid && epi_last) - lasts_before_q) ==
        (STATISTIC ? 0 : (M + Height - 1) / Height * RegionsAcross));
      one_first : assert (!epi_valid || rows_first == (first_row == '0 && first_col == '0 && count_q == '0));
      end_comes_last : assert (!(epi_valid && rows_end) || (ends_q && 32'(count) == M * N));
      end_comes : assert (!ends_q || (epi_valid && rows_end));
      every_second_cycle : assert (!(epi_valid && valid_q && job.epilogue.rows.step == StepExpSum));
      slot_is_free : assert (!epi_valid || 32'(lasts_q - freed_q) < SLOTS);
      only_enabled_rows_move : assert (!epi_valid || (moved != '0) == !STATISTIC);
      the_last_output : cover (hit && m == dim_t'(M - 1) && n == dim_t'(N - 1));
      all_given : cover (ends_q);
    end
  end

endmodule
