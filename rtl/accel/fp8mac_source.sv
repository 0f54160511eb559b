// SPDX-License-Identifier: Apache-2.0
// Reads a matrix that results meet on their way to memory, C or X, into its buffer
// (fp8mac_source_buffer). A region of it is as high as a pass, and has one slot of the buffer, as a
// region of D has in the D buffer (fp8mac_store). A slot is free before the first row of its region
// is requested. So the beats never wait.
//
// Tile commands are read in their order, ahead of the results. With abort_i no row is requested,
// and all tile commands are dropped. clear_i comes only while idle_o is 1. Then all slots are free.
module fp8mac_source
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned SHARE     = 2,
  parameter int unsigned BANKS     = 2,    // memories of the buffer: rows of a transfer
  parameter int unsigned SLOTS     = 4,
  parameter int unsigned ROW_BYTES = 128,
  parameter int unsigned BEAT      = 16,
  parameter dest_kind_e  DEST      = DestC,
  parameter int unsigned DEPTH     = 2     // tile commands that wait: three are not stored, and one is read
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         abort_i,
  input  logic         clear_i,
  output logic         idle_o,

  input  logic         valid_i,
  input  source_job_t  job_i,
  output logic         ready_o,

  output logic         row_valid_o,
  output row_request_t row_o,
  output read_dest_t   dest_o,        // `half` marks a region's last row
  input  logic         row_ready_i,
  input  logic         row_came_i,    // the last beat of one of its rows

  input  logic         slot_free_i,
  output logic         fault_o        // of fp8mac_fifo
);
  localparam int unsigned Parts   = ROWS / SHARE / BANKS;
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned RowsLog = $clog2(ROWS);
  localparam int unsigned SlotW   = $clog2(SLOTS);
  localparam int unsigned MaxRows = ROWS * fp8mac_pkg::PassTiles;
  localparam int unsigned HeightW = $clog2(MaxRows + 1);
  localparam int unsigned BytesW  = DimW + 2;

  typedef logic [BytesW-1:0] bytes_t;
  typedef enum logic [1:0] {
    Idle,
    Region,  // waits for a slot
    Rows
  } state_e;

  state_e state_q;

  // ---- tile commands ----------------------------------------------------------------------------
  source_job_t job;
  logic        empty, full;

  fp8mac_fifo #(.T(source_job_t), .DEPTH(DEPTH)) u_jobs (
    .clk_i, .rst_ni, .flush_i(abort_i), .push_i(valid_i && ready_o && !abort_i), .data_i(job_i), .full_o(full),
    .pop_i(state_q == Idle && !empty && !abort_i), .data_o(job), .empty_o(empty), .level_o(), .fault_o(fault_o)
  );

  assign ready_o = !full;

  // ---- regions ----------------------------------------------------------------------------------
  pass_shape_e        pass_shape_q;                // these two of the tile command at hand
  addr_t              stride_q;
  addr_t              band_addr_q, band_stride_q;  // the row of regions, and the distance of the next one
  addr_t              region_addr_q, addr_q;       // the region, and its row at hand
  dim_t               rows_left_q;
  bytes_t             all_bytes_q;                 // of a row of the matrix
  bytes_t             bytes_left_q;                // of them, from this region on
  logic [HeightW-1:0] row_q, last_row_q;
  dim_t               beats_q;
  logic [SlotW-1:0]   slot_q;
  logic [SlotW:0]     used_q;                      // slots
  logic [7:0]         pending_q;                   // rows that were requested and have not come

  logic [1:0] shape;
  bytes_t     all_bytes, most_bytes, bytes;
  dim_t       most_rows;
  logic       last_across, last_down, start, row_taken, region_done, done;

  assign shape       = pass_rows_log2(pass_shape_q);
  assign all_bytes   = bytes_t'(job.n) << job.size;
  assign most_bytes  = bytes_t'(ROW_BYTES) >> shape;
  assign most_rows   = dim_t'(ROWS) << shape;
  assign last_across = bytes_left_q <= most_bytes;
  assign last_down   = rows_left_q <= most_rows;
  assign bytes       = last_across ? bytes_left_q : most_bytes;
  assign start       = state_q == Region && used_q != (SlotW+1)'(SLOTS) && !abort_i;
  assign row_taken   = row_valid_o && row_ready_i;
  assign region_done = row_taken && row_q == last_row_q;
  assign done        = region_done && last_across && last_down;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || abort_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle:    if (!empty) state_q <= Region;
        Region:  if (start) state_q <= Rows;
        default: if (region_done) state_q <= done ? Idle : Region;
      endcase
    end
    if (!rst_ni || clear_i) begin
      slot_q    <= '0;
      used_q    <= '0;
    end else begin
      if (region_done) slot_q <= slot_q + SlotW'(1);
      used_q <= used_q + (SlotW+1)'(start) - (SlotW+1)'(slot_free_i);
    end
    if (!rst_ni) pending_q <= '0;
    else pending_q <= pending_q + 8'(row_taken) - 8'(row_came_i);

    if (state_q == Idle) begin
      pass_shape_q  <= job.pass_shape;
      stride_q      <= job.stride;
      band_addr_q   <= job.addr;
      band_stride_q <= job.stride << RowsLog << pass_rows_log2(job.pass_shape);
      region_addr_q <= job.addr;
      rows_left_q   <= job.m;
      all_bytes_q   <= all_bytes;
      bytes_left_q  <= all_bytes;
    end else if (region_done && !last_across) begin
      region_addr_q <= region_addr_q + addr_t'(most_bytes);
      bytes_left_q  <= bytes_left_q - most_bytes;
    end else if (region_done) begin
      band_addr_q   <= band_addr_q + band_stride_q;
      region_addr_q <= band_addr_q + band_stride_q;
      rows_left_q   <= rows_left_q - most_rows;
      bytes_left_q  <= all_bytes_q;
    end
    if (start) begin
      addr_q     <= region_addr_q;
      row_q      <= '0;
      last_row_q <= HeightW'((last_down ? rows_left_q : most_rows) - dim_t'(1));
      beats_q    <= dim_t'((bytes + bytes_t'(BEAT - 1)) >> BeatLog);
    end else if (row_taken) begin
      addr_q <= addr_q + stride_q;
      row_q  <= row_q + HeightW'(1);
    end
  end

  // The address of a beat, in the memory of a row of a transfer: | slot | phase | part | beats of a
  // row |
  dim_t        beat;
  logic [31:0] tile_row, bundle_row, phase;

  assign tile_row   = 32'(row_q) / ROWS;
  assign bundle_row = 32'(row_q) % ROWS / SHARE;
  assign phase      = 32'(row_q) % SHARE;
  assign beat       = dim_t'(((32'(slot_q) * SHARE + phase) * Parts + bundle_row / BANKS) * (ROW_BYTES / BEAT) +
                           (tile_row * (ROW_BYTES / BEAT) >> shape));

  assign row_valid_o = state_q == Rows && !abort_i;
  assign row_o       = '{none: 1'b0, addr: addr_q, beats: beats_q};
  assign dest_o      = '{kind: DEST, half: row_q == last_row_q, ram: 8'(bundle_row % BANKS), word: beat,
                         fmt: '0, last_byte: '0, last: 1'b0, depthwise: 1'b0, pairs: 1'b0, rotate: '0};
  assign idle_o      = state_q == Idle && empty && pending_q == '0;

  a_slot_is_free : assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(used_q) <= SLOTS || abort_i);
  rows_are_counted : assert property (@(posedge clk_i) disable iff (!rst_ni)
    pending_q != '1 && !(row_came_i && pending_q == '0));

endmodule
