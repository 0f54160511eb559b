// SPDX-License-Identifier: Apache-2.0
// Operand decoder for FeedBounded: one FP8 code to a lane with its distance below a bound. A
// subnormal is normalised. Combinational; clock and reset are those of an assertion.
//
// With the exponent field e and the fraction m on top of three bits, the distance is base_i - e.
// For a subnormal e is 1 - z, where z is the place of the leading bit, 1 to 3. What is added to the
// base is the inverse of e:
//
//   field   m      e    inverse of e   fraction of the normalised operand
//   > 0     any    e    ~e             m
//     0     1xx    0    111111         x x 0
//     0     01x   -1    000000         x 0 0
//     0     001   -2    000001         0 0 0
module fp8mac_distance_decode
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned DISTANCE_W = OperandExpW,
  parameter int unsigned FRAC_BITS = 19  // a distance of more than FRAC_BITS + 1 is replaced by one that is far
) (
  input  logic                 clk_i,      // clock and reset: of the assertion alone
  input  logic                 rst_ni,
  input  logic [7:0]           code_i,
  input  logic                 present_i,  // 0: a zero
  input  logic                 nan_i,      // a NaN, whatever the code
  input  fp8_fmt_e             fmt_i,
  input  logic [BoundW-1:0]    base_i,     // distance_base()
  output lane_t                lane_o,
  output logic                 nan_o
);

  localparam logic [DISTANCE_W-1:0] Far = DISTANCE_W'(shift_all_out(FRAC_BITS + 2, DISTANCE_W));

  // Fields
  logic                   e5, fnuz;
  logic [OperandExpW-1:0] e;
  logic [SigW-2:0]        m, frac;
  assign e5   = fmt_i == FmtE5m2 || fmt_i == FmtE5m2fnuz;
  assign fnuz = is_fnuz(fmt_i);
  assign e    = e5 ? code_i[6:2] : {1'b0, code_i[6:3]};
  assign m    = e5 ? {code_i[1:0], 1'b0} : code_i[2:0];

  logic subnormal, low;  // low: a subnormal whose leading bit is in the second or third place
  assign subnormal = e == '0;
  assign low       = subnormal && !m[2];
  assign frac      = {subnormal ? m[1] && (m[2] || m[0]) : m[2], subnormal ? m[2] && m[0] : m[1], !subnormal && m[0]};

  // Distance, 0 to 32. Only the smallest subnormal of E5M2FNUZ can be 32 below a bound.
  logic [OperandExpW-1:0] inverse, below;
  logic                   zero, far, unused_carry;
  logic [DISTANCE_W-1:0]  distance;
  assign inverse = {~e[4:1] & {4{!low}}, !(e[0] || (low && m[1]))};
  fp8mac_adder #(.W(OperandExpW)) u_below (
    .a_i(base_i[OperandExpW-1:0]), .b_i(inverse), .carry_i(1'b0), .sum_o(below), .carry_o(unused_carry)
  );
  if (DISTANCE_W < OperandExpW) begin : g_far
    assign far = zero || (low && m[1] && base_i[BoundW-1]) || below[OperandExpW-1:DISTANCE_W] != '0;
  end else begin : g_near
    assign far = zero || (low && m[1] && base_i[BoundW-1]);
  end
  assign distance = below[DISTANCE_W-1:0] | (Far & {DISTANCE_W{far}});

  // Specials. In both OCP formats NaN and Inf begin with five ones.
  logic none, ones, is_inf, nan;
  assign none = low && !m[1] && !m[0];
  assign ones = code_i[6:2] == '1 && present_i;
  assign is_inf  = ones && fmt_i == FmtE5m2 && code_i[1:0] == '0 && !nan_i;
  assign nan  = (ones && fmt_i == FmtE5m2 && code_i[1:0] != '0) || (ones && fmt_i == FmtE4m3fn && code_i[1:0] == '1) ||
                (none && fnuz && code_i[7] && present_i) || (nan_i && present_i);
  assign zero = !present_i || (none && !(fnuz && code_i[7]) && !nan_i);

  assign nan_o  = nan;
  assign lane_o = '{sign: code_i[7], exp_n: OperandExpW'(distance), half: 1'b0, sig: {1'b1, frac}, zero: zero,
                    live: !zero && !nan, is_inf: is_inf};

  // No finite operand is above its bound.
  a_within_bound : assert property (@(posedge clk_i) disable iff (!rst_ni)
    zero || nan || is_inf || base_i + {!low, inverse} <= BoundW'(32));

endmodule
