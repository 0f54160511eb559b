// SPDX-License-Identifier: Apache-2.0
// fp8mac_table_load with a read DMA that takes the row after any time and offers its beats at
// any pace, each with any error. A beat stays until it is taken. Each command passes exactly
// once. One without a load passes at once. A load of what is no table passes in the next cycle
// with its error, and one that is aborted while it waits passes without reading. Any other waits
// until no command is left. If its address is none, its table loses its codes, and it passes
// with its error. Else it asks for its row once, and passes in the cycle behind the last beat. A
// beat is taken after as many cycles as it has words. So a load ends in bounded time once the
// bus answers.
//
// Words are written in their order, into the table that is wanted. The flag of a table, which
// fp8mac_csr keeps, falls before its first word is written, and rises with its last word, if no
// beat came with an error. The other table's stays.
module formal_table_load
  import fp8mac_codes_pkg::*;
  import fp8mac_pkg::*;
  import fp8mac_command_pkg::*;
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT   = 16,
  parameter bit          TABLES = 1'b1
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              read_i,
  input logic              wanted_i,
  input code_table_e       code_table_i,
  input addr_t             addr_i,
  input logic              abort_i,
  input logic              drained_i,
  input logic              row_ready_i,
  input logic              beat_i,
  input logic [BEAT*8-1:0] beat_data_i,
  input error_e            beat_error_i,
  input logic [1:0]        software_i    // software has written the last word of a table
);
  localparam int unsigned Words = BEAT / 4;  // of a beat
  localparam int unsigned Beats = 64 / Words;

  logic         busy, row_valid, beat_ready, beat_last, begins, valid;
  row_request_t row;
  read_dest_t   dest;
  table_write_t write;
  error_e       error;

  fp8mac_table_load #(.BEAT(BEAT), .TABLES(TABLES)) dut (
    .clk_i, .rst_ni, .read_i, .wanted_i, .code_table_i, .addr_i, .busy_o(busy), .abort_i, .drained_i,
    .row_valid_o(row_valid), .row_o(row), .dest_o(dest), .row_ready_i, .beat_i, .beat_data_i, .beat_error_i,
    .beat_last_i(beat_last), .beat_ready_o(beat_ready), .begin_o(begins), .write_o(write), .valid_o(valid),
    .error_o(error)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // ---- what was asked for, and what came --------------------------------------------------------
  logic              open_q;       // a load was wanted, and its command has not passed
  logic              asked_q;      // its row is requested from now on
  logic              taken_q;      // it was taken
  logic              aborted_q;
  logic              refused_q;    // its address is none, and no command was left
  code_table_e       table_q;
  addr_t             addr_q;
  logic [6:0]        count_q;      // beats that were taken
  logic [6:0]        words_q;      // words that came
  error_e            error_q;      // of the beats that came, the first
  logic [3:0]        waited_q;     // cycles that the beat at hand has been offered
  logic              offered_q;    // a beat was offered and not taken
  logic [BEAT*8-1:0] data_q;
  error_e            beat_error_q;
  logic [1:0]        loaded_q;     // as in fp8mac_csr
  logic              whole_q;      // each word was written, up to now

  typedef enum logic [2:0] {  // as the block's
    Nothing,
    Wait,
    Request,
    Data,
    Done
  } state_e;

  state_e state;
  assign state = state_e'(dut.state_q);

  logic   no_table, illegal, second, all_came, new_load;
  error_e reason, expected;

  assign no_table  = !TABLES || !(table_q inside {Table0, Table1});
  assign illegal   = no_table || addr_q % BEAT != 0 || 33'(addr_q) + 33'd256 > 33'h1_0000_0000;
  assign reason    = no_table ? ErrMode : addr_q % BEAT != 0 ? ErrAlign : ErrRange;
  assign second    = table_q == Table1;
  assign beat_last = 32'(count_q) == Beats - 1;
  assign all_came  = 32'(count_q) == Beats;
  assign expected  = illegal ? reason : error_q;
  assign new_load  = read_i && wanted_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q    <= 1'b0;
      asked_q   <= 1'b0;
      taken_q   <= 1'b0;
      aborted_q <= 1'b0;
      refused_q <= 1'b0;
      offered_q <= 1'b0;
    end else if (new_load) begin
      open_q    <= 1'b1;
      asked_q   <= 1'b0;
      taken_q   <= 1'b0;
      aborted_q <= 1'b0;
      refused_q <= 1'b0;
      table_q   <= code_table_i;
      addr_q    <= addr_i;
      count_q   <= '0;
      words_q   <= '0;
      error_q   <= ErrNone;
      waited_q  <= '0;
      offered_q <= 1'b0;
      whole_q   <= 1'b1;
    end else if (open_q) begin
      if (valid) open_q <= 1'b0;
      if (!asked_q && !aborted_q && !refused_q && !no_table) begin
        if (abort_i) aborted_q <= 1'b1;
        else if (drained_i && illegal) refused_q <= 1'b1;
        else if (drained_i) asked_q <= 1'b1;
      end
      if (row_valid && row_ready_i) taken_q <= 1'b1;
      offered_q    <= beat_i && !beat_ready;
      data_q       <= beat_data_i;
      beat_error_q <= beat_error_i;
      if (beat_i) begin
        words_q  <= words_q + 7'd1;
        waited_q <= beat_ready ? '0 : waited_q + 4'd1;
        if (beat_ready) count_q <= count_q + 7'd1;
        if (error_q == ErrNone) error_q <= beat_error_i;
        if (!write.write) whole_q <= 1'b0;
      end
    end
    if (!rst_ni) loaded_q <= '0;
    else if (software_i != '0) loaded_q <= loaded_q | software_i;
    else if (begins) loaded_q[write.second] <= 1'b0;
    else if (write.write && write.word == '1) loaded_q[write.second] <= 1'b1;
  end

  // A table that this load did not touch
  logic loaded_before_q;
  always_ff @(posedge clk_i) begin
    if (new_load) loaded_before_q <= loaded_q[code_table_i != Table1];
  end

  always_comb begin
    if (rst_ni) begin
      one_command_at_a_time : assume (!read_i || !busy);
      a_command_stays : assume (!open_q || (code_table_i == table_q && addr_i == addr_q));
      beats_of_the_row : assume (!beat_i || (open_q && taken_q && !all_came));
      software_writes_before : assume (software_i == '0 || (!open_q && !new_load));
      a_beat_stays : assume (!offered_q || (beat_i && beat_data_i == data_q && beat_error_i == beat_error_q));

      busy_until_it_passes : assert (busy == open_q);
      passes_once : assert (valid == ((read_i && !wanted_i) ||
                                      (open_q && (no_table || refused_q || aborted_q || all_came))));
      first_error_is_told : assert (!valid || error == (open_q ? expected : ErrNone));
      requests_once : assert (row_valid == (open_q && asked_q && !taken_q));
      requests_the_table : assert (!row_valid || (!row.none && row.addr == addr_q && 32'(row.beats) == Beats &&
                                                  dest.kind == DestTable));
      taken_after_its_words : assert (!beat_i || beat_ready == (32'(waited_q) == Words - 1));

      // Words and the flag
      writes_what_came : assert (write.write == (beat_i && error_q == ErrNone && beat_error_i == ErrNone));
      words_are_in_order : assert (!write.write || (7'(write.word) == words_q && write.second == second &&
                                                    write.codes == beat_data_i[32'(waited_q) * 32 +: 32]));
      no_codes_before : assert (!taken_q || !open_q || all_came || !loaded_q[second]);
      loaded_with_all : assert (!open_q || !taken_q || !all_came || loaded_q[second] == (error_q == ErrNone));
      no_codes_if_refused : assert (!open_q || !refused_q || !loaded_q[second]);
      the_other_stays : assert (!open_q || no_table || loaded_q[!second] == loaded_before_q);

      // The registers of both
      a_row_is_asked_for : assert (!taken_q || !open_q || asked_q);
      asked_if_legal : assert (!open_q || !asked_q || (!illegal && !aborted_q));
      nothing_before : assert (!open_q || taken_q || (count_q == '0 && words_q == '0 && error_q == ErrNone));
      counts_words : assert (!open_q || (32'(words_q) == 32'(count_q) * Words + 32'(waited_q) &&
                                         32'(waited_q) < Words && 32'(count_q) <= Beats &&
                                         (!all_came || waited_q == '0)));
      waits_for_an_offer : assert (!open_q || waited_q == '0 || offered_q);
      offered_while_open : assert (!offered_q || (open_q && taken_q && !all_came && waited_q != '0));
      its_error_so_far : assert (!open_q || !offered_q || error_q != ErrNone || beat_error_q == ErrNone);
      counts_the_same : assert (!open_q || illegal || dut.word_q == words_q[5:0]);
      its_error_is_kept : assert (!open_q || dut.error_q == expected);
      whole_without_error : assert (!open_q || whole_q == (error_q == ErrNone));
      state_is_known : assert (state == (!open_q ? Nothing : (no_table || refused_q || aborted_q || all_came) ? Done :
                                         taken_q ? Data : asked_q ? Request : Wait));

      loads_a_table : cover (valid && open_q && error == ErrNone && all_came && loaded_q[second]);
      loads_beside_the_other : cover (valid && open_q && all_came && loaded_q == 2'b11);
      fails_in_the_last_beat : cover (valid && open_q && all_came && error == ErrReadSlv && 32'(count_q) == Beats);
      is_aborted : cover (valid && open_q && aborted_q);
      is_past_the_end : cover (valid && open_q && error == ErrRange);
      needs_no_load : cover (read_i && !wanted_i && valid);
    end
  end

endmodule
