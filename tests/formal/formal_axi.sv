// SPDX-License-Identifier: Apache-2.0
// The rules of AXI4 for an address channel with incrementing bursts. A request stays unchanged
// until it is taken. It moves whole beats, at most MAX_BURST of them, within one page of 4 KiB.
module formal_axi_address #(
  parameter int unsigned BEAT      = 16,
  parameter int unsigned MAX_BURST = 16
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic [31:0] addr_i,
  input logic [7:0]  len_i,
  input logic [2:0]  size_i,
  input logic [1:0]  burst_i,
  input logic        valid_i,
  input logic        ready_i
);
  logic        waits_q;
  logic [31:0] addr_q;
  logic [7:0]  len_q;

  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && valid_i && !ready_i;
    addr_q  <= addr_i;
    len_q   <= len_i;
  end

  always_comb begin
    if (rst_ni) begin
      request_stays : assert (!waits_q || (valid_i && addr_i == addr_q && len_i == len_q));
      if (valid_i) begin
        page_is_kept : assert (32'(addr_i[11:0]) + (32'(len_i) + 1) * BEAT <= 4096);
        length_is_kept : assert (32'(len_i) < MAX_BURST);
        whole_beats : assert (addr_i % BEAT == 0 && (1 << size_i) == BEAT && burst_i == 2'b01);
      end
      a_request_waits : cover (waits_q && ready_i);
      two_requests_in_two_cycles : cover (valid_i && ready_i && addr_q != addr_i && !waits_q && addr_q % 4096 != 0);
    end
  end

endmodule

// A slave on the read channels. It answers the requests in order, with LAST on the last beat of
// each burst and on no other beat. It chooses time and response freely. open_o counts the bursts
// requested and not yet answered.
module formal_axi_read_slave #(
  parameter int unsigned DEPTH = 8,     // must exceed the number of open bursts
  localparam int unsigned PtrW = $clog2(DEPTH)
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [7:0]    arlen_i,
  input  logic          arvalid_i,
  input  logic          arready_i,
  input  logic          rvalid_i,
  input  logic          rlast_i,
  input  logic          rready_i,
  output logic [PtrW:0] open_o
);
  logic [7:0]      len_q [DEPTH];
  logic [PtrW-1:0] head_q, tail_q;
  logic [PtrW:0]   open_q;
  logic [7:0]      beat_q;     // of the current burst
  logic            asked, answered;

  assign asked    = arvalid_i && arready_i;
  assign answered = rvalid_i && rready_i && rlast_i;
  assign open_o   = open_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      open_q <= '0;
      beat_q <= '0;
    end else begin
      if (asked) tail_q <= tail_q + PtrW'(1);
      if (answered) head_q <= head_q + PtrW'(1);
      open_q <= open_q + (PtrW+1)'(asked) - (PtrW+1)'(answered);
      if (rvalid_i && rready_i) beat_q <= rlast_i ? '0 : beat_q + 8'd1;
    end
    if (asked) len_q[tail_q] <= arlen_i;
  end

  always_comb begin
    if (rst_ni) begin
      answers_what_was_asked : assume (!rvalid_i || open_q != '0);
      last_where_it_belongs : assume (!rvalid_i || rlast_i == (beat_q == len_q[head_q]));
      few_are_open : assert (32'(open_q) < DEPTH);
    end
  end

endmodule
