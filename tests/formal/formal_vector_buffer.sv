// SPDX-License-Identifier: Apache-2.0
// fp8mac_vector_buffer: any value of either half is the one that was last written. Reading its tile
// gives it in the next cycle, in its position.
module formal_vector_buffer #(
  parameter int unsigned DEPTH = 16,
  parameter int unsigned READ  = 2,
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PerBeat   = BEAT / 4,
  localparam int unsigned Words     = (DEPTH + PerBeat - 1) / PerBeat,
  localparam int unsigned WordW     = (Words > 1) ? $clog2(Words) : 1,
  localparam int unsigned Tiles     = (DEPTH + READ - 1) / READ,
  localparam int unsigned TileW     = (Tiles > 1) ? $clog2(Tiles) : 1,
  localparam int unsigned Banks     = (READ > PerBeat) ? READ / PerBeat : 1,
  localparam int unsigned PositionW = 1 + $clog2(DEPTH)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 write_i,
  input logic                 write_half_i,
  input logic [WordW-1:0]     write_word_i,
  input logic [BEAT*8-1:0]    write_data_i,
  input logic                 read_half_i,
  input logic [TileW-1:0]     read_tile_i,
  input logic [PositionW-1:0] position_i
);
  logic [READ-1:0][31:0] read_data;

  fp8mac_vector_buffer #(.DEPTH(DEPTH), .READ(READ), .BEAT(BEAT)) dut (
    .clk_i, .write_i, .write_half_i, .write_word_i, .write_data_i, .read_half_i, .read_tile_i, .read_data_o(read_data)
  );

  // The value that is followed
  logic                 half;
  logic [PositionW-2:0] index;
  formal_const #(.WIDTH(PositionW)) u_compare (.clk_i, .any_i(position_i), .const_o({half, index}));
  formal_reset u_reset (.clk_i, .rst_ni);

  logic                     written_q, shown_q;
  logic [31:0]              value_q, expected_q;
  logic [PerBeat-1:0][31:0] beat;

  assign beat = write_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      shown_q   <= 1'b0;
    end else begin
      if (write_i && write_half_i == half && 32'(write_word_i) == 32'(index) / PerBeat) begin
        written_q <= 1'b1;
        value_q   <= beat[32'(index) % PerBeat];
      end
      shown_q    <= written_q && read_half_i == half && 32'(read_tile_i) == 32'(index) / READ;
      expected_q <= value_q;
    end
  end

  // The words of a half take turns in the memories.
  logic [31:0] word;
  assign word = (32'(half) << WordW | 32'(index) / PerBeat) / Banks;

  for (genvar bank = 0; bank < int'(Banks); bank++) begin : g_bank
    logic [PerBeat-1:0][31:0] kept;
    assign kept = dut.g_bank[bank].u_ram.word_q[word];

    always_comb begin
      if (rst_ni) begin
        keeps_its_value : assert (!written_q || 32'(index) / PerBeat % Banks != 32'(bank) ||
                                  kept[32'(index) % PerBeat] == value_q);
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      read_gives_the_value : assert (!shown_q || read_data[32'(index) % READ] == expected_q);
      reads_the_last_value : cover (shown_q && expected_q == 32'h3f80_0000 && 32'(index) == DEPTH - 1);
    end
  end

endmodule
