// SPDX-License-Identifier: Apache-2.0
// A small design for the flow's tests: two registered full adders in a row, one of them
// with a constant input.
module fp8mac_flow_good #(
  parameter int unsigned WIDTH = 4
) (
  input  logic             clk_i,
  input  logic [WIDTH-1:0] a_i,
  input  logic [WIDTH-1:0] b_i,
  output logic [WIDTH:0]   sum_o
);

  logic [WIDTH-1:0] a_q, b_q, sum;
  logic [WIDTH:0]   carry;

  assign carry[0] = 1'b0;

  for (genvar i = 0; i < int'(WIDTH); i++) begin : g_bit
    fp8mac_full_adder u_add (
      .a_i(a_q[i]), .b_i(b_q[i]), .c_i(carry[i]), .sum_o(sum[i]), .carry_o(carry[i+1])
    );
  end

  always_ff @(posedge clk_i) begin
    a_q   <= a_i;
    b_q   <= b_i;
    sum_o <= {carry[WIDTH], sum};
  end

endmodule
