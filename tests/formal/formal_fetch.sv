// SPDX-License-Identifier: Apache-2.0
// fp8mac_fetch with a read DMA that takes the row after any time and gives its beats at any pace,
// each with any error. Each address that is rung gives exactly one command: after the last beat, or
// at once if the address is illegal or came with an error, which requests nothing. The command has
// the words in their order, or the first error with the tag 0 and no record. Only a descriptor with
// MODE.extended gives a second request, for the rest of the words. The next descriptor of a list is
// at the beat behind the last one that was requested. A descriptor that cannot be read has none.
module formal_fetch
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT = 16
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              ring_i,
  input addr_t             addr_i,
  input error_e            ring_error_i,
  input logic              row_ready_i,
  input logic              beat_valid_i,
  input logic [BEAT*8-1:0] beat_data_i,
  input error_e            beat_error_i
);
  localparam int unsigned Short = (CommandWords * 4 + BEAT - 1) / BEAT;  // beats without an extension
  localparam int unsigned Beats = (MostWords * 4 + BEAT - 1) / BEAT;

  // Of SUBMIT, the last word without an extension
  localparam int unsigned More  = (CommandWords - 1) * 32 + 16;
  localparam int unsigned Pause = (CommandWords - 1) * 32 + 17;

  logic         busy, row_valid, valid, beat_last, more, pause, next_beyond;
  addr_t        next;
  row_request_t row;
  read_dest_t   dest;
  command_t     command, expected;

  fp8mac_fetch #(.BEAT(BEAT)) dut (
    .clk_i, .rst_ni, .ring_i, .addr_i, .ring_error_i, .busy_o(busy), .row_valid_o(row_valid), .row_o(row),
    .dest_o(dest), .row_ready_i, .beat_valid_i, .beat_data_i, .beat_error_i, .beat_last_i(beat_last), .valid_o(valid),
    .command_o(command), .more_o(more), .pause_o(pause), .next_o(next), .next_beyond_o(next_beyond)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- what was asked for, and what came --------------------------------------------------------
  logic                            open_q;       // an address was rung, and its command has not come
  logic                            requested_q;  // its row was taken
  logic                            long_q;       // the words behind are wanted, too
  logic                            rest_requested_q;
  addr_t                           addr_q;
  logic [4:0]                      count_q;      // beats that came
  logic [Beats-1:0][BEAT*8-1:0]    beats_q;
  error_e                          ring_error_q, error_q;
  error_e                          ring_error;   // of an illegal one
  logic                            illegal, rest_illegal, all_came, is_long;

  // The last bytes that a descriptor takes must have addresses.
  assign illegal      = ring_error_q != ErrNone || addr_q % BEAT != 0 ||
                        33'(addr_q) + 33'(Short * BEAT) > 33'h1_0000_0000;
  assign ring_error   = ring_error_q != ErrNone ? ring_error_q : addr_q % BEAT != 0 ? ErrAlign : ErrRange;
  assign rest_illegal = 33'(addr_q) + 33'(Beats * BEAT) > 33'h1_0000_0000;
  assign beat_last    = 32'(count_q) == Short - 1 || 32'(count_q) == Beats - 1;
  assign all_came     = (32'(count_q) == Short && (!long_q || rest_illegal)) || 32'(count_q) == Beats;

  // The word lies before the last beat of the first row.
  logic [Beats*BEAT*8-1:0] data;
  assign data    = beats_q;
  assign is_long = data[ModeWord * 32 + ExtendedBit] && error_q == ErrNone && beat_error_i == ErrNone;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q      <= 1'b0;
      requested_q <= 1'b0;
      count_q     <= '0;
      long_q      <= 1'b0;
      rest_requested_q <= 1'b0;
    end else if (ring_i) begin
      open_q      <= 1'b1;
      requested_q <= 1'b0;
      count_q     <= '0;
      addr_q      <= addr_i;
      ring_error_q <= ring_error_i;
      error_q     <= ErrNone;
      long_q      <= 1'b0;
      rest_requested_q <= 1'b0;
    end else begin
      if (valid) open_q <= 1'b0;
      if (row_valid && row_ready_i) requested_q <= 1'b1;
      if (row_valid && row_ready_i && long_q) rest_requested_q <= 1'b1;
      if (beat_valid_i) begin
        count_q                 <= count_q + 5'd1;
        beats_q[32'(count_q)]   <= beat_data_i;
        if (error_q == ErrNone) error_q <= beat_error_i;
        if (32'(count_q) == Short - 1 && is_long) begin
          long_q <= 1'b1;
          if (rest_illegal) error_q <= ErrRange;
        end
      end
    end
  end

  // The beats so far
  logic beats_kept;

  always_comb begin
    beats_kept = 1'b1;
    for (int unsigned i = 0; i < Beats; i++) begin
      if (32'(count_q) > i && dut.beats_q[i] != beats_q[i]) beats_kept = 1'b0;
    end
  end

  always_comb begin
    expected       = command_of(data[MostWords*32-1:0]);
    expected.error = error_q;
  end

  always_comb begin
    if (rst_ni) begin
      rings_when_idle : assume (!ring_i || !busy);
      beats_of_the_row : assume (!beat_valid_i || (open_q && requested_q &&
                                          (32'(count_q) < Short || (rest_requested_q && 32'(count_q) < Beats))));

      busy_until_the_command : assert (busy == open_q);
      one_command_each : assert (valid == (open_q && (illegal || all_came)));
      one_request_each : assert (row_valid == (open_q && !illegal && (!requested_q ||
                                               (long_q && !rest_illegal && !rest_requested_q))));
      requests_the_descriptor : assert (!row_valid || (!row.none && dest.kind == DestCommand &&
                                                       row.addr == (long_q ? addr_q + Short * BEAT : addr_q) &&
                                                       32'(row.beats) == (long_q ? Beats - Short : Short)));
      if (valid && illegal) begin
        tells_why : assert (command.error == ring_error);
      end else if (valid) begin
        first_error_is_told : assert (command.error == error_q);
        words_are_in_order : assert (error_q != ErrNone || command == expected);
        as_long_as_told : assert (error_q != ErrNone || long_q == command.mode.extended);
      end
      an_error_has_no_tag : assert (!valid || command.error == ErrNone ||
                                    (command.tag == '0 && !command.mode.record));

      another_one_as_told : assert (!valid || more == (!illegal && error_q == ErrNone && data[More]));
      pauses_as_told : assert (!valid || !more || pause == data[Pause]);
      next_is_behind : assert (!valid || !more || {next_beyond, next} == 33'(addr_q) + 33'(long_q ? Beats * BEAT
                                                                                                   : Short * BEAT));

      beats_stay : assert (!open_q || beats_kept);
      counts_to_the_last : assert (!open_q || 32'(count_q) <= Beats);
      nothing_before_the_request : assert (!open_q || requested_q || (count_q == '0 && !long_q));
      no_rest_before_its_request : assert (!open_q || rest_requested_q || 32'(count_q) <= Short);
      rest_is_behind : assert (!open_q || !rest_requested_q || (long_q && !rest_illegal && requested_q &&
                                                                 32'(count_q) >= Short));
      long_once_it_came : assert (!open_q || !long_q || 32'(count_q) >= Short);
      long_as_told : assert (!open_q || 32'(count_q) < Short || error_q != ErrNone ||
                             long_q == data[ModeWord * 32 + ExtendedBit]);
      its_length_is_kept : assert (!open_q || dut.longer_q == long_q);
      its_count_is_kept : assert (!open_q || illegal || dut.count_q == count_q);
      an_illegal_one_requests_nothing : assert (!open_q || !illegal || (!requested_q && count_q == '0));
      its_address_is_kept : assert (!open_q || dut.addr_q == addr_q);
      its_next_is_kept : assert (!open_q || illegal || dut.next == 33'(addr_q) + 33'(long_q ? Beats * BEAT
                                                                                           : Short * BEAT));
      its_error_is_kept : assert (!open_q || dut.error_q == (illegal ? ring_error : error_q));

      fetches_a_command : cover (valid && command.error == ErrNone && command.mode.record);
      fails_in_the_middle : cover (valid && !illegal && command.error == ErrReadSlv);
      past_the_end : cover (valid && command.error == ErrRange);
      fetches_an_extension : cover (valid && command.error == ErrNone && command.mode.extended);
      last_of_all_addresses : cover (valid && more && next_beyond && !long_q);
      goes_on_behind_an_extension : cover (valid && more && !pause && long_q && !next_beyond);
      fails_at_once : cover (valid && command.error == ErrTimeout);
      extension_past_the_end : cover (valid && command.error == ErrRange && long_q);
    end
  end

endmodule
