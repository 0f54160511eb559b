// SPDX-License-Identifier: Apache-2.0
// An ideal RAM. Each port answers in the cycle after the request and never waits for another port.
// A port that reads a word while another writes it gets the old word. The simulator loads programs
// into `mem` and checks results there.
module fp8mac_sys_ram
  import fp8mac_sys_pkg::*;
#(
  parameter int unsigned AXI_DATA_W = 128
) (
  input  logic                    clk_i,

  // Core: instructions and data
  input  logic                    instr_valid_i,
  input  logic [RamAddrW-1:0]     instr_addr_i,
  output logic [31:0]             instr_rdata_o,
  input  logic                    data_valid_i,
  input  logic                    data_we_i,
  input  logic [3:0]              data_be_i,
  input  logic [RamAddrW-1:0]     data_addr_i,
  input  logic [31:0]             data_wdata_i,
  output logic [31:0]             data_rdata_o,

  // Accelerator: one beat a cycle in each direction, addresses rounded down to a beat
  input  logic                    axi_read_valid_i,
  input  logic [RamAddrW-1:0]     axi_read_addr_i,
  output logic [AXI_DATA_W-1:0]   axi_rdata_o,
  input  logic                    axi_write_valid_i,
  input  logic [RamAddrW-1:0]     axi_write_addr_i,
  input  logic [AXI_DATA_W-1:0]   axi_wdata_i,
  input  logic [AXI_DATA_W/8-1:0] axi_wstrb_i
);

  localparam int unsigned WordW      = RamAddrW - 2;
  localparam int unsigned BeatWords  = AXI_DATA_W / 32;
  localparam int unsigned BeatOffset = $clog2(AXI_DATA_W / 8);

  logic [31:0] mem [RamWords];

  // First word of a beat.
  logic [WordW-1:0] axi_read_word, axi_write_word;
  assign axi_read_word  = {axi_read_addr_i[RamAddrW-1:BeatOffset], (BeatOffset - 2)'(0)};
  assign axi_write_word = {axi_write_addr_i[RamAddrW-1:BeatOffset], (BeatOffset - 2)'(0)};

  always_ff @(posedge clk_i) begin
    if (instr_valid_i) instr_rdata_o <= mem[instr_addr_i[RamAddrW-1:2]];

    if (data_valid_i) begin
      data_rdata_o <= mem[data_addr_i[RamAddrW-1:2]];
      for (int unsigned b = 0; b < 4; b++) begin
        if (data_we_i && data_be_i[b]) mem[data_addr_i[RamAddrW-1:2]][8*b+:8] <= data_wdata_i[8*b+:8];
      end
    end

    if (axi_read_valid_i) begin
      for (int unsigned i = 0; i < BeatWords; i++) axi_rdata_o[32*i+:32] <= mem[axi_read_word + WordW'(i)];
    end

    if (axi_write_valid_i) begin
      for (int unsigned i = 0; i < BeatWords; i++) begin
        for (int unsigned b = 0; b < 4; b++) begin
          if (axi_wstrb_i[4*i+b]) mem[axi_write_word + WordW'(i)][8*b+:8] <= axi_wdata_i[32*i+8*b+:8];
        end
      end
    end
  end

  logic unused_addr_bits;
  assign unused_addr_bits = ^{instr_addr_i[1:0], data_addr_i[1:0], axi_read_addr_i[BeatOffset-1:0],
                              axi_write_addr_i[BeatOffset-1:0]};

endmodule
