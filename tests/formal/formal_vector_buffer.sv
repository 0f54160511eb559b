// SPDX-License-Identifier: Apache-2.0
// fp8mac_vector_buffer: any beat of either half holds what was last written to it. Reading any index in it gives the
// WIDTH values that begin there, in the next cycle.
module formal_vector_buffer #(
  parameter int unsigned DEPTH = 16,
  parameter int unsigned WIDTH = 2,
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PerBeat = BEAT / 4,
  localparam int unsigned Words   = (DEPTH + PerBeat - 1) / PerBeat,
  localparam int unsigned WordW   = (Words > 1) ? $clog2(Words) : 1,
  localparam int unsigned IndexW  = WordW + $clog2(PerBeat)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              write_i,
  input logic              write_half_i,
  input logic [WordW-1:0]  write_word_i,
  input logic [BEAT*8-1:0] write_data_i,
  input logic              read_half_i,
  input logic [IndexW-1:0] read_index_i,
  input logic [WordW:0]    place_i
);
  logic [WIDTH-1:0][31:0] read_data;

  fp8mac_vector_buffer #(.DEPTH(DEPTH), .WIDTH(WIDTH), .BEAT(BEAT)) dut (
    .clk_i, .write_i, .write_half_i, .write_word_i, .write_data_i, .read_half_i, .read_index_i, .read_data_o(read_data)
  );

  logic             half;
  logic [WordW-1:0] word;
  formal_const #(.WIDTH(WordW + 1)) u_compare (.clk_i, .any_i(place_i), .const_o({half, word}));
  formal_reset u_reset (.clk_i, .rst_ni);

  logic              written_q, shown_q;
  logic [BEAT*8-1:0] beat_q;
  logic [WIDTH*32-1:0] expected_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      shown_q   <= 1'b0;
    end else begin
      if (write_i && {write_half_i, write_word_i} == {half, word}) begin
        written_q <= 1'b1;
        beat_q    <= write_data_i;
      end
      shown_q    <= written_q && read_half_i == half && 32'(read_index_i) / PerBeat == 32'(word);
      expected_q <= (WIDTH*32)'(beat_q >> (32'(read_index_i) % PerBeat * 32));
    end
  end

  always_comb begin
    if (rst_ni) begin
      index_is_a_multiple : assume (32'(read_index_i) % WIDTH == 0);
      keeps_its_beat : assert (!written_q || dut.mem_q[{half, word}] == beat_q);
      read_gives_the_values : assert (!shown_q || read_data == expected_q);
      reads_the_last_values : cover (shown_q && read_data[WIDTH-1] == 32'h3f80_0000 && word == '1);
    end
  end

endmodule
