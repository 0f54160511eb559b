// SPDX-License-Identifier: Apache-2.0
// The RAM of a board: block RAM with one port that reads and one that writes a beat of the bus. The
// accelerator comes first on both, so its bus sees the ideal RAM of the simulated chip. The core's
// data come next, instructions last.
//
//   read:  accelerator > data > instructions        write:  accelerator > data
//
// *_ready_o says whether the core's access is taken in this cycle. It does not depend on addresses,
// which the core computes last.
module fp8mac_board_ram
  import fp8mac_sys_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 64,
  parameter string       PROGRAM    = ""  // $readmemh: a line for each beat, from the first address on; empty: none
) (
  input  logic                    clk_i,

  input  logic                    instr_valid_i,
  input  logic [RamAddrW-1:0]     instr_addr_i,
  output logic                    instr_ready_o,
  output logic [31:0]             instr_rdata_o,   // in the cycle after the access
  input  logic                    data_req_i,      // the core accesses this RAM or another target
  input  logic                    data_valid_i,    // this RAM takes the access
  input  logic                    data_we_i,
  input  logic [3:0]              data_be_i,
  input  logic [RamAddrW-1:0]     data_addr_i,
  input  logic [31:0]             data_wdata_i,
  output logic                    data_ready_o,
  output logic [31:0]             data_rdata_o,

  // Accelerator: addresses are rounded down to a beat
  input  logic                    axi_read_valid_i,
  input  logic [RamAddrW-1:0]     axi_read_addr_i,
  output logic [AXI_DATA_W-1:0]   axi_rdata_o,
  input  logic                    axi_write_valid_i,
  input  logic [RamAddrW-1:0]     axi_write_addr_i,
  input  logic [AXI_DATA_W-1:0]   axi_wdata_i,
  input  logic [AXI_DATA_W/8-1:0] axi_wstrb_i
);

  localparam int unsigned BeatBytes  = AXI_DATA_W / 8;
  localparam int unsigned BeatOffset = $clog2(BeatBytes);
  localparam int unsigned BeatW      = RamAddrW - BeatOffset;
  localparam int unsigned WordW      = BeatOffset - 2;      // bits of a word's place in its beat
  localparam int unsigned Words      = BeatBytes / 4;

  logic [AXI_DATA_W-1:0] mem [1 << BeatW];

  if (PROGRAM != "") begin : g_program
    initial $readmemh(PROGRAM, mem);
  end

  // ---- read -------------------------------------------------------------------------------------
  logic data_read, read_valid;
  logic [RamAddrW-1:0] core_read_addr, read_addr;
  logic [BeatW-1:0] read_beat;
  logic [WordW-1:0] word_q;
  logic [AXI_DATA_W-1:0] read_data;

  assign data_read      = data_req_i && !data_we_i;
  assign instr_ready_o  = !axi_read_valid_i && !data_read;
  assign core_read_addr = data_read ? data_addr_i : instr_addr_i;
  assign read_valid     = axi_read_valid_i || data_read || instr_valid_i;
  assign read_addr      = axi_read_valid_i ? axi_read_addr_i : core_read_addr;
  assign read_beat      = read_addr[RamAddrW-1:BeatOffset];

  always_ff @(posedge clk_i) word_q <= core_read_addr[BeatOffset-1:2];

  assign axi_rdata_o   = read_data;
  assign instr_rdata_o = read_data[32*word_q+:32];
  assign data_rdata_o  = read_data[32*word_q+:32];

  // ---- write ------------------------------------------------------------------------------------
  logic data_writes;
  logic [RamAddrW-1:0] write_addr;
  logic [BeatW-1:0] write_beat;
  logic [BeatBytes-1:0] core_strobe, strobe;
  logic [AXI_DATA_W-1:0] write_data;

  assign data_writes  = data_valid_i && data_we_i;
  assign data_ready_o = data_we_i ? !axi_write_valid_i : !axi_read_valid_i;
  assign core_strobe  = BeatBytes'(data_be_i) << {data_addr_i[BeatOffset-1:2], 2'b00};
  assign write_addr   = axi_write_valid_i ? axi_write_addr_i : data_addr_i;
  assign write_beat   = write_addr[RamAddrW-1:BeatOffset];
  assign write_data   = axi_write_valid_i ? axi_wdata_i : {Words{data_wdata_i}};
  assign strobe       = axi_write_valid_i ? axi_wstrb_i : data_writes ? core_strobe : '0;

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < BeatBytes; b++) begin
      if (strobe[b]) mem[write_beat][8*b+:8] <= write_data[8*b+:8];
    end
    if (read_valid) read_data <= mem[read_beat];
  end

  logic unused_bits;
  assign unused_bits = ^{read_addr[BeatOffset-1:0], write_addr[BeatOffset-1:0], core_read_addr[1:0]};

endmodule
