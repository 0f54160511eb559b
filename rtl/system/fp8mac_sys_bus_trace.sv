// SPDX-License-Identifier: Apache-2.0
// Reports each transfer between the accelerator and the RAM to the simulator, which
// writes a file of them.
module fp8mac_sys_bus_trace #(
  parameter int unsigned DATA_W = 128
) (
  input logic                clk_i,
  input logic                rst_ni,

  input logic [31:0]         araddr_i,
  input logic [7:0]          arlen_i,
  input logic                arvalid_i,
  input logic                arready_i,
  input logic                rvalid_i,
  input logic                rready_i,
  input logic [31:0]         awaddr_i,
  input logic [7:0]          awlen_i,
  input logic                awvalid_i,
  input logic                awready_i,
  input logic [DATA_W/8-1:0] wstrb_i,
  input logic                wvalid_i,
  input logic                wready_i,
  input logic                bvalid_i,
  input logic                bready_i
);

  import "DPI-C" function bit fp8sim_bus_wanted();
  // Of AR and AW: the address and the bytes of the burst. `beat`: bytes of the bus. Of W: a bit for
  // each byte that is written.
  import "DPI-C" function void fp8sim_bus_transfer(input int unsigned channel, input int unsigned address,
                                                   input int unsigned bytes, input int unsigned beat,
                                                   input int unsigned strobes);

  // Channels, in the order of sim/bus_trace.cpp
  localparam int unsigned ChannelAr = 0;
  localparam int unsigned ChannelR  = 1;
  localparam int unsigned ChannelAw = 2;
  localparam int unsigned ChannelW  = 3;
  localparam int unsigned ChannelB  = 4;
  localparam int unsigned Beat      = DATA_W / 8;

  logic wanted_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      wanted_q <= fp8sim_bus_wanted();
    end else if (wanted_q) begin
      if (arvalid_i && arready_i) fp8sim_bus_transfer(ChannelAr, araddr_i, (32'(arlen_i) + 1) * Beat, Beat, 0);
      if (rvalid_i && rready_i)   fp8sim_bus_transfer(ChannelR, 0, Beat, Beat, 0);
      if (awvalid_i && awready_i) fp8sim_bus_transfer(ChannelAw, awaddr_i, (32'(awlen_i) + 1) * Beat, Beat, 0);
      if (wvalid_i && wready_i)   fp8sim_bus_transfer(ChannelW, 0, Beat, Beat, 32'(wstrb_i));
      if (bvalid_i && bready_i)   fp8sim_bus_transfer(ChannelB, 0, 0, Beat, 0);
    end
  end

endmodule
