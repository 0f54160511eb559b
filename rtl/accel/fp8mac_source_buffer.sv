// SPDX-License-Identifier: Apache-2.0
// Holds regions of C or X, and gives their values to transfers in the epilogue, as FP32. One memory
// for each row of a transfer, as in the D buffer.
//
//   cycle t        a transfer enters the epilogue, with the position of its values
//   cycle t+F      the memories are read, F = FIRST; with late_i, in cycle t+F+LATER
//   cycle t+F+1    the words are there, and the codes are selected
//   cycle t+F+2    the codes become FP32, and the values are there; with late_i, in cycle t+F+LATER+2
//
// Writes come from registers: fp8mac_output has them for both buffers.
module fp8mac_source_buffer
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS  = 2,    // of a transfer: a power of two
  parameter int unsigned COLS  = 4,
  parameter int unsigned WORDS = 64,   // of a memory
  parameter int unsigned WORD  = 16,   // bytes; at least a beat, and at least COLS values of four bytes
  parameter int unsigned BEAT  = 16,
  parameter int unsigned FIRST = 1,
  parameter int unsigned LATER = 5,
  localparam int unsigned AddrW = $clog2(WORDS),
  localparam int unsigned WordW = $clog2(WORD),
  localparam int unsigned RowW  = (ROWS > 1) ? $clog2(ROWS) : 1,
  localparam int unsigned Beats = WORD / BEAT,
  localparam int unsigned BeatAddrW = $clog2(WORDS * Beats)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  // From registers
  input  logic                            write_i,
  input  logic [RowW-1:0]                 write_row_i,
  input  logic [BeatAddrW-1:0]            write_beat_i,
  input  logic [BEAT*8-1:0]               write_data_i,

  // Constant while transfers are in the epilogue
  input  dst_fmt_e                        fmt_i,
  input  logic                            late_i,

  input  logic                            valid_i,
  input  logic [AddrW-1:0]                addr_i,
  input  logic [WordW-1:0]                offset_i,     // first byte in the word
  input  logic                            last_i,       // the region's last transfer
  output logic                            slot_free_o,  // it has been read
  output logic [ROWS-1:0][COLS-1:0][31:0] x_o
);
  localparam int unsigned Late   = FIRST + LATER;
  localparam int unsigned Widest = COLS * 4;

  // ---- writes -----------------------------------------------------------------------------------
  logic [WORD-1:0] enable;

  always_comb begin
    for (int unsigned b = 0; b < WORD; b++) enable[b] = 32'(write_beat_i) % Beats == b / BEAT;
  end

  // ---- reads ------------------------------------------------------------------------------------
  typedef struct packed {
    logic             last;
    logic [AddrW-1:0] addr;
    logic [WordW-1:0] offset;
  } buffer_position_t;

  logic [Late:1]    valid_q;
  buffer_position_t position_q [1:Late];
  buffer_position_t read_position;
  logic             read;
  logic [WordW-1:0] offset_q;
  logic [ROWS-1:0][WORD-1:0][7:0] word;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Late-1:1], valid_i};
    position_q[1] <= '{last: last_i, addr: addr_i, offset: offset_i};
    for (int unsigned i = 1; i < Late; i++) position_q[i+1] <= position_q[i];
    offset_q <= read_position.offset;
  end

  assign read          = late_i ? valid_q[Late] : valid_q[FIRST];
  assign read_position = late_i ? position_q[Late] : position_q[FIRST];
  assign slot_free_o   = read && read_position.last;

  for (genvar row = 0; row < int'(ROWS); row++) begin : g_row
    fp8mac_byte_ram #(.BYTES(WORD), .DEPTH(WORDS)) u_ram (
      .clk_i,
      .write_i     ((write_i && write_row_i == RowW'(row)) ? enable : '0),
      .write_addr_i(AddrW'(32'(write_beat_i) / Beats)),
      .write_data_i({Beats{write_data_i}}),
      .read_i      (read),
      .read_addr_i (read_position.addr),
      .read_data_o (word[row])
    );
  end

  // ---- values -----------------------------------------------------------------------------------
  logic [ROWS-1:0][COLS-1:0][31:0] code_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        unique case (fmt_i)
          DstFp32:          code_q[r][c] <= {word[r][value_byte(2, c)+3], word[r][value_byte(2, c)+2],
                                             word[r][value_byte(2, c)+1], word[r][value_byte(2, c)]};
          DstFp16, DstBf16: code_q[r][c] <= {16'd0, word[r][value_byte(1, c)+1], word[r][value_byte(1, c)]};
          default:          code_q[r][c] <= {24'd0, word[r][value_byte(0, c)]};
        endcase
      end
    end
  end

  // The first byte of a column's value. The offset is a multiple of the bytes of COLS values.
  function automatic logic [WordW-1:0] value_byte(int unsigned size, int unsigned column);
    return (offset_q & ~WordW'((COLS << size) - 1)) | WordW'(column << size);
  endfunction

  for (genvar row = 0; row < int'(ROWS); row++) begin : g_value_row
    for (genvar col = 0; col < int'(COLS); col++) begin : g_value
      fp8mac_fmt_to_fp32 u_value (.fmt_i, .code_i(code_q[row][col]), .x_o(x_o[row][col]));
    end
  end

  if (WORD % BEAT != 0 || WORD % Widest != 0) begin : g_word
    $error("a word must hold whole beats and COLS values of four bytes");
  end

endmodule
