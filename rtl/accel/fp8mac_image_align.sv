// SPDX-License-Identifier: Apache-2.0
// Assembles the rows of an image operand. A strip is a piece of an image line that up to ROWS rows
// need parts of. It arrives as beats, which begin anywhere in the image. Each beat is given to all
// rows of the strip at once: a row takes its bytes of it, rotates them to their position in the
// row's word, and leaves finished words for the memory. One word per cycle goes there.
//
//   strip   |. . a b c d e f|g h i j k l . .|       two beats of 8 bytes; rows of 6 bytes, 2 bytes apart
//   row 0       a b c d e f
//   row 1           c d e f  g h
//   row 2               e f  g h i j
//
// All rows take the same bytes of a shared strip. The last one of them begins with it if the strip
// begins rows, and the first one ends with it if it ends rows; the others are between.
//
// Beats outside the image are zeros. They come from no bus.
//
// A strip of a depthwise convolution is one whole word of each of its rows. That leaves for all of
// them at once. A row begins again with the address of each kernel line's first word.
//
//   beat or zeros -> stage 1: beat, rotations -> rotate, merge -> pending word, finished word of each row -> output
module fp8mac_image_align
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS   = 4,
  parameter int unsigned BEAT   = 16,
  parameter bit          DEPTHWISE = 1'b0,  // strips may be those of depthwise convolutions
  parameter int unsigned STRIPS = 32   // that can wait: as many reads as the bus has in flight
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  // Strips, in the order of their beats
  input  logic                          strip_valid_i,
  output logic                          strip_ready_o,
  input  logic                          few_i,  // strips wait if FewStrips are there: other reads are urgent
  input  image_strip_t                  strip_i,
  // Bytes from row RAM 0's part of a strip to each row RAM's part; they change only while idle_o is
  // 1.
  input  logic [ROWS-1:0][StripW-1:0]   row_start_i,

  input  logic                          beat_valid_i,
  output logic                          beat_ready_o,
  input  logic [BEAT*8-1:0]             beat_data_i,

  // Words for the memory, which takes every word
  output logic                          word_valid_o,
  output read_dest_t                    word_dest_o,
  output logic [BEAT*8-1:0]             word_data_o,
  // The rows that take the word: with word_dest_o.depthwise several, else that of word_dest_o;
  // and its address in each
  output logic [ROWS-1:0]               word_rows_o,
  output dim_t [ROWS-1:0]               word_words_o,

  output logic                          idle_o,   // no strip is here
  output logic                          quiet_o,  // all words have left that the beats so far have completed
  output logic                          fault_o   // of fp8mac_fifo
);
  localparam int unsigned ByteW = $clog2(BEAT);
  localparam int unsigned RowW  = (ROWS > 1) ? $clog2(ROWS) : 1;

  // ---- what waits -------------------------------------------------------------------------------
  logic              strips_full, strips_empty, strip_shown, strip_take;
  localparam int unsigned FewStrips = 8;

  logic [$clog2(STRIPS + 1)-1:0] strips;
  image_strip_t      next;
  logic              beats_full, beats_empty, beat_take;
  logic [BEAT*8-1:0] beat;
  logic              strips_fault, beats_fault;

  assign fault_o = strips_fault || beats_fault;

  fp8mac_ram_fifo #(.T(image_strip_t), .DEPTH(STRIPS)) u_strips (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(strip_valid_i && strip_ready_o), .data_i(strip_i), .full_o(strips_full),
    .pop_i(strip_take), .data_o(next), .shown_o(strip_shown), .level_o(strips), .fault_o(strips_fault)
  );

  fp8mac_fifo #(.T(logic [BEAT*8-1:0]), .DEPTH(2)) u_beats (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(beat_valid_i && beat_ready_o), .data_i(beat_data_i), .full_o(beats_full),
    .pop_i(beat_take), .data_o(beat), .empty_o(beats_empty), .level_o(), .fault_o(beats_fault)
  );

  assign strips_empty  = strips == '0;
  assign strip_ready_o = !strips_full && !(few_i && 32'(strips) >= FewStrips);
  assign beat_ready_o  = !beats_full;

  // ---- the strip at hand ------------------------------------------------------------------------
  // Its steps: zeros, beats, zeros, and at the end of the rows one step that gives away what is
  // pending.
  logic         busy_q, zeros, flush, step_valid, step, last_step, ready1;
  image_strip_t strip_q;
  logic         unused_strip;  // what the registers below take of it
  dim_t         before_q, beats_q, left_q;  // steps: zeros before the beats; beats; all
  logic         first_beat_q;

  logic [ROWS-1:0]             row_en, row_begins, row_ends, row_begins_next;
  logic [ROWS-1:0][StripW-1:0] ahead_q;     // bytes from the beat to the row's part
  dim_t [ROWS-1:0]             take_q;      // bytes that the row still takes
  logic [ROWS-1:0][ByteW-1:0]  position_q;  // bytes of its pending word

  // Rows that end within a word
  function automatic logic flushes(logic ends, logic [4:0] row_last_byte);
    return ends && row_last_byte != 5'(BEAT - 1);
  endfunction

  assign unused_strip = ^{strip_q.start, strip_q.length, strip_q.zeros, strip_q.beats, strip_q.steps};

  assign zeros      = before_q != '0 || beats_q == '0;
  assign last_step  = left_q == dim_t'(1);
  assign flush      = flushes(strip_q.ends, strip_q.dest.last_byte) && last_step;
  assign step_valid = busy_q && (zeros || !beats_empty);
  assign step       = step_valid && ready1;
  assign beat_take  = step && !zeros;
  assign strip_take = strip_shown && (!busy_q || (step && last_step));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (strip_take) busy_q <= 1'b1;
    else if (step && last_step) busy_q <= 1'b0;
    if (strip_take) begin
      strip_q      <= next;
      before_q     <= next.zeros;
      beats_q      <= next.beats;
      left_q       <= next.steps + dim_t'(flushes(next.ends, next.dest.last_byte));
      first_beat_q <= 1'b1;
    end else if (step) begin
      left_q <= left_q - dim_t'(1);
      if (before_q != '0) before_q <= before_q - dim_t'(1);
      else if (!zeros) beats_q <= beats_q - dim_t'(1);
      if (!zeros) first_beat_q <= 1'b0;
    end
  end

  // Of the rows first .. last of a shared strip only the last one begins with it.
  function automatic logic begins_with(logic shared, logic [4:0] first, logic [4:0] last, logic [4:0] r);
    return r <= last && r >= (shared ? last : first);
  endfunction

  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      // The rows of a depthwise strip may go on from the last RAM to the first one.
      row_en[r]          = (DEPTHWISE && strip_q.first_row > strip_q.last_row) ?
                           (5'(r) >= strip_q.first_row || 5'(r) <= strip_q.last_row) :
                           (5'(r) >= strip_q.first_row && 5'(r) <= strip_q.last_row);
      row_begins[r]      = strip_q.begins && begins_with(strip_q.shared, strip_q.first_row, strip_q.last_row, 5'(r));
      row_begins_next[r] = next.begins && begins_with(next.shared, next.first_row, next.last_row, 5'(r));
      row_ends[r]        = row_en[r] && (!strip_q.shared || 5'(r) == strip_q.first_row);
    end
  end

  // What each row takes of a step
  logic [ROWS-1:0]            takes, completes;
  logic [ROWS-1:0][ByteW-1:0] from, position_after;
  logic [ROWS-1:0][ByteW:0]   count;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_take
    logic [ByteW:0] room, sum;

    assign takes[r]  = row_en[r] && !flush && ahead_q[r] < StripW'(BEAT) && take_q[r] != '0;
    assign from[r]   = ahead_q[r][ByteW-1:0];
    assign room      = (ByteW+1)'(BEAT) - (ByteW+1)'(from[r]);
    assign count[r]  = !takes[r] ? '0 : (take_q[r] < dim_t'(room)) ? take_q[r][ByteW:0] : room;
    assign sum       = (ByteW+1)'(position_q[r]) + count[r];
    // At most BEAT - 1 + BEAT, so one word at most is complete.
    assign completes[r]      = flush ? row_ends[r] && position_q[r] != '0 : sum[ByteW];
    assign position_after[r] = (flush && row_ends[r]) ? '0 : sum[ByteW-1:0];

    always_ff @(posedge clk_i) begin
      if (strip_take) begin
        ahead_q[r] <= next.start + (next.shared ? '0 : row_start_i[r]);
        take_q[r]  <= next.length;
      end else if (step) begin
        ahead_q[r] <= (ahead_q[r] < StripW'(BEAT)) ? '0 : ahead_q[r] - StripW'(BEAT);
        take_q[r]  <= take_q[r] - dim_t'(count[r]);
      end
      if (strip_take && row_begins_next[r]) position_q[r] <= '0;
      else if (step && row_en[r]) position_q[r] <= position_after[r];
    end
  end

  // The bytes of a beat that belong to the image
  logic [BEAT-1:0][7:0] in_image;
  always_comb begin
    for (int unsigned i = 0; i < BEAT; i++) begin
      in_image[i] = (zeros || (first_beat_q && 5'(i) < strip_q.first_byte) ||
                   (beats_q == dim_t'(1) && 5'(i) > strip_q.last_byte)) ? '0 : beat[8*i +: 8];
    end
  end

  // ---- stage 1 ----------------------------------------------------------------------------------
  logic                       valid1_q, go1, flush1_q;
  logic [BEAT-1:0][7:0]       data1_q;
  logic [ROWS-1:0]            takes1_q, completes1_q, begins1_q;
  logic [ROWS-1:0][ByteW-1:0] position1_q, rotate1_q;
  image_dest_t                dest1_q;
  logic                       depthwise1;

  assign depthwise1 = DEPTHWISE && dest1_q.depthwise;

  assign ready1 = !valid1_q || go1;

  logic first_step_q;  // of the strip
  always_ff @(posedge clk_i) begin
    if (strip_take) first_step_q <= 1'b1;
    else if (step) first_step_q <= 1'b0;
    if (!rst_ni) valid1_q <= 1'b0;
    else if (ready1) valid1_q <= step;
    if (step) begin
      data1_q      <= in_image;
      flush1_q     <= flush;
      takes1_q     <= takes;
      completes1_q <= completes;
      begins1_q    <= row_begins & {ROWS{first_step_q}};
      position1_q  <= position_q;
      dest1_q      <= strip_q.dest;
      for (int unsigned r = 0; r < ROWS; r++) rotate1_q[r] <= position_q[r] - from[r];
    end
  end

  // ---- pending and finished words of the rows ---------------------------------------------------
  logic [ROWS-1:0]              full_q, grant;
  logic [ROWS-1:0][BEAT*8-1:0]  finished_q;
  read_dest_t [ROWS-1:0]        dest_q;

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    logic [BEAT-1:0][7:0] pending_q, rotated, merged;
    logic [BEAT-1:0]      fresh, written;  // bytes of the word that come from the beat; of the pending word
    dim_t                 word_q, word;

    // A byte at i leaves at i + rotate1_q modulo BEAT.
    always_comb begin
      rotated = data1_q;
      for (int unsigned s = 0; s < ByteW; s++) begin
        if (rotate1_q[r][s]) rotated = (rotated << (8 << s)) | (rotated >> (8 * BEAT - (8 << s)));
      end
      for (int unsigned i = 0; i < BEAT; i++) fresh[i] = ByteW'(i) >= position1_q[r];
      for (int unsigned i = 0; i < BEAT; i++) merged[i] = fresh[i] ? rotated[i] : pending_q[i];
      // The next word begins with the bytes of the beat that this one has no room for.
      written = (valid1_q && go1 && takes1_q[r]) ? fresh | {BEAT{completes1_q[r]}} : '0;
    end

    assign word = begins1_q[r] ? dest1_q.word : word_q;

    always_ff @(posedge clk_i) begin
      if (valid1_q && go1) word_q <= word + dim_t'(completes1_q[r]);
      for (int unsigned i = 0; i < BEAT; i++) if (written[i]) pending_q[i] <= rotated[i];
      if (valid1_q && go1 && completes1_q[r]) begin
        finished_q[r] <= merged;
        dest_q[r]     <= '{kind: DestImage, half: dest1_q.half, ram: 8'(r), word: word, fmt: dest1_q.fmt,
                           last_byte: dest1_q.last_byte, last: flush1_q, depthwise: depthwise1,
                           pairs: DEPTHWISE && dest1_q.pairs, rotate: '0};
      end
      if (!rst_ni) full_q[r] <= 1'b0;
      else if (valid1_q && go1 && completes1_q[r]) full_q[r] <= 1'b1;
      else if (grant[r]) full_q[r] <= 1'b0;
    end
  end

  // The word of a depthwise strip waits until the others have left, so it is the only one.
  assign go1 = ((completes1_q | {ROWS{depthwise1}}) & full_q & ~grant) == '0;

  // ---- one finished word per cycle, the rows in turn --------------------------------------------
  logic [ROWS-1:0] from_turn;  // finished words of the rows from turn_q on
  logic [RowW-1:0] turn_q, chosen;

  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) from_turn[r] = full_q[r] && RowW'(r) >= turn_q;
    chosen = '0;
    for (int r = int'(ROWS) - 1; r >= 0; r--) if (full_q[r]) chosen = RowW'(r);
    for (int r = int'(ROWS) - 1; r >= 0; r--) if (from_turn[r]) chosen = RowW'(r);
    grant = '0;
    grant[chosen] = full_q[chosen];
    if (DEPTHWISE && dest_q[chosen].depthwise) grant = full_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      word_valid_o <= 1'b0;
      turn_q       <= '0;
    end else begin
      word_valid_o <= full_q != '0;
      if (full_q != '0) turn_q <= (chosen == RowW'(ROWS - 1)) ? '0 : chosen + RowW'(1);
    end
    word_dest_o <= dest_q[chosen];
    word_rows_o <= grant;
    for (int unsigned r = 0; r < ROWS; r++) word_words_o[r] <= dest_q[r].word;
    word_data_o <= finished_q[chosen];
  end

  assign idle_o  = strips_empty && !busy_q;
  assign quiet_o = beats_empty && !valid1_q && full_q == '0 && !word_valid_o &&
                   (busy_q ? !zeros : strips_empty);

  logic [ROWS-1:0] all_taken;  // the step gives the row the rest of its bytes
  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) all_taken[r] = take_q[r] == dim_t'(count[r]);
  end

  strips_have_steps : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(strip_valid_i && strip_ready_o) || (strip_i.steps != '0 &&
      strip_i.steps >= strip_i.zeros + strip_i.beats && strip_i.length != '0));
  rows_are_complete : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(busy_q && step && last_step) || (flush ? takes == '0 : ((row_en & ~all_taken) == '0)));
  beats_are_wanted : assert property (@(posedge clk_i) disable iff (!rst_ni)
    beats_empty || busy_q || !strips_empty);

endmodule
