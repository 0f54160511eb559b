// SPDX-License-Identifier: Apache-2.0
// A memory with one write port and one read port. A word can be read from the cycle after its
// writing on. In the cycle of the writing itself the word read has no meaning, and is not used. A
// chip replaces this module by a memory macro of this shape.
module fp8mac_two_port_ram #(
  parameter int unsigned DEPTH = 512,
  parameter int unsigned WIDTH = 256,
  localparam int unsigned AddressW = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input  logic                clk_i,

  input  logic                write_i,
  input  logic [AddressW-1:0] write_address_i,
  input  logic [WIDTH-1:0]    write_data_i,

  input  logic                read_i,
  input  logic [AddressW-1:0] read_address_i,
  output logic [WIDTH-1:0]    read_data_o      // one cycle after read_i; holds until the next read
);

  logic [WIDTH-1:0] word_q [DEPTH];

  always_ff @(posedge clk_i) begin
    if (write_i) word_q[write_address_i] <= write_data_i;
    if (read_i) read_data_o <= word_q[read_address_i];
  end

endmodule
