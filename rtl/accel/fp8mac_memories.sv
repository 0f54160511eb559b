// SPDX-License-Identifier: Apache-2.0
// The memories that the load engine fills: the operand buffers of A and B, and the buffers of scales and biases. Each
// beat arrives with its destination. Every read answers in the next cycle.
module fp8mac_memories
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS      = 8,
  parameter int unsigned COLS      = 8,
  parameter int unsigned LANES     = 4,
  parameter int unsigned BEAT      = 16,
  parameter int unsigned BUF_BEATS = 256,
  parameter int unsigned MAX_MN    = 128,
  parameter int unsigned WIDTH     = 4,   // columns read at a time
  localparam int unsigned WordW  = $clog2(BUF_BEATS),
  localparam int unsigned Groups = BEAT / LANES,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic                            clk_i,

  input  logic                            beat_valid_i,
  input  read_dest_t                      beat_dest_i,
  input  logic [BEAT*8-1:0]               beat_data_i,

  input  logic                            operand_read_i,
  input  logic                            a_half_i,
  input  logic [WordW-1:0]                a_word_i,
  input  logic                            b_half_i,
  input  logic [WordW-1:0]                b_word_i,
  input  logic [GroupW-1:0]               operand_group_i,
  output logic [ROWS-1:0][LANES-1:0][7:0] a_code_o,
  output logic [COLS-1:0][LANES-1:0][7:0] b_code_o,

  input  logic                            vector_half_i,
  input  dim_t                            row_i,
  input  dim_t                            col_i,          // a multiple of WIDTH
  output logic [31:0]                     scale_a_o,
  output logic [WIDTH-1:0][31:0]          scale_b_o,
  output logic [WIDTH-1:0][31:0]          bias_o
);
  localparam int unsigned PerBeat = BEAT / 4;
  localparam int unsigned Words   = (MAX_MN + PerBeat - 1) / PerBeat;
  localparam int unsigned VWordW  = (Words > 1) ? $clog2(Words) : 1;
  localparam int unsigned IndexW  = VWordW + $clog2(PerBeat);

  // ---- operands ----------------------------------------------------------------------------------------------------
  fp8mac_operand_buffer #(.RAMS(ROWS), .LANES(LANES), .BEAT(BEAT), .DEPTH(BUF_BEATS)) u_a (
    .clk_i,
    .write_i     (beat_valid_i && beat_dest_i.kind == DestA),
    .write_half_i(beat_dest_i.half),
    .write_ram_i(beat_dest_i.ram[$clog2(ROWS)-1:0]),
    .write_word_i(beat_dest_i.word[WordW-1:0]),
    .write_data_i(beat_data_i),
    .read_i      (operand_read_i),
    .read_half_i (a_half_i),
    .read_word_i (a_word_i),
    .read_group_i(operand_group_i),
    .read_data_o (a_code_o)
  );

  fp8mac_operand_buffer #(.RAMS(COLS), .LANES(LANES), .BEAT(BEAT), .DEPTH(BUF_BEATS)) u_b (
    .clk_i,
    .write_i     (beat_valid_i && beat_dest_i.kind == DestB),
    .write_half_i(beat_dest_i.half),
    .write_ram_i(beat_dest_i.ram[$clog2(COLS)-1:0]),
    .write_word_i(beat_dest_i.word[WordW-1:0]),
    .write_data_i(beat_data_i),
    .read_i      (operand_read_i),
    .read_half_i (b_half_i),
    .read_word_i (b_word_i),
    .read_group_i(operand_group_i),
    .read_data_o (b_code_o)
  );

  // ---- scales and biases -------------------------------------------------------------------------------------------
  fp8mac_vector_buffer #(.DEPTH(MAX_MN), .WIDTH(1), .BEAT(BEAT)) u_scale_a (
    .clk_i,
    .write_i     (beat_valid_i && beat_dest_i.kind == DestScaleA),
    .write_half_i(beat_dest_i.half),
    .write_word_i(beat_dest_i.word[VWordW-1:0]),
    .write_data_i(beat_data_i),
    .read_half_i (vector_half_i),
    .read_index_i(row_i[IndexW-1:0]),
    .read_data_o (scale_a_o)
  );

  fp8mac_vector_buffer #(.DEPTH(MAX_MN), .WIDTH(WIDTH), .BEAT(BEAT)) u_scale_b (
    .clk_i,
    .write_i     (beat_valid_i && beat_dest_i.kind == DestScaleB),
    .write_half_i(beat_dest_i.half),
    .write_word_i(beat_dest_i.word[VWordW-1:0]),
    .write_data_i(beat_data_i),
    .read_half_i (vector_half_i),
    .read_index_i(col_i[IndexW-1:0]),
    .read_data_o (scale_b_o)
  );

  fp8mac_vector_buffer #(.DEPTH(MAX_MN), .WIDTH(WIDTH), .BEAT(BEAT)) u_bias (
    .clk_i,
    .write_i     (beat_valid_i && beat_dest_i.kind == DestBias),
    .write_half_i(beat_dest_i.half),
    .write_word_i(beat_dest_i.word[VWordW-1:0]),
    .write_data_i(beat_data_i),
    .read_half_i (vector_half_i),
    .read_index_i(col_i[IndexW-1:0]),
    .read_data_o (bias_o)
  );

  // The half that is being loaded is never the half that is being read.
  a_halves_apart : assert property (@(posedge clk_i)
    !(beat_valid_i && beat_dest_i.kind == DestA && operand_read_i && beat_dest_i.half == a_half_i));
  b_halves_apart : assert property (@(posedge clk_i)
    !(beat_valid_i && beat_dest_i.kind == DestB && operand_read_i && beat_dest_i.half == b_half_i));

endmodule
