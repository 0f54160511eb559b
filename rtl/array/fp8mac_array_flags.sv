// SPDX-License-Identifier: Apache-2.0
// The flags of all elements together, of those alone whose row and column are enabled: an Inf or a NaN whose partners
// are the zeros of a row or column that is not enabled raises nothing, nor does what an accumulator holds before its
// first step.
module fp8mac_array_flags
  import fp8mac_pkg::*;
#(
  parameter int unsigned ROWS = 8,
  parameter int unsigned COLS = 8
) (
  input  logic                          valid_i,
  input  logic [ROWS-1:0]               row_en_i,
  input  logic [COLS-1:0]               col_en_i,
  input  flags_t [ROWS-1:0][COLS-1:0]   flags_i,
  output flags_t                        flags_o
);

  always_comb begin
    flags_o = '0;
    for (int unsigned r = 0; r < ROWS; r++) begin
      for (int unsigned c = 0; c < COLS; c++) begin
        if (valid_i && row_en_i[r] && col_en_i[c]) flags_o = flags_o | flags_i[r][c];
      end
    end
  end

endmodule
