// SPDX-License-Identifier: Apache-2.0
// The path from finished banks to memory: store engine, epilogue, packing into beats, write DMA. A command retires when
// all its writes have been acknowledged. Commands retire in order.
module fp8mac_output
  import fp8mac_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS       = 8,
  parameter int unsigned COLS       = 8,
  parameter int unsigned BANKS_M    = 2,
  parameter int unsigned BANKS_N    = 2,
  parameter int unsigned WIDTH      = 4,
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned AXI_ADDR_W = 32,
  parameter int unsigned AXI_ID_W   = 4,
  localparam int unsigned Banks = BANKS_M * BANKS_N,
  localparam int unsigned BankW = $clog2(Banks),
  localparam int unsigned RowW  = $clog2(ROWS)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    abort_i,

  // The oldest command that compute has begun, held until ready_o
  input  logic                    valid_i,
  input  storing_cmd_t            cmd_i,
  output logic                    ready_o,
  input  logic                    kept_i,
  output logic                    stored_o,

  input  logic [Banks-1:0]        bank_full_i,
  output logic [Banks-1:0]        bank_release_o,
  output logic [BankW-1:0]        read_bank_o,
  output logic [RowW-1:0]         read_row_o,
  input  logic [COLS-1:0][31:0]   read_data_i,

  output logic                    vector_half_o,
  output dim_t                    row_o,
  output dim_t                    col_o,
  input  logic [31:0]             scale_a_i,
  input  logic [WIDTH-1:0][31:0]  scale_b_i,
  input  logic [WIDTH-1:0][31:0]  bias_i,

  // A transfer leaves the epilogue.
  output logic                    epi_valid_o,
  output flags_t                  epi_flags_o,
  output logic [31:0]             epi_amax_o,
  output logic                    epi_nonfinite_o,

  output logic                    empty_o,         // no command is between the store engine and its retirement
  output logic                    retire_valid_o,  // a pulse
  output finished_cmd_t           retire_o,

  output logic [AXI_ID_W-1:0]     m_axi_awid_o,
  output logic [AXI_ADDR_W-1:0]   m_axi_awaddr_o,
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
  localparam int unsigned Beat          = AXI_DATA_W / 8;
  localparam int unsigned PosW          = $clog2(Beat);
  localparam int unsigned FinishedDepth = 4;  // commands waiting for write responses

  // The place of a transfer in its beat
  typedef struct packed {
    logic [PosW-1:0] pos;
    logic [1:0]      size;
    logic            row_final;
  } place_t;

  logic                   discard, row_valid, row_ready, finished_push, finished_full;
  row_request_t           row;
  finished_cmd_t          finished_pushed, finished;
  logic                   in_valid, in_ready, out_valid, out_ready;
  logic [WIDTH-1:0]       in_en, out_en;
  logic [WIDTH-1:0][31:0] t0, scale_b, bias, code;
  logic [31:0]            scale_a;
  epilogue_cfg_t          cfg;
  place_t                 in_place, out_place;
  logic                   pack_valid, pack_ready, written;
  logic [AXI_DATA_W-1:0]  pack_data;
  logic [Beat-1:0]        pack_strb;
  error_e                 write_error;

  // After an error nothing more is written, neither for younger commands nor for the one whose write failed.
  assign discard = abort_i || write_error != ErrNone;

  fp8mac_store #(
    .ROWS(ROWS), .COLS(COLS), .BANKS_M(BANKS_M), .BANKS_N(BANKS_N), .WIDTH(WIDTH), .BEAT(Beat)
  ) u_store (
    .clk_i, .rst_ni,
    .discard_i       (discard),
    .stored_o, .valid_i, .cmd_i, .ready_o, .kept_i, .bank_full_i, .bank_release_o, .read_bank_o, .read_row_o,
    .read_data_i, .vector_half_o, .row_o, .col_o, .scale_a_i, .scale_b_i, .bias_i,
    .epi_valid_o     (in_valid),
    .epi_ready_i     (in_ready),
    .epi_en_o        (in_en),
    .epi_t0_o        (t0),
    .epi_scale_a_o   (scale_a),
    .epi_scale_b_o   (scale_b),
    .epi_bias_o      (bias),
    .epi_cfg_o       (cfg),
    .epi_pos_o       (in_place.pos),
    .epi_size_o      (in_place.size),
    .epi_final_o     (in_place.row_final),
    .row_valid_o     (row_valid),
    .row_req_o       (row),
    .row_ready_i     (row_ready),
    .finished_valid_o(finished_push),
    .finished_o      (finished_pushed),
    .finished_ready_i(!finished_full)
  );

  fp8mac_epilogue #(.WIDTH(WIDTH), .META_W($bits(place_t))) u_epilogue (
    .clk_i, .rst_ni,
    .cfg_i      (cfg),
    .in_valid_i (in_valid),
    .in_ready_o (in_ready),
    .in_en_i    (in_en),
    .t0_i       (t0),
    .scale_a_i  (scale_a),
    .scale_b_i  (scale_b),
    .bias_i     (bias),
    .meta_i     (in_place),
    .out_valid_o(out_valid),
    .out_ready_i(out_ready),
    .out_en_o   (out_en),
    .d_o        (code),
    .meta_o     (out_place),
    .amax_o     (epi_amax_o),
    .nonfinite_o(epi_nonfinite_o),
    .flags_o    (epi_flags_o)
  );

  assign epi_valid_o = out_valid && out_ready;

  fp8mac_pack #(.WIDTH(WIDTH), .BEAT(Beat)) u_pack (
    .clk_i, .rst_ni,
    .valid_i     (out_valid),
    .ready_o     (out_ready),
    .en_i        (out_en),
    .code_i      (code),
    .pos_i       (out_place.pos),
    .size_i      (out_place.size),
    .final_i     (out_place.row_final),
    .beat_valid_o(pack_valid),
    .beat_data_o (pack_data),
    .beat_strb_o (pack_strb),
    .beat_ready_i(pack_ready)
  );

  fp8mac_dma_write #(.AXI_DATA_W(AXI_DATA_W), .AXI_ADDR_W(AXI_ADDR_W), .AXI_ID_W(AXI_ID_W)) u_dma_write (
    .clk_i, .rst_ni,
    .discard_i   (discard),
    .row_valid_i (row_valid),
    .row_ready_o (row_ready),
    .row_i       (row),
    .beat_valid_i(pack_valid),
    .beat_ready_o(pack_ready),
    .beat_data_i (pack_data),
    .beat_strb_i (pack_strb),
    .done_valid_o(written),
    .done_error_o(write_error),
    .done_ready_i(retire_valid_o),
    .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o, .m_axi_awburst_o, .m_axi_awvalid_o,
    .m_axi_awready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_wvalid_o, .m_axi_wready_i,
    .m_axi_bresp_i, .m_axi_bvalid_i, .m_axi_bready_o
  );

  fp8mac_fifo #(.T(finished_cmd_t), .DEPTH(FinishedDepth)) u_finished (
    .clk_i, .rst_ni, .flush_i(1'b0), .push_i(finished_push), .data_i(finished_pushed), .full_o(finished_full),
    .pop_i(retire_valid_o), .data_o(finished), .empty_o, .level_o()
  );

  assign retire_valid_o = written && !empty_o;

  always_comb begin
    retire_o = finished;
    if (finished.error == ErrNone) retire_o.error = write_error;
  end

endmodule
