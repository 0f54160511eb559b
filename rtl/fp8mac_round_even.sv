// SPDX-License-Identifier: Apache-2.0
// Round to nearest, ties to even, on a packed pattern {exponent, fraction}: the bits that were kept, the first bit
// below them (guard) and the OR of all others (sticky). Combinational.
//
//   guard sticky lsb | the discarded part is | up
//     0     -     -  | below one half        |  0
//     1     0     0  | a tie, already even   |  0
//     1     0     1  | a tie, odd            |  1
//     1     1     -  | above one half        |  1
//
// A carry out of the fraction runs into the exponent, which is what it must do: 1.11..1 becomes 10.0, and the largest
// subnormal the smallest normal. The width leaves room for the largest exponent's carry.
module fp8mac_round_even #(
  parameter int unsigned Width = 32
) (
  input  logic [Width-1:0] kept_i,
  input  logic             guard_i,
  input  logic             sticky_i,
  output logic [Width-1:0] rounded_o
);

  logic up;

  assign up        = guard_i & (sticky_i | kept_i[0]);
  assign rounded_o = kept_i + Width'(up);

endmodule
