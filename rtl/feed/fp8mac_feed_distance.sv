// SPDX-License-Identifier: Apache-2.0
// Edge of an array whose elements hang their window from a bound of the operands (fp8mac_element_static, static, and
// fp8mac_element_late): one row's (or column's) operands, decoded once for all its elements, each with its distance below
// the bound as exp_n, saturated at 2^DISTANCE_W - 1. A shift then is the sum of two distances, which nothing in the
// element has to be waited for. Operands are normalised; zeros have the largest distance.
//
// A bound is a normalised exponent as fp8mac_decode gives it (1 is E5M2's smallest binade, 9 E4M3's; E5M2's smallest
// subnormal is -1) plus 1, 0..32. FNUZ's larger bias is left to fnuz_adjust.
//
//   OWN_BOUND = 0   bound_i, of all K, comes with the operands          one cycle:   decode, distance
//   OWN_BOUND = 1   the bound is the largest operand's of the step      three:       decode -> maximum -> distance
module fp8mac_feed_distance
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned LANES = 4,
  parameter int unsigned DISTANCE_W = OperandExpW,
  parameter bit OWN_BOUND = 1'b0,
  parameter bit SIDE_A = 1'b0          // an absent lane is (-0) * (+0), with which an accumulator keeps its -0
) (
  input  logic                   clk_i,
  input  logic                   valid_i,    // 0: all lanes are zero, the elements keep what they have
  input  logic [LANES-1:0]       lane_en_i,
  input  logic [LANES-1:0][7:0]  code_i,
  input  fp8_fmt_e               fmt_i,
  input  logic [OperandExpW:0]   bound_i,    // at least every finite operand's; unless OWN_BOUND
  output lane_t [LANES-1:0]      lane_o,
  output logic                   nan_o,

  // With OWN_BOUND
  input  base_t                  base_i,     // in the third cycle
  output base_t                  field_o,    // bound + base
  output logic                   none_o      // all lanes are zero: there is no bound
);

  typedef struct packed {
    logic     sign;
    leading_t leading;
    logic     zero;
    logic     nan;
    logic     inf;
  } read_t;

  read_t [LANES-1:0] read, late;
  logic [LANES-1:0]  is_nan;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_lane
    operand_t operand;
    logic     present;
    fp8mac_decode u_decode (.code_i(code_i[i]), .fmt_i, .operand_o(operand));
    assign present = valid_i && lane_en_i[i];
    always_comb begin
      read[i].sign    = present ? operand.sign : SIDE_A;
      read[i].leading = leading(operand.exp, operand.sig);
      read[i].zero    = operand.zero || !present;
      read[i].nan     = operand.nan && present;
      read[i].inf     = operand.inf && present;
    end
  end

  // The bound, plus TopOffset
  logic [OperandExpW:0] bound;

  if (OWN_BOUND) begin : g_own

    read_t [LANES-1:0]                 read_q, late_q;
    logic [OperandExpW+1:0][LANES-1:0] alive /* verilator split_var */;
    logic [OperandExpW:0]              largest, largest_q;
    logic                              none_q;

    // Bit by bit from the top, as fp8mac_aligned_maximum
    for (genvar i = 0; i < int'(LANES); i++) begin : g_alive
      assign alive[OperandExpW+1][i] = !read_q[i].zero;
    end
    for (genvar b = int'(OperandExpW); b >= 0; b--) begin : g_bit
      logic [LANES-1:0] has;
      logic             set;
      for (genvar i = 0; i < int'(LANES); i++) begin : g_has
        assign has[i] = read_q[i].leading.top[b];
      end
      assign set        = (alive[b+1] & has) != '0;
      assign largest[b] = set;
      assign alive[b]   = alive[b+1] & (has | {LANES{!set}});
    end

    always_ff @(posedge clk_i) begin
      read_q    <= read;
      late_q    <= read_q;
      largest_q <= largest;
      none_q    <= alive[OperandExpW+1] == '0;
      field_o   <= base_t'({1'b0, largest_q}) + base_i - base_t'(TopOffset - 1);
      none_o    <= none_q;
    end
    assign late  = late_q;
    assign bound = largest_q;

  end else begin : g_given

    assign late    = read;
    assign bound   = bound_i + (OperandExpW + 1)'(TopOffset - 1);
    assign field_o = '0;
    assign none_o  = 1'b0;

  end

  // Distances
  lane_t [LANES-1:0] lane;

  for (genvar i = 0; i < int'(LANES); i++) begin : g_distance
    logic [OperandExpW:0] below;
    logic                 far, unused_carry;
    fp8mac_adder #(.W(OperandExpW + 1)) u_below (
      .a_i(bound), .b_i(~late[i].leading.top), .carry_i(1'b1), .sum_o(below), .carry_o(unused_carry)
    );
    assign far = late[i].zero || below[OperandExpW:DISTANCE_W] != '0;
    always_comb begin
      lane[i]                        = '0;
      lane[i].exp_n[DISTANCE_W-1:0]  = below[DISTANCE_W-1:0] | {DISTANCE_W{far}};
      lane[i].sign                   = late[i].sign;
      lane[i].sig                    = {1'b1, late[i].leading.frac};
      lane[i].zero                   = late[i].zero;
      lane[i].live                   = !late[i].zero && !late[i].nan;
      lane[i].inf                    = late[i].inf;
    end
    assign is_nan[i] = late[i].nan;

    a_within_bound : assert property (@(posedge clk_i)
      late[i].zero || late[i].nan || late[i].inf || late[i].leading.top <= bound);
  end

  always_ff @(posedge clk_i) begin
    lane_o <= lane;
    nan_o  <= is_nan != '0;
  end

  logic unused_given;
  assign unused_given = OWN_BOUND ? bound_i != '0 : base_i != '0;

endmodule
