// SPDX-License-Identifier: Apache-2.0
// The store engine takes the array's results and passes them to the epilogue with their scales and
// biases. It also chooses the position of each result in the D buffer (fp8mac_pack).
//
//   cycle t    a bundle is there (result_valid_i, or in the skid register), and the vectors of its tile are read
//   cycle t+1  a transfer of the bundle and its vectors are there; the scales of its rows are given to the epilogue,
//              and the biases are selected
//   cycle t+2  the transfer is offered to the epilogue, which always takes it
//
// A bundle has Bundle rows of COLS results: row b of it is row b * SHARE + phase of the tile. A
// transfer has WIDTH of them, from neighbouring rows of the bundle. They have one scale_a: where
// scales differ from row to row, a transfer has one row.
//
// A region is the part of D that is written to memory together, from one slot of the D
// buffer. It is as high as a pass, and a row has at most ROW_BYTES bytes, halved with each
// doubling of its height:
//
//   pass 1x4      ROWS rows of ROW_BYTES bytes
//   pass 2x2    2*ROWS rows of ROW_BYTES/2
//   pass 4x1    4*ROWS rows of ROW_BYTES/4
//
// Results wait while all slots have regions that are not yet written. So a transfer never
// waits behind this engine.
//
// C, and X of an element-wise command, are in buffers of the same layout (fp8mac_source_buffer), in
// regions of their own elements' size. Results also wait until their regions of C and X are there,
// unless all is dropped (abort_i).
//
// With pairs, a tile has two results of COLS / 2 channels: those of result 0 in its first columns.
// A row of a region then has the results 0 in its first BEAT bytes, and the results 1 behind them.
// A channel's scale and bias serve both.
//
// A tile command of a row command that only leaves statistics has no regions of D. Where its rows
// are few, transfers leave time to add to a partial sum before it is needed again (rows_interval).
// Where the epilogue computes exponentials, it takes a transfer in every second cycle: always in
// odd or always in even ones. So does it with C where scales differ from column to column alone,
// because the products of scales and the term of C share multipliers. Where they differ from row to
// row, the rows of a bundle take turns, if a transfer could have several.
module fp8mac_store
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned COLS      = 4,
  parameter int unsigned SHARE     = 2,
  parameter int unsigned WIDTH     = 8,
  parameter int unsigned SLOTS     = 4,
  parameter int unsigned ROW_BYTES = 128,
  parameter int unsigned WORD      = 16,    // bytes of a word of the D buffer
  parameter bit          PAIRS     = 1'b0,  // tile commands may have pairs
  localparam int unsigned Bundle   = ROWS / SHARE,
  localparam int unsigned Rows     = WIDTH / COLS,  // of a transfer
  localparam int unsigned Parts    = Bundle / Rows, // transfers that make up a bundle
  localparam int unsigned PhaseW   = (SHARE > 1) ? $clog2(SHARE) : 1,
  localparam int unsigned WordW    = $clog2(WORD),
  localparam int unsigned BufW     = $clog2(SLOTS * SHARE * Parts * ROW_BYTES / WORD)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The oldest tile command that compute has begun, held until ready_o
  input  logic                              valid_i,
  input  storing_job_t                      job_i,
  output logic                              ready_o,
  output logic                              stored_o,        // the tile command no longer needs its vectors
  input  logic                              kept_i,          // a tile command with acc_keep has left the array
  input  logic                              abort_i,
  input  logic                              clear_i,         // the error state is left: C and X are empty
  output error_e                            error_o,         // with ready_o: the first failed read of C or X

  // Beats of C and X that are written to their buffers
  input  logic                              c_beat_i,
  input  logic                              x_beat_i,
  input  error_e                            beat_error_i,
  input  logic                              beat_full_i,     // the region's last one

  // Results: a bundle is taken with result_valid_i and result_ready_o.
  input  logic                              result_valid_i,
  output logic                              result_ready_o,  // a register
  input  logic [PhaseW-1:0]                 result_phase_i,
  input  logic [Bundle-1:0][COLS-1:0][31:0] result_i,
  input  tile_position_t                    result_position_i,

  // Scales and biases of a tile, in the cycle after its index
  output logic                              vector_half_o,
  output tile_index_t                       row_tile_o,
  output tile_index_t                       col_tile_o,
  input  logic [ROWS-1:0][31:0]             scale_a_i,
  input  logic [COLS-1:0][31:0]             scale_b_i,
  input  logic [COLS-1:0][IntShiftW-1:0]    int_shift_i,    // of integer scales
  input  logic [COLS-1:0][31:0]             bias_i,

  // The epilogue: the scales of a transfer that is valid in the next cycle, and the row whose
  // multipliers take them, one hot. None: the product is that of the transfer before.
  output logic                              epi_next_o,
  output logic [Rows-1:0]                   epi_next_row_o,
  output logic [31:0]                       epi_scale_a_o,
  output logic [COLS-1:0][31:0]             epi_scale_b_o,

  output logic                              epi_valid_o,
  input  logic                              epi_busy_i,
  output logic                              epi_empty_o,     // no transfer is on its way through it, and none enters
  output logic [Rows-1:0][COLS-1:0]         epi_en_o,
  output logic [Rows-1:0][COLS-1:0][31:0]   epi_t0_o,
  output logic [COLS-1:0][IntShiftW-1:0]    epi_shift_o,
  output logic [COLS-1:0][31:0]             epi_bias_o,      // 0 where there is none
  output epilogue_cfg_t                     epi_cfg_o,       // constant while transfers are inside

  // The row and the column of its first output, in the tile command
  output dim_t                              epi_first_row_o,
  output dim_t                              epi_first_col_o,
  output logic                              epi_rows_first_o,  // first transfer of a phase of a row command
  output logic                              epi_rows_end_o,    // last one

  // The transfer's position in the D buffer
  output logic [Rows-1:0]                   epi_row_o,       // its rows
  output logic [BufW-1:0]                   epi_addr_o,      // word
  output logic [WordW-1:0]                  epi_offset_o,    // first byte in the word
  output logic                              epi_last_o,      // the region's last transfer
  output logic                              epi_bad_o,       // with epi_last_o: a value of C or X was not read

  // Its positions in the buffers of C and X
  output logic                              epi_c_valid_o,
  output logic [BufW-1:0]                   epi_c_addr_o,
  output logic [WordW-1:0]                  epi_c_offset_o,
  output logic                              epi_c_last_o,
  output logic                              epi_x_valid_o,
  output logic [BufW-1:0]                   epi_x_addr_o,
  output logic [WordW-1:0]                  epi_x_offset_o,
  output logic                              epi_x_last_o,
  output owner_t                            epi_owner_o,     // of the transfer's results

  input  logic                              slot_free_i,     // a region has been written

  // The tile command, before its first region; one without results once it has left the array
  output logic                              job_valid_o,
  input  logic                              job_ready_i
);
  localparam int unsigned RowsLog     = $clog2(ROWS);
  localparam int unsigned ColsLog     = $clog2(COLS);
  localparam int unsigned SlotW       = $clog2(SLOTS);
  localparam int unsigned BundleRowW  = $clog2(Bundle + 1);
  localparam int unsigned PartW       = (Parts > 1) ? $clog2(Parts) : 1;
  localparam int unsigned RowLog      = $clog2(ROW_BYTES);

  typedef enum logic [1:0] {
    Idle,     // values derived from the next tile command are registered
    Start,    // waits until the epilogue may have the tile command's configuration
    Results,  // they go to the epilogue
    Finish
  } state_e;

  state_e     state_q;
  store_job_t job;
  logic       no_results, start, pairs, row_by_row;

  assign job        = job_i.job;
  // A transfer has one row: its scale, or its place among results that lie one behind the other
  // (fp8mac_output), which has the codes of COLS rows.
  assign row_by_row = job.a.in_vector || (Rows > 1 && Rows * SHARE > COLS && job.epilogue.rows.dense);
  assign no_results = job_i.skip || job.acc_keep;
  assign pairs      = PAIRS && job.epilogue.pairs;

  // ---- derived from the tile command ------------------------------------------------------------
  tile_index_t     last_row_tile_q, last_col_tile_q;
  tile_index_t     region_rows_q, region_cols_q;  // tiles of a region, down and across, minus 1: a mask of its tiles
  logic [ROWS-1:0] last_rows_q;                   // rows of the last row tile that are in D
  logic [COLS-1:0] last_cols_q;
  logic            same_cfg_q;
  epilogue_cfg_t   cfg_q;
  logic            statistic_q;

  // Scales with C
  typedef struct packed {
    logic        a_varies;
    logic        b_varies;
    logic [31:0] a;         // 0 where they vary
    logic [31:0] b;
  } scales_t;

  scales_t scales, scales_q;  // those of the configuration
  logic    with_c, every_second_q, rows_in_turn_q, each_q;

  // Cycles without a transfer behind one that leaves statistics: where each pass has four tiles
  // down, and elsewhere
  localparam logic [2:0] PauseFour = 3'(rows_interval(SHARE * Parts * PassTiles, COLS) - 1);
  localparam logic [2:0] PauseOne  = 3'(rows_interval(SHARE * Parts, COLS) - 1);
  logic       four_tiles;
  logic [2:0] pause_q;

  assign four_tiles = job.pass_shape == PassDown &&
                      (((job.m - dim_t'(1)) >> RowsLog) & dim_t'(PassTiles - 1)) == dim_t'(PassTiles - 1);
  logic    first_q;           // the next transfer is the first one with its scales

  assign with_c = job.epilogue.c_en && job.epilogue.rows.step == StepNone;

  always_comb begin
    scales = '{a_varies: job.a.in_vector, b_varies: job.b.in_vector, a: job.a.value, b: job.b.value};
    if (job.a.in_vector || job.b.in_vector) {scales.a, scales.b} = '0;
  end
  logic [1:0]      shape, size, c_size, x_size;
  tile_index_t     c_cols_q, x_cols_q;            // as region_cols_q

  assign shape = pass_rows_log2(job.pass_shape);
  assign c_size = dst_size(job.epilogue.c_fmt);
  assign x_size = dst_size(job.epilogue.x_fmt);
  assign size  = result_size(job.epilogue);

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      last_row_tile_q <= tile_index_t'((job.m - dim_t'(1)) >> RowsLog);
      last_col_tile_q <= tile_index_t'((job.n - dim_t'(1)) >> ColsLog);
      region_rows_q   <= (tile_index_t'(1) << shape) - tile_index_t'(1);
      region_cols_q   <= tile_index_t'((dim_t'(ROW_BYTES / COLS) >> shape >> size) - dim_t'(1));
      c_cols_q        <= tile_index_t'((dim_t'(ROW_BYTES / COLS) >> shape >> c_size) - dim_t'(1));
      x_cols_q        <= tile_index_t'((dim_t'(ROW_BYTES / COLS) >> shape >> x_size) - dim_t'(1));
      for (int unsigned r = 0; r < ROWS; r++) last_rows_q[r] <= ((job.m - dim_t'(1)) & dim_t'(ROWS - 1)) >= dim_t'(r);
      for (int unsigned c = 0; c < COLS; c++) last_cols_q[c] <= ((job.n - dim_t'(1)) & dim_t'(COLS - 1)) >= dim_t'(c);
      same_cfg_q      <= job.epilogue == cfg_q && (!with_c || scales == scales_q);
      statistic_q     <= rows_statistic(job.epilogue.rows.step);
      every_second_q  <= job.epilogue.rows.step == StepExpSum || job.epilogue.rows.step == StepExpOut ||
                         (with_c && job.b.in_vector && !job.a.in_vector) || (with_c && job.a.in_vector && Rows == 1);
      pause_q         <= !rows_statistic(job.epilogue.rows.step) ? '0 : four_tiles ? PauseFour : PauseOne;
      rows_in_turn_q  <= with_c && job.a.in_vector && Rows > 1;
      each_q          <= !with_c || job.a.in_vector || job.b.in_vector;
    end
    if (start && !no_results) begin
      cfg_q    <= job.epilogue;
      scales_q <= scales;
    end
  end

  // ---- cycle t ----------------------------------------------------------------------------------
  typedef struct packed {
    logic [PhaseW-1:0]                 phase;
    tile_position_t                    position;
    logic [Bundle-1:0][COLS-1:0][31:0] result;
  } bundle_t;

  logic                  skid_valid_q, ready_q;
  bundle_t               skid_q, in, bundle;
  logic                  bundle_valid, go, bundle_done;
  logic [BundleRowW-1:0] bundle_row_q, row_step;     // first row of the transfer

  assign in             = '{phase: result_phase_i, position: result_position_i, result: result_i};
  assign bundle         = skid_valid_q ? skid_q : in;
  assign bundle_valid   = skid_valid_q || (result_valid_i && ready_q);
  assign result_ready_o = ready_q;

  // The bundle at hand stays in the skid register until its last transfer goes.
  assign row_step    = row_by_row ? BundleRowW'(1) : BundleRowW'(Rows);
  assign bundle_done = go && bundle_row_q + row_step == BundleRowW'(Bundle);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      skid_valid_q <= 1'b0;
      ready_q      <= 1'b0;
      bundle_row_q <= '0;
    end else begin
      skid_valid_q <= bundle_valid && !bundle_done;
      ready_q      <= !(bundle_valid && !bundle_done);
      if (go) bundle_row_q <= bundle_done ? '0 : bundle_row_q + row_step;
    end
    if (!skid_valid_q && result_valid_i) skid_q <= in;
  end

  // Regions and slots
  logic [SlotW-1:0] slot_q;          // of the open region, or of the next one
  logic             open_q;          // a region has begun and not ended
  logic [SlotW:0]   regions_q;       // that have slots
  logic             bundle_is_last, region_done, command_done, slot_available_q;
  logic             rows_done, c_done, x_done, c_ready, x_ready;
  logic [SlotW-1:0] c_slot, x_slot;
  error_e           c_error, x_error;

  logic       turn_q, turn;  // for every second cycle
  logic [2:0] wait_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= 1'b0;
    else turn_q <= !turn_q;
    if (!rst_ni) wait_q <= '0;
    else if (go) wait_q <= pause_q;
    else if (wait_q != '0) wait_q <= wait_q - 3'd1;
    // Transfers with other scales are not inside.
    if (start && !no_results) first_q <= epi_empty_o;
    else if (go) first_q <= 1'b0;
  end

  assign turn           = (turn_q || !every_second_q) && (turn_q != bundle_row_q[0] || !rows_in_turn_q) && wait_q == '0;
  assign go             = state_q == Results && bundle_valid && (open_q || slot_available_q || statistic_q) && turn &&
                          (!job.epilogue.c_en || c_ready || abort_i) && (!job.epilogue.x_en || x_ready || abort_i);
  assign bundle_is_last = bundle.phase == PhaseW'(SHARE - 1);
  assign rows_done      = bundle_done && bundle_is_last &&
                          (bundle.position.row_tile == last_row_tile_q ||
                           (bundle.position.row_tile & region_rows_q) == region_rows_q);
  assign region_done    = rows_done && columns_end(region_cols_q);
  assign c_done         = rows_done && columns_end(c_cols_q) && job.epilogue.c_en;
  assign x_done         = rows_done && columns_end(x_cols_q) && job.epilogue.x_en;

  function automatic logic columns_end(tile_index_t cols);
    return bundle.position.col_tile == last_col_tile_q || (bundle.position.col_tile & cols) == cols;
  endfunction
  assign command_done   = bundle_done && bundle_is_last && bundle.position.last;

  logic [SlotW:0] regions;
  assign regions = regions_q + (SlotW+1)'(go && !open_q && !statistic_q) - (SlotW+1)'(slot_free_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      slot_q           <= '0;
      open_q           <= 1'b0;
      regions_q        <= '0;
      slot_available_q <= 1'b1;
    end else begin
      if (region_done && !statistic_q) slot_q <= slot_q + SlotW'(1);
      if (go) open_q <= !region_done && !statistic_q;
      regions_q        <= regions;
      slot_available_q <= regions != (SlotW+1)'(SLOTS);
    end
  end

  fp8mac_source_slots #(.SLOTS(SLOTS)) u_c_slots (
    .clk_i, .rst_ni, .clear_i, .beat_i(c_beat_i), .error_i(beat_error_i), .full_i(beat_full_i), .done_i(c_done),
    .ready_o(c_ready), .slot_o(c_slot), .error_o(c_error)
  );

  fp8mac_source_slots #(.SLOTS(SLOTS)) u_x_slots (
    .clk_i, .rst_ni, .clear_i, .beat_i(x_beat_i), .error_i(beat_error_i), .full_i(beat_full_i), .done_i(x_done),
    .ready_o(x_ready), .slot_o(x_slot), .error_o(x_error)
  );

  // The first failed read of the tile command
  error_e error_q, go_error;

  always_comb begin
    go_error = error_q;
    if (error_q == ErrNone && job.epilogue.x_en) go_error = x_error;
    if (error_q == ErrNone && job.epilogue.c_en && c_error != ErrNone) go_error = c_error;
  end

  logic no_statistics_q;  // X of a statistic was not read: what follows from it is no output

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ready_o) error_q <= ErrNone;
    else if (go && !abort_i) error_q <= go_error;
    if (!rst_ni || clear_i) no_statistics_q <= 1'b0;
    else if (go && statistic_q && go_error != ErrNone) no_statistics_q <= 1'b1;
  end

  assign error_o = error_q;

  assign vector_half_o = job_i.vector_half;
  assign row_tile_o    = bundle.position.row_tile;
  assign col_tile_o    = pairs ? bundle.position.col_tile >> 1 : bundle.position.col_tile;

  // ---- cycle t+1 --------------------------------------------------------------------------------
  typedef struct packed {
    logic [SlotW-1:0]      slot;
    logic [PhaseW-1:0]     phase;
    logic [BundleRowW-1:0] bundle_row;
    tile_position_t        position;
    logic                  region_done;
    logic                  command_done;
    logic                  bad;
    logic                  scaled;  // the product of its scales is computed
    logic [SlotW-1:0]      c_slot;
    logic [SlotW-1:0]      x_slot;
    logic                  c_done;
    logic                  x_done;
  } source_t;

  logic                              valid1_q;
  source_t                           source_q;
  logic [Rows-1:0][COLS-1:0][31:0]   t0_q;
  logic [PartW-1:0]                  part, part1;
  logic [Parts-1:0][Rows-1:0][COLS-1:0][31:0] parts;

  assign parts = bundle.result;
  assign part  = PartW'(bundle_row_q / BundleRowW'(Rows));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid1_q <= 1'b0;
    else valid1_q <= go;
    source_q <= '{slot: slot_q, phase: bundle.phase, bundle_row: bundle_row_q, position: bundle.position,
                  region_done: region_done && !statistic_q, command_done: command_done,
                  bad: go_error != ErrNone || no_statistics_q, scaled: each_q || first_q,
                  c_slot: c_slot, x_slot: x_slot,
                  c_done: c_done, x_done: x_done};
    t0_q     <= parts[part];
  end

  // Rows and columns of the tile that are in D, then the rows of the transfer
  logic [Parts-1:0][Rows-1:0][SHARE-1:0] row_in_d;
  logic [COLS-1:0]                       col_in_d;
  logic [Bundle-1:0][SHARE-1:0][31:0]    scale_a;
  logic [Rows-1:0]                       row_moves;

  assign row_in_d = source_q.position.row_tile == last_row_tile_q ? last_rows_q : '1;
  assign col_in_d = source_q.position.col_tile == last_col_tile_q ? last_cols_q : '1;
  assign scale_a  = scale_a_i;
  assign part1    = PartW'(source_q.bundle_row / BundleRowW'(Rows));

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      row_moves[r] = !row_by_row || source_q.bundle_row % BundleRowW'(Rows) == BundleRowW'(r);
    end
  end

  // Columns that the rows of the transfer see
  localparam int unsigned SeenW1 = LimitW + 2;
  logic [Rows-1:0][COLS-1:0] col_seen;

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      logic signed [SeenW1-1:0] more;  // from the transfer's first column on
      more = SeenW1'(job.limit) - $signed(SeenW1'(32'(source_q.position.col_tile) * COLS));
      if (job.causal) begin
        more = more + $signed(SeenW1'(32'(source_q.position.row_tile) * ROWS + (32'(part1) * Rows + r) * SHARE +
                                      32'(source_q.phase)));
      end
      for (int unsigned c = 0; c < COLS; c++) begin
        col_seen[r][c] = job.epilogue.rows.step == StepNone || more > $signed(SeenW1'(c));
      end
    end
  end

  // Scales and biases of the columns: with pairs, of half of those that were read, and each twice.
  logic [COLS-1:0][31:0]           scale_b, bias;
  logic [COLS-1:0][IntShiftW-1:0]  int_shift;

  always_comb begin
    scale_b   = scale_b_i;
    bias      = bias_i;
    int_shift = int_shift_i;
    for (int unsigned c = 0; c < COLS; c++) begin
      int unsigned channel;
      channel = (source_q.position.col_tile[0] ? COLS / 2 : 0) + c % ((COLS + 1) / 2);
      if (pairs) begin
        scale_b[c]   = scale_b_i[channel];
        bias[c]      = bias_i[channel];
        int_shift[c] = int_shift_i[channel];
      end
    end
  end

  // Columns of the rows of a transfer that are outputs: of results 1, those of the first rows
  // alone.
  logic [Rows-1:0][COLS-1:0] col_given;

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      dim_t row;
      row = dim_t'(32'(source_q.position.row_tile) * ROWS + (32'(part1) * Rows + r) * SHARE + 32'(source_q.phase));
      for (int unsigned c = 0; c < COLS; c++) col_given[r][c] = !pairs || c < COLS / 2 || row < job.seconds;
    end
  end

  // ---- the position in the D buffer -------------------------------------------------------------
  // Address of a word: | slot | phase | part | rows of tiles, and in them words of a row |, in the
  // memory of each row of a transfer
  localparam int unsigned RowWords = ROW_BYTES / WORD;
  logic [RowLog-1:0] d_byte, c_byte, x_byte;

  // A transfer's first byte in its row, of an element's size and the mask of a region's tiles
  // across
  function automatic logic [RowLog-1:0] byte_in_row(tile_index_t cols, logic [1:0] element_size);
    tile_index_t row_tile, col_tile;  // in the region
    row_tile = source_q.position.row_tile & region_rows_q;
    col_tile = source_q.position.col_tile & cols;
    return RowLog'(32'(row_tile) * ROW_BYTES >> shape) | RowLog'(32'(col_tile) * COLS << element_size);
  endfunction

  function automatic logic [BufW-1:0] word_at(logic [SlotW-1:0] slot, logic [RowLog-WordW-1:0] word);
    return BufW'(32'(slot) * SHARE * Parts * RowWords + 32'(source_q.phase) * Parts * RowWords +
                 32'(part1) * RowWords + 32'(word));
  endfunction

  // With pairs a transfer has half as many channels as columns, and a region all columns.
  assign d_byte = pairs ? byte_in_row('0, 2'd0) | RowLog'(32'(source_q.position.col_tile) * COLS / 2) :
                          byte_in_row(region_cols_q, size);
  assign c_byte = byte_in_row(c_cols_q, c_size);
  assign x_byte = byte_in_row(x_cols_q, x_size);

  assign epi_next_o     = valid1_q;
  assign epi_next_row_o = !source_q.scaled ? '0 : job.a.in_vector ? row_moves : Rows'(1);
  assign epi_scale_a_o  = job.a.in_vector ? scale_a[source_q.bundle_row][source_q.phase] : job.a.value;
  assign epi_scale_b_o  = job.b.in_vector ? scale_b : {COLS{job.b.value}};

  // ---- cycle t+2 --------------------------------------------------------------------------------
  logic valid2_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid2_q <= 1'b0;
    else valid2_q <= valid1_q;
    epi_t0_o      <= t0_q;
    epi_bias_o    <= cfg_q.bias_en ? bias : '0;
    epi_shift_o   <= job.b.in_vector ? int_shift : {COLS{job.a.value[IntShiftW-1:0]}};
    epi_first_row_o <= dim_t'(32'(source_q.position.row_tile) * ROWS + 32'(part1) * Rows * SHARE +
                              32'(source_q.phase));
    epi_first_col_o <= dim_t'(32'(source_q.position.col_tile) * COLS);
    epi_rows_first_o <= job.rows_first && source_q.position.row_tile == '0 && source_q.position.col_tile == '0 &&
                        source_q.phase == '0 && source_q.bundle_row == '0;
    epi_rows_end_o   <= job.rows_end && source_q.command_done;
    epi_row_o     <= statistic_q ? '0 : row_moves;
    epi_addr_o    <= word_at(source_q.slot, d_byte[RowLog-1:WordW]);
    epi_offset_o  <= d_byte[WordW-1:0];
    epi_last_o    <= source_q.region_done;
    epi_bad_o     <= source_q.bad;
    epi_c_addr_o   <= word_at(source_q.c_slot, c_byte[RowLog-1:WordW]);
    epi_c_offset_o <= c_byte[WordW-1:0];
    epi_c_last_o   <= source_q.c_done;
    epi_x_addr_o   <= word_at(source_q.x_slot, x_byte[RowLog-1:WordW]);
    epi_x_offset_o <= x_byte[WordW-1:0];
    epi_x_last_o   <= source_q.x_done;
    epi_owner_o   <= source_q.position.owner;
    for (int unsigned r = 0; r < Rows; r++) begin
      epi_en_o[r] <= (row_moves[r] && row_in_d[part1][r][source_q.phase]) ?
                     col_in_d & col_seen[r] & col_given[r] : '0;
    end
  end

  assign epi_valid_o   = valid2_q;
  assign epi_c_valid_o = valid2_q && cfg_q.c_en;
  assign epi_x_valid_o = valid2_q && cfg_q.x_en;
  assign epi_cfg_o     = cfg_q;

  // ---- tile commands ----------------------------------------------------------------------------
  // Tile commands with acc_keep that have left the array and are not yet reported
  localparam int unsigned SeenW = 3;
  logic [SeenW-1:0] kept_seen_q;
  logic             left_array, first_of_phase;

  assign left_array     = job_i.skip || kept_seen_q != '0;
  assign epi_empty_o    = !valid1_q && !valid2_q && !epi_busy_i;
  assign first_of_phase = job.epilogue.rows.step != StepNone && job.rows_first;
  // A phase of a row command also waits for the program of the phase before.
  assign job_valid_o    = state_q == Start &&
                          (no_results ? left_array : (same_cfg_q && !first_of_phase) || epi_empty_o);
  assign start          = job_valid_o && job_ready_i;
  assign ready_o        = state_q == Finish;
  assign stored_o       = ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_seen_q <= '0;
    else kept_seen_q <= kept_seen_q + SeenW'(kept_i) - SeenW'(start && job.acc_keep && !job_i.skip);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (valid_i) state_q <= Start;
        Start:   if (start) state_q <= no_results ? Finish : Results;
        Results: if (command_done) state_q <= Finish;
        default: state_q <= Idle;
      endcase
    end
  end

  a_region_ends_where_its_slot_does : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !command_done || region_done);
  slots_are_counted : assert property (@(posedge clk_i) disable iff (!rst_ni)
    32'(regions_q) <= SLOTS && !(slot_free_i && regions_q == '0));

  if (COLS * Rows != WIDTH || Rows * Parts != Bundle || Parts == 0 || Rows == 0) begin : g_width
    $error("EPI_WIDTH must be a multiple of COLS and divide COLS * ROWS / SHARE, the results of a bundle");
  end

endmodule
