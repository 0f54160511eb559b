// SPDX-License-Identifier: Apache-2.0
// fp8mac_source: the rows that it requests, for any proper tile commands and any pace of the read
// DMA and the store engine.
//   - Tile commands are read in their order, region by region: each row once, from its own address,
//     with its own length. The last row of a region is marked.
//   - No beat goes to a position that holds a beat of a region whose slot has not been freed.
//   - With abort_i no row is requested. All tile commands are dropped, and idle_o rises when the rows that were
//     requested have come.
module formal_source
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 2,
  parameter int unsigned SHARE     = 1,
  parameter int unsigned BANKS     = 1,
  parameter int unsigned SLOTS     = 2,
  parameter int unsigned ROW_BYTES = 16,
  parameter int unsigned BEAT      = 4,
  parameter int unsigned DEPTH     = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        abort_i,
  input logic        clear_i,
  input logic        valid_i,
  input source_job_t job_i,
  input logic        row_ready_i,
  input logic        row_came_i,
  input logic        slot_free_i,
  input logic [7:0]  any_ram_i,
  input logic [7:0]  any_word_i
);
  logic         idle, ready, row_valid;
  row_request_t row;
  read_dest_t   dest;

  fp8mac_source #(
    .ROWS(ROWS), .SHARE(SHARE), .BANKS(BANKS), .SLOTS(SLOTS), .ROW_BYTES(ROW_BYTES), .BEAT(BEAT), .DEST(DestC),
    .DEPTH(DEPTH)
  ) dut (
    .clk_i, .rst_ni, .abort_i, .clear_i, .idle_o(idle), .valid_i, .job_i, .ready_o(ready), .row_valid_o(row_valid),
    .row_o(row), .dest_o(dest), .row_ready_i, .row_came_i, .slot_free_i
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- the position in the buffer that is followed ----------------------------------------------
  logic [7:0] ram, word;
  formal_const #(.WIDTH(16)) u_position (.clk_i, .any_i({any_ram_i, any_word_i}), .const_o({ram, word}));

  // ---- the tile commands, in their order --------------------------------------------------------
  localparam int unsigned Ghosts = DEPTH + 1;
  source_job_t [Ghosts-1:0] cmds_q;
  logic [3:0]               held_q;

  source_job_t at;
  assign at = cmds_q[0];

  // ---- the row that comes next, from its position in the matrix ---------------------------------
  logic [7:0]  band_q, across_q, row_q;
  int unsigned region_rows, region_bytes, rows, bytes, all_bytes;
  logic        take, last_row, last_across, last_down, ends;

  always_comb begin
    region_rows  = ROWS << pass_rows_log2(at.pass_shape);
    region_bytes = ROW_BYTES >> pass_rows_log2(at.pass_shape);
    all_bytes    = 32'(at.n) << at.size;
    rows         = 32'(at.m) - 32'(band_q) * region_rows;
    bytes        = all_bytes - 32'(across_q) * region_bytes;
    last_down    = rows <= region_rows;
    last_across  = bytes <= region_bytes;
    if (!last_down) rows = region_rows;
    if (!last_across) bytes = region_bytes;
    last_row     = 32'(row_q) == rows - 1;
  end
  assign take = row_valid && row_ready_i;
  assign ends = take && last_row && last_across && last_down;

  logic push;
  assign push = valid_i && ready && !abort_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      held_q   <= '0;
      band_q   <= '0;
      across_q <= '0;
      row_q    <= '0;
    end else begin
      held_q <= held_q + 4'(push) - 4'(ends);
      if (take) begin
        row_q <= last_row ? '0 : row_q + 8'd1;
        if (last_row) across_q <= last_across ? '0 : across_q + 8'd1;
        if (last_row && last_across) band_q <= last_down ? '0 : band_q + 8'd1;
      end
    end
    for (int unsigned i = 0; i < Ghosts; i++) begin
      if (ends && i + 1 < Ghosts) cmds_q[i] <= cmds_q[i + 1];
      if (push && 32'(held_q) - 32'(ends) == i) cmds_q[i] <= job_i;
    end
  end

  // ---- regions, rows under way, and the position that is followed -------------------------------
  logic [7:0] regions_q, freed_q;   // regions that were requested whole; slots that were freed
  logic [7:0] under_way_q;
  logic       occupied_q;
  logic [7:0] owner_q;              // the region that the beat at the position belongs to
  logic       here, freed_here;

  assign here       = take && dest.ram == ram && 32'(word) >= 32'(dest.word) &&
                      32'(word) < 32'(dest.word) + 32'(row.beats);
  assign freed_here = slot_free_i && occupied_q && owner_q == freed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) under_way_q <= '0;
    else under_way_q <= under_way_q + 8'(take) - 8'(row_came_i);
    if (!rst_ni || clear_i) begin
      regions_q  <= '0;
      freed_q    <= '0;
      occupied_q <= 1'b0;
    end else begin
      regions_q <= regions_q + 8'(take && last_row);
      freed_q   <= freed_q + 8'(slot_free_i);
      if (here) occupied_q <= 1'b1;
      else if (freed_here) occupied_q <= 1'b0;
    end
    if (here) owner_q <= regions_q;
  end

  logic abort_q, clear_q, idle_q;
  always_ff @(posedge clk_i) begin
    abort_q <= rst_ni && abort_i;
    clear_q <= rst_ni && clear_i;
    idle_q  <= rst_ni && idle && !valid_i;
  end

  always_comb begin
    if (rst_ni) begin
      command_is_proper : assume (job_i.m inside {[1:5]} && job_i.n inside {[1:9]} && job_i.size <= 2'd2 &&
        job_i.pass_shape inside {PassAcross, PassSquare, PassDown} &&
        job_i.addr % BEAT == 0 && job_i.stride % BEAT == 0 &&
        job_i.addr < 64 && job_i.stride < 64);
      rows_come_that_were_requested : assume (!row_came_i || under_way_q != '0);
      slots_are_freed_that_are_full : assume (!slot_free_i || freed_q != regions_q);
      abort_lasts : assume (!(abort_q && !clear_q) || abort_i);
      clear_while_idle : assume (!clear_i || (abort_i && abort_q && idle && !slot_free_i));

      row_of_a_command : assert (!row_valid || held_q != '0);
      row_of_the_matrix : assert (!row_valid || (!row.none && 32'(row.beats) == (bytes + BEAT - 1) / BEAT &&
        32'(row.addr) == (32'(at.addr) + 10'(4'(32'(band_q) * region_rows + 32'(row_q))) * 10'(at.stride[5:0]) +
                          32'(across_q) * region_bytes)));
      last_row_is_marked : assert (!row_valid || (dest.half == last_row && dest.kind == DestC));
      no_beat_is_overwritten : assert (!(here && occupied_q && !freed_here));
      slots_are_enough : assert (abort_i || 32'(regions_q - freed_q) <= SLOTS);
      nothing_in_abort : assert (!(abort_i && row_valid));
      dropped_by_abort : assert (!(abort_q && under_way_q == '0) || idle);
      idle_without_rows : assert (!idle || under_way_q == '0);
      starts_again : assert (!(idle_q && !clear_q) || !row_valid);

      second_command : cover (row_valid && regions_q >= 8'd2 && held_q == 4'd1 && band_q == '0 && across_q == '0 &&
                              row_q == 8'd0 && freed_q != '0);
      region_below : cover (row_valid && band_q == 8'd1);
      after_an_abort : cover (row_valid && clear_q == 1'b0 && regions_q == 8'd1 && freed_q == '0 && owner_q == 8'd1);
    end
  end

endmodule
