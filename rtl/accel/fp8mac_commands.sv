// SPDX-License-Identifier: Apache-2.0
// The way of commands, from the registers or from descriptors in memory, to checked tile commands:
//
//   registers ---------------------------> queue -> walk -> check -> load path
//       |                                    |
//       +-> list -> fetch -> table load -----+      fetch and table load read by the load path's DMA
//
// A command comes from the registers or, while these are refused, from the descriptor that is
// being read. A descriptor is accepted when its reading begins: only an abort drops it. A command
// that asks for a record is accepted if the record is free.
module fp8mac_commands
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
  import fp8mac_accel_pkg::*;
#(
  parameter accel_t ACCEL = '0
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    position_rst_ni,  // not by a soft reset or a timeout: the list's position stays
  input  logic                    flush_i,          // these are under way
  input  logic                    abort_i,
  input  logic                    clear_i,          // the error state is left
  input  logic                    error_i,          // the error state

  // The registers
  input  request_t                request_i,
  output queue_status_t           status_o,
  output refusal_t                refusal_o,
  output claim_t                  claim_o,
  input  logic [Records-1:0]      records_held_i,

  // Whether commands are anywhere
  output logic                    entering_o,       // one is submitted or read
  output logic                    queued_o,         // one is in the queue, or divided, or checked
  input  logic                    drained_i,        // none is in the queue or behind it
  input  logic                    idle_i,           // none is anywhere

  // Rows of descriptors and tables of codes, and their beats
  output row_offer_t              fetch_row_o,
  output row_offer_t              table_row_o,
  input  logic                    row_ready_i,      // the first of all that are offered is taken
  input  beat_t                   beat_i,
  input  logic                    beat_taken_i,
  input  logic [ACCEL.beat*8-1:0] beat_data_i,
  output logic                    table_beat_ready_o,

  // Tile commands
  output logic                    checked_valid_o,
  output checked_jobs_t           checked_o,
  input  logic                    checked_ready_i,

  output logic                    fault_o           // of fp8mac_fifo
);
  // ---- submission -------------------------------------------------------------------------------
  logic     submit, ring, list_busy, fetching, fetched, queue_full, overflow, refused;
  command_t command, fetched_command;

  assign ring     = request_i.ring && !list_busy && !queue_full && !error_i;
  assign fetching = ring || list_busy;
  assign submit   = fetched || (request_i.submit && !list_busy);
  assign command  = fetched ? fetched_command : request_i.command;
  assign refused  = !error_i && ((request_i.submit && list_busy) || (request_i.ring && (list_busy || queue_full)));

  logic rejects, accepted, record_busy, refuse;
  assign rejects     = (fetched ? abort_i : error_i) || flush_i;  // without a report
  assign record_busy = command.mode.record && records_held_i[command.tag[RecordW-1:0]];
  assign accepted    = submit && !rejects && !queue_full;
  assign refuse      = accepted && record_busy;
  assign claim_o     = '{valid: accepted && command.mode.record && !record_busy, tag: command.tag};
  assign refusal_o   = '{
    valid: overflow || refused || refuse, error: refuse ? ErrRecord : ErrQueueFull,
    tag: refuse ? command.tag : request_i.submit ? request_i.command.tag : '0
  };

  // ---- descriptors ------------------------------------------------------------------------------
  logic     list_ring, more, pause, next_beyond, paused, paused_event;
  addr_t    list_addr, next_descriptor, list_position;
  error_e   list_error, table_error;  // table_error: of the load of a command's table
  logic     descriptor_read, descriptor_busy, load_table, table_busy, table_begin;
  command_t descriptor_command;
  addr_t    table_addr;
  table_write_t table_write;

  fp8mac_list u_list (
    .clk_i, .rst_ni, .position_rst_ni,
    .ring_i        (ring),
    .addr_i        (request_i.ring_addr),
    .resume_i      (request_i.resume),
    .end_i         (request_i.end_list),
    .limit_i       (request_i.pause_limit),
    .busy_o        (list_busy),
    .paused_o      (paused),
    .paused_event_o(paused_event),
    .position_o    (list_position),
    .abort_i,
    .refuse_i      (refuse),
    .idle_i,
    .queue_full_i  (queue_full),
    .ring_o        (list_ring),
    .addr_o        (list_addr),
    .ring_error_o  (list_error),
    .fetching_i    (descriptor_busy || table_busy),
    .fetched_i     (fetched),
    .more_i        (more && table_error == ErrNone),
    .pause_i       (pause),
    .next_i        (next_descriptor),
    .next_beyond_i (next_beyond)
  );

  fp8mac_fetch #(.BEAT(ACCEL.beat)) u_fetch (
    .clk_i, .rst_ni,
    .ring_i      (list_ring),
    .addr_i      (list_addr),
    .ring_error_i(list_error),
    .busy_o      (descriptor_busy),
    .row_valid_o (fetch_row_o.valid),
    .row_o       (fetch_row_o.row),
    .dest_o      (fetch_row_o.dest),
    .row_ready_i,
    .beat_valid_i(beat_taken_i && beat_i.dest.kind == DestCommand),
    .beat_data_i,
    .beat_error_i(beat_i.error),
    .beat_last_i (beat_i.dest.last),
    .valid_o     (descriptor_read),
    .command_o   (descriptor_command),
    .more_o      (more),
    .pause_o     (pause),
    .next_o      (next_descriptor),
    .next_beyond_o(next_beyond),
    .load_table_o(load_table),
    .table_addr_o(table_addr)
  );

  fp8mac_table_load #(.BEAT(ACCEL.beat), .TABLES(ACCEL.functions.tables)) u_table_load (
    .clk_i, .rst_ni,
    .read_i       (descriptor_read),
    .wanted_i     (load_table),
    .code_table_i (code_table_e'(descriptor_command.finish.act_table)),
    .addr_i       (table_addr),
    .busy_o       (table_busy),
    .abort_i,
    .drained_i,
    .row_valid_o  (table_row_o.valid),
    .row_o        (table_row_o.row),
    .dest_o       (table_row_o.dest),
    .row_ready_i,
    .beat_i       (beat_i.offered && beat_i.dest.kind == DestTable),
    .beat_data_i,
    .beat_error_i (beat_i.error),
    .beat_last_i  (beat_i.dest.last),
    .beat_ready_o (table_beat_ready_o),
    .begin_o      (table_begin),
    .write_o      (table_write),
    .valid_o      (fetched),
    .error_o      (table_error)
  );

  always_comb begin
    fetched_command = descriptor_command;
    if (table_error != ErrNone) fetched_command.error = table_error;
  end

  // ---- the queue, and tile commands -------------------------------------------------------------
  logic       queue_valid, queue_ready, walk_idle, check_idle, tile_valid, tile_ready;
  logic [6:0] queue_level;
  command_t   queue_command;
  tile_cmd_t  tile;

  fp8mac_cmd_queue #(.QUEUE_DEPTH(ACCEL.queue_depth)) u_queue (
    .clk_i, .rst_ni,
    .error_i   (rejects),
    .abort_i,
    .submit_i  (submit && !refuse),
    .command_i (command),
    .overflow_o(overflow),
    .full_o    (queue_full),
    .level_o   (queue_level),
    .valid_o   (queue_valid),
    .command_o (queue_command),
    .ready_i   (queue_ready),
    .fault_o
  );

  fp8mac_cmd_walk #(
    .GRANULE(ACCEL.granule), .BEAT(ACCEL.beat), .MAX_MN(ACCEL.max_mn), .REQUANTISE(ACCEL.functions.requantise)
  ) u_walk (
    .clk_i, .rst_ni,
    .abort_i,
    .idle_o   (walk_idle),
    .valid_i  (queue_valid),
    .command_i(offered(queue_command, ACCEL.functions)),
    .ready_o  (queue_ready),
    .valid_o  (tile_valid),
    .tile_o   (tile),
    .ready_i  (tile_ready)
  );

  fp8mac_cmd_check #(
    .ROWS(ACCEL.rows), .COLS(ACCEL.cols), .BLOCK(ACCEL.block), .TILES(ACCEL.tiles), .BEAT(ACCEL.beat),
    .BUF_BEATS(ACCEL.buf_beats), .MAX_MN(ACCEL.max_mn), .ELEMENT(ACCEL.element), .MX(ACCEL.functions.mx),
    .SCALE_BEATS(ACCEL.scale_beats), .REQUANTISE(ACCEL.functions.requantise),
    .DEPTHWISE(ACCEL.functions.depthwise), .FUNCTIONS(ACCEL.functions)
  ) u_check (
    .clk_i, .rst_ni,
    .abort_i,
    .clear_i,
    .idle_o   (check_idle),
    .tables_loaded_i(request_i.tables_loaded),
    .valid_i  (tile_valid),
    .tile_i   (tile),
    .ready_o  (tile_ready),
    .valid_o  (checked_valid_o),
    .checked_o,
    .ready_i  (checked_ready_i)
  );

  // ---- what others see --------------------------------------------------------------------------
  assign entering_o = submit || fetching;
  assign queued_o   = queue_level != '0 || !walk_idle || !check_idle;

  assign status_o = '{
    full: queue_full || fetching, level: queue_level, fetching: fetching, paused: paused, paused_event: paused_event,
    list_position: list_position, table_begin: table_begin, table_write: table_write
  };
endmodule
