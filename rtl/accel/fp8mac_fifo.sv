// SPDX-License-Identifier: Apache-2.0
// First-in first-out queue. A push is visible at the output one cycle later.
//
// fault_o: head, tail and level contradict each other, as after a fault in one of their bits. They
// are redundant: the tail is the level behind the head. A queue that is full and one that is empty
// have equal heads and tails, so a register of its own says that there is an entry.
module fp8mac_fifo #(
  parameter type         T     = logic,
  parameter int unsigned DEPTH = 2,
  localparam int unsigned LevelW = $clog2(DEPTH + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              flush_i,  // empties the queue; a push of the same cycle is lost, too
  input  logic              push_i,
  input  T                  data_i,
  output logic              full_o,
  input  logic              pop_i,
  output T                  data_o,   // the oldest entry, meaningful when not empty
  output logic              empty_o,
  output logic [LevelW-1:0] level_o,
  output logic              fault_o   // meaningful while rst_ni is 1
);
  localparam int unsigned PtrW = (DEPTH > 1) ? $clog2(DEPTH) : 1;

  T                  mem_q [DEPTH];
  logic [PtrW-1:0]   head_q;
  logic [PtrW-1:0]   tail_q;
  logic [LevelW-1:0] level_q, level;
  logic              any_q;

  function automatic logic [PtrW-1:0] next(logic [PtrW-1:0] ptr);
    return (ptr == PtrW'(DEPTH - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  assign full_o  = level_q == LevelW'(DEPTH);
  assign empty_o = level_q == '0;
  assign level_o = level_q;
  assign data_o  = mem_q[head_q];

  assign level = level_q + LevelW'(push_i) - LevelW'(pop_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      level_q <= '0;
      any_q   <= 1'b0;
    end else begin
      if (push_i) tail_q <= next(tail_q);
      if (pop_i) head_q <= next(head_q);
      level_q <= level;
      any_q   <= level != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[tail_q] <= data_i;
  end

  // ---- contradictions ---------------------------------------------------------------------------
  localparam int unsigned SumW = LevelW + 1;
  logic [SumW-1:0] behind;  // the head, and the level behind it
  logic            level_beyond, head_beyond;

  if (DEPTH + 1 < (1 << LevelW)) begin : g_level
    assign level_beyond = level_q > LevelW'(DEPTH);
  end else begin : g_every_level
    assign level_beyond = 1'b0;
  end
  if (DEPTH < (1 << PtrW)) begin : g_head
    assign head_beyond = head_q >= PtrW'(DEPTH);
  end else begin : g_every_head
    assign head_beyond = 1'b0;
  end

  assign behind  = SumW'(head_q) + SumW'(level_q);
  assign fault_o = level_beyond || any_q != (level_q != '0) || head_beyond ||
                   SumW'(tail_q) != (behind >= SumW'(DEPTH) ? behind - SumW'(DEPTH) : behind);

  no_overflow : assert property (@(posedge clk_i) disable iff (!rst_ni) !(push_i && full_o));
  no_underflow : assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && empty_o));

endmodule
