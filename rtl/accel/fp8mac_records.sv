// SPDX-License-Identifier: Apache-2.0
// Completion records: error, flags and amax of single commands. A command with MODE.record claims
// the record that its tag modulo Records selects, when it is accepted. It has the record until
// software releases it, and no other command can claim it meanwhile. So what belongs to a command
// is never mixed with another's, and never overwritten before it was read.
//
//   free --claim--> held --finish, drop--> held, done --release--> free
//                    '------soft reset------------------------------^
//
// Results and flags carry the number of their command's record (owner_t) through the array and the
// epilogue. A finished command's results have passed here before, because its D is in memory.
module fp8mac_records
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               flush_i,        // a soft reset or a timeout empties the engines
  input  logic               soft_reset_i,   // frees the records of the commands in flight

  input  logic               claim_i,        // only of a record that is not held
  input  tag_t               claim_tag_i,
  output logic [Records-1:0] held_o,

  input  logic               finish_i,       // the command that has the tag's record completed or failed
  input  tag_t               finish_tag_i,
  input  error_e             finish_error_i,
  input  logic               drop_i,         // all commands in flight are dropped

  input  owner_t             step_owner_i,
  input  flags_t             step_flags_i,
  input  logic               epi_valid_i,    // the epilogue's transfer is taken
  input  owner_t             epi_owner_i,
  input  flags_t             epi_flags_i,
  input  logic [31:0]        epi_amax_i,
  input  logic               epi_nonfinite_i,

  // Software
  input  logic               release_i,
  input  tag_t               release_tag_i,
  input  record_index_t      select_i,
  output record_t            record_o,       // 0 unless a command has the record
  output logic [Records-1:0] done_o
);
  // ---- life of a record -------------------------------------------------------------------------
  logic [Records-1:0]   held_q, done_q;
  tag_t [Records-1:0]   tag_q;
  error_e [Records-1:0] error_q;
  logic [Records-1:0]   claim, finish, drop, free;

  always_comb begin
    for (int unsigned i = 0; i < Records; i++) begin
      claim[i]  = claim_i && claim_tag_i[RecordW-1:0] == RecordW'(i);
      finish[i] = finish_i && finish_tag_i[RecordW-1:0] == RecordW'(i);
      drop[i]   = drop_i && held_q[i] && !done_q[i];
      free[i]   = release_i && release_tag_i == tag_q[i] && done_q[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q <= '0;
      done_q <= '0;
    end else begin
      for (int unsigned i = 0; i < Records; i++) begin
        if (claim[i]) held_q[i] <= 1'b1;
        else if (free[i] || (soft_reset_i && !done_q[i] && !finish[i])) held_q[i] <= 1'b0;
        if (free[i]) done_q[i] <= 1'b0;
        else if (finish[i] || (drop[i] && !soft_reset_i)) done_q[i] <= 1'b1;
      end
    end
    for (int unsigned i = 0; i < Records; i++) begin
      if (claim[i]) tag_q[i] <= claim_tag_i;
      if (finish[i]) error_q[i] <= finish_error_i;
      else if (drop[i]) error_q[i] <= ErrDropped;
    end
  end

  assign held_o = held_q;
  assign done_o = done_q;

  // ---- flags and amax ---------------------------------------------------------------------------
  owner_t      step_owner_q, epi_owner_q;
  flags_t      step_flags_q, epi_flags_q;
  logic [31:0] epi_amax_q;
  logic        epi_nonfinite_q;

  // amax is the pattern of a finite value without its sign. Such patterns are ordered as integers.
  logic [Records-1:0][31:0] amax_q;
  flags_t [Records-1:0]     flags_q;
  logic [Records-1:0]       nonfinite_q, stepped, transferred;
  logic                     larger;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      step_owner_q <= '0;
      epi_owner_q  <= '0;
    end else begin
      step_owner_q <= '{valid: step_owner_i.valid && step_flags_i != '0, index: step_owner_i.index};
      epi_owner_q  <= '{valid: epi_owner_i.valid && epi_valid_i, index: epi_owner_i.index};
    end
    step_flags_q    <= step_flags_i;
    epi_flags_q     <= epi_flags_i;
    epi_amax_q      <= epi_amax_i;
    epi_nonfinite_q <= epi_nonfinite_i;
  end

  assign larger = epi_amax_q > amax_q[epi_owner_q.index];

  always_comb begin
    for (int unsigned i = 0; i < Records; i++) begin
      stepped[i]     = step_owner_q.valid && step_owner_q.index == RecordW'(i);
      transferred[i] = epi_owner_q.valid && epi_owner_q.index == RecordW'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Records; i++) begin
      if (claim[i]) begin
        flags_q[i]     <= '0;
        amax_q[i]      <= '0;
        nonfinite_q[i] <= 1'b0;
      end else begin
        flags_q[i] <= flags_q[i] | (stepped[i] ? step_flags_q : '0) | (transferred[i] ? epi_flags_q : '0);
        if (transferred[i] && larger) amax_q[i] <= epi_amax_q;
        if (transferred[i] && epi_nonfinite_q) nonfinite_q[i] <= 1'b1;
      end
    end
  end

  // ---- software ---------------------------------------------------------------------------------
  // After power-up a record has no contents before its first claim, and no error before its first
  // end.
  record_t record;
  assign record   = '{tag: tag_q[select_i], done: done_q[select_i],
                      error: done_q[select_i] ? error_q[select_i] : ErrNone,
                      flags: flags_q[select_i], amax_nonfinite: nonfinite_q[select_i], amax: amax_q[select_i]};
  assign record_o = held_q[select_i] ? record : '0;

  if ((1 << RecordW) != Records || Records > 32) begin : g_records
    $error("Records must be a power of two and at most 32");
  end

  a_claim_of_a_free_record : assert property (@(posedge clk_i) disable iff (!rst_ni) (claim & held_q) == '0);
  a_finished_command_has_its_record : assert property (@(posedge clk_i) disable iff (!rst_ni)
    !finish_i || (held_q[finish_tag_i[RecordW-1:0]] && !done_q[finish_tag_i[RecordW-1:0]] &&
                  tag_q[finish_tag_i[RecordW-1:0]] == finish_tag_i));
  a_flags_have_an_owner_in_flight : assert property (@(posedge clk_i) disable iff (!rst_ni)
    drop_i || flush_i || ((stepped | transferred) & ~(held_q & ~done_q)) == '0);

endmodule
