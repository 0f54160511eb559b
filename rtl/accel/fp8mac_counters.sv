// SPDX-License-Identifier: Apache-2.0
// Performance counters. Every cycle counts for exactly one cause. The first of these
// that holds is counted:
//
//   compute     a step is issued
//   results       compute has steps to issue, or a tile command to take, but the output part cannot take more results
//   spacing     the next step would be too early for an accumulator or an accumulate unit
//   first_load  operands are being loaded, and no step has been issued since the accelerator was idle
//   load        operands are being loaded
//   command     a command is queued, checked, or taken by compute
//   idle        there is no command
//   store       results are being finished and stored
module fp8mac_counters
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned ROWS  = 4,
  parameter int unsigned COLS  = 4,
  parameter int unsigned LANES = 16
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,

  input  logic      issue_i,        // compute issues a step
  input  logic      stalled_i,      // compute waits for results to be taken
  input  logic      spacing_i,      // compute waits for an accumulator or an accumulate unit
  input  logic      loaded_i,       // compute has a tile command whose operands are there
  input  logic      loading_i,      // a tile command is being loaded
  input  logic      waiting_i,      // a command is queued or being checked
  input  logic      idle_i,         // no command anywhere

  // The array takes a step of these rows, columns and lanes.
  input  logic             taken_i,
  input  logic [ROWS-1:0]  row_en_i,
  input  logic [COLS-1:0]  col_en_i,
  input  logic [LANES-1:0] lane_en_i,

  input  logic      read_beat_i,
  input  logic      write_beat_i,

  output counters_t counters_o
);
  logic compute, results, spacing, first_load, load, command, idle, store;
  logic waits;    // compute has no tile command
  logic begun_q;  // a step has been issued since the accelerator was idle

  assign waits = !loaded_i;
  always_comb begin
    compute    = issue_i;
    results    = !issue_i && stalled_i;
    spacing    = !issue_i && !stalled_i && spacing_i;
    first_load = waits && loading_i && !begun_q;
    load       = waits && loading_i && begun_q;
    idle       = waits && !loading_i && idle_i;
    store      = waits && !loading_i && !idle_i && !waiting_i;
    command    = !compute && !results && !spacing && !first_load && !load && !idle && !store;
  end

  // Causes are counted one cycle later, because the one of compute is known late in its cycle.
  typedef struct packed {
    logic compute, results, spacing, first_load, load, command, store, idle;
  } cause_t;

  cause_t cause, cause_q;
  assign cause = '{compute, results, spacing, first_load, load, command, store, idle};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) cause_q <= '{idle: 1'b1, default: 1'b0};
    else cause_q <= cause;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begun_q <= 1'b0;
    else begun_q <= issue_i || (begun_q && !idle_i);
  end

  // The products of a step: rows * columns * lanes, one multiplication per cycle
  localparam int unsigned RowsW  = $clog2(ROWS + 1);
  localparam int unsigned ColsW  = $clog2(COLS + 1);
  localparam int unsigned LanesW = $clog2(LANES + 1);

  logic [2:0]                   valid_q;
  logic [RowsW-1:0]             rows_q;
  logic [ColsW-1:0]             cols_q;
  logic [LanesW-1:0]            lanes_q, lanes_q2;
  logic [RowsW+ColsW-1:0]       outputs_q;
  logic [RowsW+ColsW+LanesW-1:0] macs_q;
  logic [32:0]                  macs_low;
  logic                         macs_carry_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[1:0], taken_i};
    rows_q    <= RowsW'($countones(row_en_i));
    cols_q    <= ColsW'($countones(col_en_i));
    lanes_q   <= LanesW'($countones(lane_en_i));
    outputs_q <= (RowsW+ColsW)'(rows_q) * (RowsW+ColsW)'(cols_q);
    lanes_q2  <= lanes_q;
    macs_q    <= (RowsW+ColsW+LanesW)'(outputs_q) * (RowsW+ColsW+LanesW)'(lanes_q2);
  end

  assign macs_low = 33'(counters_o.macs[31:0]) + (valid_q[2] ? 33'(macs_q) : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      counters_o   <= '0;
      macs_carry_q <= 1'b0;
    end else begin
      counters_o.cycles      <= counters_o.cycles + 32'd1;
      counters_o.compute     <= counters_o.compute + 32'(cause_q.compute);
      counters_o.results     <= counters_o.results + 32'(cause_q.results);
      counters_o.spacing     <= counters_o.spacing + 32'(cause_q.spacing);
      counters_o.first_load  <= counters_o.first_load + 32'(cause_q.first_load);
      counters_o.load        <= counters_o.load + 32'(cause_q.load);
      counters_o.command     <= counters_o.command + 32'(cause_q.command);
      counters_o.store       <= counters_o.store + 32'(cause_q.store);
      counters_o.idle        <= counters_o.idle + 32'(cause_q.idle);
      counters_o.macs        <= {counters_o.macs[63:32] + 32'(macs_carry_q), macs_low[31:0]};
      macs_carry_q           <= macs_low[32];
      counters_o.read_beats  <= counters_o.read_beats + 32'(read_beat_i);
      counters_o.write_beats <= counters_o.write_beats + 32'(write_beat_i);
    end
  end

  parts_are_disjoint_and_complete : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot(cause) && $onehot(cause_q));

endmodule
