// SPDX-License-Identifier: Apache-2.0
// fp8mac_burst_split: the bursts of a row cover the row without gaps and overlaps. No burst is
// longer than MAX_BURST or touches two pages of 4 KiB. A row without beats passes once. An offered
// burst stays until it is taken.
module formal_burst_split
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT      = 16,
  parameter int unsigned MAX_BURST = 16,
  localparam int unsigned LenW = $clog2(MAX_BURST + 1)
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         row_valid_i,
  input row_request_t row_i,
  input logic [3:0]   meta_i,
  input logic         burst_ready_i
);
  logic            row_ready, burst_valid, burst_none;
  addr_t           burst_addr;
  logic [LenW-1:0] burst_beats;
  dim_t            burst_start;
  logic [3:0]      meta;

  fp8mac_burst_split #(.BEAT(BEAT), .MAX_BURST(MAX_BURST), .META_T(logic [3:0])) dut (
    .clk_i, .rst_ni, .row_valid_i, .row_ready_o(row_ready), .row_i, .meta_i, .burst_valid_o(burst_valid),
    .burst_ready_i, .burst_none_o(burst_none), .burst_addr_o(burst_addr), .burst_beats_o(burst_beats),
    .burst_start_o(burst_start), .meta_o(meta)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  // The current row, and how much of it has been requested
  logic         busy_q;
  row_request_t row_q;
  dim_t         done_q, left;
  logic [3:0]   meta_q;
  logic         last;

  assign left = row_q.beats - done_q;
  assign last = row_q.none || left == dim_t'(burst_beats);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else begin
      if (burst_valid && burst_ready_i) begin
        done_q <= done_q + dim_t'(burst_beats);
        if (last) busy_q <= 1'b0;
      end
      if (row_valid_i && row_ready) begin
        busy_q <= 1'b1;
        row_q  <= row_i;
        meta_q <= meta_i;
        done_q <= '0;
      end
    end
  end

  // A burst that was offered in the preceding cycle and not taken
  logic            waits_q, waits_none_q;
  addr_t           waits_addr_q;
  logic [LenW-1:0] waits_beats_q;

  always_ff @(posedge clk_i) begin
    waits_q       <= rst_ni && burst_valid && !burst_ready_i;
    waits_none_q  <= burst_none;
    waits_addr_q  <= burst_addr;
    waits_beats_q <= burst_beats;
  end

  localparam int unsigned EndW = AddrW + 1;

  always_comb begin
    if (rst_ni) begin
      rows_are_proper : assume (!row_valid_i || row_i.none || (row_i.beats != '0 && row_i.addr % BEAT == 0));
      in_the_address_space : assume (!row_valid_i || row_i.none ||
        EndW'(row_i.addr) + EndW'(row_i.beats) * BEAT <= (EndW'(1) << AddrW));

      a_burst_per_row_at_hand : assert (burst_valid == busy_q);
      next_row_when_this_is_done : assert (row_ready == (!busy_q || (burst_ready_i && last)));
      if (burst_valid) begin
        none_passes : assert (burst_none == row_q.none);
        carries_its_row : assert (meta == meta_q);
        if (!row_q.none) begin
          begins_where_the_last_ended : assert (burst_addr == row_q.addr + addr_t'(done_q) * BEAT);
          knows_its_start : assert (burst_start == done_q);
          has_beats : assert (burst_beats != '0);
          not_too_long : assert (32'(burst_beats) <= MAX_BURST);
          not_beyond_the_row : assert (dim_t'(burst_beats) <= left);
          in_one_page : assert (32'(burst_addr[11:0]) + 32'(burst_beats) * BEAT <= 4096);
          knows_what_is_left : assert (dut.row_q.beats == left);
          row_stays_proper : assert (row_q.addr % BEAT == 0 && done_q < row_q.beats &&
            EndW'(row_q.addr) + EndW'(row_q.beats) * BEAT <= (EndW'(1) << AddrW));
        end
      end
      stays_until_taken : assert (!waits_q || (burst_valid && burst_none == waits_none_q &&
        (burst_none || (burst_addr == waits_addr_q && burst_beats == waits_beats_q))));
      cut_by_a_page : cover (burst_valid && !burst_none && !last && 32'(burst_beats) < MAX_BURST && burst_ready_i);
      cut_by_length : cover (burst_valid && !burst_none && !last && 32'(burst_beats) == MAX_BURST && burst_start != '0);
      rows_back_to_back : cover (row_valid_i && row_ready && busy_q && !row_q.none);
      a_row_of_none : cover (burst_valid && burst_none && waits_q);
    end
  end

endmodule
