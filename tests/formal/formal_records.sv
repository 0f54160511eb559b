// SPDX-License-Identifier: Apache-2.0
// fp8mac_records, for one record that the solver chooses: it belongs to one command from its claim
// to its release. Its flags are the OR, and its amax the maximum, of what came with its number
// since the claim, whatever other records get.
module formal_records
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
(
  input logic          clk_i,
  input logic          rst_ni,
  input logic          flush_i,
  input logic          soft_reset_i,
  input logic          claim_i,
  input tag_t          claim_tag_i,
  input logic          finish_i,
  input tag_t          finish_tag_i,
  input error_e        finish_error_i,
  input logic          drop_i,
  input owner_t        step_owner_i,
  input flags_t        step_flags_i,
  input logic          epi_valid_i,
  input owner_t        epi_owner_i,
  input flags_t        epi_flags_i,
  input logic [31:0]   epi_amax_i,
  input logic          epi_nonfinite_i,
  input logic          release_i,
  input tag_t          release_tag_i,
  input record_index_t any_i
);
  logic [Records-1:0] held, done;
  record_t            record;
  record_index_t      index;

  formal_const #(.WIDTH(RecordW)) u_index (.clk_i, .any_i, .const_o(index));
  formal_reset u_reset (.clk_i, .rst_ni);

  fp8mac_records dut (
    .clk_i, .rst_ni, .flush_i, .soft_reset_i, .claim_i, .claim_tag_i, .held_o(held), .finish_i, .finish_tag_i,
    .finish_error_i, .drop_i, .step_owner_i, .step_flags_i, .epi_valid_i, .epi_owner_i, .epi_flags_i, .epi_amax_i,
    .epi_nonfinite_i, .release_i, .release_tag_i, .select_i(index), .record_o(record), .done_o(done)
  );

  // ---- the record's life, in terms of the inputs ------------------------------------------------
  typedef enum logic [1:0] {
    Free,
    Held,
    Done
  } life_e;

  life_e       life_q;
  tag_t        tag_q;
  error_e      error_q;
  flags_t      flags_q, flags;
  logic [31:0] amax_q;
  logic        nonfinite_q, claimed, finished, stepped, transferred;

  assign claimed     = claim_i && claim_tag_i[RecordW-1:0] == index;
  assign finished    = finish_i && finish_tag_i[RecordW-1:0] == index;
  assign stepped     = step_owner_i.valid && step_owner_i.index == index && !flush_i;
  assign transferred = epi_valid_i && epi_owner_i.valid && epi_owner_i.index == index && !flush_i;
  assign flags       = (stepped ? step_flags_i : '0) | (transferred ? epi_flags_i : '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      life_q <= Free;
    end else begin
      unique case (life_q)
        Free: if (claimed) life_q <= Held;
        Held: begin
          if (finished) life_q <= Done;
          else if (soft_reset_i) life_q <= Free;
          else if (drop_i) life_q <= Done;
          if (finished || drop_i) error_q <= finished ? finish_error_i : ErrDropped;
        end
        default: if (release_i && release_tag_i == tag_q) life_q <= Free;
      endcase
    end
    if (claimed) begin
      tag_q       <= claim_tag_i;
      flags_q     <= '0;
      amax_q      <= '0;
      nonfinite_q <= 1'b0;
    end else if (life_q == Held) begin
      flags_q     <= flags_q | flags;
      nonfinite_q <= nonfinite_q | (transferred & epi_nonfinite_i);
      if (transferred && epi_amax_i > amax_q) amax_q <= epi_amax_i;
    end
  end

  // Commands that are in flight and stay so
  logic [Records-1:0] goes_on;

  always_comb begin
    for (int unsigned i = 0; i < Records; i++) begin
      goes_on[i] = held[i] && !done[i] && !drop_i && !soft_reset_i &&
                   !(finish_i && finish_tag_i[RecordW-1:0] == RecordW'(i));
    end
  end

  // What came in the cycle before reaches the record in this one.
  logic   late_q;
  flags_t late_flags_q;
  logic   late_transfer_q, late_nonfinite_q;
  logic [31:0] late_amax_q;

  flags_t stage_steps_q, stage_flags_q;

  always_ff @(posedge clk_i) begin
    stage_steps_q    <= (rst_ni && stepped) ? step_flags_i : '0;
    stage_flags_q    <= epi_flags_i;
    late_q           <= rst_ni && life_q == Held;
    late_flags_q     <= rst_ni ? flags : '0;
    late_transfer_q  <= rst_ni && transferred;
    late_nonfinite_q <= epi_nonfinite_i;
    late_amax_q      <= epi_amax_i;
  end

  always_comb begin
    if (rst_ni) begin
      // As in the accelerator
      claims_what_is_free : assume (!claim_i || !held[claim_tag_i[RecordW-1:0]]);
      finishes_what_is_in_flight : assume (!finish_i || (held[finish_tag_i[RecordW-1:0]] &&
        !done[finish_tag_i[RecordW-1:0]] && dut.tag_q[finish_tag_i[RecordW-1:0]] == finish_tag_i));
      steps_of_commands_in_flight : assume (!step_owner_i.valid || flush_i || goes_on[step_owner_i.index]);
      transfers_of_commands_in_flight : assume (!epi_owner_i.valid || !epi_valid_i || flush_i ||
                                                goes_on[epi_owner_i.index]);

      life_is_known : assert (life_q inside {Free, Held, Done});
      held_from_claim_to_release : assert (held[index] == (life_q != Free));
      done_when_it_ended : assert (done[index] == (life_q == Done) && record.done == done[index]);
      a_free_one_shows_nothing : assert (life_q != Free || record == '0);
      no_error_before_the_end : assert (life_q == Done || record.error == ErrNone);
      has_its_tag : assert (life_q == Free || record.tag == tag_q);
      has_its_error : assert (life_q != Done || record.error == error_q);
      has_its_flags : assert (life_q != Done || late_q || (record.flags == flags_q &&
                              record.amax_nonfinite == nonfinite_q && record.amax == amax_q));
      flags_are_late : assert (life_q == Free || !late_q ||
        (record.flags | late_flags_q) == flags_q && (record.amax_nonfinite | (late_transfer_q & late_nonfinite_q)) ==
        nonfinite_q && ((late_transfer_q && late_amax_q > record.amax) ? late_amax_q : record.amax) == amax_q);
      nothing_else_is_late : assert (late_q || life_q != Held || (record.flags == '0 && !record.amax_nonfinite &&
        record.amax == '0 && flags_q == '0 && !nonfinite_q && amax_q == '0));
      // The stage before the record
      stage_of_steps : assert ((dut.step_owner_q.valid && dut.step_owner_q.index == index ? dut.step_flags_q : '0) ==
                               stage_steps_q);
      stage_of_transfers : assert ((dut.epi_owner_q.valid && dut.epi_owner_q.index == index) == late_transfer_q &&
        (!late_transfer_q || (dut.epi_flags_q == stage_flags_q && dut.epi_amax_q == late_amax_q &&
                              dut.epi_nonfinite_q == late_nonfinite_q)));
      stage_is_one : assert (late_flags_q == (stage_steps_q | (late_transfer_q ? stage_flags_q : '0)));
      only_in_flight : assert (late_q || (stage_steps_q == '0 && !late_transfer_q));

      ends_with_flags : cover (life_q == Done && record.flags == 4'hf && record.amax == 32'h3f80_0000);
      dropped_behind_a_failure : cover (life_q == Done && record.error == ErrDropped && $countones(done) == 3);
      freed_by_a_reset : cover (life_q == Held && soft_reset_i && $countones(done) == 1);
    end
  end

endmodule
