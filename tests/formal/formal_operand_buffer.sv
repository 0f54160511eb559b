// SPDX-License-Identifier: Apache-2.0
// fp8mac_operand_buffer: any beat of any row RAM and half holds what was last written to it, and
// the bound of any block is the one that came last. A read gives the requested slice of its word
// and the bound of its block, in the next cycle and until the next read.
module formal_operand_buffer #(
  parameter int unsigned RAMS        = 2,
  parameter int unsigned LANES       = 2,
  parameter int unsigned BEAT        = 4,
  parameter int unsigned DEPTH       = 4,
  parameter int unsigned BLOCK_BEATS = 2,
  localparam int unsigned BoundW    = 3,
  localparam int unsigned BeatW     = $clog2(DEPTH),
  localparam int unsigned RamW      = $clog2(RAMS),
  localparam int unsigned Parts     = (LANES > BEAT) ? LANES / BEAT : 1,
  localparam int unsigned WordW     = $clog2(DEPTH / Parts),
  localparam int unsigned Slices    = Parts * BEAT / LANES,
  localparam int unsigned SliceW    = (Slices > 1) ? $clog2(Slices) : 1,
  localparam int unsigned PositionW = RamW + 1 + BeatW
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               write_i,
  input logic               write_half_i,
  input logic [RamW-1:0]    write_ram_i,
  input logic [BeatW-1:0]   write_beat_i,
  input logic [BEAT*8-1:0]  write_data_i,
  input logic [BoundW-1:0] write_bound_i,
  input logic                  read_i,
  input logic                  read_half_i,
  input logic [WordW-1:0]      read_word_i,
  input logic [SliceW-1:0]     read_slice_i,
  input logic [PositionW-1:0]  position_i
);
  logic [RAMS-1:0][LANES*8-1:0] read_data;
  logic [RAMS-1:0][BoundW-1:0] read_bound;

  fp8mac_operand_buffer #(
    .RAMS(RAMS), .LANES(LANES), .BEAT(BEAT), .DEPTH(DEPTH), .BLOCK_BEATS(BLOCK_BEATS), .BOUND_W(BoundW)
  ) dut (
    .clk_i, .rst_ni, .write_i, .write_half_i, .write_ram_i, .write_beat_i, .write_data_i, .write_bound_i, .read_i,
    .read_half_i, .read_word_i, .read_slice_i, .read_data_o(read_data), .read_bound_o(read_bound)
  );

  // The beat that the solver chooses, its word, and its part of the word
  logic [RamW-1:0]  ram;
  logic             half;
  logic [BeatW-1:0] beat;
  logic [31:0]      word, part, block;
  formal_const #(.WIDTH(PositionW)) u_compare (.clk_i, .any_i(position_i), .const_o({ram, half, beat}));
  formal_reset u_reset (.clk_i, .rst_ni);

  assign word  = 32'(beat) / Parts;
  assign part  = 32'(beat) % Parts;
  assign block = 32'(beat) / BLOCK_BEATS;

  logic               to_ram, written_q, bound_written_q, shown_q, bound_shown_q;
  logic [BEAT*8-1:0]  beat_q;
  logic [BoundW-1:0] bound_q, expected_bound_q;
  logic [BEAT*8-1:0]  expected_q;   // of the slice's bytes, those of the beat
  logic [31:0]        first_q;      // the slice's first byte in the word

  assign to_ram = write_i && {write_ram_i, write_half_i} == {ram, half};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q       <= 1'b0;
      bound_written_q <= 1'b0;
      shown_q         <= 1'b0;
      bound_shown_q   <= 1'b0;
    end else begin
      if (to_ram && write_beat_i == beat) begin
        written_q <= 1'b1;
        beat_q    <= write_data_i;
      end
      if (to_ram && 32'(write_beat_i) / BLOCK_BEATS == block) begin
        bound_written_q <= 1'b1;
        bound_q         <= write_bound_i;
      end
      if (read_i) begin
        shown_q          <= written_q && read_half_i == half && 32'(read_word_i) == word;
        expected_q       <= beat_q;
        first_q          <= 32'(read_slice_i) * LANES;
        bound_shown_q    <= bound_written_q && read_half_i == half && 32'(read_word_i) * Parts / BLOCK_BEATS == block;
        expected_bound_q <= bound_q;
      end
    end
  end

  for (genvar b = 0; b < int'(RAMS); b++) begin : g_ram
    for (genvar h = 0; h < 2; h++) begin : g_half
      for (genvar p = 0; p < int'(Parts); p++) begin : g_part
        always_comb begin
          if (rst_ni && ram == RamW'(b) && half == 1'(h) && part == p) begin
            keeps_its_beat : assert (!written_q ||
              dut.g_ram[b].g_half[h].g_part[p].u_words.mem_q[word[WordW-1:0]] == beat_q);
          end
        end
      end
      always_comb begin
        if (rst_ni && ram == RamW'(b) && half == 1'(h)) begin
          keeps_its_bound : assert (!bound_written_q ||
            dut.g_ram[b].g_half[h].g_bound.u_bounds.mem_q[block[$clog2(DEPTH/BLOCK_BEATS)-1:0]] == bound_q);
        end
      end
    end

    // Byte i of the slice is byte first_q + i of the word. The beat has the bytes from part * BEAT
    // on.
    for (genvar i = 0; i < int'(LANES); i++) begin : g_byte
      logic [31:0] byte_of_beat;
      assign byte_of_beat = first_q + i - part * BEAT;
      always_comb begin
        if (rst_ni && ram == RamW'(b) && shown_q && byte_of_beat < BEAT) begin
          read_gives_the_slice : assert (read_data[b][8*i +: 8] == 8'(expected_q >> (8 * byte_of_beat)));
        end
      end
    end
    always_comb begin
      if (rst_ni && ram == RamW'(b)) begin
        read_gives_the_bound : assert (!bound_shown_q || read_bound[b] == expected_bound_q);
        reads_what_was_written : cover (
          shown_q && bound_shown_q && read_data[b][7:0] == 8'h5a && read_bound[b] == 3'd5);
      end
    end
  end

  always_comb begin
    halves_are_apart : assume (!(write_i && read_i && write_half_i == read_half_i));
    if (rst_ni) begin
      slice_exists : assume (32'(read_slice_i) < Slices);
      in_one_cycle : cover (shown_q && write_i && read_i && read_half_i == half && !to_ram);
    end
  end

endmodule
