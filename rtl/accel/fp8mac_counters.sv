// SPDX-License-Identifier: Apache-2.0
// Performance counters. Every cycle counts in exactly one of compute, drain, load, store, overhead and idle.
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

  input  logic      step_i,         // a step's operands are read
  input  logic      stalled_i,      // compute waits for results to be taken
  input  logic      loaded_i,       // compute has a command whose operands are there
  input  logic      loading_i,      // a command is being loaded
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
  logic compute, drain, load, store, overhead, idle;

  always_comb begin
    compute  = step_i;
    drain    = !compute && stalled_i;
    load     = !compute && !drain && !loaded_i && loading_i;
    idle     = !compute && !drain && !load && idle_i;
    store    = !compute && !drain && !load && !idle && !loaded_i && !waiting_i;
    overhead = !compute && !drain && !load && !idle && !store;
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
      counters_o.compute     <= counters_o.compute + 32'(compute);
      counters_o.drain       <= counters_o.drain + 32'(drain);
      counters_o.load        <= counters_o.load + 32'(load);
      counters_o.store       <= counters_o.store + 32'(store);
      counters_o.overhead    <= counters_o.overhead + 32'(overhead);
      counters_o.idle        <= counters_o.idle + 32'(idle);
      counters_o.macs        <= {counters_o.macs[63:32] + 32'(macs_carry_q), macs_low[31:0]};
      macs_carry_q           <= macs_low[32];
      counters_o.read_beats  <= counters_o.read_beats + 32'(read_beat_i);
      counters_o.write_beats <= counters_o.write_beats + 32'(write_beat_i);
    end
  end

  parts_are_disjoint_and_complete : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot({compute, drain, load, store, overhead, idle}));

endmodule
