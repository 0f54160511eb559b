// SPDX-License-Identifier: Apache-2.0
// A queue in a memory, whose output shows the oldest entry: two cycles after its push at the
// earliest. For wide entries; fp8mac_fifo has registers and shows an entry in the next cycle, and
// says what fault_o is.
module fp8mac_ram_fifo #(
  parameter type         T     = logic [7:0],
  parameter int unsigned DEPTH = 8,
  localparam int unsigned LevelW = $clog2(DEPTH + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              flush_i,  // empties the queue
  input  logic              push_i,   // not while it is full
  input  T                  data_i,
  output logic              full_o,
  input  logic              pop_i,    // only while an entry is shown
  output T                  data_o,
  output logic              shown_o,  // the output shows the oldest entry
  output logic [LevelW-1:0] level_o,  // entries inside, also one that is not shown yet
  output logic              fault_o   // meaningful while rst_ni is 1
);
  localparam int unsigned PtrW = (DEPTH > 1) ? $clog2(DEPTH) : 1;

  logic [PtrW-1:0]   head_q, tail_q, read_at;
  logic [LevelW-1:0] level_q, level;
  logic              any_q, shown_q;
  logic              read;

  function automatic logic [PtrW-1:0] next(logic [PtrW-1:0] ptr);
    return (ptr == PtrW'(DEPTH - 1)) ? '0 : ptr + PtrW'(1);
  endfunction

  assign full_o  = level_q == LevelW'(DEPTH);
  assign shown_o = shown_q;
  assign level_o = level_q;

  // The memory holds its output until the entry is taken, and shows the next one in the cycle
  // after.
  assign read    = (pop_i || !shown_q) && level_q > LevelW'(pop_i);
  assign read_at = pop_i ? next(head_q) : head_q;

  assign level = level_q + LevelW'(push_i) - LevelW'(pop_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      level_q <= '0;
      any_q   <= 1'b0;
      shown_q <= 1'b0;
    end else begin
      if (push_i) tail_q <= next(tail_q);
      if (pop_i) head_q <= next(head_q);
      level_q <= level;
      any_q   <= level != '0;
      shown_q <= level_q > LevelW'(pop_i);
    end
  end

  fp8mac_two_port_ram #(.DEPTH(DEPTH), .WIDTH($bits(T))) u_ram (
    .clk_i,
    .write_i        (push_i),
    .write_address_i(tail_q),
    .write_data_i   (data_i),
    .read_i         (read),
    .read_address_i (read_at),
    .read_data_o    (data_o)
  );

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
  assign fault_o = level_beyond || any_q != (level_q != '0) || (shown_q && !any_q) || head_beyond ||
                   SumW'(tail_q) != (behind >= SumW'(DEPTH) ? behind - SumW'(DEPTH) : behind);

  has_room : assert property (@(posedge clk_i) disable iff (!rst_ni) !(push_i && full_o));
  pops_what_is_shown : assert property (@(posedge clk_i) disable iff (!rst_ni) !(pop_i && !shown_q));

endmodule
