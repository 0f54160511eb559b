// SPDX-License-Identifier: Apache-2.0
// A single-port synchronous memory with an enable. A chip replaces this module by its memory
// macros. A read word appears in the next cycle and stays until the next access.
module fp8mac_ram #(
  parameter int unsigned WIDTH = 128,
  parameter int unsigned DEPTH = 256,
  localparam int unsigned AddrW = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic             clk_i,
  input  logic             en_i,     // an access
  input  logic             write_i,  // which is a write
  input  logic [AddrW-1:0] addr_i,
  input  logic [WIDTH-1:0] data_i,
  output logic [WIDTH-1:0] data_o
);
  logic [WIDTH-1:0] mem_q [DEPTH];

  always_ff @(posedge clk_i) begin
    if (en_i && write_i) mem_q[addr_i] <= data_i;
    if (en_i && !write_i) data_o <= mem_q[addr_i];
  end

endmodule
