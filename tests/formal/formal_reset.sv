// SPDX-License-Identifier: Apache-2.0
// Reset is active in the first cycle, and may become active at any later time.
module formal_reset (
  input logic clk_i,
  input logic rst_ni
);
  logic started_q = 1'b0;

  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    first_cycle_resets : assume (started_q || !rst_ni);
  end

endmodule

// A value that the solver chooses and that stays constant.
module formal_const #(
  parameter int unsigned WIDTH = 1
) (
  input  logic             clk_i,
  input  logic [WIDTH-1:0] any_i,
  output logic [WIDTH-1:0] const_o
);
  logic             chosen_q = 1'b0;
  logic [WIDTH-1:0] value_q;

  always_ff @(posedge clk_i) begin
    chosen_q <= 1'b1;
    value_q  <= const_o;
  end

  assign const_o = chosen_q ? value_q : any_i;

endmodule
