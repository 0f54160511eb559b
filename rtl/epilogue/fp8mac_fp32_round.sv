// SPDX-License-Identifier: Apache-2.0
// Last stage of FP32 addition and multiplication: rounds to nearest even, detects overflow, and
// selects the special result. One stage.
//
//   pattern   [ exponent, 9 bits ][ fraction, 23 bits ][ guard ][ sticky ]
//
// A carry out of the fraction increments the exponent, which gives the right result:
// 1.11..1 becomes 10.0, and the largest subnormal becomes the smallest normal number. Every
// NaN result is Fp32Nan.
module fp8mac_fp32_round
  import fp8mac_pkg::*;
(
  input  logic            clk_i,
  input  fp32_unrounded_t x_i,
  output logic [31:0]     result_o,
  output logic            invalid_o,   // x_i.special.invalid
  output logic            overflow_o   // a finite value became infinite
);

  localparam int unsigned PatternW = RoundFieldW + Fp32MantW;

  logic [PatternW-1:0] rounded;
  logic                up, too_large;

  fp8mac_round_even u_round (
    .last_i(x_i.frac[0]), .guard_i(x_i.guard), .rest_i(x_i.sticky), .inverted_i(1'b0), .up_o(up)
  );
  assign rounded   = {x_i.exp, x_i.frac} + PatternW'(up);
  assign too_large = rounded[PatternW-1:Fp32MantW] >= RoundFieldW'(Fp32ExpMax);

  always_ff @(posedge clk_i) begin
    invalid_o  <= x_i.special.invalid;
    overflow_o <= too_large && !x_i.special.is_inf && !x_i.special.nan;
    if (x_i.special.nan) result_o <= Fp32Nan;
    else if (x_i.special.is_inf || too_large) result_o <= {x_i.special.sign, Fp32Inf[30:0]};
    else result_o <= {x_i.special.sign, rounded[30:0]};
  end

endmodule
