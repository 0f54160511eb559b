// SPDX-License-Identifier: Apache-2.0
// fp8mac_sys_fetch_ahead with any requests, and a RAM that takes a read or does not: answers come
// in order, each with the RAM's word of its request, and soon.
module formal_core_fetch
  import fp8mac_sys_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        req_i,
  input logic [31:0] addr_i,
  input logic        taken_i
);

  logic                gnt, rvalid, err;
  logic [RamAddrW-1:0] ram_addr;

  fp8mac_sys_fetch_ahead dut (
    .clk_i, .rst_ni, .req_i, .addr_i, .gnt_o(gnt), .rvalid_o(rvalid), .err_o(err), .ram_addr_o(ram_addr),
    .ram_taken_i(taken_i)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // The RAM shows the word of the last read that it took, for one cycle.
  logic                shown_q;
  logic [RamAddrW-1:2] shown_word_q;
  // The request that is owed an answer, and the one before it
  logic                owed_q, late_q, in_row_q, answered_q;
  logic [31:2]         owed_word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      shown_q    <= 1'b0;
      owed_q     <= 1'b0;
      late_q     <= 1'b0;
      in_row_q   <= 1'b0;
      answered_q <= 1'b0;
    end else begin
      shown_q    <= taken_i;
      owed_q     <= gnt || (owed_q && !rvalid);
      late_q     <= owed_q && !rvalid && taken_i;
      in_row_q   <= gnt && taken_i && rvalid && addr_i[RamAddrW-1:2] == owed_word_q[RamAddrW-1:2] + 1'b1;
      answered_q <= rvalid;
    end
    if (taken_i) shown_word_q <= ram_addr[RamAddrW-1:2];
    if (gnt) owed_word_q <= addr_i[31:2];
  end

  always_comb begin
    if (rst_ni) begin
      answers_a_request : assert (!rvalid || owed_q);
      answers_with_its_word : assert (!rvalid || (shown_q && shown_word_q == owed_word_q[RamAddrW-1:2]));
      says_if_outside : assert (!rvalid || err == !in_ram({owed_word_q, 2'b00}));
      owes_one : assert (!gnt || (req_i && (!owed_q || rvalid)));
      grants : assert (gnt || !req_i || (owed_q && !rvalid));
      waits_for_one_read : assert (!late_q || rvalid);
      no_wait_in_a_row : assert (!in_row_q || rvalid);
      knows_what_it_owes : assert (dut.waiting_q == owed_q && (!owed_q || dut.addr_q == owed_word_q));
      knows_what_is_shown : assert (dut.was_read_q == shown_q && (!shown_q || dut.read_q == shown_word_q));
      two_in_a_row : cover (rvalid && answered_q);
      outside : cover (rvalid && err);
    end
  end

endmodule
