// SPDX-License-Identifier: Apache-2.0
// fp8mac_cmd_walk with the fields of its records as ports.
module walk_tb
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned GRANULE = 32
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        abort_i,
  output logic        idle_o,

  input  logic        valid_i,
  output logic        ready_o,
  input  tag_t        tag_i,
  input  addr_t       a_addr_i,
  input  addr_t       a_stride_i,
  input  addr_t       b_addr_i,
  input  addr_t       b_stride_i,
  input  addr_t       d_addr_i,
  input  addr_t       d_stride_i,
  input  size_t       m_i,
  input  size_t       n_i,
  input  size_t       k_i,
  input  dim_t        tile_m_i,
  input  dim_t        tile_n_i,
  input  dim_t        tile_k_i,
  input  dim_t        first_k_i,
  input  logic        b_resident_i,
  input  logic        acc_keep_i,
  input  logic        acc_continue_i,
  input  logic        reuse_a_i,
  input  logic        reuse_b_i,
  input  logic        scale_a_vec_i,
  input  logic        scale_b_vec_i,
  input  logic        bias_en_i,
  input  logic [2:0]  d_fmt_i,
  input  logic [31:0] scale_a_i,
  input  logic [31:0] scale_b_i,
  input  addr_t       bias_i,
  input  logic [1:0]  op_i,
  input  logic        c_en_i,
  input  logic [2:0]  c_fmt_i,
  input  logic [2:0]  x_fmt_i,
  input  addr_t       c_addr_i,
  input  addr_t       c_stride_i,
  input  logic [31:0] beta_i,
  input  logic        mx_i,
  input  addr_t       mx_a_addr_i,
  input  addr_t       mx_a_stride_i,
  input  addr_t       mx_b_addr_i,
  input  addr_t       mx_b_stride_i,

  output logic        valid_o,
  input  logic        ready_i,
  output tag_t        tag_o,
  output logic        last_o,
  output logic        range_bad_o,
  output logic        sequence_bad_o,
  output addr_t       a_addr_o,
  output addr_t       b_addr_o,
  output addr_t       d_addr_o,
  output dim_t        m_o,
  output dim_t        n_o,
  output dim_t        k_o,
  output logic        acc_keep_o,
  output logic        acc_continue_o,
  output logic        reuse_a_o,
  output logic        reuse_b_o,
  output logic [31:0] scale_a_o,
  output logic [31:0] scale_b_o,
  output addr_t       bias_o,
  output logic        c_en_o,
  output addr_t       c_addr_o,
  output addr_t       mx_a_addr_o,
  output addr_t       mx_b_addr_o,
  output logic [4:0]  mx_first_o
);
  command_t  command;
  tile_cmd_t tile;

  always_comb begin
    command          = '0;
    command.tag      = tag_i;
    command.a.addr   = a_addr_i;
    command.a.stride = a_stride_i;
    command.b.addr   = b_addr_i;
    command.b.stride = b_stride_i;
    command.d.addr   = d_addr_i;
    command.d.stride = d_stride_i;
    command.m        = m_i;
    command.n        = n_i;
    command.k        = k_i;
    command.tile.m   = tile_m_i;
    command.tile.n   = tile_n_i;
    command.tile.k   = tile_k_i;
    command.tile.first_k  = first_k_i;
    command.a.scale  = scale_a_i;
    command.b.scale  = scale_b_i;
    command.finish.bias     = bias_i;
    command.mode.op    = op_i;
    command.c.en  = c_en_i;
    command.c.fmt = c_fmt_i;
    command.x_fmt = x_fmt_i;
    command.c.addr          = c_addr_i;
    command.c.stride        = c_stride_i;
    command.c.beta            = beta_i;
    command.mode.mx    = mx_i;
    command.a.mx_addr       = mx_a_addr_i;
    command.a.mx_stride     = mx_a_stride_i;
    command.b.mx_addr       = mx_b_addr_i;
    command.b.mx_stride     = mx_b_stride_i;
    command.mode.b_resident   = b_resident_i;
    command.mode.acc_keep     = acc_keep_i;
    command.mode.acc_continue = acc_continue_i;
    command.a.reuse      = reuse_a_i;
    command.b.reuse      = reuse_b_i;
    command.a.scale_vec  = scale_a_vec_i;
    command.b.scale_vec  = scale_b_vec_i;
    command.finish.bias_en      = bias_en_i;
    command.d.fmt        = d_fmt_i;
  end

  fp8mac_cmd_walk #(.GRANULE(GRANULE)) dut (
    .clk_i, .rst_ni, .abort_i, .idle_o, .valid_i, .command_i(command), .ready_o, .valid_o, .tile_o(tile), .ready_i
  );

  assign tag_o          = tile.tag;
  assign last_o         = tile.last;
  assign range_bad_o    = tile.range_bad;
  assign sequence_bad_o = tile.sequence_bad;
  assign a_addr_o       = tile.a.addr;
  assign b_addr_o       = tile.b.addr;
  assign d_addr_o       = tile.d.addr;
  assign m_o            = tile.m;
  assign n_o            = tile.n;
  assign k_o            = tile.k;
  assign acc_keep_o     = tile.mode.acc_keep;
  assign acc_continue_o = tile.mode.acc_continue;
  assign reuse_a_o      = tile.a.reuse;
  assign reuse_b_o      = tile.b.reuse;
  assign scale_a_o      = tile.a.scale;
  assign scale_b_o      = tile.b.scale;
  assign bias_o         = tile.finish.bias;
  assign c_en_o         = tile.c.en;
  assign c_addr_o       = tile.c.addr;
  assign mx_a_addr_o    = tile.a.mx_addr;
  assign mx_b_addr_o    = tile.b.mx_addr;
  assign mx_first_o     = tile.mx_first;

endmodule
