// SPDX-License-Identifier: Apache-2.0
// A double buffer for the rows of one operand: RAMS row RAMs, each with two halves of DEPTH beats. Row r of a half lies
// in row RAM r % RAMS. A beat is written to one RAM. All RAMs are read at one address. In the next cycle each gives one
// group of LANES bytes. The RAMs are plain synchronous memories with one write port and one read port.
module fp8mac_operand_buffer #(
  parameter int unsigned RAMS = 8,
  parameter int unsigned LANES = 4,
  parameter int unsigned BEAT  = 16,
  parameter int unsigned DEPTH = 256,
  localparam int unsigned WordW  = $clog2(DEPTH),
  localparam int unsigned RamW  = $clog2(RAMS),
  localparam int unsigned Groups = BEAT / LANES,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic                             clk_i,

  input  logic                             write_i,
  input  logic                             write_half_i,
  input  logic [RamW-1:0]                 write_ram_i,
  input  logic [WordW-1:0]                 write_word_i,
  input  logic [BEAT*8-1:0]                write_data_i,

  input  logic                             read_i,
  input  logic                             read_half_i,
  input  logic [WordW-1:0]                 read_word_i,
  input  logic [GroupW-1:0]                read_group_i,
  output logic [RAMS-1:0][LANES-1:0][7:0] read_data_o
);
  logic [GroupW-1:0] group_q;

  always_ff @(posedge clk_i) begin
    if (read_i) group_q <= read_group_i;
  end

  for (genvar ram = 0; ram < int'(RAMS); ram++) begin : g_ram
    logic [BEAT*8-1:0] mem_q [2*DEPTH];
    logic [Groups-1:0][LANES-1:0][7:0] word_q;

    always_ff @(posedge clk_i) begin
      if (write_i && write_ram_i == RamW'(ram)) mem_q[{write_half_i, write_word_i}] <= write_data_i;
    end

    always_ff @(posedge clk_i) begin
      if (read_i) word_q <= mem_q[{read_half_i, read_word_i}];
    end

    assign read_data_o[ram] = (Groups > 1) ? word_q[group_q] : word_q[0];
  end

  if ((1 << WordW) != DEPTH) begin : g_depth
    $error("DEPTH must be a power of two");
  end

endmodule
