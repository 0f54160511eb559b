// SPDX-License-Identifier: Apache-2.0
// Late accumulation: adds an accumulator to a sum of products. Each is rounded to odd LATE_BITS
// below the larger of their exponents. `late` does it once a step, `block` once a block.
//
//   cycle   1          2               3      4
//           compare -> swap, align  -> add -> sum_o, field_o
module fp8mac_late_add
  import fp8mac_pkg::*;
  import fp8mac_element_pkg::*;
#(
  parameter int unsigned FRAC_BITS = 25,   // of the products' sum
  parameter int unsigned LATE_BITS = 25,   // at least FRAC_BITS, and the accumulator's significand less its leading bit
  parameter int unsigned INT_W = 6,        // integer bits of both, see integer_bits()
  parameter bit ACC_FP16 = 1'b0,
  parameter bit MX = 1'b0,                 // the products' exponent includes MX scales
  parameter int unsigned ADD_RIPPLE = 22,  // RIPPLE of the adder, see fp8mac_adder
  localparam int unsigned AccSigBits = ACC_FP16 ? Fp16MantW + 1 : AccSigW,
  localparam int unsigned AccFieldW = ACC_FP16 ? 5 : 8,
  localparam int unsigned ProductsW = FRAC_BITS + INT_W + 1,
  localparam int unsigned SumW = LATE_BITS + INT_W + 1,
  localparam int unsigned FieldBits = window_field_bits(ACC_FP16, MX),
  localparam int unsigned ExpW = field_width(MX)
) (
  input  logic                  clk_i,

  // Cycle 1
  input  logic signed [ExpW-1:0] field_i,      // the exponent of the products' sum, as the accumulator's field
  input  logic                  none_i,        // all products are zero: field_i has no meaning
  input  logic                  acc_sign_i,
  input  logic [AccSigBits-1:0] acc_sig_i,
  input  logic [AccFieldW-1:0]  acc_field_i,

  // Cycle 2
  input  logic [ProductsW-1:0]  products_i,    // two's complement

  // Cycle 4
  output logic [SumW-1:0]       sum_o,         // two's complement
  output logic [FieldBits-1:0]  field_o        // the window's exponent
);

  // Compare: which of the two exponents is larger, and by how much. `over` is the difference minus
  // 1. Where that of the products is larger this is the accumulator's shift, because the
  // accumulator starts one place lower.
  localparam int unsigned ShiftW = $clog2(SumW + 2);
  localparam int unsigned DiffW = ExpW + 1;

  logic                  acc_sign_2_q, by_acc, by_acc_2_q, far, unused_carry_1;
  logic [AccSigBits-1:0] acc_sig_2_q;
  logic [DiffW-1:0]      over;
  logic [DiffW-2:0]      distance;
  logic [ShiftW-1:0]     shift_2_q;
  logic [FieldBits-1:0]  field_2_q, field_3_q;

  fp8mac_adder #(.W(DiffW)) u_over (
    .a_i(DiffW'(field_i)), .b_i(~DiffW'(acc_field_i)), .carry_i(1'b0), .sum_o(over), .carry_o(unused_carry_1)
  );
  assign by_acc   = none_i || over[DiffW-1];
  assign distance = over[DiffW-2:0] ^ {(DiffW - 1){over[DiffW-1]}};
  assign far      = distance[DiffW-2:ShiftW] != '0;

  always_ff @(posedge clk_i) begin
    by_acc_2_q   <= by_acc;
    shift_2_q    <= distance[ShiftW-1:0] | {ShiftW{far}};
    field_2_q    <= by_acc ? FieldBits'(acc_field_i) : field_i[FieldBits-1:0];
    acc_sign_2_q <= acc_sign_i;
    acc_sig_2_q  <= acc_sig_i;
  end

  // Swap, align: the word with the smaller exponent is shifted. It has one column below the window.
  //
  //   column      SumW-1 .. L+1   L ......................... 0   -1       L = LATE_BITS
  //   sum        [ ...... products' sum .....   | 0 ........ 0 ]
  //   acc        [ s ........ s ][ significand ^ s | s ..... s ]           one's complement: +s in the addition
  //   smaller                                                            if it is acc, it starts one place lower
  logic [SumW-1:0] sum_2, acc_2, larger, larger_3_q, smaller_3_q;
  logic [SumW:0]   smaller, aligned;
  logic            fill, empty, dropped, lost, acc_sign_3_q;

  assign acc_2   = {{INT_W{acc_sign_2_q}}, acc_sig_2_q ^ {AccSigBits{acc_sign_2_q}},
                    {(LATE_BITS + 1 - AccSigBits){acc_sign_2_q}}};
  assign sum_2   = {products_i, {(LATE_BITS - FRAC_BITS){1'b0}}};
  assign larger  = by_acc_2_q ? acc_2 : sum_2;
  assign smaller = by_acc_2_q ? {sum_2, 1'b0} : {acc_sign_2_q, acc_2};
  assign fill    = smaller[SumW];
  assign empty   = !by_acc_2_q && acc_sign_2_q;

  fp8mac_align_shift #(.VALUE_W(SumW + 1), .W(SumW + 1), .LEVELS(ShiftW)) u_align (
    .value_i(smaller), .fill_i(fill), .void_i(empty), .shift_i(shift_2_q), .word_o(aligned), .lost_o(dropped)
  );
  assign lost = dropped || aligned[0] != empty;

  always_ff @(posedge clk_i) begin
    larger_3_q   <= larger;
    smaller_3_q  <= {aligned[SumW:2], lost ? !empty : aligned[1]};
    acc_sign_3_q <= acc_sign_2_q;
    field_3_q    <= field_2_q;
  end

  // Add
  logic [SumW-1:0] sum_3;
  logic            unused_carry_3;

  fp8mac_adder #(.W(SumW), .RIPPLE(ADD_RIPPLE), .SELECT(1'b1)) u_add (
    .a_i(larger_3_q), .b_i(smaller_3_q), .carry_i(acc_sign_3_q), .sum_o(sum_3), .carry_o(unused_carry_3)
  );
  always_ff @(posedge clk_i) begin
    sum_o   <= sum_3;
    field_o <= field_3_q;
  end

endmodule
