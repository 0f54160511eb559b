// SPDX-License-Identifier: Apache-2.0
// The accelerator's walk and check of commands, as fp8mac_accel connects them: words of a
// descriptor go in, and checked tile commands come out. Parameters are those of fp8mac_accel.
module command_tb
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS        = 4,
  parameter int unsigned COLS        = 4,
  parameter int unsigned LANES       = 16,
  parameter int unsigned TILES       = 256,
  parameter int unsigned ELEMENT     = ElementBlock,
  parameter bit          MX          = element_has_mx(ELEMENT),
  parameter int unsigned MAX_MN      = 128,
  parameter int unsigned AXI_DATA_W  = 128,
  parameter bit          REQUANTISE  = 1'b0,
  parameter bit          IMAGES      = 1'b1,
  parameter bit          DEPTHWISE   = IMAGES && depthwise_possible(LANES, COLS, AXI_DATA_W / 8),
  parameter bit          ELEMENTWISE = !REQUANTISE,
  parameter bit          ADD_C       = !REQUANTISE,
  parameter bit          STOCHASTIC  = !REQUANTISE,
  parameter bit          TABLES      = 1'b1,
  parameter bit          RECORDS     = 1'b1,
  parameter bit          ROW_COMMANDS = ELEMENTWISE && rows_possible(COLS, MAX_MN),
  parameter int unsigned BUF_BEATS   = 256
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        abort_i,  // what is at hand is dropped
  input  logic        clear_i,  // and it leaves nothing
  input  logic [1:0]  tables_loaded_i,
  output logic [10:0] functions_o,
  output logic        idle_o,

  input  logic        valid_i,
  output logic        ready_o,
  input  logic [31:0] words_i [MostWords],

  output logic        valid_o,
  input  logic        ready_i,
  output logic [3:0]  error_o,

  // The tile command as the walker gives it
  output logic        first_o,
  output logic        last_o,
  output logic        range_bad_o,
  output logic        sequence_bad_o,
  output logic        next_rows_o,
  output logic        k_start_o,
  output logic [1:0]  rows_phase_o,
  output logic        rows_first_o,
  output logic        rows_end_o,
  output dim_t        m_o,
  output dim_t        n_o,
  output dim_t        k_o,
  output addr_t       a_addr_o,
  output addr_t       b_addr_o,
  output addr_t       c_addr_o,
  output addr_t       d_addr_o,
  output addr_t       mx_a_addr_o,
  output addr_t       mx_b_addr_o,
  output addr_t       scale_a_o,
  output addr_t       scale_b_o,
  output addr_t       bias_o,
  output logic        reuse_a_o,
  output logic        reuse_b_o,
  output logic        acc_continue_o,
  output logic        acc_keep_o,
  output beat_byte_t  mx_first_o,
  output size_t       first_m_o,
  output size_t       first_n_o,
  output dim_t        seconds_o,

  // What the check derives
  output logic [1:0]  shape_o,
  output logic [3:0]  step_o,
  output dim_t        columns_o,
  output logic        a_wanted_o,
  output logic        b_wanted_o,
  output logic        c_wanted_o,
  output logic        x_wanted_o,
  output logic        mx_a_wanted_o,
  output logic        mx_b_wanted_o,
  output logic        scale_a_wanted_o,
  output logic        scale_b_wanted_o,
  output logic        bias_wanted_o
);
  localparam int unsigned Beat       = AXI_DATA_W / 8;
  localparam int unsigned Block      = element_block(ELEMENT, LANES);
  localparam int unsigned Granule    = bound_block(Block) > Beat ? bound_block(Block) : Beat;
  localparam int unsigned Sides      = ROWS < COLS ? ROWS : COLS;
  localparam int unsigned ScaleBeats = scale_beats(BUF_BEATS, (MAX_MN + Sides - 1) / Sides);
  localparam bit          Mx         = MX && element_has_mx(ELEMENT);

  localparam element_t Element = '{
    terms_log2: 8'(element_terms_log2(ELEMENT)), frac_bits: 8'd0, align_by_operands: 1'b0,
    e5m2: element_takes_e5m2(ELEMENT), int8: element_has_int32(ELEMENT), narrow: element_takes_narrow(ELEMENT),
    acc_fixed: element_has_fixed(ELEMENT) || element_has_int32(ELEMENT),
    acc_fp16: element_has_fp16(ELEMENT), acc_fp32: element_has_fp32(ELEMENT), kind: 8'(ELEMENT)
  };
  localparam functions_t Offered = '{
    int8: 1'b1, conv_a: IMAGES, tables: TABLES, stochastic: STOCHASTIC, elementwise: ELEMENTWISE, c: ADD_C,
    records: RECORDS, rows: ROW_COMMANDS, mx: Mx, requantise: REQUANTISE, depthwise: DEPTHWISE
  };

  words_t        words;
  command_t      command;
  tile_cmd_t     tile, held;
  checked_jobs_t checked;
  logic          tile_valid, tile_ready, walk_idle, check_idle;

  for (genvar w = 0; w < MostWords; w++) begin : g_words
    assign words[w] = words_i[w];
  end
  assign command     = offered(command_of(words), Offered);
  assign functions_o = Offered;
  assign idle_o      = walk_idle && check_idle;

  fp8mac_cmd_walk #(
    .GRANULE(Granule), .BEAT(Beat), .MAX_MN(MAX_MN), .REQUANTISE(REQUANTISE)
  ) u_walk (
    .clk_i, .rst_ni, .abort_i, .idle_o(walk_idle), .valid_i, .command_i(command), .ready_o, .valid_o(tile_valid),
    .tile_o(tile), .ready_i(tile_ready)
  );

  fp8mac_cmd_check #(
    .ROWS(ROWS), .COLS(COLS), .BLOCK(Block), .TILES(TILES), .BEAT(Beat), .BUF_BEATS(BUF_BEATS), .MAX_MN(MAX_MN),
    .ELEMENT(Element), .MX(Mx), .SCALE_BEATS(ScaleBeats), .REQUANTISE(REQUANTISE), .DEPTHWISE(DEPTHWISE),
    .FUNCTIONS(Offered)
  ) u_check (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(check_idle), .tables_loaded_i, .valid_i(tile_valid), .tile_i(tile),
    .ready_o(tile_ready), .valid_o, .checked_o(checked), .ready_i
  );

  always_ff @(posedge clk_i) begin
    if (tile_valid && tile_ready) held <= tile;
  end

  assign error_o        = checked.store.error;
  assign first_o        = held.first;
  assign last_o         = held.last;
  assign range_bad_o    = held.range_bad;
  assign sequence_bad_o = held.sequence_bad;
  assign next_rows_o    = held.next_rows;
  assign k_start_o      = held.k_start;
  assign rows_phase_o   = held.rows_phase;
  assign rows_first_o   = held.rows_first;
  assign rows_end_o     = held.rows_end;
  assign m_o            = held.m;
  assign n_o            = held.n;
  assign k_o            = held.k;
  assign a_addr_o       = held.a.addr;
  assign b_addr_o       = held.b.addr;
  assign c_addr_o       = held.c.addr;
  assign d_addr_o       = held.d.addr;
  assign mx_a_addr_o    = held.a.mx_addr;
  assign mx_b_addr_o    = held.b.mx_addr;
  assign scale_a_o      = held.a.scale;
  assign scale_b_o      = held.b.scale;
  assign bias_o         = held.finish.bias;
  assign reuse_a_o      = held.a.reuse;
  assign reuse_b_o      = held.b.reuse;
  assign acc_continue_o = held.mode.acc_continue;
  assign acc_keep_o     = held.mode.acc_keep;
  assign mx_first_o     = held.mx_first;
  assign first_m_o      = held.first_m;
  assign first_n_o      = held.first_n;
  assign seconds_o      = held.seconds;

  assign shape_o          = checked.store.pass_shape;
  assign step_o           = checked.store.epilogue.rows.step;
  assign columns_o        = checked.store.n;
  assign a_wanted_o       = checked.load.a.wanted;
  assign b_wanted_o       = checked.load.b.wanted;
  assign c_wanted_o       = checked.load.c_wanted;
  assign x_wanted_o       = checked.load.x_wanted;
  assign mx_a_wanted_o    = checked.load.a.mx_wanted;
  assign mx_b_wanted_o    = checked.load.b.mx_wanted;
  assign scale_a_wanted_o = checked.load.a.scale_wanted;
  assign scale_b_wanted_o = checked.load.b.scale_wanted;
  assign bias_wanted_o    = checked.load.bias_wanted;

endmodule
