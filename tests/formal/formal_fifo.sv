// SPDX-License-Identifier: Apache-2.0
// fp8mac_fifo within its contract: no push when full, no pop when empty.
module formal_fifo #(
  parameter int unsigned WIDTH = 4,
  parameter int unsigned DEPTH = 3
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             flush_i,
  input logic             push_i,
  input logic             mark_i,
  input logic [WIDTH-1:0] data_i,
  input logic             pop_i
);
  localparam int unsigned CountW = $clog2(DEPTH + 1);

  logic                        full, empty, held, fault;
  logic [WIDTH-1:0]            out;
  logic [CountW-1:0]           level, count;
  logic [DEPTH-1:0][WIDTH-1:0] mem;

  fp8mac_fifo #(.T(logic [WIDTH-1:0]), .DEPTH(DEPTH)) dut (
    .clk_i, .rst_ni, .flush_i, .push_i, .data_i, .full_o(full), .pop_i, .data_o(out), .empty_o(empty), .level_o(level),
    .fault_o(fault)
  );

  for (genvar i = 0; i < int'(DEPTH); i++) begin : g_mem
    assign mem[i] = dut.mem_q[i];
  end

  formal_fifo_track #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_track (
    .clk_i, .rst_ni, .flush_i, .push_i, .mark_i, .data_i, .pop_i, .out_i(out), .mem_i(mem), .head_i(dut.head_q),
    .tail_i(dut.tail_q), .count_o(count), .held_o(held)
  );

  formal_reset u_reset (.clk_i, .rst_ni);

  always_comb begin
    if (rst_ni) begin
      used_as_agreed : assume (!(push_i && full) && !(pop_i && empty));
      no_fault_by_itself : assert (!fault);
      any_is_count : assert (dut.any_q == (count != '0));
      level_is_count : assert (level == count);
      full_is_known : assert (full == (count == CountW'(DEPTH)));
      empty_is_known : assert (empty == (count == '0));
      reaches_full : cover (full);
      empties_again : cover (held && pop_i && count == CountW'(1));
      all_at_once : cover (DEPTH > 1 ? held && push_i && pop_i : push_i);
    end
  end

endmodule
