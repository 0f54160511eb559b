// SPDX-License-Identifier: Apache-2.0
// Keeps the core's instruction address out of the path to the RAM, where a branch would be the
// slowest of an FPGA: the address that the RAM gets depends on registers alone. The RAM reads the
// word behind the last one ahead of its request, so instructions in a row come in the cycle after
// their requests, as without this module. Any other one comes a cycle later.
//
//   request          taken at once unless one before it waits for the RAM
//   next cycle       the RAM has read this address: the answer. Else the RAM reads it now
module fp8mac_sys_fetch_ahead
  import fp8mac_sys_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,

  // The core's instruction port
  input  logic                req_i,
  input  logic [31:0]         addr_i,       // of a word
  output logic                gnt_o,
  output logic                rvalid_o,     // the RAM's data of this cycle answer the oldest request
  output logic                err_o,        // with rvalid_o: its address is not in the RAM

  // RAM: reads in every cycle in which it can
  output logic [RamAddrW-1:0] ram_addr_o,
  input  logic                ram_taken_i   // it reads: data come in the next cycle
);

  logic                waiting_q, was_read_q, hit;
  logic [31:2]         addr_q;              // of the request that waits, or else of the last one
  logic [RamAddrW-1:2] read_q, behind;

  assign hit        = waiting_q && was_read_q && read_q == addr_q[RamAddrW-1:2];
  assign gnt_o      = req_i && (!waiting_q || hit);
  assign rvalid_o   = hit;
  assign err_o      = !in_ram({addr_q, 2'b00});
  assign behind     = addr_q[RamAddrW-1:2] + 1'b1;
  assign ram_addr_o = {waiting_q && !hit ? addr_q[RamAddrW-1:2] : behind, 2'b00};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q  <= 1'b0;
      was_read_q <= 1'b0;
    end else begin
      waiting_q  <= gnt_o || (waiting_q && !hit);
      was_read_q <= ram_taken_i;
    end
    if (gnt_o) addr_q <= addr_i[31:2];
    read_q <= ram_addr_o[RamAddrW-1:2];
  end

  logic unused_bits;
  assign unused_bits = ^addr_i[1:0];

endmodule
