// SPDX-License-Identifier: Apache-2.0
// Checks the beats of scale vectors as fp8mac_cmd_check checks single scales: each value must be
// finite and above 0. Values behind the vector's last one do not count.
module fp8mac_scale_check
  import fp8mac_cmd_pkg::*;
#(
  parameter int unsigned BEAT = 16,
  parameter bit          REQUANTISE = 1'b0  // integer scales: a multiplier, its shift, and so on
) (
  input  logic              valid_i,
  input  logic              last_i,       // the vector's last beat
  input  logic [4:0]        last_byte_i,  // of that beat
  input  logic [BEAT*8-1:0] data_i,
  output logic              bad_o
);
  localparam int unsigned Values = BEAT / 4;

  logic [Values-1:0][31:0] value;
  logic [Values-1:0]       bad;

  assign value = data_i;

  always_comb begin
    for (int unsigned i = 0; i < Values; i++) begin
      bad[i] = !(last_i && 5'(4 * i) > last_byte_i) &&
               (!REQUANTISE ? fp32_is_no_scale(value[i]) :
                i % 2 == 0 ? multiplier_bad(value[i][31]) : shift_bad(value[i]));
    end
  end

  assign bad_o = valid_i && bad != '0;

endmodule
