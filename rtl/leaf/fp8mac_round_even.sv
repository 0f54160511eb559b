// SPDX-License-Identifier: Apache-2.0
// Decides whether rounding to nearest, ties to even, goes up. Every rounding of the datapath uses
// this module. The user adds up_o at the place of the last bit kept. Combinational.
//
//   bits of the number   [ ........ last bit kept ][ guard ][ rest ]
//
// With inverted_i the bits are a magnitude whose two's complement was only inverted. Infinitely
// many ones follow its last bit, so that the magnitude is one unit larger, and that unit is
// infinitely far below. rest_i then says whether a bit of the rest is 0.
//
//   inverted | guard | rest | last bit kept | what is dropped           | up
//   ---------+-------+------+---------------+---------------------------+----
//       0    |   0   |  -   |       -       | less than a half          |  0
//       0    |   1   |  0   |       0       | a half, the kept is even  |  0
//       0    |   1   |  0   |       1       | a half, the kept is odd   |  1
//       0    |   1   |  1   |       -       | more than a half          |  1
//       1    |   0   |  1   |       -       | less than a half          |  0
//       1    |   0   |  0   |       0       | a half, the kept is even  |  0
//       1    |   0   |  0   |       1       | a half, the kept is odd   |  1
//       1    |   1   |  -   |       -       | more than a half          |  1
module fp8mac_round_even (
  input  logic last_i,      // the last bit kept
  input  logic guard_i,     // the first bit dropped
  input  logic rest_i,      // a bit below the guard bit is 1; with inverted_i, is 0
  input  logic inverted_i,
  output logic up_o
);

  assign up_o = inverted_i ? guard_i || (!rest_i && last_i) : guard_i && (rest_i || last_i);

endmodule
