// SPDX-License-Identifier: Apache-2.0
// Adder: a_i + b_i + carry_i. The lowest RIPPLE bits are added by a chain of full adders, the
// smallest kind of adder. With SELECT two more chains add the bits above, one for each carry, and
// the carry selects one of them. Without SELECT the synthesis tool chooses an adder for the bits
// above. Combinational.
// (O. J. Bedrij, Carry-select adder, IRE Trans. EC-11, 1962.)
module fp8mac_adder #(
  parameter int unsigned W = 8,
  parameter int unsigned RIPPLE = W,
  parameter bit SELECT = 1'b0
) (
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  input  logic         carry_i,
  output logic [W-1:0] sum_o,
  output logic         carry_o
);

  localparam int unsigned Chain = RIPPLE < W ? RIPPLE : W;

  logic [Chain:0] carry;
  assign carry[0] = carry_i;

  for (genvar i = 0; i < int'(Chain); i++) begin : g_bit
    fp8mac_full_adder u_adder (
      .a_i(a_i[i]), .b_i(b_i[i]), .c_i(carry[i]), .sum_o(sum_o[i]), .carry_o(carry[i+1])
    );
  end

  if (Chain == W) begin : g_last

    assign carry_o = carry[W];

  end else if (SELECT) begin : g_select

    localparam int unsigned Rest = W - Chain;
    logic [1:0][Rest:0] sum;
    for (genvar c = 0; c < 2; c++) begin : g_carry
      fp8mac_adder #(.W(Rest)) u_chain (
        .a_i(a_i[W-1:Chain]), .b_i(b_i[W-1:Chain]), .carry_i(c == 1), .sum_o(sum[c][Rest-1:0]), .carry_o(sum[c][Rest])
      );
    end
    assign {carry_o, sum_o[W-1:Chain]} = carry[Chain] ? sum[1] : sum[0];

  end else begin : g_fast

    localparam int unsigned Rest = W - Chain;
    assign {carry_o, sum_o[W-1:Chain]} =
        {1'b0, a_i[W-1:Chain]} + {1'b0, b_i[W-1:Chain]} + (Rest + 1)'(carry[Chain]);

  end

endmodule
