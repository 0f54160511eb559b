// SPDX-License-Identifier: Apache-2.0
// A double buffer for the MX scales of one operand: one E8M0 code for each block of MxBlock codes.
// Each of RAMS row RAMs of the operand has a memory of its scales, two halves of DEPTH beats. The
// scales of row r lie in memory r % RAMS. All memories are read at one address, one byte each. In
// the next cycle, and until the next read, each gives the byte, or with read_one_i the scale 1.
//
//   beat      0                               1
//   byte      [ 0 | 1 | 2 | ........ | 15 ]   [ 16 | 17 | ..... ]      BEAT = 16
module fp8mac_scale_buffer
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned RAMS  = 4,
  parameter int unsigned BEAT  = 16,
  parameter int unsigned DEPTH = 32,
  localparam int unsigned RamW  = (RAMS > 1) ? $clog2(RAMS) : 1,
  localparam int unsigned WordW = $clog2(DEPTH),
  localparam int unsigned ByteW = $clog2(BEAT)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,  // of an assertion alone

  input  logic                         write_i,
  input  logic                         write_half_i,
  input  logic [RamW-1:0]              write_ram_i,
  input  logic [WordW-1:0]             write_word_i,
  input  logic [BEAT*8-1:0]            write_data_i,

  input  logic                         read_i,
  input  logic                         read_one_i,
  input  logic                         read_half_i,
  input  logic [WordW-1:0]             read_word_i,
  input  logic [ByteW-1:0]             read_byte_i,
  output logic [RAMS-1:0][ScaleW-1:0]  scale_o
);
  logic [ByteW-1:0] byte_q;
  logic             one_q;

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      byte_q <= read_byte_i;
      one_q  <= read_one_i;
    end
  end

  for (genvar ram = 0; ram < int'(RAMS); ram++) begin : g_ram
    logic [BEAT-1:0][ScaleW-1:0] word;

    fp8mac_two_port_ram #(.DEPTH(2 * DEPTH), .WIDTH(BEAT * 8)) u_scales (
      .clk_i,
      .write_i        (write_i && write_ram_i == RamW'(ram)),
      .write_address_i({write_half_i, write_word_i}),
      .write_data_i,
      .read_i         (read_i && !read_one_i),
      .read_address_i ({read_half_i, read_word_i}),
      .read_data_o    (word)
    );
    assign scale_o[ram] = one_q ? ScaleW'(ScaleBias) : word[byte_q];
  end

  if ((1 << WordW) != DEPTH) begin : g_depth
    $error("DEPTH must be a power of two, and at least 2");
  end

  halves_apart : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(write_i && read_i && !read_one_i && write_half_i == read_half_i));

endmodule
