// SPDX-License-Identifier: Apache-2.0
// The accelerator's registers, reports and records, with the model of cycles in the place of queue,
// engines and bus (sim/timed/model.cpp). This module has the name, the parameters and the ports of
// rtl/system/fp8mac_sys_accel.sv; the ports behind those are the wires to the model. All registers
// of fp8mac_accel that software reaches are the RTL's own.
//
// The simulator evaluates this module only in cycles with an access or an event. What the model
// says of a cycle are inputs before its edge.
module fp8mac_sys_accel
  import fp8mac_sys_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_catalogue_pkg::*;
  import fp8mac_element_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter int unsigned ROWS       = 4,
  parameter int unsigned COLS       = 4,
  parameter int unsigned LANES      = 16,
  parameter int unsigned AXI_DATA_W = 128,
  parameter int unsigned ELEMENT    = ElementBlock,
  parameter int unsigned FRAC_BITS  = element_default_frac_bits(ELEMENT),
  parameter bit          MINIMAL    = 1'b0,
  parameter bit          REQUANTISE = 1'b0  // the integer requantiser
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    sleeping_i,

  input  logic                    valid_i,
  input  core_req_t               req_i,
  output logic                    done_o,
  output logic [31:0]             rdata_o,
  output logic                    err_o,
  output logic                    irq_o,

  input  logic                    stall_write_i,
  input  logic [9:0]              stall_permille_i,
  output logic [9:0]              stall_permille_o,

  output logic                    ram_read_valid_o,
  output logic [RamAddrW-1:0]     ram_read_addr_o,
  input  logic [AXI_DATA_W-1:0]   ram_rdata_i,
  output logic                    ram_write_valid_o,
  output logic [RamAddrW-1:0]     ram_write_addr_o,
  output logic [AXI_DATA_W-1:0]   ram_wdata_o,
  output logic [AXI_DATA_W/8-1:0] ram_wstrb_o,

  // What software asks for in this cycle
  output logic                    submit_o,      // a command of the registers goes to the queue
  output words_t                  words_o,
  output logic                    ring_o,        // a descriptor is to be read
  output logic [31:0]             ring_addr_o,
  output logic                    refused_o,     // a submission is dropped
  output logic                    resume_o,
  output logic                    end_list_o,
  output logic                    clear_o,       // the error state is left
  output logic                    clear_counters_o,
  output logic                    soft_reset_o,
  output logic                    draining_o,
  output logic [23:0]             watchdog_o,
  output logic [31:0]             pause_limit_o,
  output logic                    table_write_o,
  output logic [6:0]              table_word_o,  // bit 6: the second table
  output logic [31:0]             table_codes_o,
  output logic                    list_refused_o,  // the command that was fetched has no record
  output logic                    selecting_o,     // an access is under way

  // What the model says of this cycle
  input  logic                    engines_idle_i,
  input  logic                    list_busy_i,
  input  logic                    queue_full_i,
  input  logic [6:0]              queue_level_i,
  input  logic                    paused_i,
  input  logic                    paused_event_i,
  input  logic [31:0]             list_position_i,
  input  logic                    fetched_i,
  input  logic [15:0]             fetched_tag_i,
  input  logic                    fetched_record_i,
  input  logic                    retired_i,
  input  logic [15:0]             retired_tag_i,
  input  logic                    retired_record_i,
  input  logic                    retired_irq_i,
  input  logic                    observed_i,      // a command was computed: its flags and its amax
  input  logic [15:0]             observed_tag_i,
  input  logic                    observed_record_i,
  input  logic [3:0]              observed_flags_i,
  input  logic [31:0]             observed_amax_i,
  input  logic                    observed_nonfinite_i,
  // The counters: cycles, compute .. idle, macs, read and write beats
  input  logic [415:0]            counters_i
);
  import "DPI-C" function int unsigned fp8sim_stall_permille();

  localparam int unsigned Beat      = AXI_DATA_W / 8;
  localparam int unsigned MaxMn     = 128;  // what follows are the defaults of fp8mac_accel
  localparam int unsigned Tiles     = 256;
  localparam int unsigned Queue     = 8;
  localparam int unsigned BufBeats  = 256;
  localparam bit          Mx        = !MINIMAL && element_has_mx(ELEMENT);
  localparam bit          Floats    = !MINIMAL && !REQUANTISE;  // functions of the FP32 epilogue
  localparam logic [2:0]  CoreProt  = 3'b001;

  localparam element_t Element = element_of(ELEMENT, LANES, FRAC_BITS);

  localparam functions_t Offered = '{
    records: !MINIMAL, int8: 1'b1, conv_a: !MINIMAL, tables: !MINIMAL, stochastic: Floats,
    elementwise: Floats, c: Floats, rows: Floats && rows_possible(COLS, MaxMn), mx: Mx,
    requantise: REQUANTISE, depthwise: !MINIMAL && depthwise_possible(LANES, COLS, Beat)
  };

  // ---- registers --------------------------------------------------------------------------------
  logic psel, penable, pwrite, pready, pslverr;
  logic [11:0] paddr;
  logic [31:0] pwdata, prdata;
  logic [3:0] pstrb;

  fp8mac_sys_apb u_apb (
    .clk_i, .rst_ni,
    .valid_i, .req_i, .done_o, .rdata_o, .err_o,
    .psel_o(psel), .penable_o(penable), .pwrite_o(pwrite), .paddr_o(paddr), .pwdata_o(pwdata), .pstrb_o(pstrb),
    .pready_i(pready), .prdata_i(prdata), .pslverr_i(pslverr)
  );
  assign selecting_o = psel;

  logic          csr_submit, ring_written, clear_error, clear_flags, idle, error, fetching;
  logic          rejects, accepted, record_busy, refuse, claim, done_event, error_event, abort;
  logic          release_record, ended, amax_nonfinite;
  command_t      command;
  error_e        error_code, ended_error;
  tag_t          error_tag, ended_tag, release_tag, submitted_tag;
  logic [31:0]   completed, amax;
  flags_t        flags;
  table_write_t  table_write;
  record_index_t record_select;
  record_t       record;
  logic [Records-1:0] records_held, records_done;
  logic [1:0]    tables_loaded;

  fp8mac_csr #(
    .ROWS(ROWS), .COLS(COLS), .LANES(LANES), .BLOCK(element_block(ELEMENT, LANES)), .TILES(Tiles), .BEAT(Beat),
    .QUEUE_DEPTH(Queue), .BUF_BEATS(BufBeats), .MAX_MN(MaxMn), .ELEMENT(Element), .FUNCTIONS(Offered)
  ) u_csr (
    .clk_i, .rst_ni, .dma_prot_i(2'b00), .psel_i(psel), .penable_i(penable), .pwrite_i(pwrite), .pprot_i(CoreProt),
    .paddr_i(paddr), .pwdata_i(pwdata), .pstrb_i(pstrb), .pready_o(pready), .prdata_o(prdata), .pslverr_o(pslverr),
    .submit_o        (csr_submit),
    .command_o       (command),
    .ring_o          (ring_written),
    .ring_addr_o     (ring_addr_o),
    .clear_error_o   (clear_error),
    .clear_flags_o   (clear_flags),
    .clear_counters_o(clear_counters_o),
    .soft_reset_o    (soft_reset_o),
    .watchdog_o      (watchdog_o),
    .resume_o        (resume_o),
    .end_list_o      (end_list_o),
    .pause_limit_o   (pause_limit_o),
    .paused_i        (paused_i),
    .paused_event_i  (paused_event_i),
    .list_position_i (list_position_i),
    .idle_i          (idle),
    .draining_i      (draining_o),
    .queue_full_i    (queue_full_i || fetching),
    .queue_level_i   (queue_level_i),
    .fetching_i      (fetching),
    .error_i         (error),
    .error_code_i    (error_code),
    .error_tag_i     (error_tag),
    .completed_i     (completed),
    .flags_i         (flags),
    .amax_i          (amax),
    .amax_nonfinite_i(amax_nonfinite),
    .counters_i      (counters_i),
    .table_write_o   (table_write),
    .tables_loaded_o (tables_loaded),
    .table_begin_i   (1'b0),
    .table_write_i   ('0),
    .record_select_o (record_select),
    .record_release_o(release_record),
    .record_release_tag_o(release_tag),
    .record_i        (record),
    .records_done_i  (records_done),
    .done_event_i    (done_event),
    .error_event_i   (error_event),
    .irq_o
  );

  assign words_o       = words_of(u_csr.out);
  assign table_write_o = table_write.write;
  assign table_word_o  = {table_write.second, table_write.word};
  assign table_codes_o = table_write.codes;

  // ---- submission: as in fp8mac_accel -----------------------------------------------------------
  logic submit, overflow, refused, takes;
  assign ring_o        = ring_written && !list_busy_i && !queue_full_i && !error;
  assign fetching      = ring_o || list_busy_i;
  assign submit        = fetched_i || (csr_submit && !list_busy_i);
  assign submitted_tag = fetched_i ? fetched_tag_i : command.tag;
  assign refused       = !error && ((csr_submit && list_busy_i) || (ring_written && (list_busy_i || queue_full_i)));
  assign rejects       = (fetched_i ? abort : error) || soft_reset_o || draining_o;
  assign takes         = fetched_i ? fetched_record_i : command.mode.record;
  assign record_busy   = takes && records_held[submitted_tag[RecordW-1:0]];
  assign accepted      = submit && !rejects && !queue_full_i;
  assign claim         = accepted && takes && !record_busy;
  assign refuse        = accepted && record_busy;
  assign overflow      = submit && queue_full_i && !rejects;
  assign submit_o      = accepted && !refuse && !fetched_i;
  assign refused_o     = csr_submit && !submit_o;
  assign list_refused_o = refuse && fetched_i;
  assign idle          = engines_idle_i && !submit && !ring_o && !draining_o;

  // A soft reset drains the bus, on which nothing is under way.
  always_ff @(posedge clk_i) draining_o <= rst_ni && soft_reset_o;

  // ---- reports ----------------------------------------------------------------------------------
  finished_job_t retire;
  flags_t        observed_flags;
  owner_t        owner;
  assign owner = '{valid: observed_record_i, index: observed_tag_i[RecordW-1:0]};
  assign retire = '{tag: retired_tag_i, record: retired_record_i, irq: retired_irq_i, last: 1'b1, error: ErrNone};
  assign observed_flags = '{
    invalid: observed_flags_i[0], overflow: observed_flags_i[1], saturated: observed_flags_i[2],
    nan: observed_flags_i[3]
  };

  fp8mac_report u_report (
    .clk_i, .rst_ni,
    .idle_i          (idle),
    .clear_error_i   (clear_error),
    .soft_reset_i    (soft_reset_o),
    .clear_flags_i   (clear_flags),
    .refused_i       (overflow || refused || refuse),
    .refused_error_i (refuse ? ErrRecord : ErrQueueFull),
    .refused_tag_i   (refuse ? submitted_tag : csr_submit ? command.tag : '0),
    .timeout_i       (1'b0),
    .timeout_tag_i   ('0),
    .timeout_record_i(1'b0),
    .retire_valid_i  (retired_i),
    .retire_i        (retire),
    .step_flags_i    ('0),
    .epi_valid_i     (observed_i),
    .epi_flags_i     (observed_flags),
    .epi_amax_i      (observed_amax_i),
    .epi_nonfinite_i (observed_nonfinite_i),
    .clear_o         (clear_o),
    .abort_o         (abort),
    .error_o         (error),
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

  fp8mac_records u_records (
    .clk_i, .rst_ni,
    .flush_i        (soft_reset_o || draining_o),
    .soft_reset_i   (soft_reset_o),
    .claim_i        (claim),
    .claim_tag_i    (submitted_tag),
    .held_o         (records_held),
    .finish_i       (ended),
    .finish_tag_i   (ended_tag),
    .finish_error_i (ended_error),
    .drop_i         (abort),
    .step_owner_i   ('0),
    .step_flags_i   ('0),
    .epi_valid_i    (observed_i),
    .epi_owner_i    (owner),
    .epi_flags_i    (observed_flags),
    .epi_amax_i     (observed_amax_i),
    .epi_nonfinite_i(observed_nonfinite_i),
    .release_i      (release_record),
    .release_tag_i  (release_tag),
    .select_i       (record_select),
    .record_o       (record),
    .done_o         (records_done)
  );

  // ---- stalls, and the RAM that the model reads and writes by itself ----------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni)            stall_permille_o <= stall_limit(fp8sim_stall_permille());
    else if (stall_write_i) stall_permille_o <= stall_permille_i;
  end

  assign ram_read_valid_o  = 1'b0;
  assign ram_read_addr_o   = '0;
  assign ram_write_valid_o = 1'b0;
  assign ram_write_addr_o  = '0;
  assign ram_wdata_o       = '0;
  assign ram_wstrb_o       = '0;

  logic unused;
  assign unused = ^{ram_rdata_i, sleeping_i, observed_tag_i, tables_loaded, command};
endmodule
