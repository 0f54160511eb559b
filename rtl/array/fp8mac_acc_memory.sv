// SPDX-License-Identifier: Apache-2.0
// The accumulator memory: words with an accumulator of every accumulate unit of the array. It is a
// module of its own because synthesis of the array leaves it out by its name.
module fp8mac_acc_memory #(
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
  output logic [WIDTH-1:0]    read_data_o
);

  fp8mac_two_port_ram #(.DEPTH(DEPTH), .WIDTH(WIDTH)) u_ram (
    .clk_i, .write_i, .write_address_i, .write_data_i, .read_i, .read_address_i, .read_data_o
  );

endmodule
