// SPDX-License-Identifier: Apache-2.0
// The write-out engine writes the D buffer's regions to memory, in the order of the store engine
// (fp8mac_store defines the regions). A region is written once all its results are in the buffer.
// So the data of a burst are there before its address is offered.
//
//   cycle t    a beat of a row is read from the D buffer; with the row's first beat a write of the row is requested
//   cycle t+1  the beat is offered to the write DMA, with strobes for the bytes that are in D
//
// A tile command whose D has one byte in a row may begin at any byte of a beat, and so may a region
// of results that lie one behind the other, if it has less than a beat: no other byte is written
// then.
//
// With pairs, D has two rows for each row of a region, an output line apart: its results 0 and its
// results 1, which each have a beat and a cycle of their own. Rows that lie side by side in an
// output line are out_w, and then a line is skipped. The tile commands of a command are in order,
// so the address only ever moves on from the command's first row.
//
// With `discard_i` the rest of a region is dropped from the next row on.
module fp8mac_write_out
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 4,
  parameter int unsigned SHARE     = 2,
  parameter int unsigned BANKS     = 2,    // memories of the D buffer: rows of a transfer
  parameter int unsigned SLOTS     = 4,
  parameter int unsigned ROW_BYTES = 128,
  parameter int unsigned WORD      = 16,
  parameter int unsigned BEAT      = 16,
  parameter bit          PAIRS     = 1'b0, // tile commands may have pairs
  localparam int unsigned Parts    = ROWS / SHARE / BANKS,
  localparam int unsigned BufW     = $clog2(SLOTS * SHARE * Parts * ROW_BYTES / WORD),
  localparam int unsigned BankW    = (BANKS > 1) ? $clog2(BANKS) : 1,
  localparam int unsigned BeatW    = (WORD > BEAT) ? $clog2(WORD / BEAT) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             discard_i,
  input  logic             clear_i,        // the error state is left

  // The oldest tile command whose regions are not all written
  input  logic                 valid_i,
  input  write_out_job_t       job_i,
  output logic                 ready_o,

  input  logic             region_full_i,  // one more region is in the buffer
  input  logic             region_bad_i,   // a source of it was not read: it and those behind it are dropped
  output logic             slot_free_o,    // one less

  output logic             read_o,
  output logic [BankW-1:0] read_bank_o,
  output logic [BufW-1:0]  read_addr_o,
  output logic [BeatW-1:0] read_beat_o,
  output logic             read_second_o,  // of results 1

  // Rows to be written, `none` at a tile command's end, and the rows' beats
  output logic             row_valid_o,
  output row_request_t     row_o,
  input  logic             row_ready_i,
  output logic             beat_valid_o,
  output logic [BEAT-1:0]  beat_strb_o,
  input  logic             beat_ready_i
);
  localparam int unsigned RowsLog  = $clog2(ROWS);
  localparam int unsigned BeatLog  = $clog2(BEAT);
  localparam int unsigned SlotW    = $clog2(SLOTS);
  localparam int unsigned RowLog   = $clog2(ROW_BYTES);
  localparam int unsigned MaxRows  = ROWS * fp8mac_pkg::PassTiles;
  localparam int unsigned DenseBytes = (MaxRows < RowsBand ? MaxRows : RowsBand) * 4;
  localparam int unsigned HeightW  = $clog2(MaxRows + 1);
  localparam int unsigned BytesW   = DimW + 2;     // a row of D
  localparam int unsigned LengthW  = RowLog + 1;   // bytes of a region's row
  localparam int unsigned BeatsW   = RowLog - BeatLog + 1;

  typedef logic [BytesW-1:0] bytes_t;

  // ---- the next region --------------------------------------------------------------------------
  logic   begun_q;           // the registers below belong to the tile command
  addr_t  band_addr_q;       // first byte of the row of regions
  addr_t  band_stride_q;     // from one row of regions to the next
  addr_t  region_addr_q;
  dim_t   rows_left_q;       // of D, from this row of regions on
  bytes_t bytes_left_q;      // of a row of D, from this region on
  logic   fresh_q;           // no region of the tile command has been taken
  dim_t   seconds_left_q;    // rows that have results 1, from this row of regions on

  logic [1:0] shape;
  bytes_t     all_bytes, most_bytes;
  dim_t       most_rows;
  logic       last_across, last_down, take, region_waits;
  logic       row_stage_free;
  logic       busy_q;      // a region's rows are being read
  logic       end_q;       // the end of a tile command waits for its turn

  logic [SlotW:0] waiting_q;  // regions that are in the buffer and not yet taken

  assign shape       = pass_rows_log2(job_i.pass_shape);
  assign all_bytes   = bytes_t'(job_i.n) << job_i.size;
  assign most_bytes  = job_i.dense ? bytes_t'(DenseBytes) : bytes_t'(ROW_BYTES) >> shape;
  assign most_rows   = dim_t'(ROWS) << shape;
  assign last_across = bytes_left_q <= most_bytes;
  assign last_down   = rows_left_q <= most_rows;

  assign take    = valid_i && (job_i.none ? !busy_q && !end_q : row_stage_free && begun_q && region_waits);
  assign ready_o = take && (job_i.none || (last_across && last_down));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || ready_o) begun_q <= 1'b0;
    else if (valid_i) begun_q <= 1'b1;
    if (!begun_q) begin
      band_addr_q   <= job_i.d_addr;
      band_stride_q <= job_i.d_stride << RowsLog << shape;
      region_addr_q <= job_i.d_addr;
      rows_left_q   <= job_i.m;
      fresh_q        <= 1'b1;
      seconds_left_q <= job_i.seconds;
      bytes_left_q  <= all_bytes;
    end else if (take && PAIRS && job_i.pairs) begin
      rows_left_q    <= rows_left_q - most_rows;
      fresh_q        <= 1'b0;
      seconds_left_q <= (seconds_left_q <= most_rows) ? '0 : seconds_left_q - most_rows;
    end else if (take && !last_across) begin
      region_addr_q <= region_addr_q + addr_t'(most_bytes);
      bytes_left_q  <= bytes_left_q - most_bytes;
    end else if (take) begin
      band_addr_q   <= band_addr_q + band_stride_q;
      region_addr_q <= band_addr_q + band_stride_q;
      rows_left_q   <= rows_left_q - most_rows;
      bytes_left_q  <= all_bytes;
    end
  end

  assign region_waits = waiting_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waiting_q <= '0;
    else waiting_q <= waiting_q + (SlotW+1)'(region_full_i) - (SlotW+1)'(take && !job_i.none);
  end

  // Regions before the first bad one
  logic [SlotW:0] good_q;
  logic           bad_q, row_bad_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      good_q <= '0;
      bad_q  <= 1'b0;
    end else begin
      good_q <= good_q + (SlotW+1)'(region_full_i && !region_bad_i && !bad_q) -
                (SlotW+1)'(take && !job_i.none && good_q != '0);
      bad_q  <= bad_q || (region_full_i && region_bad_i);
    end
    if (take) row_bad_q <= good_q == '0;
  end

  // ---- cycle t: a row's beats -------------------------------------------------------------------
  logic [SlotW-1:0]   slot_q;
  logic [1:0]         shape_q;
  logic               ends_q;        // the tile command ends with the region
  addr_t              addr_q, stride_q;
  logic [HeightW-1:0] row_q, last_row_q;
  logic [LengthW-1:0] last_byte_q;   // of a row of the region
  logic [BeatsW-1:0]  beat_q;
  logic [BeatLog-1:0] first_byte_q;  // of a row of the region in its beat

  // With pairs: of the row at hand. Registers have the choice of the next address: it is in
  // front of an addition.
  logic               pairs_q, second_q;   // second_q: its results 1 are
  addr_t              row_addr_q, line_q;  // its address, and the bytes of an output line
  addr_t              over_line_q;         // bytes from the last row of a line to the first one behind the next line
  logic [15:0]        out_w_q, line_rows_q;  // rows of an output line, and those from the row on
  logic [HeightW-1:0] seconds_q;           // rows of the region that have results 1
  logic               has_second_q;        // row_q < seconds_q
  logic               more_q;              // its results 1 follow
  logic               from_row_q, over_q;  // the next address is behind row_addr_q; it is over_line_q behind addr_q
  logic               pairs_d, second_d, has_second_d, more_d, line_ends_d;
  logic               line_ends_q, next_line_ends;  // line_rows_q is 1; that of the row behind
  addr_t              from, by, next_addr;  // of the next row, or of the row's results 1

  logic step, row_done, region_done, dropped, first_beat, last_beat, s1_ready, s1_valid_q;

  assign first_beat     = beat_q == '0;
  assign last_beat      = beat_q == last_byte_q[LengthW-1:BeatLog];
  assign dropped        = busy_q && !end_q && first_beat && (discard_i || row_bad_q);
  assign step           = busy_q && !end_q && !dropped && s1_ready && (!first_beat || row_ready_i);
  assign next_line_ends = line_ends_q ? out_w_q == 16'd1 : line_rows_q == 16'd2;
  assign row_done       = step && last_beat && !more_q;
  assign region_done    = dropped || (row_done && row_q == last_row_q);

  // Behind a line, the rows of the one behind the next: results 1 lie there already.
  assign from      = from_row_q ? row_addr_q : addr_q;
  assign by        = more_q ? line_q : over_q ? over_line_q : stride_q;
  assign next_addr = from + by;

  // The row at hand in the next cycle
  always_comb begin
    pairs_d      = PAIRS && (take ? job_i.pairs : pairs_q);
    second_d     = second_q;
    has_second_d = has_second_q;
    line_ends_d  = line_ends_q;
    if (take) begin
      second_d     = 1'b0;
      has_second_d = seconds_left_q != '0;
      line_ends_d  = (fresh_q && job_i.first) ? job_i.out_w == 16'd1 : !row_done ? line_ends_q : next_line_ends;
    end else if (step && last_beat) begin
      second_d = more_q;
      if (!more_q) begin
        has_second_d = row_q + HeightW'(1) < seconds_q;
        line_ends_d  = next_line_ends;
      end
    end
    more_d = pairs_d && !second_d && has_second_d;
  end

  always_ff @(posedge clk_i) begin
    pairs_q      <= pairs_d;
    second_q     <= PAIRS && second_d;
    has_second_q <= PAIRS && has_second_d;
    line_ends_q  <= PAIRS && line_ends_d;
    more_q       <= more_d;
    from_row_q   <= pairs_d && !more_d && !line_ends_d;
    over_q       <= pairs_d && !more_d && line_ends_d && !second_d;
  end

  assign row_stage_free = (!busy_q || region_done) && !end_q;
  assign slot_free_o    = region_done;

  // The end of a tile command has its turn in the cycle after its last row.
  always_comb begin
    row_valid_o = end_q || (busy_q && !dropped && first_beat && s1_ready);
    row_o       = '{none: end_q, addr: addr_q, beats: dim_t'(last_byte_q[LengthW-1:BeatLog]) + dim_t'(1)};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      end_q  <= 1'b0;
      slot_q <= '0;
    end else begin
      if (take && !job_i.none) busy_q <= 1'b1;
      else if (region_done) busy_q <= 1'b0;
      if ((region_done && ends_q) || (take && job_i.none)) end_q <= 1'b1;
      else if (row_ready_i) end_q <= 1'b0;
      if (region_done) slot_q <= slot_q + SlotW'(1);
    end
    if (take) begin
      shape_q     <= shape;
      ends_q      <= last_across && last_down;
      addr_q      <= {region_addr_q[AddrW-1:BeatLog], BeatLog'(0)};
      first_byte_q <= region_addr_q[BeatLog-1:0];
      stride_q    <= job_i.d_stride;
      row_q       <= '0;
      last_row_q  <= HeightW'((last_down ? rows_left_q : most_rows) - dim_t'(1));
      if (PAIRS && job_i.pairs) begin
        line_q    <= job_i.line;
        over_line_q <= job_i.d_stride + job_i.line;
        out_w_q   <= job_i.out_w;
        seconds_q <= HeightW'((seconds_left_q < most_rows) ? seconds_left_q : most_rows);
        if (!(fresh_q && job_i.first)) begin
          addr_q <= row_done ? next_addr : addr_q;
        end
        row_addr_q  <= (fresh_q && job_i.first) ? region_addr_q : row_done ? next_addr : addr_q;
        line_rows_q <= (fresh_q && job_i.first) ? job_i.out_w : !row_done ? line_rows_q :
                       line_ends_q ? out_w_q : line_rows_q - 16'd1;
      end
      if (!PAIRS) begin
        row_addr_q  <= '0;
        line_q      <= '0;
        over_line_q <= '0;
        out_w_q     <= '0;
        line_rows_q <= '0;
        seconds_q   <= '0;
      end
      last_byte_q <= LengthW'((last_across ? bytes_left_q : most_bytes) - bytes_t'(1));
      beat_q      <= '0;
    end else if (step) begin
      beat_q <= last_beat ? '0 : beat_q + BeatsW'(1);
      if (last_beat) addr_q <= next_addr;
      if (last_beat && !more_q) begin
        row_q <= row_q + HeightW'(1);
        if (PAIRS) begin
          row_addr_q  <= next_addr;
          line_rows_q <= line_ends_q ? out_w_q : line_rows_q - 16'd1;
        end
      end
    end
  end

  // Row of a region: | row of tiles | row of the bundle | phase |, and the row of the
  // bundle is | part | bank |
  logic [31:0] tile_row, bundle_row, phase, byte_in_row;

  assign tile_row    = 32'(row_q) / ROWS;
  assign bundle_row  = 32'(row_q) % ROWS / SHARE;
  assign phase       = 32'(row_q) % SHARE;
  assign byte_in_row = (tile_row * ROW_BYTES >> shape_q) + (32'(beat_q) + 32'(second_q)) * BEAT;
  assign read_o      = step;
  assign read_second_o = PAIRS && second_q;
  assign read_bank_o = BankW'(bundle_row % BANKS);
  assign read_addr_o = BufW'(((32'(slot_q) * SHARE + phase) * Parts + bundle_row / BANKS) * (ROW_BYTES / WORD) +
                              byte_in_row / WORD);
  assign read_beat_o = BeatW'(byte_in_row / BEAT % (WORD / BEAT));

  // ---- cycle t+1: offer -------------------------------------------------------------------------
  logic [BEAT-1:0] strb_q;

  assign s1_ready     = !s1_valid_q || beat_ready_i;
  assign beat_valid_o = s1_valid_q;
  assign beat_strb_o  = strb_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else if (s1_ready) s1_valid_q <= step;
    if (step) begin
      for (int unsigned b = 0; b < BEAT; b++) begin
        strb_q[b] <= (!last_beat || last_byte_q[BeatLog-1:0] + first_byte_q >= BeatLog'(b)) &&
                     first_byte_q <= BeatLog'(b);
      end
    end
  end

  regions_are_counted : assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(waiting_q) <= SLOTS);

endmodule
