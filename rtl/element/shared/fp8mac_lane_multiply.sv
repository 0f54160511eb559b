// SPDX-License-Identifier: Apache-2.0
// Multiply: one product of two significands, its sign, and its NaN, Inf and zero. A negative
// product is inverted: with copies of the sign on both sides it is the one's complement of the
// magnitude. Combinational.
module fp8mac_lane_multiply
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter bit HIDDEN_ONE = 1'b0,  // operands are normalised: the significand's top bit is 1 unless they are zero
  parameter bit INF = 1'b1
) (
  input  lane_t                  a_i,
  input  lane_t                  b_i,
  output logic [ProductSigW-1:0] product_o,
  output logic                   sign_o,
  output logic                   zero_o,
  output logic                   pos_inf_o,
  output logic                   neg_inf_o,
  output logic                   invalid_o   // Inf * 0
);

  logic [ProductSigW-1:0] magnitude;
  logic                   is_inf;

  if (HIDDEN_ONE) begin : g_hidden
    // (8 + m)(8 + n) = 64 + 8(m + n) + mn; a zero operand's product is shifted out of the window
    localparam int unsigned FracW = SigW - 1;
    logic [FracW-1:0] m, n;
    logic [SigW-1:0]  sum;
    assign m         = a_i.sig[FracW-1:0];
    assign n         = b_i.sig[FracW-1:0];
    assign sum       = {1'b0, m} + {1'b0, n};
    assign magnitude = {2'b01, {2 * FracW{1'b0}}} + {1'b0, sum, FracW'(0)} +
                       {2'b0, {FracW'(0), m} * {FracW'(0), n}};
  end else begin : g_full
    fp8mac_multiply4 u_multiply (.a_i(a_i.sig), .b_i(b_i.sig), .product_o(magnitude));
  end

  assign sign_o    = a_i.sign ^ b_i.sign;
  assign zero_o    = a_i.zero || b_i.zero;
  assign product_o = magnitude ^ {ProductSigW{sign_o}};

  assign is_inf    = INF && ((a_i.is_inf && b_i.live) || (b_i.is_inf && a_i.live));
  assign pos_inf_o = is_inf && !sign_o;
  assign neg_inf_o = is_inf && sign_o;
  assign invalid_o = INF && ((a_i.is_inf && b_i.zero) || (b_i.is_inf && a_i.zero));

endmodule
