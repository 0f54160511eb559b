// SPDX-License-Identifier: Apache-2.0
// fp8mac_output with the fields of its records as ports.
module output_tb
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS       = 4,
  parameter int unsigned COLS       = 4,
  parameter int unsigned SHARE      = 2,
  parameter int unsigned WIDTH      = 8,
  parameter int unsigned AXI_DATA_W = 128,
  localparam int unsigned PhaseW = (SHARE > 1) ? $clog2(SHARE) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    abort_i,

  input  logic                    valid_i,
  input  logic                    skip_i,
  input  logic                    acc_keep_i,
  input  logic                    vector_half_i,
  input  tag_t                    tag_i,
  input  logic                    irq_i,
  input  logic [3:0]              error_i,
  input  dim_t                    m_i,
  input  dim_t                    n_i,
  input  logic [1:0]              pass_shape_i,
  input  addr_t                   d_addr_i,
  input  addr_t                   d_stride_i,
  input  logic [2:0]              d_fmt_i,
  input  logic [1:0]              overflow_i,
  input  logic [1:0]              act_i,
  input  logic                    bias_en_i,
  input  logic [31:0]             clamp_lo_i,
  input  logic [31:0]             clamp_hi_i,
  input  logic [31:0]             scale_d_i,
  input  logic                    scale_a_vec_i,
  input  logic                    scale_b_vec_i,
  input  logic [31:0]             scale_a_value_i,
  input  logic [31:0]             scale_b_value_i,
  output logic                    ready_o,
  input  logic                    kept_i,
  output logic                    stored_o,

  input  logic                    result_valid_i,
  output logic                    result_ready_o,
  input  logic [PhaseW-1:0]       result_phase_i,
  input  logic [ROWS/SHARE*COLS*32-1:0] result_i,
  input  tile_index_t             result_row_tile_i,
  input  tile_index_t             result_col_tile_i,
  input  logic                    result_last_i,

  output logic                    vector_half_o,
  output tile_index_t             row_tile_o,
  output tile_index_t             col_tile_o,
  input  logic [ROWS*32-1:0]      scale_a_i,
  input  logic [COLS*32-1:0]      scale_b_i,
  input  logic [COLS*32-1:0]      bias_i,

  output logic                    epi_valid_o,
  output logic [3:0]              epi_flags_o,
  output logic [31:0]             epi_amax_o,
  output logic                    epi_nonfinite_o,

  output logic                    empty_o,
  output logic                    retire_valid_o,
  output tag_t                    retire_tag_o,
  output logic                    retire_irq_o,
  output logic [3:0]              retire_error_o,

  output logic [31:0]             m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [AXI_DATA_W-1:0]   m_axi_wdata_o,
  output logic [AXI_DATA_W/8-1:0] m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o
);
  storing_job_t  job;
  finished_job_t retire;
  flags_t        flags;

  always_comb begin
    job.job.tag                = tag_i;
    job.job.record             = 1'b0;
    job.job.irq                = irq_i;
    job.job.last               = 1'b1;
    job.job.error              = error_e'(error_i);
    job.job.acc_keep           = acc_keep_i;
    job.job.m                  = m_i;
    job.job.n                  = n_i;
    job.job.pass_shape         = pass_shape_e'(pass_shape_i);
    job.job.d_addr             = d_addr_i;
    job.job.d_stride           = d_stride_i;
    job.job.epilogue           = '0;
    job.job.epilogue.stochastic = 1'b0;
    job.job.epilogue.seed      = '0;
    job.job.epilogue.first_m   = '0;
    job.job.epilogue.first_n   = '0;
    job.job.epilogue.code_table = TableNone;
    job.job.epilogue.d_fmt     = dst_fmt_e'(d_fmt_i);
    job.job.epilogue.overflow  = overflow_e'(overflow_i);
    job.job.epilogue.act       = activation_e'(act_i);
    job.job.epilogue.bias_en   = bias_en_i;
    job.job.epilogue.clamp_lo  = clamp_lo_i;
    job.job.epilogue.clamp_hi  = clamp_hi_i;
    job.job.epilogue.scale_d   = scale_d_i;
    job.job.a.in_vector        = scale_a_vec_i;
    job.job.b.in_vector        = scale_b_vec_i;
    job.job.a.value            = scale_a_value_i;
    job.job.b.value            = scale_b_value_i;
    job.vector_half            = vector_half_i;
    job.skip                   = skip_i;
  end

  assign epi_flags_o    = flags;
  assign retire_tag_o   = retire.tag;
  assign retire_irq_o   = retire.irq;
  assign retire_error_o = retire.error;

  fp8mac_output #(.ROWS(ROWS), .COLS(COLS), .SHARE(SHARE), .WIDTH(WIDTH), .AXI_DATA_W(AXI_DATA_W)) u_output (
    .clk_i, .rst_ni, .bus_rst_ni(rst_ni), .abort_i, .clear_i(1'b0), .c_beat_i(1'b0), .x_beat_i(1'b0), .beat_ram_i('0),
    .beat_word_i('0), .beat_last_i(1'b0), .beat_full_i(1'b0), .beat_data_i('0), .beat_error_i(ErrNone),
    .c_valid_i(1'b0), .c_i('0), .x_valid_i(1'b0), .x_i('0), .sources_ready_o(), .sources_idle_o(),
    .source_row_valid_o(), .source_row_o(), .source_dest_o(), .source_row_ready_i(1'b1), .valid_i,
    .job_i         (job),
    .ready_o, .kept_i, .stored_o, .epilogue_empty_o(), .result_valid_i, .result_ready_o, .result_phase_i,
    .result_i      (result_i),
    .result_position_i(
      tile_position_t'{row_tile: result_row_tile_i, col_tile: result_col_tile_i, last: result_last_i, owner: '0}),
    .vector_half_o, .row_tile_o, .col_tile_o, .scale_a_i, .scale_b_i, .int_shift_i('0), .bias_i,
    .table_write_i ('0),
    .epi_valid_o,
    .epi_flags_o   (flags),
    .epi_amax_o, .epi_nonfinite_o, .epi_owner_o(), .empty_o, .retire_valid_o,
    .retire_o      (retire),
    .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o, .m_axi_awvalid_o, .m_axi_awready_i,
    .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_bresp_i, .m_axi_bvalid_i,
    .m_axi_bready_o
  );

endmodule
