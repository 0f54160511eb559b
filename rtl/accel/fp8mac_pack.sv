// SPDX-License-Identifier: Apache-2.0
// The D buffer: packs finished outputs into words, from which whole beats are read. It is
// one memory with byte enables for each row of a transfer. The engines on both sides
// choose the addresses.
//
//   cycle t    a transfer is there: COLS codes for each of its rows, to be written from byte offset_i of word addr_i on
//   cycle t+1  it is written; a read of cycle t+2 sees it
//
// A read gives one beat in the next cycle, and the beat stays until the next read.
//
// With pairs, codes have one byte. The first half of a transfer's codes are results 0 of as many
// channels, and offset_i is that of the first one. The others are the results 1, which lie a beat
// behind. If that is another word, each memory has two halves with an address each, and the word of
// the results 1 has its halves exchanged: both results of a channel then lie in different halves.
//
//   half 0        half 1
//   channels 0-7  channels 8-15    results 0, word a
//   channels 8-15 channels 0-7     results 1, word a + 1       with a beat of 16
//
// A table maps codes of one byte to codes of one byte. There are two, each in a memory for each
// code of a transfer. They are written by software, and not while they are in use.
module fp8mac_pack
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS  = 2,    // of a transfer: a power of two
  parameter int unsigned COLS  = 4,
  parameter int unsigned WORDS = 64,   // of a memory
  parameter int unsigned WORD  = 16,   // bytes; at least a beat, and at least COLS codes of four bytes
  parameter int unsigned BEAT  = 16,
  parameter bit          TABLES = 1'b1,     // there are tables
  parameter bit          PAIRS  = 1'b0,     // there may be pairs
  parameter int unsigned TABLE_WORDS = 64,  // of four codes, in a table; fewer serve proofs
  localparam int unsigned AddrW  = $clog2(WORDS),
  localparam int unsigned WordW  = $clog2(WORD),
  localparam int unsigned RowW   = (ROWS > 1) ? $clog2(ROWS) : 1,
  localparam int unsigned Beats  = WORD / BEAT,
  localparam int unsigned BeatW  = (Beats > 1) ? $clog2(Beats) : 1,
  localparam int unsigned TableW = $clog2(TABLE_WORDS)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            valid_i,
  input  logic [ROWS-1:0]                 row_i,     // rows that are written
  input  logic [COLS-1:0]                 col_i,     // codes of four bytes that are written; all ones for others
  input  logic [ROWS-1:0][COLS-1:0][31:0] code_i,    // right-justified
  input  logic [1:0]                      size_i,    // log2 of a code's bytes
  input  logic                            pairs_i,   // size_i = 0, and all of col_i
  input  code_table_e                     code_table_i,  // TableNone, or size_i = 0
  input  logic [AddrW-1:0]                addr_i,
  input  logic [WordW-1:0]                offset_i,  // a multiple of the bytes of COLS codes; pairs: of half

  input  fp8mac_cmd_pkg::table_write_t    table_write_i,

  input  logic                            read_i,
  input  logic [RowW-1:0]                 read_row_i,
  input  logic [AddrW-1:0]                read_addr_i,
  input  logic [BeatW-1:0]                read_beat_i,
  input  logic                            read_second_i,  // it has results 1
  output logic [BEAT*8-1:0]               read_data_o
);
  localparam int unsigned ColsLog = $clog2(COLS);
  localparam int unsigned Widest  = COLS * 4;

  // ---- cycle t: codes side by side --------------------------------------------------------------
  // A row's codes, repeated over the word; the byte enables choose the right copy. With pairs,
  // those of results 0 or 1.
  localparam bit          Split  = PAIRS && WORD == BEAT;  // results 0 and 1 lie in different words
  localparam int unsigned Halves = Split ? 2 : 1;          // of a memory
  localparam int unsigned Field  = Split ? WORD / 2 : BEAT;
  localparam int unsigned Each   = (COLS > 1) ? COLS / 2 : 1;  // channels of a transfer, with pairs

  logic [ROWS-1:0][WORD-1:0][7:0] word, word_q;
  logic [WORD-1:0][WordW-1:0]     from;    // bytes from the first code's
  logic [WORD-1:0]                enable, enable_q, second, second_q;  // second: the byte takes a result 1
  logic [ROWS-1:0]                write_q;
  logic [AddrW-1:0]               addr_q;
  logic                           pairs, pairs_q, upper_q;
  logic                           upper;   // the results 0 lie in the upper half of their word

  assign pairs = PAIRS && pairs_i;
  assign upper = offset_i[WordW-1];

  always_comb begin
    for (int unsigned b = 0; b < WORD; b++) begin
      second[b] = pairs && (Split ? (b >= WORD / 2) != upper : b >= BEAT);
      from[b]   = WordW'(b) ^ offset_i;
      enable[b] = pairs ? 32'(from[b]) % Field / Each == 0 :
                          from[b] >> ColsLog >> size_i == '0 && col_i[b % Widest / 4];
    end
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned b = 0; b < WORD; b++) begin
        unique case (size_i)
          2'd0:    word[r][b] = pairs ? code_i[r][(second[b] ? Each : 0) + b % Each][7:0] : code_i[r][b % COLS][7:0];
          2'd1:    word[r][b] = code_i[r][b % (COLS * 2) / 2][b % 2 * 8 +: 8];
          default: word[r][b] = code_i[r][b % Widest / 4][b % 4 * 8 +: 8];
        endcase
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= valid_i ? row_i : '0;
    word_q   <= word;
    enable_q <= enable;
    addr_q   <= addr_i;
    second_q <= second;
    pairs_q  <= pairs;
    upper_q  <= upper;
  end

  // ---- cycle t+1: mapped codes ------------------------------------------------------------------
  logic [ROWS-1:0][COLS-1:0][7:0] mapped;
  logic [ROWS-1:0][WORD-1:0][7:0] data;
  logic                           map_q;

  always_ff @(posedge clk_i) map_q <= TABLES && code_table_i != TableNone;

  if (TABLES) begin : g_tables
    for (genvar r = 0; r < int'(ROWS); r++) begin : g_map_row
      for (genvar c = 0; c < int'(COLS); c++) begin : g_map_col
        logic [1:0]      byte_q;
        logic [3:0][7:0] codes;

        fp8mac_two_port_ram #(.DEPTH(2 * TABLE_WORDS), .WIDTH(32)) u_table (
          .clk_i,
          .write_i        (table_write_i.write),
          .write_address_i({table_write_i.second, TableW'(table_write_i.word)}),
          .write_data_i   (table_write_i.codes),
          .read_i         (valid_i && code_table_i != TableNone),
          .read_address_i ({code_table_i == Table1, TableW'(code_i[r][c][7:2])}),
          .read_data_o    (codes)
        );
        always_ff @(posedge clk_i) byte_q <= code_i[r][c][1:0];
        assign mapped[r][c] = codes[byte_q];
      end
    end
  end else begin : g_no_tables
    assign mapped = '0;
    logic unused_table;
    assign unused_table = ^table_write_i;
  end

  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned b = 0; b < WORD; b++) begin
        data[r][b] = !map_q ? word_q[r][b] : mapped[r][pairs_q ? (second_q[b] ? Each : 0) + b % Each : b % COLS];
      end
    end
  end

  // ---- the memories -----------------------------------------------------------------------------
  logic [ROWS-1:0][Halves-1:0][WORD/Halves-1:0][7:0] halves, read_word;
  logic [RowW-1:0]                        read_row_q;
  logic [BeatW-1:0]                       read_beat_q;
  logic                                   read_second_q;

  for (genvar row = 0; row < int'(ROWS); row++) begin : g_row
    for (genvar half = 0; half < int'(Halves); half++) begin : g_half
      localparam int unsigned Bytes = WORD / Halves;
      logic [AddrW-1:0] write_addr;

      assign write_addr = (Split && pairs_q && upper_q != 1'(half)) ? addr_q + AddrW'(1) : addr_q;

      fp8mac_byte_ram #(.BYTES(Bytes), .DEPTH(WORDS)) u_ram (
        .clk_i,
        .write_i     (write_q[row] ? enable_q[half*Bytes +: Bytes] : '0),
        .write_addr_i(write_addr),
        .write_data_i(data[row][half*Bytes +: Bytes]),
        .read_i      (read_i && read_row_i == RowW'(row)),
        .read_addr_i,
        .read_data_o (halves[row][half])
      );
      // The halves of results 1 are exchanged back.
      assign read_word[row][half] = halves[row][(Split && read_second_q) ? 1 - half : half];
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_row_q    <= read_row_i;
      read_beat_q   <= read_beat_i;
      read_second_q <= read_second_i;
    end
  end

  logic [ROWS-1:0][Beats-1:0][BEAT*8-1:0] read_beats;
  assign read_beats  = read_word;
  assign read_data_o = read_beats[read_row_q][read_beat_q];

  if (WORD % BEAT != 0 || WORD % Widest != 0) begin : g_word
    $error("a word must hold whole beats and COLS codes of four bytes");
  end

endmodule
