// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/element/int8/fp8mac_element_int8.sv: the same function, described without regard to
// cells. The synthesis tool chooses multipliers and adders. The pipeline is the same; both
// operands come as INT8 codes.
module fp8mac_element_int8 #(
  parameter int unsigned LANES = 4,
  parameter int unsigned BANKS = 4
) (
  input  logic                  clk_i,
  input  logic                  step_first_i,
  input  logic [LANES-1:0][7:0] a_i,
  input  logic [LANES-1:0][7:0] b_i,
  output logic [31:0]           acc_o
);

  localparam int unsigned SumW = 16 + $clog2(LANES);
  logic signed [SumW-1:0]  sum, sum_q;
  logic                    first_q;
  logic [BANKS-1:0][31:0]  acc_q;

  always_comb begin
    sum = '0;
    for (int unsigned i = 0; i < LANES; i++) sum = sum + SumW'(signed'(a_i[i]) * signed'(b_i[i]));
  end

  always_ff @(posedge clk_i) begin
    sum_q    <= sum;
    first_q  <= step_first_i;
    acc_q[0] <= (first_q ? '0 : acc_q[BANKS-1]) + 32'(sum_q);
    for (int unsigned s = 1; s < BANKS; s++) acc_q[s] <= acc_q[s-1];
  end
  assign acc_o = acc_q[BANKS-1];

endmodule
