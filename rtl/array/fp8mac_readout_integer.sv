// SPDX-License-Identifier: Apache-2.0
// Converts an integer times a power of two to an FP32 pattern: value_i * 2^(field_one_i - 127),
// rounded once to nearest even. field_one_i is thus the exponent field of 1. Zero becomes +0. The
// result must be neither subnormal nor infinite. Combinational.
module fp8mac_readout_integer
  import fp8mac_pkg::*;
#(
  parameter int unsigned W = 32   // at least AccSigW + 2
) (
  input  logic signed [W-1:0] value_i,
  input  logic [7:0]          field_one_i,
  output logic [31:0]         pattern_o
);

  localparam int unsigned Levels = $clog2(W);

  logic              sign;
  logic [W-1:0]      normal;  // the magnitude, its leading bit at the top
  logic [Levels-1:0] shift;

  assign sign = value_i[W-1];
  always_comb begin
    normal = sign ? -value_i : value_i;
    shift  = '0;
    for (int l = int'(Levels) - 1; l >= 0; l--) begin
      if (normal >> (W - (1 << l)) == '0) begin
        shift[l] = 1'b1;
        normal   = normal << (1 << l);
      end
    end
  end

  // [ 1 | fraction | guard | sticky ... ]; a carry out of the fraction is the next binade's 1.0
  logic [7:0]           field;
  logic [Fp32MantW-1:0] fraction;
  logic                 guard, sticky, up;

  assign field     = field_one_i + 8'(W - 1) - 8'(shift);
  assign fraction  = normal[W-2-:Fp32MantW];
  assign guard     = normal[W-2-Fp32MantW];
  assign sticky    = normal[W-3-Fp32MantW:0] != '0;
  fp8mac_round_even u_round (
    .last_i(fraction[0]), .guard_i(guard), .rest_i(sticky), .inverted_i(1'b0), .up_o(up)
  );
  assign pattern_o = normal[W-1] ? {sign, {field, fraction} + 31'(up)} : '0;

endmodule
