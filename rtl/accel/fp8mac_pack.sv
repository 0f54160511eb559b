// SPDX-License-Identifier: Apache-2.0
// The D buffer: packs finished outputs into words, from which whole beats are read. It is one memory with byte enables
// for each row of a transfer. The engines on both sides choose the addresses.
//
//   cycle t    a transfer is there: COLS codes for each of its rows, to be written from byte offset_i of word addr_i on
//   cycle t+1  it is written; a read of cycle t+2 sees it
//
// A read gives one beat in the next cycle, and the beat stays until the next read.
//
// A table maps codes of one byte to codes of one byte. There are two, each in a memory for each code of a transfer. They
// are written by software, and not while they are in use.
module fp8mac_pack
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS  = 2,    // of a transfer: a power of two
  parameter int unsigned COLS  = 4,
  parameter int unsigned WORDS = 64,   // of a memory
  parameter int unsigned WORD  = 16,   // bytes; at least a beat, and at least COLS codes of four bytes
  parameter int unsigned BEAT  = 16,
  parameter bit          TABLES = 1'b1,     // there are tables
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
  input  code_table_e                     code_table_i,  // TableNone, or size_i = 0
  input  logic [AddrW-1:0]                addr_i,
  input  logic [WordW-1:0]                offset_i,  // a multiple of the bytes of COLS codes

  input  fp8mac_cmd_pkg::table_write_t    table_write_i,

  input  logic                            read_i,
  input  logic [RowW-1:0]                 read_row_i,
  input  logic [AddrW-1:0]                read_addr_i,
  input  logic [BeatW-1:0]                read_beat_i,
  output logic [BEAT*8-1:0]               read_data_o
);
  localparam int unsigned ColsLog = $clog2(COLS);
  localparam int unsigned Widest  = COLS * 4;

  // ---- cycle t: codes side by side ---------------------------------------------------------------------------------
  // A row's codes, repeated over the word; the byte enables choose the right copy.
  logic [ROWS-1:0][WORD-1:0][7:0] word, word_q;
  logic [WORD-1:0]                enable, enable_q;
  logic [ROWS-1:0]                write_q;
  logic [AddrW-1:0]               addr_q;

  always_comb begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned b = 0; b < WORD; b++) begin
        unique case (size_i)
          2'd0:    word[r][b] = code_i[r][b % COLS][7:0];
          2'd1:    word[r][b] = code_i[r][b % (COLS * 2) / 2][b % 2 * 8 +: 8];
          default: word[r][b] = code_i[r][b % Widest / 4][b % 4 * 8 +: 8];
        endcase
      end
    end
    for (int unsigned b = 0; b < WORD; b++) begin
      enable[b] = (WordW'(b) ^ offset_i) >> ColsLog >> size_i == '0 && col_i[b % Widest / 4];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= valid_i ? row_i : '0;
    word_q   <= word;
    enable_q <= enable;
    addr_q   <= addr_i;
  end

  // ---- cycle t+1: mapped codes -------------------------------------------------------------------------------------
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
      for (int unsigned b = 0; b < WORD; b++) data[r][b] = map_q ? mapped[r][b % COLS] : word_q[r][b];
    end
  end

  // ---- the memories ------------------------------------------------------------------------------------------------
  logic [ROWS-1:0][Beats-1:0][BEAT*8-1:0] read_word;
  logic [RowW-1:0]                        read_row_q;
  logic [BeatW-1:0]                       read_beat_q;

  for (genvar row = 0; row < int'(ROWS); row++) begin : g_row
    fp8mac_byte_ram #(.BYTES(WORD), .DEPTH(WORDS)) u_ram (
      .clk_i,
      .write_i     (write_q[row] ? enable_q : '0),
      .write_addr_i(addr_q),
      .write_data_i(data[row]),
      .read_i      (read_i && read_row_i == RowW'(row)),
      .read_addr_i,
      .read_data_o (read_word[row])
    );
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      read_row_q  <= read_row_i;
      read_beat_q <= read_beat_i;
    end
  end

  assign read_data_o = read_word[read_row_q][read_beat_q];

  if (WORD % BEAT != 0 || WORD % Widest != 0) begin : g_word
    $error("a word must hold whole beats and COLS codes of four bytes");
  end

endmodule
