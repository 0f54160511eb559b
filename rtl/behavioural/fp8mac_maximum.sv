// SPDX-License-Identifier: Apache-2.0
// Replaces rtl/leaf/fp8mac_maximum.sv: the same function and ports, described without regard to
// cells.
module fp8mac_maximum #(
  parameter int unsigned COUNT = 4,
  parameter int unsigned W     = 6
) (
  input  logic [COUNT-1:0][W-1:0] value_i,
  input  logic [COUNT-1:0]        valid_i,
  output logic [W-1:0]            maximum_o,
  output logic                    any_o
);

  always_comb begin
    maximum_o = '0;
    for (int unsigned i = 0; i < COUNT; i++) if (valid_i[i] && value_i[i] > maximum_o) maximum_o = value_i[i];
  end
  assign any_o = valid_i != '0;

endmodule
