// SPDX-License-Identifier: Apache-2.0
// Performance counters. Every cycle counts in exactly one of compute, drain, load, store, overhead and idle.
module fp8mac_counters
  import fp8mac_cmd_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,

  input  logic      step_i,         // a step was issued
  input  logic      stalled_i,      // compute waits for results to be drained
  input  logic      loaded_i,       // compute has a command whose operands are there
  input  logic      loading_i,      // a command is being loaded
  input  logic      waiting_i,      // a command is queued or being checked
  input  logic      idle_i,         // no command anywhere

  input  logic      computed_i,     // the last step of a command of shape m_i, n_i, k_i was issued
  input  dim_t      m_i,
  input  dim_t      n_i,
  input  dim_t      k_i,
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

  // m * n * k, one multiplication per cycle
  logic                two_q, add_q;
  dim_t                k_q;
  logic [2*DimW-1:0]   outputs_q;
  logic [3*DimW-1:0]   macs_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      two_q <= 1'b0;
      add_q <= 1'b0;
    end else begin
      two_q <= computed_i;
      add_q <= two_q;
    end
    outputs_q <= m_i * n_i;
    k_q       <= k_i;
    macs_q    <= outputs_q * k_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      counters_o <= '0;
    end else begin
      counters_o.cycles      <= counters_o.cycles + 32'd1;
      counters_o.compute     <= counters_o.compute + 32'(compute);
      counters_o.drain       <= counters_o.drain + 32'(drain);
      counters_o.load        <= counters_o.load + 32'(load);
      counters_o.store       <= counters_o.store + 32'(store);
      counters_o.overhead    <= counters_o.overhead + 32'(overhead);
      counters_o.idle        <= counters_o.idle + 32'(idle);
      counters_o.macs        <= counters_o.macs + (add_q ? 64'(macs_q) : '0);
      counters_o.read_beats  <= counters_o.read_beats + 32'(read_beat_i);
      counters_o.write_beats <= counters_o.write_beats + 32'(write_beat_i);
    end
  end

  parts_are_disjoint_and_complete : assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot({compute, drain, load, store, overhead, idle}));

endmodule
