// SPDX-License-Identifier: Apache-2.0
// Written by model/src/core/function_tables.py --rtl.
// The tables of exp2, FP32 words: model/NUMERICS.md says how they are used.
// Combinational.
module fp8mac_exp2_table (
  input  logic [4:0]  i_i,
  input  logic [4:0]  slope_j_i,
  input  logic [4:0]  value_j_i,
  output logic [31:0] coarse_o,
  output logic [31:0] slope_o,
  output logic [31:0] value_o
);
  localparam logic [31:0][31:0] Coarse = {
    32'h3f02cd87, 32'h3f05aac3, 32'h3f08980f, 32'h3f0b95c2, 32'h3f0ea43a, 32'h3f11c3d3, 32'h3f14f4f0, 32'h3f1837f0,
    32'h3f1b8d3a, 32'h3f1ef532, 32'h3f227043, 32'h3f25fed7, 32'h3f29a15b, 32'h3f2d583f, 32'h3f3123f6, 32'h3f3504f3,
    32'h3f38fbaf, 32'h3f3d08a4, 32'h3f412c4d, 32'h3f45672a, 32'h3f49b9be, 32'h3f4e248c, 32'h3f52a81e, 32'h3f5744fd,
    32'h3f5bfbb8, 32'h3f60ccdf, 32'h3f65b907, 32'h3f6ac0c7, 32'h3f6fe4ba, 32'h3f75257d, 32'h3f7a83b3, 32'h3f800000
  };

  localparam logic [31:0][31:0] Slope = {
    32'h3f2db400, 32'h3f2dd000, 32'h3f2df000, 32'h3f2e1000, 32'h3f2e2c00, 32'h3f2e4c00, 32'h3f2e6800, 32'h3f2e8800,
    32'h3f2ea400, 32'h3f2ec400, 32'h3f2ee000, 32'h3f2f0000, 32'h3f2f2000, 32'h3f2f3c00, 32'h3f2f5c00, 32'h3f2f7800,
    32'h3f2f9800, 32'h3f2fb800, 32'h3f2fd400, 32'h3f2ff400, 32'h3f301000, 32'h3f303000, 32'h3f305000, 32'h3f306c00,
    32'h3f308c00, 32'h3f30ac00, 32'h3f30c800, 32'h3f30e800, 32'h3f310800, 32'h3f312400, 32'h3f314400, 32'h3f316400
  };

  localparam logic [31:0][31:0] Value = {
    32'h3f7aaf1f, 32'h3f7ada94, 32'h3f7b0610, 32'h3f7b3193, 32'h3f7b5d1e, 32'h3f7b88b1, 32'h3f7bb44b, 32'h3f7bdfed,
    32'h3f7c0b96, 32'h3f7c3747, 32'h3f7c6300, 32'h3f7c8ec0, 32'h3f7cba87, 32'h3f7ce656, 32'h3f7d122d, 32'h3f7d3e0c,
    32'h3f7d69f2, 32'h3f7d95df, 32'h3f7dc1d4, 32'h3f7dedd1, 32'h3f7e19d6, 32'h3f7e45e2, 32'h3f7e71f6, 32'h3f7e9e11,
    32'h3f7eca34, 32'h3f7ef65f, 32'h3f7f2291, 32'h3f7f4ecb, 32'h3f7f7b0d, 32'h3f7fa756, 32'h3f7fd3a7, 32'h3f800000
  };

  assign coarse_o = Coarse[i_i];
  assign slope_o  = Slope[slope_j_i];
  assign value_o  = Value[value_j_i];

endmodule
