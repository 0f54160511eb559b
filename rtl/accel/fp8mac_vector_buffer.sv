// SPDX-License-Identifier: Apache-2.0
// A double buffer for a vector of FP32 values, one per row or column of D. A write stores one beat.
// A read gives the READ values of a tile in the next cycle. Values of more than one beat come from
// as many memories, side by side.
module fp8mac_vector_buffer #(
  parameter int unsigned DEPTH = 128,   // values per half
  parameter int unsigned READ  = 4,     // values of a tile: a power of two, at most DEPTH
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PerBeat = BEAT / 4,
  localparam int unsigned Words   = (DEPTH + PerBeat - 1) / PerBeat,
  localparam int unsigned WordW   = (Words > 1) ? $clog2(Words) : 1,
  localparam int unsigned Tiles   = (DEPTH + READ - 1) / READ,
  localparam int unsigned TileW   = (Tiles > 1) ? $clog2(Tiles) : 1
) (
  input  logic                  clk_i,

  input  logic                  write_i,
  input  logic                  write_half_i,
  input  logic [WordW-1:0]      write_word_i,
  input  logic [BEAT*8-1:0]     write_data_i,

  input  logic                  read_half_i,
  input  logic [TileW-1:0]      read_tile_i,
  output logic [READ-1:0][31:0] read_data_o
);
  localparam int unsigned Banks        = (READ > PerBeat) ? READ / PerBeat : 1;
  localparam int unsigned BankLog      = $clog2(Banks);
  localparam int unsigned TilesPerBeat = (READ < PerBeat) ? PerBeat / READ : 1;
  localparam int unsigned TilesLog     = $clog2(TilesPerBeat);
  // Address: | half | words of the half in one memory |
  localparam int unsigned AddrW = 1 + WordW - BankLog;

  logic [AddrW-1:0]         write_addr, read_addr;
  logic [31:0]              write_bank;
  logic [Banks*BEAT*8-1:0]  word;

  assign write_addr = AddrW'({write_half_i, write_word_i} >> BankLog);
  assign write_bank = 32'(write_word_i) & 32'(Banks - 1);
  assign read_addr  = AddrW'(32'(read_half_i) << (AddrW - 1)) | AddrW'(32'(read_tile_i) >> TilesLog);

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : g_bank
    logic [BEAT*8-1:0] read_word;

    fp8mac_two_port_ram #(.DEPTH(1 << AddrW), .WIDTH(BEAT * 8)) u_ram (
      .clk_i,
      .write_i        (write_i && write_bank == 32'(bank)),
      .write_address_i(write_addr),
      .write_data_i,
      .read_i         (1'b1),
      .read_address_i (read_addr),
      .read_data_o    (read_word)
    );

    assign word[bank*BEAT*8 +: BEAT*8] = read_word;
  end

  // Where a beat has the values of several tiles: | tile | tile | ... |
  if (TilesPerBeat > 1) begin : g_tiles
    logic [TilesLog-1:0]                      tile_q;
    logic [TilesPerBeat-1:0][READ-1:0][31:0]  tiles;

    always_ff @(posedge clk_i) tile_q <= TilesLog'(read_tile_i);
    assign tiles       = word;
    assign read_data_o = tiles[tile_q];
  end else begin : g_whole
    assign read_data_o = word;
  end

  if ((READ & (READ - 1)) != 0 || READ > DEPTH) begin : g_read
    $error("READ must be a power of two and at most DEPTH");
  end

endmodule
