// SPDX-License-Identifier: Apache-2.0
// The largest of the valid ones among COUNT unsigned numbers, found bit by bit from the top. A
// number is alive while its bits so far equal the maximum's. A bit of the maximum is 1 if some
// number that is alive has it. Combinational.
module fp8mac_maximum #(
  parameter int unsigned COUNT = 4,  // of numbers
  parameter int unsigned W     = 6   // bits of each
) (
  input  logic [COUNT-1:0][W-1:0] value_i,
  input  logic [COUNT-1:0]        valid_i,
  output logic [W-1:0]            maximum_o,  // 0 if no number is valid
  output logic                    any_o       // some number is valid
);

  logic [W:0][COUNT-1:0] alive /* verilator split_var */;

  assign alive[W] = valid_i;
  assign any_o    = valid_i != '0;

  for (genvar b = int'(W) - 1; b >= 0; b--) begin : g_bit
    logic [COUNT-1:0] has;
    logic             set;
    for (genvar i = 0; i < int'(COUNT); i++) begin : g_has
      assign has[i] = value_i[i][b];
    end
    assign set          = (alive[b+1] & has) != '0;
    assign maximum_o[b] = set;
    assign alive[b]     = alive[b+1] & (has | {COUNT{!set}});
  end

  logic unused_alive;
  assign unused_alive = ^alive[0];

endmodule
