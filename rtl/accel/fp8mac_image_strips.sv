// SPDX-License-Identifier: Apache-2.0
// Walks over the rows of an image operand and asks for the strips that they need. Row r of the
// operand is output pixel (r / out_w, r % out_w) of a convolution. Its codes are kernel lines from
// top to bottom, and `segments` segments of `segment_bytes` neighbouring bytes of each. A segment
// begins at the column (a byte of an image line)
//
//   ox * step_x + segment_number * segment_step - pad_left   of line  oy * step_y + kernel_line * dil_y - pad_top
//
// Columns outside 0 .. width - 1 and lines outside 0 .. height - 1 are zeros, which are not read.
//
// The rows of a tile, one for each row RAM, lie side by side if they belong to one output
// line. Their strips are
//
//   joined   if segments of neighbouring rows overlap or touch: a strip has the same segment of all rows
//   shared   if a segment is the one before of the next row, as with gaps between pixels: a strip is a pixel, of which
//            up to `segments` rows take the same bytes. Rows begin and end one after the other
//   single   otherwise: each row has its own
//
//   shared, 3 segments     pixel  0    1    2    3    4    5
//   row 0                         s0   s1   s2
//   row 1                              s0   s1   s2
//   row 2                                   s0   s1   s2
//   row 3                                        s0   s1   s2      6 reads in place of 12
//
// With depthwise_i a segment is the beat of a pixel, and strips are shared also where pixels touch.
// If a kernel line has 2 to ROWS pixels, no two rows of one RAM take the same pixel. Then strips
// are shared by the rows of an output line, from tile to tile, so that a pixel is read once for
// each of their kernel lines:
//
//   shared, 3 segments, 4 RAMs, 6 rows     pixel   0    1    2    3    4    5    6    7
//   RAM 0                                         r0   r0   r0        r4   r4   r4
//   RAM 1                                              r1   r1   r1        r5   r5   r5
//   RAM 2                                                   r2   r2   r2
//   RAM 3                                                        r3   r3   r3
//
// Rows with parts of kernel lines cannot share. The first row of a load is single, and tells
// whether its codes begin and end with kernel lines. Of a depthwise command this is known
// before for loads of as many codes as its first load has, if they begin with the first code.
// So their rows share at once.
//
// An operand is loaded in parts. A load begins at row 0 (`first`), behind the rows of the load
// before (`next_rows`), or at the same rows again; and at the first code (`k_start`), or behind the
// codes of the load before. So no position in the image is ever found by division.
//
//   Setup     products of the strides, once per command
//   Start     where the load begins
//   Count     how many rows the next strips have
//   Segments  one segment per cycle enters a pipeline of four stages; the last one offers its strip
module fp8mac_image_strips
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS = 4,
  parameter int unsigned BEAT = 16,
  parameter bit          DEPTHWISE = 1'b0
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          start_i,       // load what the inputs say, which stay until done_o
  input  logic                          stop_i,        // drop it
  input  command_image_t                image_i,
  input  addr_t                         addr_i,        // of the image
  input  addr_t                         stride_i,      // from line to line
  input  dim_t                          m_i,
  input  dim_t                          k_i,
  input  dim_t                          row_words_i,
  input  logic                          depthwise_i,
  input  logic                          pairs_i,       // it has two results of each row and channel
  input  logic                          first_rows_i,  // these three as in load_job_t
  input  logic                          next_rows_i,
  input  logic                          k_start_i,
  input  logic                          half_i,
  input  code_fmt_t                     fmt_i,
  input  logic [4:0]                    last_byte_i,
  output logic                          done_o,    // all strips have been taken

  // A strip. With read_o it has beats, which row_o asks for.
  output logic                          valid_o,
  input  logic                          ready_i,
  output image_strip_t                  strip_o,
  output logic                          read_o,
  output row_request_t                  row_o,

  input  logic                          align_idle_i,  // the rows' positions in strips may change
  output logic [ROWS-1:0][StripW-1:0]   row_start_o
);
  localparam int unsigned BeatLog = $clog2(BEAT);
  localparam int unsigned RowW    = (ROWS > 1) ? $clog2(ROWS) : 1;
  localparam int unsigned StartsW = $clog2(ROWS + 1);
  localparam int unsigned LineRows = 63;  // most rows of a depthwise command that share strips; not less than ROWS
  localparam int unsigned CountW  = DEPTHWISE ? $clog2(LineRows + 1) : StartsW;
  localparam int unsigned ColumnW = 35;  // signed; |column| < 2^16 * 2^16 + 2^24
  localparam int unsigned LineW   = 20;  // signed; counting stops behind the image

  typedef logic signed [ColumnW-1:0] column_t;
  typedef logic signed [LineW-1:0]   line_t;

  typedef enum logic [2:0] {
    Idle,
    Setup,
    Start,
    Count,
    Segments,
    Finish
  } state_e;

  // Where a row begins: at segment 0 of kernel line 0
  typedef struct packed {
    logic [15:0] ox;
    column_t     column;
    line_t       line;
    addr_t       addr;    // of the line's column 0
  } row_position_t;

  // Where a code lies, from there
  typedef struct packed {
    logic [8:0]  number;  // of the segment in its kernel line; in shared strips, of the first row's segment
    logic [24:0] base;    // column of the segment
    logic [24:0] column;  // of the code
    logic [15:0] left;    // bytes of the segment, from the code on
    line_t       line;
    addr_t       addr;    // of the line, from that of kernel line 0
  } k_position_t;

  // The upper half is added for both carries of the lower half, because a carry through
  // all bits takes too long.
  function automatic column_t column_sum(column_t a, column_t b);
    localparam int unsigned LowW = ColumnW / 2;
    logic [LowW:0]           low;
    logic [ColumnW-LowW-1:0] a_high, b_high;
    low    = {1'b0, a[LowW-1:0]} + {1'b0, b[LowW-1:0]};
    a_high = a[ColumnW-1:LowW];
    b_high = b[ColumnW-1:LowW];
    return {low[LowW] ? a_high - ~b_high : a_high + b_high, low[LowW-1:0]};
  endfunction

  state_e state_q, state_d;
  logic   go;             // the pipeline moves

  // ---- Setup: products, and the rows' positions in a strip --------------------------------------
  // A product takes one cycle per bit of its factor up to the highest 1, and one more.
  logic [1:0]                     product_q;   // 0: pad_top, 1: step_y, 2: dil_y, 3: none
  logic [7:0]                     factor_q;
  addr_t                          sum_q, shifted_q, corner_q, step_q, dilation_q;
  logic [ROWS:0][StripW-1:0]      start_q;     // number * step_x; above 1 only for joined and shared strips
  logic [RowW:0]                  starts_q;    // that are known
  logic                           setup_done;
  dim_t                           pixels_q;    // of a depthwise command's row that are left, by kernel lines
  logic                           counted;     // they are less than a line; whole: there are none
  logic                           whole_q;     // rows of whole_k_q bytes from the first code on are whole kernel lines
  dim_t                           whole_k_q;

  // ROWS * step_x fits start_q. It does with less than 32 rows.
  logic steps_fit;
  assign steps_fit = 32'(image_i.step_x) < (32'd1 << StripW) / ROWS;

  assign setup_done  = product_q == 2'd3 && starts_q == (RowW+1)'(ROWS) && counted;
  assign counted     = !DEPTHWISE || !depthwise_i || pixels_q < dim_t'(image_i.segments);
  assign row_start_o = start_q[ROWS-1:0];

  always_ff @(posedge clk_i) begin
    if (state_q != Setup) begin
      product_q <= 2'd0;
      factor_q  <= image_i.pad_top;
      sum_q     <= '0;
      shifted_q <= stride_i;
    end else if (product_q != 2'd3 && factor_q == '0) begin
      product_q <= product_q + 2'd1;
      factor_q  <= (product_q == 2'd0) ? image_i.step_y : image_i.dil_y;
      sum_q     <= '0;
      shifted_q <= stride_i;
      unique case (product_q)
        2'd0:    corner_q   <= addr_i - sum_q;
        2'd1:    step_q     <= sum_q;
        default: dilation_q <= sum_q;
      endcase
    end else begin
      if (factor_q[0]) sum_q <= sum_q + shifted_q;
      shifted_q <= shifted_q << 1;
      factor_q  <= factor_q >> 1;
    end
    if (state_q != Setup) pixels_q <= k_i >> BeatLog;
    else if (!counted) pixels_q <= pixels_q - dim_t'(image_i.segments);
    if (state_q == Setup && k_start_i) begin
      whole_q   <= depthwise_i && counted && pixels_q == '0;
      whole_k_q <= k_i;
    end
    if (state_q != Setup) begin
      starts_q <= '0;
    end else if (align_idle_i && starts_q != (RowW+1)'(ROWS)) begin
      starts_q <= starts_q + (RowW+1)'(1);
      start_q[0] <= '0;
      for (int unsigned i = 1; i <= ROWS; i++) begin
        if (starts_q == (RowW+1)'(i - 1)) start_q[i] <= ((i == 1) ? '0 : start_q[i-1]) + StripW'(image_i.step_x);
      end
    end
  end

  // ---- the rows and codes of a load -------------------------------------------------------------
  row_position_t     row_q, row_top, rows_q;   // the row at hand; row 0; the load's first row
  k_position_t       k_q, k_next, k_zero, ks_q; // the code at hand; the next segment's; code 0; the load's first code
  dim_t              rows_left_q, k_left_q, word_q;
  logic [RowW-1:0]   ram_q;
  logic [CountW-1:0] count_q, count;           // rows of the strips at hand
  logic              joined_q, sharing_q;      // sharing_q: rows share strips, if their codes are whole kernel lines
  logic              shared_q, first_q;        // first_q: in the first segment of the rows, or the first line if shared
  logic              pixels, along, along_q;   // shared strips of pixels; those of a whole output line
  dim_t              enter_word_q, enter_word; // first word of the row that begins with the strip
  dim_t              line_word_q;              // of the kernel line's first pixel, in a row
  logic [24:0]       advance_q;                // columns from the first row to the one behind the last that has begun
  logic              segment_ends, kernel_line_ends, behind, k_ends, enter, line_ends;
  dim_t              length;
  logic [15:0]       line_rest;

  always_comb begin
    row_top = '{ox: '0, column: -column_t'({1'b0, image_i.pad_left}), line: -line_t'({1'b0, image_i.pad_top}),
                addr: corner_q};
    k_zero  = '{number: '0, base: '0, column: '0, left: image_i.segment_bytes, line: '0, addr: '0};
  end

  // The rows of a tile that are in one output line
  assign line_rest = image_i.out_w - row_q.ox;
  assign pixels    = DEPTHWISE && depthwise_i && shared_q;
  assign along     = DEPTHWISE && along_q && shared_q;
  always_comb begin
    count = CountW'(1);
    if (joined_q || shared_q) begin
      count = along ? CountW'(LineRows) : CountW'(ROWS) - CountW'(ram_q);
      if (rows_left_q < dim_t'(count)) count = CountW'(rows_left_q);
      if (line_rest < 16'(count)) count = CountW'(line_rest);
    end
  end

  // In shared strips the first row has no segment behind its last one, which other rows still have.
  logic [8:0] last_number, of_first, of_last;  // of a kernel line: last strip, that of the first row; rows, less 1
  assign last_number      = of_first + (shared_q ? 9'(count_q) - 9'd1 : '0);
  assign of_first         = {1'b0, image_i.segments} - 9'd1;
  assign of_last          = 9'(count_q) - 9'd1;
  assign behind           = k_q.number > of_first;
  assign kernel_line_ends = k_q.number == last_number;

  logic all_codes;  // the first row has all its codes with this strip, or had them before
  assign all_codes = k_left_q <= (behind ? '0 : k_q.left);

  assign segment_ends = shared_q || k_q.left <= k_left_q;
  assign k_ends       = shared_q ? kernel_line_ends && all_codes : k_left_q <= k_q.left;
  assign length       = segment_ends ? k_q.left : k_left_q;
  assign enter        = state_q == Segments && go;

  // The rows that take a shared strip, from the first row on: the last one begins in the first
  // line, and the first one ends in the last line.
  logic [RowW-1:0] oldest, newest;
  assign oldest = behind ? RowW'(k_q.number - of_first) : '0;
  assign newest = (k_q.number < of_last) ? RowW'(k_q.number) : RowW'(of_last);

  // The rows that begin with strips of pixels, in each kernel line
  logic begins_row;
  assign begins_row = k_q.number <= of_last;

  assign enter_word = (begins_row && RowW'(ram_q + newest) == RowW'(ROWS - 1)) ? enter_word_q + row_words_i :
                      enter_word_q;

  function automatic logic counts(line_t line);  // 0 behind every image
    return line < line_t'(1 << 17);
  endfunction

  always_comb begin
    k_next = k_q;
    if (!segment_ends) begin
      k_next.column = k_q.column + 25'(length);
      k_next.left   = k_q.left - length;
    end else if (!kernel_line_ends) begin
      k_next.number = k_q.number + 9'd1;
      k_next.base   = k_q.base + 25'(image_i.segment_step);
      k_next.column = k_q.base + 25'(image_i.segment_step);
      k_next.left   = image_i.segment_bytes;
    end else begin
      k_next      = k_zero;
      k_next.line = k_q.line;
      k_next.addr = k_q.addr;
      if (counts(k_q.line)) begin
        k_next.line = k_q.line + line_t'({1'b0, image_i.dil_y});
        k_next.addr = k_q.addr + dilation_q;
      end
    end
  end

  assign line_ends = line_rest == 16'(count_q);

  logic sharing;
  assign sharing = image_i.step_x == image_i.segment_step &&
                   (image_i.step_x > image_i.segment_bytes || depthwise_i) && steps_fit;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Start: begin
        joined_q    <= image_i.step_x <= image_i.segment_bytes && image_i.step_x <= k_i && !depthwise_i;
        sharing_q   <= sharing;
        along_q     <= depthwise_i && image_i.segments > 8'd1 && 32'(image_i.segments) <= ROWS;
        shared_q    <= DEPTHWISE && sharing && depthwise_i && k_start_i && whole_q && whole_k_q == k_i;
        rows_left_q <= m_i;
        ram_q       <= '0;
        word_q      <= '0;
        if (first_rows_i) row_q <= row_top;
        else if (!next_rows_i) row_q <= rows_q;
        if (first_rows_i) rows_q <= row_top;
        else if (next_rows_i) rows_q <= row_q;
        k_q  <= k_start_i ? k_zero : k_q;
        ks_q <= k_start_i ? k_zero : k_q;
      end
      Count: begin
        count_q  <= count;
        k_q      <= ks_q;
        k_left_q <= k_i;
        first_q  <= 1'b1;
        enter_word_q <= word_q;
        line_word_q  <= '0;
      end
      Segments: if (go) begin
        k_q     <= k_next;
        first_q <= first_q && shared_q && !kernel_line_ends;
        if (!behind) k_left_q <= k_left_q - length;
        enter_word_q <= kernel_line_ends ? word_q : enter_word;
        if (begins_row) advance_q <= k_q.base + 25'(image_i.step_x);
        if (kernel_line_ends) line_word_q <= line_word_q + dim_t'(image_i.segments);
        if (k_ends) begin
          shared_q    <= sharing_q && ks_q.number == '0 && ks_q.left == image_i.segment_bytes && kernel_line_ends &&
                         segment_ends;
          rows_left_q <= rows_left_q - dim_t'(count_q);
          ram_q       <= RowW'(CountW'(ram_q) + count_q);
          if (along) begin
            word_q <= enter_word_q;  // the last row began strips ago
          end else if (CountW'(ram_q) + count_q == CountW'(ROWS)) begin
            ram_q  <= '0;
            word_q <= word_q + row_words_i;
          end
          if (line_ends) begin
            row_q.ox     <= '0;
            row_q.column <= row_top.column;
            if (counts(row_q.line)) begin
              row_q.line <= row_q.line + line_t'({1'b0, image_i.step_y});
              row_q.addr <= row_q.addr + step_q;
            end
          end else begin
            row_q.ox     <= row_q.ox + 16'(count_q);
            row_q.column <= column_sum(row_q.column,
                                       along ? column_t'(advance_q) : column_t'({1'b0, start_q[StartsW'(count_q)]}));
          end
        end
      end
      default: ;
    endcase
  end

  // ---- stage 1: the position of the strip -------------------------------------------------------
  localparam int unsigned SpanW = StripW;

  logic              valid1_q, valid2_q, valid3_q, valid4_q;
  column_t           column1_q;
  line_t             line1_q;
  addr_t             addr1_q;
  dim_t              length1_q, word1_q;
  logic [StartsW-1:0] more1_q; // rows of a joined strip, less one
  logic [RowW-1:0]   first1_q, last1_q;
  logic              begins1_q, ends1_q, shared1_q;

  always_ff @(posedge clk_i) begin
    if (go) begin
      column1_q <= column_sum(row_q.column, column_t'({1'b0, k_q.column}));
      line1_q   <= row_q.line + k_q.line;
      addr1_q   <= row_q.addr + k_q.addr;
      length1_q <= length;
      word1_q   <= pixels ? enter_word_q + line_word_q : word_q;
      more1_q   <= shared_q ? '0 : StartsW'(count_q) - StartsW'(1);
      first1_q  <= ram_q + (shared_q ? oldest : '0);
      last1_q   <= ram_q + (shared_q ? newest : RowW'(count_q - CountW'(1)));
      begins1_q <= (first_q || pixels) && (!shared_q || begins_row);
      ends1_q   <= shared_q ? all_codes && k_q.number >= of_first : k_ends;
      shared1_q <= shared_q;
    end
  end

  // ---- stage 2: its size, and its distances to the edges of the image ---------------------------
  logic             in_lines2_q, before2_q;
  logic [SpanW-1:0] span2_q;    // bytes of the strip
  column_t          outside2_q; // bytes to the line's first byte
  column_t          room2_q;    // bytes to the line's end
  addr_t            addr2_q;
  dim_t             length2_q, word2_q;
  logic [RowW-1:0]  first2_q, last2_q;
  logic [StripW-1:0] start2_q;
  logic             begins2_q, ends2_q, shared2_q;

  always_ff @(posedge clk_i) begin
    if (go) begin
      in_lines2_q <= !line1_q[LineW-1] && line1_q < line_t'({1'b0, image_i.height});
      before2_q   <= column1_q[ColumnW-1];
      span2_q     <= start_q[more1_q] + SpanW'(length1_q);
      outside2_q  <= -column1_q;
      room2_q     <= ~column_sum(column1_q, ~column_t'({1'b0, image_i.width}));  // width - column
      addr2_q     <= addr1_q + addr_t'(column1_q);
      start2_q    <= shared1_q ? '0 : start_q[first1_q];
      first2_q    <= first1_q;
      last2_q     <= last1_q;
      length2_q   <= length1_q;
      word2_q     <= word1_q;
      begins2_q   <= begins1_q;
      ends2_q     <= ends1_q;
      shared2_q   <= shared1_q;
    end
  end

  // ---- stage 3: the part of it that is in the image ---------------------------------------------
  logic              read3_q, begins3_q, ends3_q, shared3_q;
  logic [SpanW-1:0]  span3_q, from3_q, to3_q;
  addr_t             addr3_q;
  dim_t              length3_q, word3_q;
  logic [RowW-1:0]   first3_q, last3_q;
  logic [StripW-1:0] start3_q;

  always_ff @(posedge clk_i) begin
    if (go) begin
      read3_q   <= in_lines2_q && room2_q > 0 && !(before2_q && outside2_q >= column_t'({1'b0, span2_q}));
      from3_q   <= before2_q ? outside2_q[SpanW-1:0] : '0;
      to3_q     <= (room2_q < column_t'({1'b0, span2_q})) ? room2_q[SpanW-1:0] : span2_q;
      span3_q   <= span2_q;
      addr3_q   <= addr2_q;
      start3_q  <= start2_q;
      first3_q  <= first2_q;
      last3_q   <= last2_q;
      length3_q <= length2_q;
      word3_q   <= word2_q;
      begins3_q <= begins2_q;
      ends3_q   <= ends2_q;
      shared3_q <= shared2_q;
    end
  end

  // ---- stage 4: from the beginning of its first beat on -----------------------------------------
  logic              read4_q, begins4_q, ends4_q, shared4_q;
  logic [SpanW-1:0]  from4_q, to4_q, end4_q;
  addr_t             addr4_q;
  dim_t              length4_q, word4_q;
  logic [RowW-1:0]   first4_q, last4_q;
  logic [StripW-1:0] start4_q;
  logic [SpanW-1:0]  offset;

  assign offset = SpanW'(addr3_q[BeatLog-1:0]);

  always_ff @(posedge clk_i) begin
    if (go) begin
      read4_q   <= read3_q;
      from4_q   <= offset + from3_q;
      to4_q     <= offset + to3_q - SpanW'(1);
      end4_q    <= offset + span3_q - SpanW'(1);
      addr4_q   <= {addr3_q[AddrW-1:BeatLog], {BeatLog{1'b0}}};
      start4_q  <= offset - start3_q;
      first4_q  <= first3_q;
      last4_q   <= last3_q;
      length4_q <= length3_q;
      word4_q   <= word3_q;
      begins4_q <= begins3_q;
      ends4_q   <= ends3_q;
      shared4_q <= shared3_q;
    end
  end

  // The beats of bytes 0 .. end, those of from .. to are read.
  dim_t first_beat, last_beat, end_beat;

  assign first_beat = dim_t'(from4_q >> BeatLog);
  assign last_beat  = dim_t'(to4_q >> BeatLog);
  assign end_beat   = dim_t'(end4_q >> BeatLog);

  assign valid_o = valid4_q;
  assign read_o  = read4_q;
  assign row_o   = '{none: 1'b0, addr: addr4_q + (addr_t'(first_beat) << BeatLog),
                     beats: last_beat - first_beat + dim_t'(1)};

  always_comb begin
    strip_o = '{
      first_row: 5'(first4_q), last_row: 5'(last4_q), start: start4_q, length: length4_q,
      zeros: read4_q ? first_beat : '0, beats: read4_q ? row_o.beats : '0, steps: end_beat + dim_t'(1),
      first_byte: 5'(from4_q[BeatLog-1:0]), last_byte: 5'(to4_q[BeatLog-1:0]), begins: begins4_q, ends: ends4_q,
      shared: shared4_q, dest: '{half: half_i, word: word4_q, fmt: fmt_i, last_byte: last_byte_i,
                                 depthwise: depthwise_i, pairs: pairs_i}
    };
  end

  assign go = !valid4_q || ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
      valid4_q <= 1'b0;
    end else if (go) begin
      valid1_q <= enter;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      valid4_q <= valid3_q;
    end
  end

  // ---- states -----------------------------------------------------------------------------------
  assign done_o = state_q == Finish && !valid1_q && !valid2_q && !valid3_q && (!valid4_q || ready_i);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:     if (start_i) state_d = first_rows_i ? Setup : Start;
      Setup:    if (setup_done) state_d = Start;
      Start:    state_d = Count;
      Count:    state_d = Segments;
      Segments: if (go && k_ends) state_d = (rows_left_q == dim_t'(count_q)) ? Finish : Count;
      default:  if (done_o) state_d = Idle;
    endcase
    if (stop_i) state_d = Idle;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  reads_are_in_the_image : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(valid_o && read_o) || (row_o.beats != '0 && row_o.addr[BeatLog-1:0] == '0));
  strips_are_short : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(state_q == Segments && joined_q) || image_i.step_x <= k_i);
  shared_strips_are_whole_segments : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(state_q == Segments && shared_q) || (!joined_q && k_q.left == image_i.segment_bytes &&
      (behind || k_left_q >= dim_t'(k_q.left))));

endmodule
