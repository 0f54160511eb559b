// SPDX-License-Identifier: Apache-2.0
// A double buffer for the rows of one operand: RAMS row RAMs, each with two halves of DEPTH beats.
// Row r of a half lies in row RAM r % RAMS. A beat is written to one RAM. All RAMs are read at one
// address, a whole word each. A word is a beat, or LANES / BEAT beats side by side if a step needs
// more than one. In the next cycle, and until the next read, each RAM gives one slice of LANES
// bytes of the word, and the bound of the block that the slice belongs to.
//
//   beat      0             1             2             3
//             [ 16 codes ]  [ 16 codes ]  [ 16 codes ]  [ 16 codes ]    BEAT = 16
//   bound     0                           1                             one for BLOCK_BEATS beats; with BOUNDS = 0 none
//
// Each half is a single-port memory: the half that is being written is never the half that is being
// read. The bound of a block is written with each of its beats, and the last one counts.
module fp8mac_operand_buffer #(
  parameter int unsigned RAMS        = 4,
  parameter int unsigned LANES       = 16,
  parameter int unsigned BEAT        = 16,
  parameter int unsigned DEPTH       = 256,
  parameter bit          BOUNDS      = 1'b1,
  parameter int unsigned BLOCK_BEATS = 2,     // beats of a block that has a bound
  parameter int unsigned BOUND_W     = 6,
  localparam int unsigned BeatW  = $clog2(DEPTH),
  localparam int unsigned RamW   = (RAMS > 1) ? $clog2(RAMS) : 1,
  localparam int unsigned Parts  = (LANES > BEAT) ? LANES / BEAT : 1,  // beats of a word
  localparam int unsigned WordW  = $clog2(DEPTH / Parts),
  localparam int unsigned Slices = Parts * BEAT / LANES,
  localparam int unsigned SliceW = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,  // of an assertion alone

  input  logic                            write_i,
  input  logic                            write_half_i,
  input  logic [RamW-1:0]                 write_ram_i,
  input  logic [BeatW-1:0]                write_beat_i,
  input  logic [BEAT*8-1:0]               write_data_i,
  input  logic [BOUND_W-1:0]              write_bound_i,

  input  logic                            read_i,
  input  logic                            read_half_i,
  input  logic [WordW-1:0]                read_word_i,
  input  logic [SliceW-1:0]               read_slice_i,
  output logic [RAMS-1:0][LANES-1:0][7:0] read_data_o,
  output logic [RAMS-1:0][BOUND_W-1:0]    read_bound_o
);
  localparam int unsigned PartLog   = $clog2(Parts);
  localparam int unsigned Blocks    = DEPTH / BLOCK_BEATS;
  localparam int unsigned BlockLog  = $clog2(BLOCK_BEATS) - PartLog;  // of a block's words
  localparam int unsigned BlockIdxW = (Blocks > 1) ? $clog2(Blocks) : 1;

  logic [SliceW-1:0] slice_q;
  logic              half_q;  // of the last read

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      slice_q <= read_slice_i;
      half_q  <= read_half_i;
    end
  end

  for (genvar ram = 0; ram < int'(RAMS); ram++) begin : g_ram
    logic [1:0]                             write, read;
    logic [1:0][Slices-1:0][LANES-1:0][7:0] word;
    logic [1:0][BOUND_W-1:0]                bound;

    for (genvar half = 0; half < 2; half++) begin : g_half
      logic [WordW-1:0]           addr;
      logic [Parts-1:0][BEAT*8-1:0] part;

      assign write[half] = write_i && write_half_i == 1'(half) && write_ram_i == RamW'(ram);
      assign read[half]  = read_i && read_half_i == 1'(half);
      assign addr        = read[half] ? read_word_i : WordW'(write_beat_i >> PartLog);
      assign word[half]  = part;

      for (genvar p = 0; p < int'(Parts); p++) begin : g_part
        logic write_part;
        assign write_part = write[half] && (write_beat_i & BeatW'(Parts - 1)) == BeatW'(p);
        fp8mac_ram #(.WIDTH(BEAT * 8), .DEPTH(DEPTH / Parts)) u_words (
          .clk_i, .en_i(read[half] || write_part), .write_i(write_part), .addr_i(addr), .data_i(write_data_i),
          .data_o(part[p])
        );
      end

      if (BOUNDS) begin : g_bound
        fp8mac_ram #(.WIDTH(BOUND_W), .DEPTH(Blocks)) u_bounds (
          .clk_i, .en_i(read[half] || write[half]), .write_i(write[half]), .addr_i(BlockIdxW'(addr >> BlockLog)),
          .data_i(write_bound_i), .data_o(bound[half])
        );
      end else begin : g_no_bound
        assign bound[half] = '0;
      end
    end

    assign read_data_o[ram]  = (Slices > 1) ? word[half_q][slice_q] : word[half_q][0];
    assign read_bound_o[ram] = bound[half_q];
  end

  if (!BOUNDS) begin : g_unused
    logic unused_bound;
    assign unused_bound = ^write_bound_i;
  end

  if ((1 << BeatW) != DEPTH || DEPTH % BLOCK_BEATS != 0) begin : g_depth
    $error("DEPTH must be a power of two, and a multiple of BLOCK_BEATS");
  end
  if (BLOCK_BEATS % Parts != 0) begin : g_parts
    $error("a block must have whole words");
  end

  halves_apart : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !(write_i && read_i && write_half_i == read_half_i));

endmodule
