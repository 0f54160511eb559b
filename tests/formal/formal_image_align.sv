// SPDX-License-Identifier: Apache-2.0
// fp8mac_image_align: one byte of a row is followed, from the beat that has it or from outside
// the image to the word that it belongs to. It is in its word, at its position. A word goes to
// one row, or to all that complete the same one of a depthwise strip, which may go on from the
// last RAM to the first and where a row may begin again. The words of a row leave in order, as
// many as its bytes need.
// So no byte is lost or doubled.
module formal_image_align
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS = 2,
  parameter int unsigned BEAT = 4,
  parameter bit          DEPTHWISE = 1'b0
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              strip_valid_i,
  input image_strip_t      strip_i,
  input logic [2:0]        step_i,        // bytes from row to row
  input logic              beat_valid_i,
  input logic [BEAT*8-1:0] beat_data_i,
  input logic              row_i,
  input logic [3:0]        index_i
);
  localparam int unsigned MostBytes = 15;  // of a row

  logic                        strip_ready, beat_ready, word_valid, idle, quiet;
  read_dest_t                  dest;
  logic [BEAT-1:0][7:0]        word;
  logic [ROWS-1:0]             word_rows;
  dim_t [ROWS-1:0]             word_words;
  logic [ROWS-1:0][StripW-1:0] row_start;
  logic [2:0]                  step;
  logic                        row;
  logic [3:0]                  index;

  // The step between rows, the row and the byte's number in it
  formal_const #(.WIDTH(3)) u_step (.clk_i, .any_i(step_i), .const_o(step));
  formal_const #(.WIDTH(5)) u_byte (.clk_i, .any_i({row_i, index_i}), .const_o({row, index}));
  formal_reset u_reset (.clk_i, .rst_ni);
  always_comb for (int unsigned r = 0; r < ROWS; r++) row_start[r] = StripW'(r) * StripW'(step);

  fp8mac_image_align #(.ROWS(ROWS), .BEAT(BEAT), .DEPTHWISE(DEPTHWISE), .STRIPS(2)) dut (
    .clk_i, .rst_ni, .strip_valid_i, .strip_ready_o(strip_ready),
    .few_i(1'b0), .strip_i, .row_start_i(row_start), .beat_valid_i,
    .beat_ready_o(beat_ready), .beat_data_i, .word_valid_o(word_valid), .word_dest_o(dest), .word_data_o(word),
    .word_rows_o(word_rows), .word_words_o(word_words),
    .idle_o(idle), .quiet_o(quiet)
  );

  // ---- strips -----------------------------------------------------------------------------------
  logic                 taken;
  logic [ROWS-1:0]      has, begins, ends;  // rows that take it, begin with it, end with it
  logic [ROWS-1:0]      open_q;             // rows that have begun and not ended
  logic [ROWS-1:0][5:0] given_q, given;     // bytes of the rows in the strips before, with this one
  logic [19:0]          from, last_from;    // first byte in the strip: of the row, of the last row
  logic [3:0]           rows_q;             // strips that have begun rows
  logic [5:0]           beats_asked_q, beats_come_q;

  assign taken     = strip_valid_i && strip_ready;
  assign from      = strip_i.start + (strip_i.shared ? '0 : row_start[row]);
  assign last_from = strip_i.start + (strip_i.shared ? '0 : row_start[strip_i.last_row[0]]);

  logic [19:0] pixel_from;  // first byte of a strip of one row
  assign pixel_from = strip_i.start + (strip_i.shared ? '0 : row_start[strip_i.first_row[0]]);

  // Of a shared strip only the last row begins, and only the first one ends.
  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      has[r]    = (strip_i.first_row > strip_i.last_row) ?
                  (5'(r) >= strip_i.first_row || 5'(r) <= strip_i.last_row) :
                  (5'(r) >= strip_i.first_row && 5'(r) <= strip_i.last_row);
      begins[r] = has[r] && strip_i.begins && (!strip_i.shared || 5'(r) == strip_i.last_row);
      ends[r]   = has[r] && strip_i.ends && (!strip_i.shared || 5'(r) == strip_i.first_row);
      given[r]  = (begins[r] ? 6'd0 : given_q[r]) + 6'(strip_i.length);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      if (!rst_ni) begin
        open_q[r]  <= 1'b0;
        given_q[r] <= '0;
      end else if (taken && has[r]) begin
        given_q[r] <= given[r];
        open_q[r]  <= !ends[r];
      end
    end
    if (!rst_ni) begin
      rows_q        <= '0;
      beats_asked_q <= '0;
      beats_come_q  <= '0;
    end else begin
      if (taken && strip_i.begins) rows_q <= rows_q + 4'd1;
      if (taken) beats_asked_q <= beats_asked_q + 6'(strip_i.beats);
      if (beat_valid_i && beat_ready) beats_come_q <= beats_come_q + 6'd1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // A strip that is not shared is of both rows.
      strips_are_proper : assume (!strip_valid_i || (
        (strip_i.first_row <= strip_i.last_row || (DEPTHWISE && strip_i.dest.depthwise && strip_i.shared)) &&
        strip_i.first_row < 5'(ROWS) && strip_i.last_row < 5'(ROWS) &&
        (strip_i.shared || (strip_i.first_row == '0 && strip_i.last_row == 5'(ROWS - 1)) ||
         (strip_i.dest.depthwise && strip_i.first_row == strip_i.last_row)) &&
        strip_i.start < 20'(BEAT) && strip_i.length != '0 && strip_i.length < 16'd8 &&
        32'(strip_i.steps) == (32'(last_from) + 32'(strip_i.length) + BEAT - 1) / BEAT &&
        strip_i.zeros < 16'd4 && strip_i.beats < 16'd8 && strip_i.zeros + strip_i.beats <= strip_i.steps &&
        32'(strip_i.first_byte) < BEAT && 32'(strip_i.last_byte) < BEAT &&
        (strip_i.beats != 16'd1 || strip_i.first_byte <= strip_i.last_byte)));
      // A depthwise strip is a beat of all of its rows.
      pixels_are_proper : assume (!strip_valid_i || (strip_i.dest.depthwise == 1'b0) || (DEPTHWISE &&
        strip_i.length == 16'(BEAT) && strip_i.steps == 16'd1 && pixel_from == '0 &&
        (strip_i.shared || strip_i.first_row == strip_i.last_row) && strip_i.dest.last_byte == 5'(BEAT - 1)));
      // No two rows have a word in common.
      words_are_different : assume (!strip_valid_i || !strip_i.begins || strip_i.dest.word == 16'(rows_q) << 2);
      beats_are_asked_for : assume (!beat_valid_i || beats_come_q < beats_asked_q);
      counts_are_small : assume (beats_asked_q < 6'd32 && rows_q < 4'd15);
    end
  end

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    always_comb begin
      if (rst_ni) begin
        rows_begin_and_end : assume (!strip_valid_i || !has[r] || (
          (begins[r] == !open_q[r] || (begins[r] && DEPTHWISE && strip_i.dest.depthwise)) &&
          given[r] < 6'(MostBytes) &&
          (!ends[r] || 32'(strip_i.dest.last_byte) == (32'(given[r]) - 1) % BEAT)));
      end
    end
  end

  // ---- the byte ---------------------------------------------------------------------------------
  logic        here, awaited_q, known_q, seen_q, in_image;
  logic [5:0]  number_q;      // of the beat that has the byte
  logic [19:0] position;      // of the byte in the strip
  logic [15:0] beat;          // of the strip, from its zeros on
  logic [1:0]  byte_q;
  logic [7:0]  value_q;
  dim_t        word_q;        // the word that has it
  image_dest_t dest_q;        // of its strip

  assign here  = taken && has[row] && !seen_q && 6'(index) < given[row] &&
                 6'(index) + 6'(strip_i.length) >= given[row] && (begins[row] || 6'(index) >= given_q[row]);
  assign position = from + 20'(index) - 20'(begins[row] ? 6'd0 : given_q[row]);
  assign beat     = 16'(position / BEAT);
  assign in_image = beat >= strip_i.zeros && beat < strip_i.zeros + strip_i.beats &&
                    !(beat == strip_i.zeros && 20'(strip_i.first_byte) > position % BEAT) &&
                    !(beat + 16'd1 == strip_i.zeros + strip_i.beats && 20'(strip_i.last_byte) < position % BEAT);

  dim_t base_q;  // of the row's words
  always_ff @(posedge clk_i) begin
    if (taken && begins[row]) base_q <= strip_i.dest.word;
    if (!rst_ni) begin
      awaited_q <= 1'b0;
      known_q   <= 1'b0;
      seen_q    <= 1'b0;
    end else if (here) begin
      seen_q    <= 1'b1;
      awaited_q <= in_image;
      known_q   <= !in_image;
      value_q   <= '0;
      number_q  <= beats_asked_q + 6'(beat - strip_i.zeros);
      dest_q    <= strip_i.dest;
      byte_q    <= 2'(position % BEAT);
      word_q    <= (begins[row] ? strip_i.dest.word : base_q) + dim_t'(32'(index) / BEAT);
    end else if (awaited_q && beat_valid_i && beat_ready && beats_come_q == number_q) begin
      awaited_q <= 1'b0;
      known_q   <= 1'b1;
      value_q   <= 8'(beat_data_i >> (8 * byte_q));
    end
  end

  // ---- words ------------------------------------------------------------------------------------
  logic       mine, left_q;
  logic [5:0] words_q;   // of the first row that begins
  logic       begun_q, second_q;  // one has begun, a second one
  assign mine = word_valid && word_rows[row];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q   <= 1'b0;
      words_q  <= '0;
      begun_q  <= 1'b0;
      second_q <= 1'b0;
    end else begin
      if (mine) words_q <= words_q + 6'd1;
      if (taken && begins[row] && begun_q) second_q <= 1'b1;
      if (taken && begins[row]) begun_q <= 1'b1;
      if (mine && seen_q && word_words[row] == word_q) left_q <= 1'b1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      byte_in_its_position : assert (!(mine && seen_q && !left_q && word_words[row] == word_q) ||
        (known_q && word[index % BEAT] == value_q));
      // A word of a depthwise strip is that of its strip.
      pixel_keeps_its_kind : assert (!(mine && seen_q && !left_q && word_words[row] == word_q && dest_q.depthwise) ||
        (dest.depthwise && dest.pairs == dest_q.pairs && dest.half == dest_q.half && dest.fmt == dest_q.fmt));
      words_in_order : assert (second_q || !mine || word_words[row] == base_q + dim_t'(words_q));
      word_of_its_row : assert (!word_valid || dest.depthwise ||
        (word_rows == ROWS'(1) << dest.ram[0] && word_words[dest.ram[0]] == dest.word));
      // Once all beats have come and all is quiet, every whole word has left, and the last
      // one of a row that ended.
      none_is_lost : assert (second_q || !(quiet && idle && beats_come_q == beats_asked_q) ||
        32'(words_q) == (32'(given_q[row]) + (open_q[row] ? 0 : BEAT - 1)) / BEAT);

      byte_of_a_beat_leaves : cover (mine && seen_q && !left_q && word_words[row] == word_q && value_q != '0 &&
        index > 4'd6);
      word_of_both_rows : cover (!DEPTHWISE || (word_valid && word_rows == '1));
      unfinished : cover (quiet && idle && open_q[row] && given_q[row] == 6'd7);
      around_the_end : cover (!DEPTHWISE || (taken && strip_i.shared && strip_i.first_row > strip_i.last_row));
      row_between : cover (taken && strip_i.shared && strip_i.begins && strip_i.ends &&
        strip_i.first_row != strip_i.last_row);
    end
  end

endmodule
