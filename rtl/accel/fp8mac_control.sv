// SPDX-License-Identifier: Apache-2.0
// What software sees of the accelerator: the registers, the reports of errors, flags and ends, the
// completion records, and the counters. A soft reset or a timeout resets the other parts and leaves
// this one.
module fp8mac_control
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter accel_t     ACCEL    = '0,
  parameter logic [1:0] DMA_PROT = 2'b00  // of AXI_PROT
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // APB4 slave
  input  logic                    psel_i,
  input  logic                    penable_i,
  input  logic                    pwrite_i,
  input  logic [2:0]              pprot_i,
  input  logic [11:0]             paddr_i,
  input  logic [31:0]             pwdata_i,
  input  logic [3:0]              pstrb_i,
  output logic                    pready_o,
  output logic [31:0]             prdata_o,
  output logic                    pslverr_o,
  output logic                    irq_o,

  // The guard of the bus
  output logic                    soft_reset_o,
  output logic [23:0]             watchdog_o,
  input  logic                    flush_i,       // the other parts are reset
  input  logic                    draining_i,
  input  logic                    timeout_i,
  input  command_id_t             oldest_i,      // whose transfer a timeout ends

  // The command path
  output request_t                request_o,
  input  queue_status_t           status_i,
  input  refusal_t                refusal_i,
  input  claim_t                  claim_i,
  output logic [Records-1:0]      records_held_o,
  output logic                    clear_o,       // the error state is left
  output logic                    abort_o,       // a command has failed: those behind it are dropped
  output logic                    error_o,       // the error state

  // The output path
  output table_write_t            table_write_o,
  input  logic                    retire_valid_i,
  input  finished_job_t           retire_i,
  input  finished_t               finished_i,

  // The compute path: flags of the steps, and whose they are
  input  flags_t                  step_flags_i,
  input  owner_t                  step_owner_i,

  input  activity_t               activity_i,    // `idle` of it: the accelerator holds no command
  input  logic [ACCEL.rows-1:0]   row_en_i,      // of the step that is taken
  input  logic [ACCEL.cols-1:0]   col_en_i,
  input  logic [ACCEL.lanes-1:0]  lane_en_i
);
  logic          clear_error, clear_flags, clear_counters, done_event, error_event, ended, release_record;
  logic          amax_nonfinite;
  error_e        error_code, ended_error;
  tag_t          error_tag, ended_tag, release_tag;
  logic [31:0]   completed, amax;
  flags_t        flags;
  counters_t     counters;
  record_index_t record_select;
  record_t       record;
  logic [Records-1:0] records_done;

  fp8mac_csr #(
    .ROWS(ACCEL.rows), .COLS(ACCEL.cols), .LANES(ACCEL.lanes), .BLOCK(ACCEL.block), .TILES(ACCEL.tiles),
    .BEAT(ACCEL.beat), .QUEUE_DEPTH(ACCEL.queue_depth), .BUF_BEATS(ACCEL.buf_beats), .MAX_MN(ACCEL.max_mn),
    .ELEMENT(ACCEL.element), .FUNCTIONS(ACCEL.functions)
  ) u_csr (
    .clk_i, .rst_ni, .dma_prot_i(DMA_PROT), .psel_i, .penable_i, .pwrite_i, .pprot_i, .paddr_i, .pwdata_i,
    .pstrb_i, .pready_o, .prdata_o, .pslverr_o,
    .submit_o        (request_o.submit),
    .command_o       (request_o.command),
    .ring_o          (request_o.ring),
    .ring_addr_o     (request_o.ring_addr),
    .clear_error_o   (clear_error),
    .clear_flags_o   (clear_flags),
    .clear_counters_o(clear_counters),
    .soft_reset_o,
    .watchdog_o,
    .resume_o        (request_o.resume),
    .end_list_o      (request_o.end_list),
    .pause_limit_o   (request_o.pause_limit),
    .paused_i        (status_i.paused),
    .paused_event_i  (status_i.paused_event),
    .list_position_i (status_i.list_position),
    .idle_i          (activity_i.idle),
    .draining_i,
    .queue_full_i    (status_i.full),
    .queue_level_i   (status_i.level),
    .fetching_i      (status_i.fetching),
    .error_i         (error_o),
    .error_code_i    (error_code),
    .error_tag_i     (error_tag),
    .completed_i     (completed),
    .flags_i         (flags),
    .amax_i          (amax),
    .amax_nonfinite_i(amax_nonfinite),
    .counters_i      (counters),
    .table_write_o,
    .tables_loaded_o (request_o.tables_loaded),
    .table_begin_i   (status_i.table_begin),
    .table_write_i   (status_i.table_write),
    .record_select_o (record_select),
    .record_release_o(release_record),
    .record_release_tag_o(release_tag),
    .record_i        (record),
    .records_done_i  (records_done),
    .done_event_i    (done_event),
    .error_event_i   (error_event),
    .irq_o
  );

  fp8mac_report u_report (
    .clk_i, .rst_ni,
    .idle_i          (activity_i.idle),
    .clear_error_i   (clear_error),
    .soft_reset_i    (soft_reset_o),
    .clear_flags_i   (clear_flags),
    .refused_i       (refusal_i.valid),
    .refused_error_i (refusal_i.error),
    .refused_tag_i   (refusal_i.tag),
    .timeout_i,
    .timeout_tag_i   (oldest_i.tag),
    .timeout_record_i(oldest_i.record),
    .retire_valid_i,
    .retire_i,
    .step_flags_i,
    .epi_valid_i     (finished_i.valid),
    .epi_flags_i     (finished_i.flags),
    .epi_amax_i      (finished_i.amax),
    .epi_nonfinite_i (finished_i.nonfinite),
    .clear_o,
    .abort_o,
    .error_o,
    .error_code_o    (error_code),
    .error_tag_o     (error_tag),
    .completed_o     (completed),
    .done_event_o    (done_event),
    .error_event_o   (error_event),
    .ended_o         (ended),
    .ended_tag_o     (ended_tag),
    .ended_error_o   (ended_error),
    .flags_o         (flags),
    .amax_o          (amax),
    .amax_nonfinite_o(amax_nonfinite)
  );

  if (ACCEL.functions.records) begin : gen_records
    fp8mac_records u_records (
      .clk_i, .rst_ni,
      .flush_i,
      .soft_reset_i   (soft_reset_o),
      .claim_i        (claim_i.valid),
      .claim_tag_i    (claim_i.tag),
      .held_o         (records_held_o),
      .finish_i       (ended),
      .finish_tag_i   (ended_tag),
      .finish_error_i (ended_error),
      .drop_i         (abort_o),
      .step_owner_i,
      .step_flags_i,
      .epi_valid_i    (finished_i.valid),
      .epi_owner_i    (finished_i.owner),
      .epi_flags_i    (finished_i.flags),
      .epi_amax_i     (finished_i.amax),
      .epi_nonfinite_i(finished_i.nonfinite),
      .release_i      (release_record),
      .release_tag_i  (release_tag),
      .select_i       (record_select),
      .record_o       (record),
      .done_o         (records_done)
    );
  end else begin : gen_no_records
    logic unused_owner;
    assign unused_owner = ^{flush_i, claim_i, ended, ended_tag, ended_error, step_owner_i, finished_i.owner,
                            record_select, release_record, release_tag};
    assign records_held_o = '0;
    assign records_done   = '0;
    assign record         = '0;
  end

  fp8mac_counters #(.ROWS(ACCEL.rows), .COLS(ACCEL.cols), .LANES(ACCEL.lanes)) u_counters (
    .clk_i, .rst_ni,
    .clear_i     (clear_counters),
    .issue_i     (activity_i.issue),
    .stalled_i   (activity_i.stalled),
    .spacing_i   (activity_i.spacing),
    .loaded_i    (activity_i.loaded),
    .loading_i   (activity_i.loading),
    .waiting_i   (activity_i.waiting),
    .idle_i      (activity_i.idle),
    .taken_i     (activity_i.taken),
    .row_en_i,
    .col_en_i,
    .lane_en_i,
    .read_beat_i (activity_i.read_beat),
    .write_beat_i(activity_i.write_beat),
    .counters_o  (counters)
  );
endmodule
