// SPDX-License-Identifier: Apache-2.0
// fp8mac_pack: any byte of the D buffer is the one that was last written to it, by a transfer whose
// codes cover it. A read gives its beat in the next cycle, with every byte in its position, and the
// beat stays until the next read. With a table, any code is replaced by what was last written to
// its position in that table. With PAIRS, transfers may have results 0 and 1, and words of results
// 1 are read with their halves exchanged.
module formal_pack #(
  parameter int unsigned ROWS  = 2,
  parameter int unsigned COLS  = 2,
  parameter int unsigned WORDS = 4,
  parameter int unsigned WORD  = 16,
  parameter int unsigned BEAT  = 8,
  parameter bit          PAIRS = 1'b0,
  localparam int unsigned BufW  = $clog2(WORDS),
  localparam int unsigned WordW = $clog2(WORD),
  localparam int unsigned RowW  = (ROWS > 1) ? $clog2(ROWS) : 1,
  localparam int unsigned Beats = WORD / BEAT,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic                            valid_i,
  input logic [ROWS-1:0]                 row_i,
  input logic [COLS-1:0]                 col_i,
  input logic [ROWS-1:0][COLS-1:0][31:0] code_i,
  input logic [1:0]                      size_i,
  input logic                            pairs_i,
  input logic                            read_second_i,
  input fp8mac_pkg::code_table_e         code_table_i,
  input fp8mac_cmd_pkg::table_write_t    table_write_i,
  input logic [3:0]                      entry_i,
  input logic [BufW-1:0]                 addr_i,
  input logic [WordW-1:0]                offset_i,
  input logic                            read_i,
  input logic [RowW-1:0]                 read_row_i,
  input logic [BufW-1:0]                 read_addr_i,
  input logic [BeatW-1:0]                read_beat_i,
  input logic [RowW+BufW+WordW-1:0]      position_i
);
  import fp8mac_pkg::*;

  localparam int unsigned TableWords = 2;
  localparam int unsigned CodeW      = $clog2(4 * TableWords);
  localparam int unsigned ColW       = (COLS > 1) ? $clog2(COLS) : 1;

  logic [BEAT-1:0][7:0] read_data;

  fp8mac_pack #(.ROWS(ROWS), .COLS(COLS), .WORDS(WORDS), .WORD(WORD), .BEAT(BEAT), .TABLE_WORDS(TableWords),
    .PAIRS(PAIRS)) dut (
    .clk_i, .rst_ni, .valid_i, .row_i, .col_i, .code_i, .size_i, .pairs_i(PAIRS && pairs_i), .code_table_i,
    .table_write_i, .addr_i, .offset_i,
    .read_i, .read_row_i, .read_addr_i, .read_beat_i, .read_second_i(PAIRS && read_second_i), .read_data_o(read_data)
  );

  // The byte that is followed
  logic [RowW-1:0]  row;
  logic [BufW-1:0]  addr;
  logic [WordW-1:0] position;
  formal_const #(.WIDTH(RowW + BufW + WordW)) u_position (.clk_i, .any_i(position_i), .const_o({row, addr, position}));
  formal_reset u_reset (.clk_i, .rst_ni);

  logic [WordW-1:0] distance;   // from the transfer's first byte
  logic             given;
  logic [7:0]       value;

  localparam int unsigned Each   = (COLS > 1) ? COLS / 2 : 1;
  localparam bit          Split  = PAIRS && WORD == BEAT;
  localparam int unsigned Halves = Split ? 2 : 1;
  localparam int unsigned HalfBytes = WORD / Halves;

  // With pairs: whether the byte is one of results 0, or of results 1
  logic             pairs, is_first, is_second;
  logic [WordW-1:0] place;  // of its result, where results 0 are
  assign pairs     = PAIRS && pairs_i;
  assign place     = Split ? position ^ WordW'(WORD / 2) : position - WordW'(BEAT);
  assign is_first  = addr_i == addr && position >= offset_i && 32'(position - offset_i) < Each;
  assign is_second = addr == (Split ? addr_i + BufW'(1) : addr_i) && (Split || 32'(position) >= BEAT) &&
                     place >= offset_i && 32'(place - offset_i) < Each;

  assign distance = !pairs || is_first ? position - offset_i : place - offset_i + WordW'(Each);
  assign given    = valid_i && row_i[row] && (pairs ? is_first || is_second :
                    addr_i == addr && position >= offset_i && 32'(distance) < (COLS << size_i) &&
                    col_i[ColW'(distance >> size_i)]);

  always_comb begin
    value = '0;
    for (int unsigned c = 0; c < COLS; c++) begin
      if (32'(distance >> size_i) == c) value = 8'(code_i[row][c] >> ((32'(distance) & ((1 << size_i) - 1)) * 8));
    end
  end

  // The entry of a table that is followed. What a transfer gets in the cycle of the entry's
  // writing has no meaning.
  logic                      second, entry_known_q, entry_written;
  logic [CodeW-1:0]          entry_code;
  logic [7:0]                entry_q, entry_used_value_q;
  logic [ROWS-1:0][COLS-1:0] entry_used_q;

  formal_const #(.WIDTH(1 + CodeW)) u_entry (.clk_i, .any_i(entry_i), .const_o({second, entry_code}));

  assign entry_written = table_write_i.write && table_write_i.second == second &&
                         table_write_i.word[CodeW-3:0] == entry_code[CodeW-1:2];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) entry_known_q <= 1'b0;
    else if (entry_written) entry_known_q <= 1'b1;
    if (entry_written) entry_q <= table_write_i.codes[entry_code[1:0] * 8 +: 8];
    entry_used_value_q <= entry_q;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        entry_used_q[r][c] <= rst_ni && valid_i && entry_known_q && !entry_written &&
                              code_table_i == (second ? Table1 : Table0) && code_i[r][c][CodeW-1:0] == entry_code;
      end
    end
  end

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_map_row
    for (genvar c = 0; c < int'(COLS); c++) begin : g_map_col
      always_comb begin
        if (rst_ni) begin
          entry_is_kept : assert (!entry_known_q ||
            dut.g_tables.g_map_row[r].g_map_col[c].u_table.word_q[{second, entry_code[CodeW-1:2]}][
              entry_code[1:0] * 8 +: 8] == entry_q);
          entry_is_used : assert (!entry_used_q[r][c] || dut.mapped[r][c] == entry_used_value_q);
        end
      end
    end
  end

  // A byte that is given is written one cycle later, mapped if there is a table.
  logic       given_q, known_q, shown_q;
  logic [WordW-1:0] shown_at_q;  // where the byte is shown, in its beat
  logic [7:0] given_value_q, value_q, shown_value_q;
  logic            map_q;
  logic [ColW-1:0] given_col_q;
  logic [7:0]      written_value;

  always_ff @(posedge clk_i) begin
    map_q       <= code_table_i != TableNone;
    given_col_q <= ColW'(distance);
  end
  assign written_value = map_q ? dut.mapped[row][given_col_q] : given_value_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      given_q <= 1'b0;
      known_q <= 1'b0;
      shown_q <= 1'b0;
    end else begin
      given_q <= given;
      if (given_q) begin
        known_q <= 1'b1;
        value_q <= written_value;
      end
      if (read_i) begin
        shown_at_q    <= Split && read_second_i ? position ^ WordW'(WORD / 2) : position;
        shown_q       <= known_q && read_row_i == row && read_addr_i == addr &&
                         32'(read_beat_i) == 32'(position) / BEAT;
        shown_value_q <= value_q;
      end
    end
    given_value_q <= value;
  end

  // Where each half is written
  logic [ROWS-1:0][Halves-1:0][BufW-1:0] written_at;
  logic [BufW-1:0]                       write_addr;
  assign write_addr = written_at[row][32'(position) / HalfBytes];

  for (genvar r = 0; r < int'(ROWS); r++) begin : g_row
    for (genvar h = 0; h < int'(Halves); h++) begin : g_half
      logic here;
      assign here = 32'(row) == 32'(r) && 32'(position) / HalfBytes == 32'(h);
      assign written_at[r][h] = dut.g_row[r].g_half[h].write_addr;
      always_comb begin
        if (rst_ni) begin
          kept : assert (!known_q || !here ||
                         dut.g_row[r].g_half[h].u_ram.mem_q[addr][position % HalfBytes] == value_q);
          still_shown : assert (!shown_q || !here ||
                                dut.g_row[r].g_half[h].u_ram.read_data_o[position % HalfBytes] == shown_value_q);
        end
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      tables_are_none_or_two : assume (code_table_i <= Table1 && (code_table_i == TableNone || size_i == 2'd0));
      codes_have_1_2_or_4_bytes : assume (size_i <= 2'd2);
      columns_of_four_bytes_are_chosen : assume (col_i == '1 || size_i == 2'd2);
      offset_is_a_multiple : assume (pairs ? 32'(offset_i) % Each == 0 && 32'(offset_i) < BEAT :
                                     (32'(offset_i) & ((COLS << size_i) - 1)) == 0);
      pairs_are_bytes : assume (!pairs || (size_i == 2'd0 && (!Split || !addr_i[0])));
      rows_and_beats_exist : assume (32'(read_row_i) < ROWS && 32'(read_beat_i) < Beats && 32'(row) < ROWS);
      written_in_the_next_cycle : assert (!given_q || (dut.write_q[row] && write_addr == addr &&
                                                       dut.enable_q[position] &&
                                                       dut.data[row][position] == written_value));
      no_other_byte_is_written : assert (given_q || !dut.write_q[row] || write_addr != addr || !dut.enable_q[position]);
      halves_as_read : assert (!Split || !shown_q || dut.read_second_q == (shown_at_q != position));
      beat_of_the_byte : assert (!shown_q || (dut.read_row_q == row && 32'(dut.read_beat_q) == 32'(position) / BEAT));
      read_gives_the_byte : assert (!shown_q || read_data[32'(shown_at_q) % BEAT] == shown_value_q);
      read_again : cover (shown_q && read_i && shown_value_q == 8'h3c);
      overwritten : cover (known_q && given_q && written_value != value_q);
      result_1 : cover (PAIRS == 1'b0 || (shown_q && shown_at_q % BEAT != position % BEAT) || (!Split && given_q));
      mapped_code : cover (given_q && map_q && entry_used_q[row][given_col_q] && written_value == 8'ha5);
    end
  end

endmodule
