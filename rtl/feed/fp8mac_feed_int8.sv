// SPDX-License-Identifier: Apache-2.0
// Edge of an array of fp8mac_element_int8: one row's (or column's) operands, registered; with RECODE as Booth digits. A lane
// that is not enabled is 0.
module fp8mac_feed_int8
  import fp8mac_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter bit RECODE = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  valid_i,
  input  logic [LANES-1:0]      lane_en_i,
  input  logic [LANES-1:0][7:0] code_i,
  output logic [LANES-1:0][7:0] operand_o,  // unless RECODE
  output booth_t [LANES-1:0]    digit_o     // with RECODE
);

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    logic [7:0] code;
    assign code = valid_i && lane_en_i[i] ? code_i[i] : '0;
    if (RECODE) begin : g_recode
      booth_t digit;
      fp8mac_booth_recode u_recode (.code_i(code), .digit_o(digit));
      always_ff @(posedge clk_i) digit_o[i] <= digit;
      assign operand_o[i] = '0;
    end else begin : g_as_is
      always_ff @(posedge clk_i) operand_o[i] <= code;
      assign digit_o[i] = '0;
    end
  end

endmodule
