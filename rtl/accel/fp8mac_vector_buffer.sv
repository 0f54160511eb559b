// SPDX-License-Identifier: Apache-2.0
// A double buffer for a vector of FP32 values, one per row or column of D. A write stores one beat. A read gives WIDTH
// values in the cycle after the index; the index is a multiple of WIDTH.
module fp8mac_vector_buffer #(
  parameter int unsigned DEPTH = 128,   // values per half
  parameter int unsigned WIDTH = 4,
  parameter int unsigned BEAT  = 16,
  localparam int unsigned PerBeat = BEAT / 4,
  localparam int unsigned Words   = (DEPTH + PerBeat - 1) / PerBeat,
  localparam int unsigned WordW   = (Words > 1) ? $clog2(Words) : 1,
  localparam int unsigned IndexW  = WordW + $clog2(PerBeat)
) (
  input  logic                   clk_i,

  input  logic                   write_i,
  input  logic                   write_half_i,
  input  logic [WordW-1:0]       write_word_i,
  input  logic [BEAT*8-1:0]      write_data_i,

  input  logic                   read_half_i,
  input  logic [IndexW-1:0]      read_index_i,
  output logic [WIDTH-1:0][31:0] read_data_o
);
  localparam int unsigned Groups = PerBeat / WIDTH;
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1;

  logic [BEAT*8-1:0] mem_q [2 << WordW];
  logic [Groups-1:0][WIDTH-1:0][31:0] word_q;

  always_ff @(posedge clk_i) begin
    if (write_i) mem_q[{write_half_i, write_word_i}] <= write_data_i;
  end

  always_ff @(posedge clk_i) begin
    word_q <= mem_q[{read_half_i, read_index_i[IndexW-1 -: WordW]}];
  end

  // Index: | word | group | value within the group |
  if (Groups > 1) begin : g_group
    logic [GroupW-1:0] group_q;
    always_ff @(posedge clk_i) group_q <= read_index_i[$clog2(WIDTH) +: GroupW];
    assign read_data_o = word_q[group_q];
  end else begin : g_whole
    assign read_data_o = word_q[0];
  end

  if (PerBeat % WIDTH != 0) begin : g_width
    $error("a beat must hold a whole number of groups of WIDTH values");
  end

endmodule
