// SPDX-License-Identifier: Apache-2.0
// Follows one word at a time through a first-in first-out queue, chosen among the words pushed with
// mark_i. The solver may choose any word at any position, so the proof holds for all. The word is
// at the output exactly when those before it are gone, unchanged and once. mem_i and head_i are the
// queue's state. The assertions on them make the proof inductive.
module formal_fifo_track #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 2,
  localparam int unsigned CountW = $clog2(DEPTH + 1),
  localparam int unsigned PtrW   = (DEPTH > 1) ? $clog2(DEPTH) : 1
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic                         flush_i,
  input logic                         push_i,
  input logic                         mark_i,
  input logic [WIDTH-1:0]             data_i,
  input logic                         pop_i,
  input logic [WIDTH-1:0]             out_i,    // at the output, when there is a word

  input logic [DEPTH-1:0][WIDTH-1:0]  mem_i,
  input logic [PtrW-1:0]              head_i,
  input logic [PtrW-1:0]              tail_i,

  output logic [CountW-1:0]           count_o,  // words inside
  output logic                        held_o  // the followed word is inside
);
  logic [CountW-1:0] count_q, ahead_q;
  logic              held_q;
  logic [WIDTH-1:0]  word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      count_q  <= '0;
      held_q <= 1'b0;
    end else begin
      count_q <= count_q + CountW'(push_i) - CountW'(pop_i);
      if (!held_q) begin
        held_q <= push_i && mark_i;
        ahead_q  <= count_q - CountW'(pop_i);
        word_q   <= data_i;
      end else if (pop_i) begin
        held_q <= ahead_q != '0;
        ahead_q  <= ahead_q - CountW'(1);
      end
    end
  end

  assign count_o  = count_q;
  assign held_o = held_q;

  function automatic logic [PtrW-1:0] position(logic [PtrW-1:0] head, logic [CountW-1:0] ahead);
    logic [PtrW+CountW:0] sum;
    sum = (PtrW+CountW+1)'(head) + (PtrW+CountW+1)'(ahead);
    return (sum >= (PtrW+CountW+1)'(DEPTH)) ? PtrW'(sum - (PtrW+CountW+1)'(DEPTH)) : PtrW'(sum);
  endfunction

  always_comb begin
    if (rst_ni) begin
      fits : assert (count_q <= CountW'(DEPTH));
      no_overflow : assert (!(push_i && count_q == CountW'(DEPTH)));
      no_underflow : assert (!(pop_i && count_q == '0));
      if (held_q) begin
        is_counted : assert (ahead_q < count_q);
        leaves_unchanged : assert (ahead_q != '0 || out_i == word_q);
        lies_in_its_position : assert (mem_i[position(head_i, ahead_q)] == word_q);
      end
      head_in_range : assert (32'(head_i) < DEPTH);
      tail_follows : assert (tail_i == position(head_i, count_q));
    end
  end

endmodule
