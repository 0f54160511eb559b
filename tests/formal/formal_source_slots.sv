// SPDX-License-Identifier: Apache-2.0
// fp8mac_source_slots: ready_o says that a region is there that has not been passed on. Slots are
// used in turn. The solver chooses one region: its error is the first one among those of its beats.
module formal_source_slots
  import fp8mac_command_pkg::*;
#(
  parameter int unsigned SLOTS = 2,
  localparam int unsigned SlotW = $clog2(SLOTS)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       clear_i,
  input logic       beat_i,
  input error_e     error_i,
  input logic       full_i,
  input logic       done_i,
  input logic [7:0] any_region_i
);
  logic             ready;
  logic [SlotW-1:0] slot;
  error_e           error;

  fp8mac_source_slots #(.SLOTS(SLOTS)) dut (
    .clk_i, .rst_ni, .clear_i, .beat_i, .error_i, .full_i, .done_i, .ready_o(ready), .slot_o(slot), .error_o(error)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  logic [7:0] region;
  formal_const #(.WIDTH(8)) u_region (.clk_i, .any_i(any_region_i), .const_o(region));

  logic [7:0] filled_q, done_q;
  error_e     first_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      filled_q <= '0;
      done_q   <= '0;
      first_q  <= ErrNone;
    end else begin
      filled_q <= filled_q + 8'(beat_i && full_i);
      done_q   <= done_q + 8'(done_i);
      if (beat_i && filled_q == region && first_q == ErrNone) first_q <= error_i;
    end
  end

  always_comb begin
    if (rst_ni) begin
      a_slot_is_free : assume (!beat_i || 32'(filled_q - done_q) < SLOTS);
      passed_on_when_there : assume (!done_i || ready);
      numbers_do_not_wrap : assume (filled_q != '1);

      ready_when_there : assert (ready == (filled_q != done_q));
      slots_in_turn : assert (32'(slot) == 32'(done_q) % SLOTS);
      first_error_of_the_region : assert (!(ready && done_q == region) || error == first_q);

      a_second_error : cover (ready && done_q == region && region == 8'd2 && error == ErrReadDec);
    end
  end

endmodule
