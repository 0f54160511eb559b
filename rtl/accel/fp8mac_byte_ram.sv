// SPDX-License-Identifier: Apache-2.0
// A synchronous memory with a write port, which has an enable for each byte, and a read port. A
// chip replaces this module by its memory macros. A read word appears in the next cycle and stays
// until the next read. A read in the cycle of a write to the same word gives the old word.
module fp8mac_byte_ram #(
  parameter int unsigned BYTES = 16,   // of a word: a multiple of 4
  parameter int unsigned DEPTH = 64,
  localparam int unsigned AddrW = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic                  clk_i,
  input  logic [BYTES-1:0]      write_i,
  input  logic [AddrW-1:0]      write_addr_i,
  input  logic [BYTES-1:0][7:0] write_data_i,
  input  logic                  read_i,
  input  logic [AddrW-1:0]      read_addr_i,
  output logic [BYTES-1:0][7:0] read_data_o
);
  logic [BYTES-1:0][7:0] mem_q [DEPTH];

  always_ff @(posedge clk_i) begin
    // Two loops, because Verilator unrolls none of more than 64 turns
    for (int unsigned k = 0; k < BYTES / 4; k++) begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (write_i[4*k+b]) mem_q[write_addr_i][4*k+b] <= write_data_i[4*k+b];
      end
    end
    if (read_i) read_data_o <= mem_q[read_addr_i];
  end

endmodule
